"""Patterns of inputs and grammars that nest deeper than Python lets functions call each other."""

from __future__ import annotations

from pathlib import Path

import pytest

import marrow
from marrow.abstraction.pattern import Pattern, compact
from marrow.abstraction.pattern_json import PatternError, from_json, to_json
from marrow.abstraction.producer import Producer
from marrow.abstraction.recogniser import Recogniser
from marrow.grammar.language import GrammarSource, Language
from tests.cli.running import executable
from tests.cli.running import marrow as run

#: A walk that calls itself for each level ends at 1,000.
DEEP = 1_200

#: The grammar that a recursive walk over expressions once died of.
GROUPS = "grammar T; s : " + "('b' | 'c' " * DEEP + "NUMBER" + ")" * DEEP + " ; NUMBER : [0-9]+ ;"

NESTED = "(" * DEEP + "1" + ")" * DEEP


def again(pattern: Pattern) -> Pattern:
    """Write a pattern down and read it."""
    read = from_json(to_json(pattern))
    assert compact(read) == compact(pattern)
    return read


@pytest.mark.parametrize("naive", [False, True])
def test_deep_inputs(naive: bool) -> None:
    pattern = marrow.abstract(
        NESTED,
        lambda text: text.count(b"(") >= DEEP,
        grammar="calculator",
        reducer=None,
        checks=2,
        max_tests=12,
        naive=naive,
    )
    found = again(pattern)
    assert Recogniser(found).match(NESTED.encode())
    Producer(found).inputs(1)


def test_deep_grammars() -> None:
    language = Language(GrammarSource("T", "s", "g4", GROUPS))
    found = marrow.abstract("b", lambda _: True, grammar=language, checks=2, allow_empty=True)
    pattern = again(found)
    assert Recogniser(pattern).match(b"b")
    assert not Recogniser(pattern).match(b"x")
    assert Producer(pattern).inputs(2)


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("T.g4").write_text(GROUPS)
    Path("in.txt").write_text("b")
    executable(Path("test.sh"), "test -s in.txt")
    ended = run("abstract", "in.txt", "test.sh", "--grammar", "T.g4", "--checks", "2", "-v")
    assert ended.code == 0, ended.err
    assert run("match", "in.pattern.json", "in.txt", "-v").code == 0
    assert run("produce", "in.pattern.json", "-n", "2").code == 0


def test_json_that_nests_too_deep_for_a_pattern() -> None:
    with pytest.raises(PatternError, match="nests deeper"):
        from_json("[" * 100_000 + "]" * 100_000)
