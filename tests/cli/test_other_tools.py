"""Scripts that were written for other reducers work as they are.

How each of them calls its test: C-Reduce and C-Vise start it without arguments in a fresh directory
that holds the file under its own name; Perses copies the script and the file into a fresh directory
and starts it there, without arguments; Picireny gives the path as the only argument; Shrink Ray
gives the candidate on standard input, or its path as the last argument.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM, marrow

SCRIPTS = {
    "C-Reduce": """#!/bin/bash
set -e
cp input.c copy.c
grep -q 'needle' copy.c
! grep -q nonsense input.c
""",
    "C-Reduce with nothing in front": """grep needle input.c >/dev/null 2>&1 &&
! grep 'syntax error' input.c
""",
    "C-Vise": """#!/usr/bin/env bash
TIMEOUT=10
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
timeout -s 9 $TIMEOUT cat input.c > "$OUT/out.txt" 2>&1 || exit 1
grep -q needle "$OUT/out.txt"
""",
    "Perses": """#!/usr/bin/env bash
readonly FILE="input.c"
readonly OUTPUT="temp_output.tmp"
cat "${FILE}" &> "${OUTPUT}"
if ! grep --quiet --fixed-strings "needle" "${OUTPUT}" ; then
  exit 1
fi
exit 0
""",
    "Picireny": """#!/bin/bash
! test -f "$1" || grep -q needle "$1"
[ $# -eq 1 ] && grep -q needle "$1"
""",
    "Shrink Ray, standard input": f"""#!{sys.executable}
import sys
if __name__ == '__main__':
    sys.exit(0 if 'needle' in sys.stdin.read() else 1)
""",
    "Shrink Ray, argument": f"""#!{sys.executable}
import sys
with open(sys.argv[-1]) as source:
    assert 'needle' in source.read()
""",
}


@pytest.mark.parametrize("tool", SCRIPTS)
def test_scripts_of_other_tools(work: Path, tool: str) -> None:
    script = work / "interesting.sh"
    script.write_text(SCRIPTS[tool])
    script.chmod(0o755)
    ended = marrow("reduce", "input.c", "./interesting.sh", "-q", *ALGORITHM)
    assert ended.code == 0, ended.err
    result = (work / "input.reduced.c").read_text()
    assert "needle" in result
    assert "unused" not in result
