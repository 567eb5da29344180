"""Which lines of an input the output of a test points to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import marrow
from marrow.engine.events import Accepted, Event
from marrow.engine.journal.journal import read_record
from marrow.run.reported_lines import reported_lines
from marrow.syntax.outline_front_end import LARGE, OutlineFrontEnd
from marrow.tree.outline import OutputHints

TEXT = b"int a;\nint b;\n  int c;\n}\n"


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        (b"x.c:2:5: error: no", (b"int b;",)),
        (b"/tmp/dir/x.c:3: error: no\nx.c:1:1: note", (b"int a;", b"int c;")),
        (b'  File "x.c", line 2, in f', (b"int b;",)),
        (b"#1 0x4 in main x.c:2:3", (b"int b;",)),
        (b"at f (x.c:2:3)", (b"int b;",)),
        (b"x.c(2): error C2065", (b"int b;",)),
        (b"y.c:2: error\nx.c:77: beyond\nx.c:0:", ()),
        (b"x.c:4:1: error: at the end of a function", (b"int c;\n}",)),
        (b"x.c:5: an empty line", ()),
        (b"", ()),
    ],
)
def test_places_in_outputs_are_lines(output: bytes, lines: tuple[bytes, ...]) -> None:
    assert reported_lines(output, TEXT, "x.c") == lines


def test_line_markers_say_which_line_is_meant() -> None:
    text = b'# 1 "in.c"\n# 10 "/usr/h.h" 1\nint h10;\nint h11;\n# 2 "in.c" 2\nint own2;\n'
    output = b"In file included from in.c:1:\n/usr/h.h:11:3: error: x\nin.c:2:1: note: y"
    assert reported_lines(output, text, "x.c") == (b"int h11;", b"int own2;")


def test_a_line_with_others_like_it_comes_with_what_tells_it_from_them() -> None:
    same = b"{\n  go(1);\n}\n"
    functions = [b"int f%d()\n" % number + same for number in range(9)]
    text = b'# 1 "in.c"\n' + b"".join(functions)
    assert reported_lines(b"in.c:15: error", text, "x.c") == (b"int f3()\n{\n  go(1);",)
    outline = OutlineFrontEnd(
        "c", large=0, hints=OutputHints((b"int f3()\n{\n  go(1);",)), deep=True
    ).outline(text)
    assert outline is not None
    (at,) = outline.pointed
    assert outline.elements[outline.elements[at].owner].declares == {b"f3"}


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_output_points_to_lines_of_the_text(output: bytes, text: bytes) -> None:
    assert all(one in text for one in reported_lines(output + b"x.c:1: x", text, "x.c"))


def test_a_slice_keeps_what_a_file_of_the_test_points_to(tmp_path: Path) -> None:
    """The script says nothing; the compiler's words are in a file, as in most test scripts."""
    text = b"".join(b"int f%d(int a) { return a + %d; }\n" % (n, n) for n in range(200))
    text += b'const char *long_one = "%s";\nint last;\n' % (b"x" * LARGE)
    script = tmp_path / "test.sh"
    script.write_text(
        "#!/bin/sh\n"
        "line=$(grep -n 'f100.int a. . return' big.c | cut -d: -f1)\n"
        "echo ${line:+big.c:$line:3: error: x} > said\n"
        "grep -q error said\n"
    )
    script.chmod(0o755)
    steps: list[Accepted] = []

    def listen(event: Event) -> None:
        if isinstance(event, Accepted):
            steps.append(event)

    marrow.reduce(text, str(script), name="big.c", max_tests=1, on_event=listen)
    assert [one.phase for one in steps] == ["slicing"]
    assert steps[0].tokens < 60
    assert b"f100(int a) { return a + 100; }" in steps[0].after


def test_a_test_that_takes_a_while_is_listened_to_as_well(tmp_path: Path) -> None:
    """On the executor of the run: it ends the processes of any other, as strays."""
    text = b"".join(b"int f%d(int a) { return a; }\n" % n for n in range(9))
    text += b'const char *long_one = "%s";\nint last;\n' % (b"x" * LARGE)
    (tmp_path / "big.c").write_bytes(text)
    script = tmp_path / "test.sh"
    script.write_text(
        "#!/bin/sh\ngrep -q f2 big.c || exit 1\nsleep 0.6\necho big.c:3:3: error: bad > said\n"
    )
    script.chmod(0o755)
    command = [sys.executable, "-m", "marrow", "reduce", "big.c", "./test.sh", "--max-tests", "1"]
    subprocess.run([*command, "-j", "3", "-o", "out.c", "-q"], cwd=tmp_path, check=False)
    told = read_record(tmp_path / "out.c.marrow").facts["what the test says"]
    assert "int f2(int a)" in told


def test_what_goes_together_on_the_page_goes_before_the_headers_are_looked_at() -> None:
    """A parameter with its argument: it may be all that needs them."""
    text = b"".join(b"struct s%d { int m%d; };\n" % (n, n) for n in range(999))
    text += b'const char *long_one = "%s";\n' % (b"x" * LARGE)
    text += b"int f(struct s7 *p) { return 1; }\nint main(void) { return f(0); }\n"
    steps: list[Accepted] = []

    def listen(event: Event) -> None:
        if isinstance(event, Accepted):
            steps.append(event)

    def bad(candidate: bytes) -> bool:
        # Nothing but what goes together leaves the call, and all of the headers.
        call = b"return f(0)" in candidate or b"return f()" in candidate
        declared = b"int f(struct s7 *p)" in candidate or b"int f()" in candidate
        return call and declared and candidate.count(b"struct s") > 990

    marrow.reduce(text, bad, name="big.c", max_tests=60, on_event=listen)
    assert any(one.phase == "deleting what goes together" for one in steps)
