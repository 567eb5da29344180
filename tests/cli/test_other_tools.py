"""Scripts that were written for other reducers work as they are.

How each of them calls its test: C-Reduce and C-Vise start it without arguments in a fresh directory
that holds the file under its own name; Perses copies the script and the file into a fresh directory
and starts it there, without arguments; Picireny gives the path as the only argument; Shrink Ray
gives the candidate on standard input, or its path as the last argument.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from marrow.cli.command_table import foreign_options
from marrow.cli.commands.reduce import reduce_command
from marrow.cli.exits import Exit
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
import re
import sys
if __name__ == '__main__':
    sys.exit(0 if 'needle' in sys.stdin.read() else 1)
""",
    "Shrink Ray, argument": f"""#!{sys.executable}
import re
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


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("reduce", "input.c", "./test.sh", "--n", "4"), "-j N is how many tests run at once"),
        (("reduce", "--not-c", "input.c", "./test.sh"), "marrow knows the language by the name"),
        (("./test.sh", "input.c"), "marrow reduce ./test.sh input.c"),
        (("reduce", "input.c", "./test.sh", "--jbos", "4"), "--jobs"),
    ],
)
def test_habits_from_other_tools_get_a_hint(work: Path, words: tuple[str, ...], hint: str) -> None:
    ended = marrow(*words)
    assert ended.code == Exit.USAGE
    assert hint in " ".join(ended.err.split())
    assert (work / "input.c").exists()


def test_a_test_in_front_that_may_not_be_run_is_still_the_test(work: Path) -> None:
    (work / "test.sh").chmod(0o644)
    ended = marrow("reduce", "test.sh", "input.c", *ALGORITHM)
    assert "test.sh is taken for the test" in ended.err
    assert "input.c is not executable" not in ended.err


def test_hints_name_options_that_there_are() -> None:
    known = {name for one in reduce_command.params for name in (*one.opts, *one.secondary_opts)}
    assert known.isdisjoint(foreign_options())
    for hint in foreign_options().values():
        named = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", hint.replace("marrow --version", ""))
        assert set(named) <= known, hint
