#!/bin/sh
# A calculator that fails on doubled parentheses, as in the DDSET paper.
grep -q '((.*))' "$1"
