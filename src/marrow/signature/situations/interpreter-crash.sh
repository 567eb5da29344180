#!/bin/sh
# An interpreter fails on the program $1: a signal, an assertion, an exception that should not be.
#
#   marrow reduce crash.js ./test.sh
#
# marrow starts this script in a fresh directory that holds only the candidate. It exits with 0
# if the candidate still shows the failure.

# The interpreter with its options; the file name follows.
interpreter='node'
# What the failure looks like, as an extended regular expression (grep -E). Be exact: the type of
# an exception and its message rather than `Error`.
message='^TypeError: '
# What is another failure although it looks like this one; empty if there is none.
other='SyntaxError'
# How long the interpreter may take, in seconds.
limit='10'

ulimit -c 0 2>/dev/null # a crash need not leave a core file

timeout "$limit" $interpreter "$1" >output.txt 2>&1 </dev/null
status=$?

# That it ran out of time is another failure; that it succeeded is none.
[ "$status" -ne 124 ] || exit 1
[ "$status" -ne 0 ] || exit 1
[ -n "$other" ] && grep -Eq -e "$other" output.txt && exit 1
grep -Eq -e "$message" output.txt
