#!/bin/sh
# A program that is compiled from the file $1 does one thing by one compiler or option and another
# by another, although it has a defined meaning.
#
#   marrow reduce wrong.c ./test.sh
#
# marrow starts this script in a fresh directory that holds only the candidate. It exits with 0
# if the candidate still shows the failure.

# Whom you trust, and whom you suspect; the file and `-o PROGRAM` follow.
trusted='gcc -w -O0'
suspect='gcc -w -O2'
# A compiler whose programs stop at undefined behaviour. Without such a guard the result will be a
# program without a defined meaning, on which compilers may disagree.
sanitizer='gcc -w -O1 -fsanitize=undefined,address -fno-sanitize-recover=all'
# Warnings that tell of undefined behaviour: how to get them (variables without a value are only
# noticed when the compiler optimizes), and what must not be printed.
warnings='gcc -O1 -c -o warnings.o -Wall -Wextra -Wno-unused'
undefined='uninitialized|without a prototype|incompatible|makes pointer from integer|makes integer from pointer|control reaches end|too few arguments|expects a matching|too many arguments|division by zero|shift count|implicit declaration|return type defaults|overflow|out of bounds'
# How long a compiler, and how long a program may take, in seconds.
limit='20'
running='5'

ulimit -c 0 2>/dev/null # a crash need not leave a core file

# The cheap checks first: most candidates end here.
timeout "$limit" $trusted "$1" -o trusted.exe >/dev/null 2>&1 || exit 1
timeout "$limit" $warnings "$1" >warnings.txt 2>&1 || exit 1
grep -Eq -e "$undefined" warnings.txt && exit 1
timeout "$limit" $suspect "$1" -o suspect.exe >/dev/null 2>&1 || exit 1

# Both programs must end by themselves, the trusted one with success.
timeout "$running" ./trusted.exe >trusted.txt 2>&1 || exit 1
timeout "$running" ./suspect.exe >suspect.txt 2>&1
status=$?
[ "$status" -ne 124 ] || exit 1

# They must disagree: another output, or another end.
if [ "$status" -eq 0 ] && cmp -s trusted.txt suspect.txt; then
  exit 1
fi

# The dear check last: no undefined behaviour.
timeout "$limit" $sanitizer "$1" -o sanitized.exe >/dev/null 2>&1 || exit 1
timeout "$running" ./sanitized.exe >sanitized.txt 2>&1 || exit 1
cmp -s trusted.txt sanitized.txt
