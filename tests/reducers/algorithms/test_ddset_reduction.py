"""DDSET's own reduction, Algorithm 1 of its paper."""

from __future__ import annotations

import pytest

from marrow.engine.executors.function import CallableExecutor
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_by_grammar


def reduced(grammar: str, text: bytes, needle: bytes) -> bytes:
    language = Language.from_file(grammar_path(grammar))
    executor = CallableExecutor(
        lambda candidate: needle in candidate.replace(b" ", b"") and language.matches(candidate), 1
    )
    try:
        return (
            Reduction(
                text=text,
                view=view_by_grammar(language, "input", text),
                strategy=algorithm_of("ddset"),
                executor=executor,
            )
            .run()
            .text
        )
    finally:
        executor.close()


@pytest.mark.parametrize(
    ("text", "needle", "expected"),
    [
        (b"1 + ((2 * 3 / 4))", b"((", {b"((2))", b"((3))", b"((4))"}),
        (b"((1)) + ((2 * 3)) - ((5))", b"))", {b"((1))", b"((2))", b"((3))", b"((5))"}),
    ],
)
def test_the_examples_of_the_paper(text: bytes, needle: bytes, expected: set[bytes]) -> None:
    assert reduced("calculator", text, needle) in expected


def test_lists_lose_their_elements() -> None:
    assert reduced("json", b'[1, {"a": [2, 3]}, "x"]', b"3").replace(b" ", b"") == b"3"


def test_candidates_match_the_grammar_whatever_the_test_says() -> None:
    """A digit that is the last of `digit+` stays, though nothing asks for it."""
    language = Language.from_file(grammar_path("calculator"))
    seen: list[bytes] = []

    def test(candidate: bytes) -> bool:
        seen.append(candidate)
        return candidate.count(b"((") > 0 and candidate.count(b"))") > 0

    text = b"((1)) + ((2 * 3)) - ((5))"
    executor = CallableExecutor(test, 1)
    try:
        Reduction(
            text=text,
            view=view_by_grammar(language, "input", text),
            strategy=algorithm_of("ddset"),
            executor=executor,
        ).run()
    finally:
        executor.close()
    assert seen
    assert all(map(language.matches, seen))
