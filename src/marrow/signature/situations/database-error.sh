#!/bin/sh
# A database fails on the statements in the file $1: an error that should not be, a crash.
#
#   marrow reduce query.sql ./test.sh
#
# marrow starts this script in a fresh directory that holds only the candidate. It exits with 0
# if the candidate still shows the failure.

# The client with its options; it reads the statements from its standard input. The database must
# be fresh for every test: in memory, or a file in the current directory.
database='sqlite3 -batch -bail :memory:'
# What the failure looks like, as an extended regular expression (grep -E). Be exact.
message='malformed|misuse|Assertion .* failed'
# Errors that are no failure of the database: statements that make no sense; empty if there are none.
nonsense='syntax error|incomplete input|no such (table|column|function)'
# How long the database may take, in seconds.
limit='10'

ulimit -c 0 2>/dev/null # a crash need not leave a core file

timeout "$limit" $database <"$1" >output.txt 2>&1
status=$?

# That it ran out of time is another failure.
[ "$status" -ne 124 ] || exit 1
[ -n "$nonsense" ] && grep -Eq -e "$nonsense" output.txt && exit 125
# Killed by a signal, it may have had no time to print anything.
[ "$status" -gt 128 ] && exit 0
grep -Eq -e "$message" output.txt
