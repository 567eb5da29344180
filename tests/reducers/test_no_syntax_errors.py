"""On tree-sitter trees no test is spent on a candidate that adds a syntax error.

Every candidate that reaches the executor is parsed anew, from its first byte, by a parser that
knows nothing of the run; the run itself parses incrementally.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import tree_sitter
from tree_sitter_language_pack import get_parser

import marrow
from marrow.engine.events import Event, Tried
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits, StopReductionError
from marrow.engine.search.scheduler import Scheduler
from marrow.reducers.algorithms.list_minimizers import LIST_MINIMIZERS, minimizer_of
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.pipeline.algorithm_table import ALGORITHMS, Algorithm, algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.syntax.views import fronts_of_use, view_of
from marrow.tree import Tree

TESTS = Path(__file__).parents[1]
SAMPLES = {
    "c": [
        "reducers/odd/corners.c",
        "grammar/shipped_languages/statements.c",  # has errors of its own
        "syntax/samples/ring.c",
    ],
    "javascript": [
        "grammar/shipped_languages/expressions.js",
        "grammar/shipped_languages/semicolons.js",
        "syntax/samples/cart.js",
    ],
    "python": ["reducers/odd/corners.pyw", "syntax/samples/walk.pyw"],
    "java": ["grammar/shipped_languages/Everything.java", "syntax/samples/Bank.java"],
    "rust": ["reducers/odd/corners.rs", "syntax/samples/parse.rs"],
    "go": ["grammar/shipped_languages/everything.go", "syntax/samples/queue.go"],
}

#: How many tests a run may use.
TESTS_EACH = 30

#: One candidate in so many is interesting by lot, as long as half of the sample is left.
RARITY = 6

#: How many words of a sample its reduction must keep, chosen by lot.
WORDS = 4

ALGORITHMS_ON_TREES = [
    *(algorithm_of(one.name) for one in ALGORITHMS if not (one.granularity or one.blind)),
    *(algorithm_of("perses*", Settings(minimize=minimizer_of(one))) for one in LIST_MINIMIZERS),
]


@cache
def front_end(language: str) -> TreeSitterFrontEnd:
    return TreeSitterFrontEnd(language)


def errors(parser: tree_sitter.Parser, text: bytes) -> int:
    """Count the ERROR and MISSING nodes of a text."""
    cursor = parser.parse(text).walk()
    count = 0
    while True:
        node = cursor.node
        assert node is not None
        count += node.is_error or node.is_missing
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return count


def kept_words(text: bytes, seed: int) -> list[bytes]:
    """Draw the words that a reduction has to keep."""
    words = sorted(set(re.findall(rb"\w{2,}", text)))
    return random.Random(seed).sample(words, WORDS)


Interesting = Callable[[bytes], bool]


def keeps_words(text: bytes, seed: int) -> Interesting:
    """Return a test: some words are still there."""
    words = kept_words(text, seed)
    return lambda candidate: all(word in candidate for word in words)


def by_lot(text: bytes, seed: int) -> Interesting:
    """Return a test that draws lots, the same for the same candidate."""

    def test(candidate: bytes) -> bool:
        if 2 * len(candidate) < len(text):
            return False
        return zlib.crc32(candidate, seed) % RARITY == 0

    return test


@cache
def sample(language: str, path: str) -> Tree:
    return front_end(language).parse((TESTS / path).read_bytes())


def run(
    language: str, path: str, algorithm: Algorithm, interesting: Callable[[bytes, int], Interesting]
) -> int:
    """Reduce a sample; fail on new syntax errors. Returns how many tests were needed."""
    tree = sample(language, path)
    text = tree.text
    parser = get_parser(language)  # type: ignore[arg-type]
    allowed = errors(parser, text)
    broken: list[bytes] = []
    answer = interesting(text, zlib.crc32(algorithm.name.encode()))

    def test(candidate: bytes) -> bool:
        if errors(parser, candidate) > allowed:
            broken.append(candidate)
        return candidate == text or answer(candidate)

    front = front_end(language)
    executor = CallableExecutor(test, 1)
    journal = Journal.in_memory()
    scheduler = Scheduler(executor, journal, limits=Limits(tests=TESTS_EACH))
    try:
        for _ in scheduler.run(
            tree, algorithm.reducer(front, front.parse)(tree, finish), front.validity()
        ):
            pass
    except StopReductionError:
        pass
    finally:
        executor.close()
    assert not broken, (path, algorithm.name, broken[0])
    return scheduler.counts.needed


@pytest.mark.parametrize("language", SAMPLES)
def test_no_test_is_spent_on_new_syntax_errors(language: str) -> None:
    samples = SAMPLES[language]
    # Each algorithm meets both kinds of verdicts, in different languages.
    verdicts = (keeps_words, by_lot)
    first = list(SAMPLES).index(language)
    for number, algorithm in enumerate(ALGORITHMS_ON_TREES):
        path = samples[number // 2 % len(samples)]
        assert run(language, path, algorithm, verdicts[(first + number) % 2]) > 5


def test_a_text_that_lost_its_errors_is_not_taken_apart_by_bytes() -> None:
    phases: set[str] = set()

    def listen(event: Event) -> None:
        if isinstance(event, Tried):
            phases.add(event.attempt.phase)

    def keeps_a_declaration(one: bytes) -> bool:
        return re.search(rb"int +\w+\(\) *;", one) is not None

    text = b"int a = ) 2;\nint f();\n"
    fronts = view_of("a.c", text).fronts
    assert fronts_of_use(fronts, text) == fronts
    assert [one.name for one in fronts_of_use(fronts, b"int f();")][-1] == "words"
    result = marrow.reduce(text, keeps_a_declaration, name="a.c", on_event=listen, passes="none")
    assert result.text.strip() == b"int f();"
    assert any("words" in one for one in phases)
    assert not any("bytes" in one for one in phases)


def test_bytes_come_back_with_errors() -> None:
    def keeps_a_call(one: bytes) -> bool:
        return b"f(" in one and b"q" in one

    text = b"int a = ) 2;\nint f(int queue);\n"  # loses its error first, is `f(queue` then
    result = marrow.reduce(text, keeps_a_call, name="a.c", passes="none")
    assert result.text.strip() == b"f(q"
