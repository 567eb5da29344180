#!/bin/sh
# A compiler crashes on the file $1: internal error, assertion, signal.
#
#   marrow reduce crash.c ./test.sh
#
# marrow starts this script in a fresh directory that holds only the candidate. It exits with 0
# if the candidate still shows the failure.

# The compiler with its options; the file name follows. What it writes goes into the current
# directory. Name other files that it needs (include directories) by absolute paths.
compile='gcc -O2 -c -o out.o'
# What the crash looks like, as an extended regular expression (grep -E). Be exact: a message that
# other failures have too leads to another failure.
message='internal compiler error|Assertion .* failed|LLVM ERROR|Stack dump'
# How long the compiler may take, in seconds.
limit='20'

ulimit -c 0 2>/dev/null # a crash need not leave a core file

# Without quotes, so that the options are words of their own.
timeout "$limit" $compile "$1" >output.txt 2>&1
status=$?

# That it ran out of time is another failure; that it succeeded is none.
[ "$status" -ne 124 ] || exit 1
[ "$status" -ne 0 ] || exit 1
# Killed by a signal, it may have had no time to print anything.
[ "$status" -gt 128 ] && exit 0
grep -Eq -e "$message" output.txt
