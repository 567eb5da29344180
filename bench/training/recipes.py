"""What each shipped model is trained on, and what its code has to pass.

A check should know names, and types where it can: a parser alone says that nearly everything may
go, and nothing of what depends on what. `$CHECKS` is the directory of our own checks, `$TOOLS` that
of what they need, `$PYTHON` this Python itself: a wrapper in the PATH may be slow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bench.training import corpora
from marrow.grammars import grammar_names

# The same that the tests of the benchmark cases ask of a program.
_SOUND_C: Final = (
    "gcc -std=gnu99 -fsyntax-only -Werror=implicit-function-declaration -Werror=implicit-int "
    "-Werror=return-type -Werror=int-conversion -Werror=incompatible-pointer-types "
    "-Werror=missing-parameter-type -Werror=discarded-qualifiers {}"
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is made. `tests` bounds the checks; `needs` are the programs to have."""

    language: str
    assemble: Callable[[Path], str]
    check: str
    tests: int
    needs: tuple[str, ...] = ()
    #: The shipped grammar that parses the files; empty for the parser of the language.
    grammar: str = ""

    @property
    def model(self) -> str:
        """The name of the model."""
        return f"grammar-{self.grammar}" if self.grammar else self.language


_BY_PARSER: Final = (
    Recipe("c", corpora.c_programs, _SOUND_C, 6_000, ("gcc", "csmith")),
    Recipe("python", corpora.python_library, '"$PYTHON" -I -S "$CHECKS/names.py" {}', 2_500),
    Recipe(
        "javascript",
        corpora.javascript_packages,
        'node "$CHECKS/names.cjs" {}',
        2_000,
        ("node", "npm"),
    ),
    Recipe(
        "java",
        corpora.java_library,
        '"$PYTHON" -I -S "$CHECKS/java.py" {}',
        2_000,
        ("java",),
    ),
    Recipe("go", corpora.go_tests, "go tool compile -o out.o {}", 4_000, ("go",)),
    Recipe(
        "rust",
        corpora.rust_tests,
        "rustc --crate-type bin --emit metadata --cap-lints allow -o out.rmeta {}",
        3_000,
        ("rustc",),
    ),
    Recipe("json", corpora.json_packages, "jq empty {}", 1_500, ("jq", "npm")),
)

#: One for each language with a model and a shipped grammar as well: its trees have other types.
_BY_GRAMMAR: Final = tuple(
    replace(recipe, grammar=recipe.language)
    for recipe in _BY_PARSER
    if recipe.language in grammar_names()
)

RECIPES: Final = (*_BY_PARSER, *_BY_GRAMMAR)
