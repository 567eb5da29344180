"""The words of shipped grammars are legal: what is drawn for a token, a real tool reads.

The tools that read hundreds of words at once are asked here; `word_checks.py` has all.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from marrow.grammar.generation.random_words import RandomWords
from marrow.grammar.language import GrammarSource, Language
from marrow.grammar.model.literal_tokens import only_texts
from marrow.grammar.notations import read_grammar_text
from marrow.grammars import grammar_path
from marrow.tree.node import render
from tests.grammar.word_checks import CHECKS, TARGET, WordCheck

QUICK = ("gcc", "node", "python", "lua5.4", "z3", "sqlite3", "xmllint")


@pytest.mark.parametrize(
    "check",
    [check for check in CHECKS if check.tool in QUICK],
    ids=lambda check: f"{check.grammar}-{check.token}",
)
def test_words(check: WordCheck) -> None:
    if check.missing():
        pytest.skip(f"needs {check.tool}")
    words = check.words(100)
    refused = check.refused(words)
    assert len(refused) <= TARGET * len(words), refused


def test_a_tool_names_the_words_it_refuses() -> None:
    """The check itself can fail."""
    check = next(one for one in CHECKS if one.grammar == "json" and one.token == "NUMBER")
    assert check.refused(["1", "01", "-", "2.5"]) == ["01", "-"]


RARE = r"""
grammar rare;
s : WORD EOF ;
WORD : '[' [a-z]+ ']' | RareWord ;
fragment RareWord : '[' [0-9]* ']' ;
"""


def drawn(language: Language, number: int = 200) -> Sequence[str]:
    generator = language.generator(fresh=0.5)
    return [
        generator.tree(Random(seed), start="WORD", size=1).text.decode() for seed in range(number)
    ]


def test_rare_alternatives_are_read_and_hardly_ever_drawn() -> None:
    language = Language(GrammarSource("rare", "s", "g4", RARE))
    assert language.matches(b"[7]")
    assert language.matches(b"[]")
    words = drawn(language)
    assert sum(word.strip("[]").isalpha() for word in words) >= len(words) - 2
    # The shortest word of all is a rare one too.
    assert "[]" not in words


def test_words_behind_what_they_could_run_into() -> None:
    """In a text of XML nothing is a gap: what follows a tag follows at once."""
    generator = Language.from_file(grammar_path("xml")).generator(fresh=0.5)
    texts = {
        render((generator.node(Random(seed), "TEXT", size=1, preceding="<a>"),))
        for seed in range(40)
    }
    assert len(texts) > 10


def test_the_only_word_of_a_token_is_found_without_drawing_all_of_them() -> None:
    grammar = read_grammar_text(
        """grammar K; s: (LET | VAR | MIXED | ID | AB | SIGN | NONE)*; LET: L E T; VAR: 'var';
        MIXED options { caseInsensitive = true; }: 'mix'; SIGN: '+'; NONE: [];
        AB: 'ab' | 'ac'; ID: [a-z]+; fragment L: [lL]; fragment E: 'E' | 'e'; fragment T: [tT];""",
        "g4",
    )
    words = RandomWords(grammar, lambda *_: True)
    only = only_texts(grammar)
    for name in ("LET", "VAR", "MIXED", "ID", "AB", "SIGN", "NONE"):
        drawn = {word.lower() for word in words.some(name)}
        assert words.has(name) == bool(drawn)
        assert only.get(name) == (next(iter(drawn)) if len(drawn) == 1 else None)
    assert [only[name] for name in ("LET", "VAR", "MIXED")] == ["let", "var", "mix"]
