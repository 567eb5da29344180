"""The words of the shipped grammars, judged by the real tools.

A word is placed in a small text of its language, which the tool must accept. Words are drawn as
`marrow abstract` draws them.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

from marrow.grammar.generation.generate import Generator
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.tree.node import render
from tests.grammar.word_tools import TOOLS

#: How many words are drawn of a token, and the share of them that may be illegal.
DRAWN: Final = 300
TARGET: Final = 0.01

#: Stands for the word in a form, and for a number that no other text has.
WORD: Final = "@"
NUMBER: Final = "№"

#: As in `abstraction.grammar_material`.
_FRESH_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class WordCheck:
    """A token of a grammar, and a text in which its words must be legal."""

    grammar: str
    token: str
    form: str
    tool: str

    def missing(self) -> bool:
        """Whether the tool is not installed."""
        return self.tool != "python" and shutil.which(self.tool) is None

    def words(self, number: int = DRAWN) -> list[str]:
        """Draw words; the same ones always."""
        generator = _generator(self.grammar)
        random = Random(f"{self.grammar} {self.token}")
        preceding = self.form.partition(WORD)[0].replace(NUMBER, "0")
        return [
            render((generator.node(random, self.token, size=1, preceding=preceding),)).decode()
            for _ in range(number)
        ]

    def refused(self, words: Sequence[str]) -> list[str]:
        """Return the words that the tool refuses."""
        front, _, back = self.form.partition(WORD)
        texts = [
            front.replace(NUMBER, str(number)) + word + back.replace(NUMBER, str(number))
            for number, word in enumerate(words)
        ]
        bad = TOOLS[self.tool](texts)
        return [word for word, text in zip(words, texts, strict=True) if text in bad]


@cache
def _generator(grammar: str) -> Generator:
    return Language.from_file(grammar_path(grammar)).generator(fresh=_FRESH_SHARE)


def _checks(grammar: str, tool: str, forms: dict[str, str]) -> list[WordCheck]:
    return [WordCheck(grammar, token, form, tool) for token, form in forms.items()]


CHECKS: Final = (
    *_checks(
        "c",
        "gcc",
        {
            "IDENTIFIER": "struct s№ { int @; };",
            "CONSTANT": "enum { e№ = sizeof(@) };",
            "STRING": "enum { e№ = sizeof(@) };",
        },
    ),
    *_checks(
        "clojure",
        "clojure",
        {
            "STRING": "@",
            "REGEX": "@",
            "NUMBER": "@",
            "CHARACTER": "@",
            "KEYWORD": "@",
            "KEYWORD_PREFIX": "@{:a 1}",
            "SYMBOL": "@",
        },
    ),
    *_checks(
        "find",
        "find",
        {
            "OPTIMISATION": "find @ .",
            "NUMBER_TEST": "find . @ 3",
            "NUMBER": "find . -mtime @",
            "SIZE": "find . -size @",
            "TYPES": "find . -type @",
            "MODE": "find . -perm @",
            "WORD": "find . -name @",
            "PATTERN_SET": "find . -name '@'",
            "PATTERN_CHARACTER": "find . -name 'a@'",
            "DIRECTIVE": "find . -printf '@'",
            "FORMAT_ESCAPE": "find . -printf '@'",
            "FORMAT_CHARACTER": "find . -printf '@'",
            "QUANTIFIER": "find . -regex 'a@'",
            "BRACKET": "find . -regex '@'",
            "ESCAPED": "find . -regex 'a@'",
            "CHARACTER": "find . -regex 'a@'",
        },
    ),
    *_checks(
        "go",
        "go",
        {
            "IDENTIFIER": "var n№ struct { @ int }",
            "NUMBER": "var _ complex128 = @",
            "CHARACTER": "var _ = @",
            "STRING": "var _ = @",
        },
    ),
    *_checks(
        "grep",
        "grep",
        {
            "FLAGS": "grep @ x",
            "CONTEXT": "grep @ x",
            "NUMBER_OPTION_ATTACHED": "grep @ x",
            "NUMBER": "grep -m @ x",
            "LONG_FLAG": "grep @ x",
            "PATTERN_OPTION": "grep @ x",
            "DIRECTORIES_OPTION_ATTACHED": "grep @ x",
            "PATTERN_OPTION_ATTACHED": "grep -F @",
            "WORD": "grep -F @",
            "QUANTIFIER": "grep -E 'a@'",
            "BRACKET": "grep -E '@'",
            "ESCAPED": "grep -E '@'",
            "CHARACTER": "grep -E '@'",
        },
    ),
    *_checks(
        "java",
        "javac",
        {
            "IDENTIFIER": "class c№ { int @; }",
            "INTEGER": "class c№ { Object f = @; }",
            "FLOATING_POINT": "class c№ { Object f = @; }",
            "CHARACTER": "class c№ { Object f = @; }",
            "STRING": "class c№ { Object f = @; }",
            "TEXT_BLOCK": "class c№ { Object f = @; }",
        },
    ),
    *_checks(
        "javascript",
        "node",
        {
            "IDENTIFIER": "var @;",
            "NUMBER": "(@);",
            "STRING": "(@);",
            "REGULAR_EXPRESSION": "x = @;",
            "PRIVATE_NAME": "class C { @ = 1 }",
            "TEMPLATE_TEXT": "x = `@`;",
        },
    ),
    *_checks("json", "python", {"STRING": "@", "NUMBER": "@"}),
    *_checks("lua", "lua5.4", {"NAME": "local @", "NUMBER": "return @", "STRING": "return @"}),
    *_checks(
        "sexpr",
        "guile",
        {
            "STRING": "@",
            "CHARACTER": "(@)",
            "NUMBER": "(@)",
            "SYMBOL": "(@)",
            "VECTOR_OPEN": "@1 2)",
        },
    ),
    *_checks(
        "smtlib",
        "z3",
        {
            "SIMPLE_SYMBOL": "(push) (declare-const @ Int) (pop)",
            "QUOTED_SYMBOL": "(push) (declare-const @ Int) (pop)",
            "KEYWORD": "(set-info @ 1)",
            "NUMERAL": "(simplify @)",
            "DECIMAL": "(simplify @)",
            "HEXADECIMAL": "(simplify @)",
            "BINARY": "(simplify @)",
            "STRING": "(simplify (str.len @))",
        },
    ),
    *_checks(
        "sqlite",
        "sqlite3",
        {
            "IDENTIFIER": "SELECT 1 AS @;",
            "STRING": "SELECT @;",
            "BLOB": "SELECT @;",
            "NUMBER": "SELECT @;",
            "PARAMETER": "SELECT @;",
        },
    ),
    *_checks(
        "xml",
        "xmllint",
        {
            "XML_DECLARATION": "@<a/>",
            "PROCESSING_INSTRUCTION": "<a>@</a>",
            "COMMENT": "<a>@</a>",
            "CDATA_SECTION": "<a>@</a>",
            "REFERENCE": "<a>@</a>",
            "TEXT": "<a>@</a>",
            "NAME": "<@/>",
            "VALUE": "<a b=@/>",
            "LITERAL": "<!DOCTYPE a [<!ENTITY b @>]><a/>",
            "DECLARED_NAME": "<!DOCTYPE a [<!ELEMENT @ ANY>]><a/>",
            "DECLARED_COMMENT": "<!DOCTYPE a [@]><a/>",
            "DECLARED_INSTRUCTION": "<!DOCTYPE a [@]><a/>",
            "NAME_TOKEN": "<!DOCTYPE a [<!ATTLIST a b (@) #IMPLIED>]><a/>",
        },
    ),
)
