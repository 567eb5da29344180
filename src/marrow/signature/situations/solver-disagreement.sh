#!/bin/sh
# Two solvers disagree on the formula $1: one says sat, the other unsat.
#
#   marrow reduce formula.smt2 ./test.sh
#
# marrow starts this script in a fresh directory that holds only the candidate. It exits with 0
# if the candidate still shows the failure.

# The solvers with their options; the file name follows. One solver with two sets of options
# will do as well.
first='z3'
second='cvc5 --incremental'
# How long each of them may take, in seconds.
limit='10'

timeout "$limit" $first "$1" >first.txt 2>&1
timeout "$limit" $second "$1" >second.txt 2>&1

# A formula that one of them does not accept is not valid: marrow knows that by this exit code.
grep -q 'error' first.txt second.txt && exit 125

# Only the answers count. Both must have given them all: `unknown` and time-outs are no answers.
grep -E '^(sat|unsat)$' first.txt >answers1.txt || exit 1
grep -E '^(sat|unsat)$' second.txt >answers2.txt || exit 1
[ "$(wc -l <answers1.txt)" -eq "$(wc -l <answers2.txt)" ] || exit 1
! cmp -s answers1.txt answers2.txt
