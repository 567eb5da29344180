"""A view loads the front ends that it needs, and no others."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from marrow.cli.commands.languages import languages_command
from marrow.syntax.parsers import load_language, parser_installed
from marrow.syntax.views import UnknownLanguageError, view_of

PROGRAM = """
import sys
from marrow.syntax.views import view_of
view_of({name!r}, {text!r}).fronts[0].parse({text!r})
print(*sys.modules)
"""


@pytest.mark.parametrize(
    ("name", "text", "used", "unused"),
    [
        ("a.json", b"{}", "tree_sitter", ["marrow.grammar", "tree_sitter_language_pack"]),
        ("a.txt", b"a b", "marrow.syntax.text_front_end", ["marrow.grammar", "tree_sitter"]),
        ("a.smt2", b"(check-sat)", "marrow.grammar", ["marrow.reducers", "marrow.engine"]),
    ],
)
def test_a_view_loads_its_front_ends_alone(
    name: str, text: bytes, used: str, unused: list[str]
) -> None:
    command = [sys.executable, "-c", PROGRAM.format(name=name, text=text)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    loaded = set(found.stdout.split())
    assert used in loaded
    assert loaded.isdisjoint(unused)


def test_without_the_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small install has few parsers: other files are reduced as text, and it says why."""
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    load_language.cache_clear()
    try:
        view = view_of("a.kt", b"fun main() {}\n")
        assert view.counter.name == "words"
        assert "the parser for kotlin is not installed (`pip install " in view.note
        with pytest.raises(UnknownLanguageError, match=r"^the parser for kotlin is not installed"):
            view_of("a.txt", b"", "kt")
        with pytest.raises(UnknownLanguageError, match=r"^there is no language called 'kotlni'"):
            view_of("a.txt", b"", "kotlni")
        assert not parser_installed("kotlin")
        said = CliRunner().invoke(languages_command).output
        assert "kotlin" not in said
        assert "more with all parsers" in said
    finally:
        load_language.cache_clear()
