#!/bin/sh
# Interesting: the linter still dies with a KeyError.
here=$(dirname "$0")
python3 "$here/lint.py" "$1" 2>&1 >/dev/null | tail -n 3 | grep -q '^KeyError: '
