"""Reductions that begin coarsely, of inputs that are large for a small limit."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from marrow.engine.events import Event, PassBegan, Warned
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.languages.recognition import language_of
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.pipeline.coarse_reducers import coarsely
from marrow.reducers.pipeline.pipeline import Pipeline, Strategy
from marrow.reducers.streams.stream import Attempts, Done, Stream, attempt, finish
from marrow.run.output.result import Result
from marrow.run.reduction import Reduction
from marrow.syntax.coarse_front_end import CoarseFrontEnd
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.syntax.views import view_of
from marrow.tree import Branch, Kind, Tree
from tests.syntax.cases import DIRECTORY

#: Some of the samples, of languages with lists of several kinds.
SAMPLES = ("ring.c", "cart.js", "walk.pyw", "config.json", "shapes.cpp", "feed.xml", "queue.go")


def reduced(
    name: str,
    text: bytes,
    test: Callable[[bytes], bool],
    *,
    most: int | None = 60,
    workers: int = 1,
    algorithm: Strategy | None = None,
    listener: Callable[[Event], None] = lambda _: None,
) -> Result:
    """Reduce a text; one with more than `most` nodes from afar."""
    view = view_of(name, text)
    language = view.counter.name
    view = replace(view, coarse=None if most is None else CoarseFrontEnd(language, most, pieces=8))
    executor = CallableExecutor(test, workers)
    journal = Journal.in_memory()
    chosen = algorithm or algorithm_of("perses*")
    try:
        return Reduction(
            text=text,
            view=view,
            strategy=chosen,
            executor=executor,
            journal=journal,
            listener=listener,
        ).run()
    finally:
        executor.close()


def repeated(name: str, times: int = 6) -> bytes:
    """Return a sample several times over; JSON and XML have one root only."""
    text = (DIRECTORY / name).read_bytes()
    if name == "config.json":
        return b"[" + b",".join([text] * 2 * times) + b"]"
    if name == "feed.xml":
        body = text[text.index(b"<feed") :] if b"<feed" in text else text[text.index(b"?>") + 2 :]
        return b"<all>" + body * 2 * times + b"</all>"
    return b"\n".join([text] * times)


def needles(name: str, text: bytes) -> list[bytes]:
    """Return some tokens of a text."""
    language = language_of(name, text)
    assert language is not None
    tree = TreeSitterFrontEnd(language).parse(text)
    words = sorted({token.text for token in tree.tokens() if len(token.text) > 3})
    return random.Random(name).sample(words, 2)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_result_is_no_larger_than_without_and_every_candidate_parses(name: str) -> None:
    text = repeated(name)
    language = language_of(name, text)
    assert language is not None
    front = TreeSitterFrontEnd(language)
    assert not front.errors(text)
    one, two = needles(name, text)

    def test(candidate: bytes) -> bool:
        assert not candidate or not front.errors(candidate)
        return one in candidate and two in candidate

    near = reduced(name, text, test, most=None)
    passes: list[str] = []

    def listener(event: Event) -> None:
        if isinstance(event, PassBegan):
            passes.append(event.name)

    from_afar = reduced(name, text, test, listener=listener)
    assert passes[0] == f"{language} in pieces"
    assert from_afar.tokens_after <= near.tokens_after
    assert from_afar.tests < 1.5 * near.tests
    assert reduced(name, text, test, workers=3).text == from_afar.text


def test_the_pipeline_begins_from_afar_and_ends_near() -> None:
    text = repeated("ring.c")
    events: list[Event] = []
    result = reduced(
        "ring.c",
        text,
        lambda one: b"push" in one,
        most=400,
        algorithm=Pipeline(),
        listener=events.append,
    )
    assert not any(isinstance(event, Warned) for event in events)
    again = reduced("ring.c", result.text, lambda one: b"push" in one, algorithm=Pipeline())
    assert again.text == result.text
    assert result.guarantee.startswith("1-tree-minimal")


def test_an_input_with_errors_is_seen_from_afar_too() -> None:
    text = repeated("ring.c") + b"\nint )) x;\n" + repeated("ring.c")
    result = reduced("ring.c", text, lambda one: b"))" in one)
    assert result.text.strip() == b"))"


def test_what_is_small_is_reduced_as_if_there_were_no_far_view() -> None:
    text = (DIRECTORY / "ring.c").read_bytes()

    def test(candidate: bytes) -> bool:
        return b"malloc" in candidate

    tried = [reduced("ring.c", text, test, most=most) for most in (None, 100_000)]
    assert tried[0] == replace(tried[1], seconds=tried[0].seconds)


def test_a_text_that_stays_large_is_said_to_take_memory() -> None:
    text = repeated("ring.c")
    said: list[str] = []

    def listener(event: Event) -> None:
        if isinstance(event, Warned):
            said.append(event.message)

    once = algorithm_of("perses*", Settings(once=True))
    result = reduced("ring.c", text, text.__eq__, algorithm=once, listener=listener)
    assert result.text == text
    (warning,) = said
    assert "tokens are left" in warning
    assert "GB of memory" in warning


def test_views_become_finer_once_a_pass_removes_less_than_half() -> None:
    asked: list[tuple[int, int]] = []

    def see(text: bytes, pieces: int) -> Tree | None:
        asked.append((len(text), pieces))
        return None if pieces > 50 else CoarseFrontEnd("json").parse(text)

    left = iter((700, 300, 200, 200))

    def shorten(tree: Tree, done: Done) -> Stream | None:
        return done(CoarseFrontEnd("json").parse(tree.text[: next(left)]))

    begin = CoarseFrontEnd("json").parse(b"1" * 1000)
    assert coarsely(shorten, see, 1)(begin, finish) is None
    assert asked == [(700, 8), (300, 8), (200, 64)]


def test_a_view_is_left_when_successes_become_rare() -> None:
    views: list[int] = []

    def see(_: bytes, pieces: int) -> Tree | None:
        views.append(pieces)
        return Tree(Branch(Kind.STAR, "view", ()), b"text") if pieces < 100 else None

    def never_ending(tree: Tree, done: Done) -> Stream:
        for number in range(10_000):
            yield attempt(Tree(Branch(Kind.STAR, "view", ()), b"%d" % number), "x", done, tree)
        return done(tree)

    start = Tree(Branch(Kind.STAR, "view", ()), b"text")
    tried = sum(1 for _ in Attempts(coarsely(never_ending, see, 2)(start, finish)))
    assert views == [16, 128]
    assert tried == 200
