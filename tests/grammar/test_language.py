"""A language is compiled once, and parses a text once, however many ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

import marrow
from marrow.abstraction.pattern import compact
from marrow.abstraction.pattern_json import from_json, to_json
from marrow.abstraction.producer import Producer
from marrow.grammar import language as languages
from marrow.grammar.language import GrammarSource, Language
from marrow.grammar.model.rules import Grammar, GrammarError
from marrow.grammar.notations import read_file, read_grammar_text
from marrow.grammar.parser import parser as parsers
from marrow.grammar.parser.parser import Parser, compile_grammar
from marrow.grammar.parser.translate import translate
from marrow.grammars import grammar_path
from tests.cli.running import executable
from tests.cli.running import marrow as run

KEYS = '{"a": 1, "b": [true, null], "c": {"d": "e", "a": 2.5}}'


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count what is done with grammars: compilations, translations, parses of each text."""
    counts: Counter[str] = Counter()

    def counted(function: Callable[..., Any], what: Callable[..., str]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            counts[what(*arguments)] += 1
            return function(*arguments, **options)

        return call

    compiling = counted(compile_grammar, lambda *_: "compilations")
    translating = counted(translate, lambda *_: "translations")
    monkeypatch.setattr(languages, "compile_grammar", compiling)
    monkeypatch.setattr(parsers, "translate", translating)
    reading = counted(Parser.read, lambda _, text, *__: f"parses of {text.decode()}")
    monkeypatch.setattr(Parser, "read", reading)
    return counts


def once_each(counts: Counter[str], whole: str, parses: int = 1) -> bool:
    """Samples of a few tokens may be drawn more than once."""
    once = counts["compilations"], counts["translations"]
    return set(once) == {1} and counts[f"parses of {whole}"] == parses


def test_abstract_compiles_once(
    tmp_path: Path, calls: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("keys.json").write_text(KEYS)
    executable(Path("test.sh"), """grep -q '"b"' "$1" """)
    ended = run("abstract", "keys.json", "test.sh", "--checks", "5", "-j", "1")
    assert ended.code == 0, ended.err
    # The second time, what the input is made of is counted.
    assert once_each(calls, KEYS, 2), calls


def test_the_library_compiles_once(calls: Counter[str]) -> None:
    pattern = marrow.abstract(KEYS, lambda text: b'"b":' in text, grammar="json", checks=5)
    assert once_each(calls, KEYS, 2), calls
    calls.clear()
    again = from_json(to_json(pattern))
    assert Producer(again).inputs(3)
    assert calls["compilations"] == calls["translations"] == 1


def test_reduce_compiles_once(calls: Counter[str]) -> None:
    assert marrow.reduce(KEYS, lambda text: b"null" in text, grammar="json").text == b"null"
    assert once_each(calls, KEYS), calls


def grammars(folder: Path) -> list[str | Path | Grammar | Language]:
    file = folder / "calculator.g4"
    file.write_text(grammar_path("calculator").read_text())
    grammar = read_file(file).grammar
    return ["calculator", file, grammar, Language(grammar), Language.from_file(file)]


@pytest.mark.parametrize("given", range(5))
def test_grammars_of_any_kind(tmp_path: Path, given: int) -> None:
    grammar = grammars(tmp_path)[given]
    found = marrow.abstract("1 + ((2))", lambda text: b"((" in text, grammar=grammar, checks=5)
    assert compact(found) == "((<expr>))"
    assert marrow.reduce("1 + ((2))", lambda text: b"((" in text, grammar=grammar).text == b"((0))"


@pytest.mark.parametrize("made", [lambda one: one, Language])
def test_another_start_rule(made: Callable[[Grammar], Grammar | Language]) -> None:
    grammar = made(read_file(grammar_path("json")).grammar)
    result = marrow.reduce(
        '{"a": 1, "b": 2}', lambda text: b'"b"' in text, grammar=grammar, start="object"
    )
    assert result.text == b'{"b":0}'


def test_a_language_without_a_text_of_its_own_is_written_down() -> None:
    language = Language(read_grammar_text('{"<start>": ["<a b>"], "<a b>": ["x"]}', "json", "two"))
    assert language.self_contained is not language
    assert language.self_contained.self_contained is language.self_contained
    tree = marrow.abstract("x", lambda text: text == b"x", grammar=language, reducer=None).tree
    assert tree.text == language.self_contained.parse(b"x").text == b"x"


def test_what_a_language_has() -> None:
    language = Language(GrammarSource("g", "s", "bnf", '<s> ::= "a" <s> | "b"'))
    assert (language.name, language.start, language.notes) == ("g", "s", [])
    assert len(language.shortest["s"]) == 1
    assert language.generator().tree(1).text
    assert next(iter(language.normalized().grammar.rules)) == "s"
    assert language.matches(b"ab")
    assert not language.matches(b"a")
    with pytest.raises(GrammarError):
        _ = Language(GrammarSource("g", "s", "bnf", "<s> ::= <")).grammar
