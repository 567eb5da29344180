"""The pass `clang-delta`: the transformations of `clang_delta`, the program of C-Reduce and C-Vise.

It knows what C and C++ mean, which trees and names do not: templates are instantiated, classes
merged with their bases, types inferred. The pass runs last, in C and C++ only, and only if it is
asked for (`--passes +clang-delta`), as it needs a program that is seldom installed. Every instance
of a transformation is one attempt; what is not smaller in the total order is not tested. After a
success the next instance has the number of the one that went.

Guarantee: none by itself. Worst case of a pass: one test for every instance of a transformation,
and again after each success.
"""

from __future__ import annotations

from typing import Final, Protocol

from marrow.base.deadline import look
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.tree import Tree

#: The name of the pass.
CLANG_DELTA: Final = "clang-delta"

_LANGUAGES: Final = frozenset({"c", "cpp"})

# The pass gives a transformation up after so many instances in a row that brought nothing: each
# starts the program anew, which takes a tenth of a second, and most instances of one transformation
# fail alike.
_MOST_FAILURES: Final = 32


class Transformer(Protocol):
    """A program that transforms texts of C and C++."""

    @property
    def transformations(self) -> tuple[str, ...]:
        """The names of the transformations, in the order to try them."""

    def instances(self, transformation: str, text: bytes, language: str) -> int:
        """Return in how many places of a text a transformation can be made."""

    def transformed(
        self, transformation: str, instance: int, text: bytes, language: str
    ) -> bytes | None:
        """Return a text with a transformation made in one of the places, from 1 on; or None."""


def clang_delta(context: PassContext) -> Reducer:
    """Return the pass that asks `clang_delta`; it does nothing in other languages."""
    language = context.options.language
    program = context.options.transformer

    def run(tree: Tree, done: Done) -> Stream | None:
        if program is None or language not in _LANGUAGES:
            return done(tree)
        return following(program, tree, 0, 1, done)

    def following(program: Transformer, tree: Tree, at: int, instance: int, done: Done) -> Stream:
        """Try the transformations from one on, and of that the instances from one on."""
        for number in range(at, len(program.transformations)):
            name = program.transformations[number]
            first = instance if number == at else 1
            count = program.instances(name, tree.text, language)
            for one in range(first, min(count + 1, first + _MOST_FAILURES)):
                look()
                text = program.transformed(name, one, tree.text, language)
                if text is not None and text != tree.text:
                    smaller = context.parse(text)
                    phase = f"clang_delta: {name}"
                    yield attempt(smaller, phase, following, program, smaller, number, one, done)
        return done(tree)

    return run
