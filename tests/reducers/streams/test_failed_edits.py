"""What failed before, as the same edit, is left until nothing else is left to do."""

from __future__ import annotations

import re

from marrow.reducers.streams.failed_edits import LocalEdit, local_edit
from marrow.reducers.streams.stream import Attempt, Attempts, Done, Stream, attempt, finish, metered
from marrow.reducers.streams.sweep import UNLIKELY_AFTER, sweep
from marrow.syntax.views import view_of
from marrow.tree import Tree
from tests.quality.reducing import reduced
from tests.reducers.streams.test_sweep import shorter, words

front = view_of("input", b"[]", "json").counter


def edit(before: str, after: str) -> LocalEdit:
    found = local_edit(front.parse(before.encode()), front.parse(after.encode()))
    assert found is not None
    return found


def test_a_change_is_the_same_wherever_it_is_made() -> None:
    same = edit("[1, 2, 3]", "[1, 3]").change
    assert same == edit("[1, 2, [4, 5]]", "[1, [4, 5]]").change
    assert same == edit("[1,\n  2, 3]", "[1,\n  3]").change
    assert same != edit("[1, 2, 3]", "[1, 2]").change
    long = front.parse(b'["' + b"a" * 70_000 + b'"]')
    assert local_edit(long, front.parse(b"[]")) is None


def test_its_context_is_two_tokens_on_the_left_and_one_on_the_right() -> None:
    same = edit("[1, 2, 3, 5]", "[1, 3, 5]").in_context
    assert same == edit("[7, 1, 2, 3]", "[7, 1, 3]").in_context
    assert same != edit("[6, 2, 3]", "[6, 3]").in_context
    assert same != edit("[1, 2, 4]", "[1, 4]").in_context


def test_it_is_another_one_once_nobody_mentions_a_name_of_it() -> None:
    used = edit("[a, b, c, b]", "[a, c, b]")
    alone = edit("[a, b, c, d]", "[a, c, d]")
    assert used.change == alone.change
    assert used.in_context != alone.in_context


class Count:
    """Counts attempts."""

    def failed(self, _tree: Tree, _candidate: Tree) -> Count:
        return self

    succeeded = failed


def test_what_is_known_fails_without_a_test() -> None:
    tree = front.parse(b"[1, 2]")
    texts = [b"[1]", b"[2]", b"[]"]

    def reducer(tree: Tree, done: Done) -> Stream:
        yield from (attempt(front.parse(one), "", finish, tree) for one in texts)
        return done(tree)

    def known(_: Tree, one: Attempt, __: Count) -> bool:
        return one.tree.text == b"[2]"

    stream = metered(reducer, tree, Count(), lambda after, _: None, known=known)
    assert [one.tree.text for one in Attempts(stream)] == [b"[1]", b"[]"]


def test_a_sort_that_fails_becomes_unlikely() -> None:
    tree, places = words(*(f"a{number}" for number in range(UNLIKELY_AFTER + 2)))
    attempts = list(Attempts(sweep(tree, places, shorter, finish, "", sort=lambda _: 0)))
    assert [one.unlikely for one in attempts] == [False] * UNLIKELY_AFTER + [True] * 2


def test_what_was_left_out_is_tried_in_the_end() -> None:
    """The last of more elements than a sort is likely for may be something smaller."""
    count = UNLIKELY_AFTER + 3
    kept = re.compile(r"\[" + r'\{"a":1\},' * count + r'(\{"a":1\}|0)\]')

    def test(text: str) -> bool:
        return kept.fullmatch("".join(text.split())) is not None

    text = "[" + ", ".join(['{"a": 1}'] * (count + 1)) + "]"
    assert "".join(reduced("json", text, test, "less").text.decode().split()).endswith(",0]")
