"""Nothing that a test prints, an input holds or a file is called is obeyed by the terminal."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import marrow as library
from marrow.report.plain import plain, printable
from tests.cli.running import ALGORITHM, Ended, executable, marrow
from tests.cli.test_terminal import Terminal

#: Set the title, clear the screen (in seven and in eight bits), ring, turn the direction round.
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b2J\u202e\r"
NAME = f"in{EVIL}put.json"
TEXT = f'["{EVIL}", "needle", ["{EVIL}"], 1]'

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

SAYS_EVIL = f"printf '%s\\n' '{EVIL}' >&2; printf '%s\\n' '{EVIL}';"


@pytest.fixture
def evil(work: Path) -> Path:
    (work / NAME).write_bytes(TEXT.encode())
    executable(work / "test.sh", f'{SAYS_EVIL} grep -q needle "$1"')
    executable(work / f"no{EVIL}.sh", f"{SAYS_EVIL} exit 1")
    return work


def harmless(ended: Ended) -> Ended:
    assert CONTROL.search(ended.out + ended.err) is None, repr(ended)
    return ended


def test_reduce(evil: Path) -> None:
    ended = harmless(marrow("reduce", NAME, "./test.sh", "-v", *ALGORITHM))
    assert (ended.code, r"in\x1b]0;owned\x07" in ended.out) == (0, True)
    again = harmless(marrow("reduce", NAME, "./test.sh", "--max-tests", "1", *ALGORITHM))
    assert "is kept as" in again.err
    assert harmless(marrow("reduce", NAME, f"./no{EVIL}.sh")).code == 5
    assert harmless(marrow("reduce", NAME, "--shell", f"{SAYS_EVIL} true")).code == 7
    assert harmless(marrow("reduce", NAME + "x", "./test.sh")).code == 3
    assert harmless(marrow("reduce", NAME, "./test.sh", "-o", f"{EVIL}/x")).code == 8


def test_commands(evil: Path) -> None:
    words = ("--", "sh", "-c", f'{SAYS_EVIL} grep needle "$1" && exit 3', "sh", "{}")
    ended = harmless(marrow("reduce", NAME, *ALGORITHM, *words))
    assert (ended.code, "kept: the command exits with 3" in ended.err) == (0, True)
    fine = ("--", "sh", "-c", f"{SAYS_EVIL} exit 0", "sh", "{}")
    assert harmless(marrow("reduce", NAME, *fine)).code == 5


def test_patterns(evil: Path) -> None:
    # Of these, JSON allows in a string what is an escape in eight bits.
    text = '["\x9b2J\u202e", ["needle\x9b2J"], 1]'
    (evil / NAME).write_bytes(text.encode())
    executable(evil / "test.sh", f'{SAYS_EVIL} grep -q \'\\["needle\x9b2J\' "$1"')
    found = harmless(marrow("abstract", NAME, "./test.sh", "-v", "--checks", "5", "--no-reduce"))
    assert found.code == 0, found.err
    pattern = f"in{EVIL}put.pattern.json"
    assert harmless(marrow("produce", pattern, "-n", "3", "--verify", "./test.sh", "-v")).code == 0
    assert harmless(marrow("produce", pattern, "-n", "3")).code == 0
    assert harmless(marrow("match", pattern, NAME, "-v")).code in (0, 10)
    assert harmless(marrow("match", NAME, NAME)).code == 3


def test_other_commands(evil: Path) -> None:
    assert harmless(marrow("tree", NAME)).code == 0
    assert harmless(marrow("grammar", NAME)).code == 3
    assert harmless(marrow("report", NAME)).code == 9
    assert harmless(marrow("reduce", f"--{EVIL}")).code == 2
    assert harmless(marrow(EVIL)).code == 2
    assert harmless(marrow("train", NAME, "-l", "json", "--check", "true", "-o", "m.json")).err


def test_programs_get_names_as_they_are(evil: Path) -> None:
    ended = harmless(marrow("reduce", NAME, "./test.sh", "--json", "-q", *ALGORITHM))
    assert json.loads(ended.out)["input"] == NAME


def test_the_page(evil: Path) -> None:
    assert marrow("reduce", NAME, "./test.sh", "-q", "--report", "r.html", *ALGORITHM).code == 0
    page = (evil / "r.html").read_text()
    assert "\x1b" not in page
    title = re.search("<title>(.*)</title>", page)
    assert title is not None
    assert CONTROL.search(title[1]) is None


def test_the_display(evil: Path) -> None:
    executable(evil / "test.sh", f'{SAYS_EVIL} sleep 0.05; grep -q needle "$1"')
    terminal = Terminal("reduce", NAME, "./test.sh", "-j", "1", *ALGORITHM)
    assert terminal.end() == 0
    assert r"\x1b]0;owned" in terminal.plain
    for sequence in ("\x1b]0;", "\x07", "\x1b[2J", "\x9b", "\u202e"):
        assert sequence not in terminal.text


def test_words_stay_as_they_are() -> None:
    assert plain("a\nb — ü") == "a\nb — ü"
    assert plain("\t\x1b\udcff\U000e0001") == r"\x09\x1b\udcff" + "\\?"
    assert printable(b"\x1b[0m\tx") == "·[0m    x"


def test_commands_print_through_the_console_only() -> None:
    """What goes out as it is: data for programs, and files that are written to standard output."""
    allowed = {"console.py", "completion.py"}
    data = ("json.dumps", "script", "written.text")
    for path in (Path(library.__file__).parent / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("click.echo", "print"):
                first = ast.unparse(node.args[0])
                assert path.name in allowed or first.startswith(data), f"{path}:{node.lineno}"
