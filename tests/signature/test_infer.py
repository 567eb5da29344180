"""From what a command printed to what is kept."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.signature.differ import disagreement
from marrow.signature.findings import find
from marrow.signature.infer import Kept, UnclearFailureError, infer
from marrow.signature.masking import line_pattern
from marrow.signature.observation import Observation, Wanted
from tests.signature.outputs import FORMS

INPUT = "input.c"


def infer_from(*stderr: str, status: int = 1, text: str = "", stdout: str = "") -> Kept:
    runs = [Observation(status, stdout.encode(), one.encode()) for one in stderr]
    return infer(runs, INPUT, text.encode(), Wanted())


def grep(pattern: str, text: str) -> bool:
    """Whether a line of the text matches, as the script will ask."""
    ended = subprocess.run(
        ["grep", "-Eq", "-e", pattern], input=text.encode(), env={"LC_ALL": "C"}, check=False
    )
    return ended.returncode == 0


@pytest.mark.parametrize(("output", "words", "patterns"), FORMS)
def test_known_forms(output: str, words: str, patterns: list[str]) -> None:
    kept = infer_from(output, output, output)
    assert kept.words == words
    assert list(kept.stderr) == patterns
    assert kept.status == 1
    assert all(grep(pattern, output) for pattern in patterns)
    # The same on the standard output.
    told = infer_from("", status=134, stdout=output)
    assert (told.status, list(told.stdout)) == (134, patterns)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("/tmp/marrow-1/t1/input.c:12:5: error: x", "/tmp/marrow-1/t2/input.c:9:1: error: x"),
        ("error at 0x7ffe12 in f", "error at 0x55aa0 in f"),
        ("==12== error: leak", "==345== error: leak"),
        ("error after 1.25 s", "error after 0.9 s"),
        (
            "Parse error near line 3: no such column: x",
            "Parse error near line 11: no such column: x",
        ),
        (
            '(error "line 12 column 9: unknown constant x")',
            '(error "line 1 column 2: unknown constant x")',
        ),
        ("error: 2026-01-02 10:11:12 bad", "error: 2027-02-03 01:02:03 bad"),
        ("/usr/lib/a/tool.so: error: bad", "/opt/tool.so: error: bad"),
        ("error: cannot open /tmp/ccAbCd.s", "error: cannot open /tmp/ccXyZw.s"),
    ],
)
def test_what_varies_does_not_matter(first: str, second: str) -> None:
    (pattern,) = infer_from(first, second).stderr
    assert grep(pattern, first)
    assert grep(pattern, second)
    assert not grep(pattern, "error: something else")


def test_numbers_vary_where_they_do() -> None:
    assert infer_from("error 12 of f1", "error 12 of f1").stderr == ("error 12 of f1",)
    assert infer_from("error 12 of f1", "error 13 of f1").stderr == ("error [0-9]+ of f[0-9]+",)


def test_the_line_that_tells_most() -> None:
    output = "starting\nwarning: odd\nerror: bad thing\nstopped\n"
    assert infer_from(output, output).stderr == ("error: bad thing",)
    # A line of the input that the command shows will change.
    shown = "  return error(1);\nsomething failed\n"
    assert infer_from(shown, text="int f() {\n  return error(1);\n}").stderr == (
        "something failed",
    )
    # A line that is not always there does not count.
    assert infer_from("error: a\nfailed", "failed").stderr == ("failed",)
    # What a command prints on its standard output is its result, unless it is an error.
    assert infer_from("", stdout="42").stdout == ()
    assert infer_from("", stdout='ok\n(error "no")').stdout == (r'\(error "no"\)',)
    # An error on the standard output tells more than a remark on the standard error.
    remark = "; ignoring unsupported logic line: 2 position: 0"
    assert infer_from(remark, stdout='(error "no")').stdout == (r'\(error "no"\)',)
    assert infer_from(remark).stderr == (
        r"; ignoring unsupported logic line: [0-9]+ position: [0-9]+",
    )


def test_a_signal_is_enough() -> None:
    kept = infer_from("random words", "other words", status=139)
    assert kept == Kept(139)
    assert kept.sentence() == "the command is killed by signal 11 (SIGSEGV)"


def test_a_deep_recursion_has_no_top_frame() -> None:
    output = 'Traceback\n  File "/opt/a.py", line 1, in f\n    f()\nRecursionError: maximum depth\n'
    assert infer_from(output).stderr == ("^RecursionError(:|$)",)


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ([Observation(0, b"hello (1)\n")], r"--keep-stdout 'hello \(1\)'"),
        ([Observation(0)], "prints nothing"),
        ([Observation(None)], "-- timeout 10 COMMAND {}"),
        ([Observation(1), Observation(2)], "exits with 1, exits with 2"),
        ([Observation(127, b"", b"sh: nocc: not found")], "nocc: not found"),
    ],
)
def test_what_is_unclear_is_said(runs: list[Observation], says: str) -> None:
    with pytest.raises(UnclearFailureError) as told:
        infer(runs, INPUT, b"", Wanted())
    assert says in told.value.on_command_line
    assert "\n" in str(told.value), "what happened, and what to do"


def test_what_the_user_wants_is_kept_and_nothing_else() -> None:
    runs = [Observation(1, b"out", b"error: x")] * 3
    assert infer(runs, INPUT, b"", Wanted(status=True)) == Kept(1)
    assert infer(runs, INPUT, b"", Wanted(stdout=("o.t",))) == Kept(stdout=("o.t",))
    # How the command ends matters only to who wants it kept.
    other = [*runs, Observation(2, b"out\n", b"")]
    assert infer(other, INPUT, b"", Wanted(stdout=("o.t",))) == Kept(stdout=("o.t",))
    with pytest.raises(UnclearFailureError, match="exits with 1, exits with 2"):
        infer(other, INPUT, b"", Wanted(status=True, stdout=("o.t",)))
    kept = infer(runs, INPUT, b"", Wanted(forbidden=("warning",)))
    assert kept == Kept(1, ("error: x",), forbidden=("warning",))
    assert kept.sentence() == (
        "the command exits with 1, prints /error: x/ on standard error "
        "and prints nothing like /warning/"
    )


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=60), st.booleans())
def test_a_pattern_matches_its_line(line: str, digits: bool) -> None:
    pattern = line_pattern(line, INPUT, digits=digits)
    assert re.search(pattern, line.strip(), re.DOTALL)


def test_patterns_mean_the_same_to_grep() -> None:
    lines = [
        r"a.b[c]{d}(e)*f+g?^h$i|j\k",
        "tab\there: error",
        "\x1b[31merror\x1b[0m: red",
        "it's `x`",
    ]
    for line in lines:
        assert grep(line_pattern(line, INPUT), line)
        assert not grep(line_pattern(line, INPUT), "aXb")


def test_disagreements() -> None:
    yes, no, bad = (Observation(0, b"sat\n"), Observation(0, b"unsat\n"), Observation(139))
    assert disagreement([yes, yes], [no, no], INPUT, b"").outputs_differ
    assert disagreement([yes], [bad], INPUT, b"").each == (Kept(0), Kept(139))
    # Where one command fails, it must go on failing so.
    fails = Observation(1, b"", b"error: cannot push\n")
    found = disagreement([yes], [fails], INPUT, b"")
    assert found.each == (Kept(0), Kept(1, stderr=("error: cannot push",)))
    assert found.sentence() == (
        "the first command exits with 0; the second exits with 1 and prints "
        "/error: cannot push/ on standard error"
    )
    with pytest.raises(UnclearFailureError, match="agree on the input"):
        disagreement([yes], [yes], INPUT, b"")
    with pytest.raises(UnclearFailureError, match="second command is not the same every time"):
        disagreement([yes, yes], [no, yes], INPUT, b"")
    # The directory of a run is no difference between runs.
    paths = [Observation(0, b"/tmp/marrow-1/t%d/input.c: 1" % number) for number in (1, 2)]
    assert disagreement(paths, [yes, yes], INPUT, b"").outputs_differ


def test_the_beginning_of_a_long_line_is_searched() -> None:
    """To search a line takes the square of its length."""
    failure = "prog: a.c:3: main: Assertion `a' failed."
    assert find(f"{failure} {'y' * 5000}", INPUT) is not None
    assert find(f"{'y' * 5000} {failure}", INPUT) is None
    assert find(f"{'y' * 5000}\n{failure}", INPUT) is not None
