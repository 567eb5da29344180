"""The algebra of streams: what an attempt carries survives every combinator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import pytest

from marrow.reducers.streams.stream import (
    Attempt,
    Attempts,
    Done,
    End,
    Reducer,
    Stream,
    attempt,
    filtered,
    finish,
    fixpoint,
    followed,
    in_turn,
    metered,
    on,
    unchanged,
    while_it_pays,
)
from marrow.tree import ROOT, Branch, Kind, Token, Tree
from tests.reducers.running import run


def words(text: str) -> Tree:
    tokens = [
        Token("word", word.encode(), key=key, after=b" ") for key, word in enumerate(text.split())
    ]
    return Tree(Branch(Kind.STAR, "words", tokens))


def dropping(letter: str) -> Reducer:
    """Delete the words with a letter, one by one."""

    def reduce(tree: Tree, done: Done) -> Stream:
        for child in tree.root.children:
            if letter.encode() in child.text:
                smaller = tree.delete([ROOT.child(child.key)])
                yield attempt(smaller, letter, reduce, smaller, done)
        return done(tree)

    return reduce


def texts(tree: Tree) -> list[bytes]:
    return [token.text for token in tree.tokens()]


def always(_: Tree) -> bool:
    return True


@dataclass(frozen=True)
class Tally:
    failures: int = 0
    successes: int = 0
    most: int = 100

    def failed(self, _tree: Tree, _candidate: Tree) -> Tally:
        return Tally(self.failures + 1, self.successes, self.most)

    def succeeded(self, _tree: Tree, _candidate: Tree) -> Tally:
        return Tally(self.failures, self.successes + 1, self.most)

    def good(self, _tree: Tree) -> bool:
        return self.failures < self.most


def marked(tree: Tree, done: Done) -> Stream:
    """Yield an attempt that has all annotations."""
    smaller = tree.delete([ROOT.child(tree.root.children[0].key)])
    yield Attempt(
        smaller,
        lambda: marked(smaller, done) if smaller.token_count > 1 else done(smaller),
        "phase",
        unparsed=True,
        left_out=(tree,),
        pass_name="pass",
        skip=lambda: done(tree),
    )
    return done(tree)


WRAPPED: dict[str, Callable[[Tree], Stream | None]] = {
    "metered": lambda tree: metered(marked, tree, Tally(), lambda *_: None),
    "while_it_pays": lambda tree: while_it_pays(marked, Tally())(tree, finish),
    "filtered": lambda tree: filtered(marked(tree, finish), lambda _: True),
    "in_turn": lambda tree: in_turn(marked, marked)(tree, finish),
    "fixpoint": lambda tree: fixpoint(marked, lambda _: tree)(tree, finish),
    "on": lambda tree: on(lambda _: tree, marked)(tree, finish),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_no_combinator_drops_what_an_attempt_carries(name: str) -> None:
    tree = words("a b c")
    expected = next(marked(tree, finish))
    stream = WRAPPED[name](tree)
    assert stream is not None
    for one in (first := next(stream), next(Attempts(first.then()))):
        for field in fields(Attempt):
            value = getattr(one, field.name)
            if field.name in ("then", "skip"):
                assert callable(value)
            elif field.name in ("tree", "left_out"):
                assert value
            else:
                assert value == getattr(expected, field.name), field.name


def test_arguments_of_an_attempt_are_taken_at_once() -> None:
    tree = words("a b")

    def stream() -> Stream:
        for name in ("first", "second"):
            yield attempt(tree, name, ended, name)
        return None

    def ended(name: str) -> None:
        seen.append(name)

    seen: list[str] = []
    for one in list(Attempts(stream())):
        one.then()
    assert seen == ["first", "second"]


def test_attempts_of_all_streams_that_follow_a_failure() -> None:
    reducer = in_turn(dropping("a"), dropping("b"), unchanged)
    attempts = Attempts(reducer(words("a b c"), End))
    assert [texts(one.tree) for one in attempts] == [[b"b", b"c"], [b"a", b"c"]]
    assert isinstance(attempts.end, End)
    assert texts(attempts.end.tree) == [b"a", b"b", b"c"]


def test_in_turn() -> None:
    tree = words("a b c a b")
    result = run(tree, in_turn(dropping("b"), dropping("a"))(tree, finish), always)
    assert result.accepted == [b"a c a b", b"a c a", b"c a", b"c"]


def test_a_fixpoint_ends_when_nothing_changes_and_late_takes_over() -> None:
    tree = words("a b c d e f g h")
    seen: list[str] = []

    def noted(name: str, letter: str) -> Reducer:
        def reduce(tree: Tree, done: Done) -> Stream | None:
            seen.append(name)
            return dropping(letter)(tree, done)

        return reduce

    def parse(text: bytes) -> Tree:
        return words(text.decode())

    repeated = fixpoint(noted("early", "a"), parse, noted("late", "b"), share=0.5)
    result = run(tree, repeated(tree, finish), always)
    assert texts(result.tree) == [b"c", b"d", b"e", b"f", b"g", b"h"]
    assert seen == ["early", "late", "late"]


def test_what_follows_sees_the_trees_before_and_after() -> None:
    tree = words("a b c")
    seen: list[tuple[bytes, bytes]] = []

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        seen.append((before.text, after.text))
        return (dropping("b"), after) if len(seen) == 1 else None

    result = run(tree, followed(dropping("a"), again)(tree, finish), always)
    assert seen == [(b"a b c", b"b c")]
    assert result.tree.text == b"c"


def test_a_meter_counts_in_stream_order() -> None:
    tree = words("a b a c a")
    ends: list[tuple[bytes, Tally]] = []

    def ended(after: Tree, tally: Tally) -> None:
        ends.append((after.text, tally))

    stream = metered(in_turn(dropping("a"), dropping("c")), tree, Tally(), ended)
    run(tree, stream, lambda one: b"a" in texts(one))
    # Two go; the last a stays; then c goes.
    assert ends == [(b"b a", Tally(1, 3))]


def test_giving_up_hands_over_to_another_reducer() -> None:
    tree = words("a a b")
    paced = while_it_pays(dropping("a"), Tally(most=1), dropping("b"))
    result = run(tree, paced(tree, finish), lambda one: texts(one).count(b"a") == 2)
    assert result.tried == [b"a b", b"a a"]
    assert result.tree.text == b"a a"


def test_a_skip_inside_a_meter_comes_back_to_it() -> None:
    tree = words("a b c")
    ends: list[bytes] = []

    def ended(after: Tree, _: Tally) -> None:
        ends.append(after.text)

    stream = metered(marked, tree, Tally(), ended)
    assert stream is not None
    one = next(stream)
    assert one.skip is not None
    assert one.skip() is None
    assert ends == [b"a b c"]


def test_what_is_filtered_out_is_told_with_the_next_attempt() -> None:
    tree = words("a aa ab b")
    stream = filtered(dropping("a")(tree, finish), lambda one: b"a" not in texts(one.tree))
    (one,) = Attempts(stream)
    assert one.left_out == ()
    stream = filtered(dropping("a")(tree, finish), lambda one: b"ab" not in texts(one.tree))
    (one,) = Attempts(stream)
    assert [texts(other) for other in one.left_out] == [
        [b"aa", b"ab", b"b"],
        [b"a", b"ab", b"b"],
    ]
