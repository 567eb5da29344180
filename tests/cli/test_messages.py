"""Every message says what happened and, on a line of its own, what to do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import marrow
from marrow.base.errors import _texts
from marrow.cli.exits import CliError, Exit
from tests.cli.running import marrow as run

ROOT = Path(marrow.__file__).parent

#: Errors whose message a user reads as it is, and which argument it is.
ERRORS = {
    "CliError": 1,
    "TestCommandError": 0,
    "JournalError": 0,
    "OutputError": 0,
    "WorkspaceError": 0,
}

#: What went wrong, and what to do.
_PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "troubleshooting.md"


def literal(node: ast.expr) -> str | None:
    """Return the text of a literal or an f-string; None for what is passed on."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            parts = [literal(one) for one in values if isinstance(one, ast.Constant)]
            # What is filled in may bring the advice along: a list, or another message.
            return "".join(part for part in parts if part) or None
        case ast.Call(func=ast.Name(id="error_text"), args=[ast.Constant(value=str(name)), *_]):
            return _texts()[name]
        case ast.BinOp(left=left, right=right):
            return "".join(part for part in (literal(left), literal(right)) if part) or None
    return None


def messages() -> Iterator[tuple[str, str]]:
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            position = ERRORS.get(node.func.id)
            if position is None or len(node.args) <= position:
                continue
            text = literal(node.args[position])
            if text is not None:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def test_every_message_has_advice() -> None:
    found = dict(messages())
    assert len(found) > 40
    assert [place for place, text in found.items() if "\n" not in text] == []


def test_every_exit_code_has_its_place_on_the_page() -> None:
    heads = " ".join(re.findall(r"(?m)^## Exit (.*):", _PAGE.read_text()))
    assert {int(code) for code in re.findall(r"\d+", heads)} == {*map(int, Exit), 1}


def test_options_in_errors_within_errors_have_their_names(work: Path) -> None:
    (work / "no.toml").write_text("x = 1\n")
    (work / "one.g4").write_text("grammar one;\nfile : 'x' ;\n")
    for words, says in (
        (("--signature", "no.toml", "--", "false"), "write one with --signature FILE and"),
        (
            ("test.sh", "--rewrites", "nowhere"),
            "nowhere: No such file or directory\nCheck the name that --rewrites gives.",
        ),
        (("test.sh", "--grammar", "one.g4", "--start", "two"), "Name one with --start;"),
    ):
        ended = run("reduce", "input.c", *words)
        assert ended.code != 0
        assert says in ended.err


def test_a_shell_test_that_names_the_file_as_a_command_does_is_told_so(work: Path) -> None:
    (work / "one.txt").write_text("one\n")
    ended = run("reduce", "one.txt", "--flaky", "1/2", "--shell", "grep -q one {}")
    assert (ended.code, 'the file is "$1"; {} is for' in ended.err) == (5, True), ended.err
    ended = run("reduce", "one.txt", "--flaky", "1/2", "--shell", 'grep -q two "$1"')
    assert (ended.code, "is for a command" in ended.err) == (5, False), ended.err


def test_options_in_errors_of_the_command_line_have_their_names() -> None:
    error = CliError(Exit.TEST, "Use fewer workers (⟦jobs⟧), or ⟦allow_empty⟧.")
    assert str(error) == "Use fewer workers (-j), or --allow-empty."
