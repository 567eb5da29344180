"""Errors have one base class, and name options as the reader writes them."""

from __future__ import annotations

import ast
from pathlib import Path

import marrow
from marrow.base.errors import MarrowError, message_of, spelled

ROOT = Path(marrow.__file__).parent


def test_options_are_named_as_the_reader_writes_them() -> None:
    error = MarrowError("use ⟦flaky 2/5⟧ or ⟦allow_empty⟧, ⟦output⟧⟦, then --resume||⟧")
    assert error.on_command_line == "use --flaky 2/5 or --allow-empty, -o, then --resume"
    assert str(error) == "use flaky='2/5' or allow_empty, output"
    assert spelled("at most ⟦max_tests 100⟧") == "at most max_tests=100"
    assert spelled("[[x]] and [red] stay") == "[[x]] and [red] stay"


def test_a_message_within_another_keeps_its_options() -> None:
    outer = MarrowError(f"a.toml: {message_of(MarrowError('use ⟦max_tests 3⟧'))}")
    assert (outer.on_command_line, str(outer)) == (
        "a.toml: use --max-tests 3",
        "a.toml: use max_tests=3",
    )
    assert message_of(FileNotFoundError(2, "No such file", "a.toml")) == "No such file"
    assert message_of(ValueError("3 is too small")) == "3 is too small"


def test_every_public_error_has_the_base_class_and_a_door() -> None:
    named = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
                bases = {ast.unparse(base) for base in node.bases}
                if not node.name.startswith("_") and bases & {"MarrowError", "UsageError"}:
                    named.add(node.name)
    assert named - set(marrow.__all__) == {
        "ConfigError",
        "LanguageFileError",
        "NoReportError",
        "OutOfTimeError",
    }
    for name in named & set(marrow.__all__):
        assert issubclass(getattr(marrow, name), MarrowError)
