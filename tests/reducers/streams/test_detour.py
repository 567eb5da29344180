"""Detours: over larger trees, committed only when they end smaller, the same for all workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.scheduler import Scheduler
from marrow.reducers.passes.restructuring import (
    built_in_place,
    counted_lists,
    into_uses,
    observed,
    out_of_strings,
    outwards,
    plain_templates,
    without_format,
)
from marrow.reducers.streams.detour import Budget, detour, touched, worth_a_detour
from marrow.reducers.streams.stream import Done, Stream, attempt, finish
from marrow.syntax.views import view_of
from marrow.tree import Tree, smaller
from tests.quality.reducing import reduced

front = view_of("input", b"[]", "json").counter


def over(text: bytes, budget: Budget, then: Done = finish) -> Callable[[Tree], Stream]:
    """Return a reducer of one detour over a text."""

    def run(tree: Tree) -> Stream:
        again = partial(then, tree)
        yield detour(tree, front.parse(text), "detour", front.parse, then, again, budget)
        return then(tree)

    return run


def steps(
    tree: Tree, stream: Stream, test: Callable[[bytes], bool], workers: int = 1
) -> tuple[list[bytes], int]:
    """Return the committed texts, and how many tests there were."""
    executor = CallableExecutor(test, workers)
    try:
        scheduler = Scheduler(executor, Journal.in_memory())
        found = [one.text for one in scheduler.run(tree, stream, front.validity())]
        return found, scheduler.counts.asked
    finally:
        executor.close()


def test_a_detour_over_a_larger_text_is_one_step() -> None:
    tree = front.parse(b"[1, 2, 3, 4]")
    larger = b"[[5, 6], [7, 8], 0, 9]"
    found, _ = steps(tree, over(larger, Budget())(tree), lambda text: b"5" in text)
    assert len(found) == 1
    assert b"5" in found[0]
    assert smaller(front.parse(found[0]), tree)


def test_a_detour_that_stays_larger_is_dropped_within_its_budget() -> None:
    tree = front.parse(b"[1, 2]")
    larger = b"[[5, 6], [7, 8], [5, 6], 1]"
    found, tests = steps(tree, over(larger, Budget(9, 3))(tree), lambda text: text == larger)
    assert found == []
    assert tests == 1 + 3


def test_what_follows_a_detour_that_led_nowhere_starts_from_the_best() -> None:
    tree = front.parse(b"[1, 2]")
    larger = b"[[5, 6], [7, 8], [5, 6], 1]"

    def then(_: Tree) -> Stream:
        # Smaller than the larger text, and larger than the best: not to be tried.
        yield attempt(front.parse(b"[5, 6, 7]"), "too large", finish, tree)
        yield attempt(front.parse(b"[5]"), "small", finish, tree)
        return None

    seen: list[bytes] = []

    def test(text: bytes) -> bool:
        seen.append(text)
        return text in (larger, b"[5]", b"[5, 6, 7]")

    found, _ = steps(tree, over(larger, Budget(9, 3), then)(tree), test)
    assert found == [b"[5]"]
    assert b"[5, 6, 7]" not in seen


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 9), max_size=3), min_size=1, max_size=4),
    st.sets(st.integers(0, 9)),
)
@settings(max_examples=25, deadline=None)
def test_any_number_of_workers_takes_the_same_steps(
    numbers: list[int], others: list[list[int]], wanted: set[int]
) -> None:
    tree, larger = front.parse(str(numbers).encode()), str(others).encode()

    def test(text: bytes) -> bool:
        return all(str(one).encode() in text for one in wanted)

    one = steps(tree, over(larger, Budget(12, 4))(tree), test)
    three = steps(tree, over(larger, Budget(12, 4))(tree), test, workers=3)
    assert one == three
    sizes = [tree, *map(front.parse, one[0])]
    assert all(smaller(after, before) for before, after in pairwise(sizes))


def test_what_was_touched() -> None:
    where = touched(b"abc def ghi", b"abc xx ghi")
    assert (where.start, where.from_end) == (4, 4)
    same = touched(b"aa", b"aaa")
    assert same.start + same.from_end == 2


def test_growth_has_its_limits() -> None:
    tree = front.parse(b"[1, 2]")
    assert worth_a_detour(tree, front.parse(b"[1, 2, [3, 4]]"))
    assert not worth_a_detour(tree, front.parse(b"[1, 2]"))
    assert not worth_a_detour(tree, front.parse(b"[[1, 2], [1, 2], [1, 2], [1, 2]]"))


MOVES = [
    ("c", outwards, "void f() { if (a) b(); { c(); d(); } }", "{ c(); } d();"),
    ("javascript", outwards, "function f() { var a; g(a); }", "var a; function f() { g(a); }"),
    ("java", outwards, "class A { A() { b(); c(); } }", "class A { A() { } } b(); c();"),
    ("python", outwards, "class A:\n  def f():\n    g()\n    h()\n", "class A: def f(): h()\ng()"),
    ("javascript", into_uses, "f(a); g(a);", "g(f(a));"),
    ("c", into_uses, "void f() { if (c(1)) p(0); p(0); }", "void f() { p(c(1)); }"),
    ("python", into_uses, "f(a)\ng(a)\n", "g(f(a))"),
    (
        "javascript",
        observed,
        "var a; function b() { var c = 0; switch (c - c++) { case 0: a *= 0 } } b(); p(a)",
        "var a; function b() { var c = 0; p(c - c++) } b();",
    ),
    ("python", observed, "def f(b):\n  if b - 1: g()\nprint(0)\n", "def f(b):\n  print(b - 1)\n"),
    ("javascript", built_in_place, "var o = {}; o.a = 1; f(o)", "var o = {a: 1}; f(o)"),
    ("javascript", built_in_place, "o = {b: 2}; o[c] = 1; f(o)", "o = {b: 2, [c]: 1}; f(o)"),
    ("javascript", built_in_place, "let o = []; o.push(g(1)); f(o)", "let o = [g(1)]; f(o)"),
    ("python", built_in_place, "o = {}\no['a'] = 1\nf(o)\n", "o = {'a': 1} f(o)"),
    ("python", built_in_place, "o = []\no.append(1)\nf(o)\n", "o = [1] f(o)"),
    ("php", built_in_place, "<?php $o = []; $o['a'] = 1; f($o);", "$o = ['a' => 1]; f($o);"),
    ("php", built_in_place, "<?php $o = []; $o[] = 1; f($o);", "$o = [1]; f($o);"),
    ("lua", built_in_place, "o = {} o.a = 1 f(o)", "o = {a=1} f(o)"),
    ("ruby", built_in_place, "o = [1]\no << 2\nf(o)\n", "o = [1, 2] f(o)"),
    ("c", without_format, 'void f() { p("%d!%s", 7, a); }', 'void f() { p("7!%s", a); }'),
    ("c", without_format, 'void f() { p("%-5lu!", g(7)); }', 'void f() { p("0!"); }'),
    ("python", without_format, "p('a%d' % 7)\n", "p('a7')"),
    ("python", without_format, "p('{}'.format('b'))\n", "p('b')"),
    ("rust", without_format, 'fn f() { println!("{:?}", 7); }', 'fn f() { println!("7"); }'),
    ("go", without_format, 'package p\nfunc f() { Printf("%v", a) }\n', 'func f() { Printf("0") }'),
    ("c", counted_lists, "int a[3] = {1, 2, 3};", "int a[2] = {1, 2};"),
    ("python", counted_lists, "f([a, b], 2)\n", "f([a], 1)"),
    ("javascript", plain_templates, "f(`a b`)", "f('a b')"),
    ("javascript", out_of_strings, "eval('f(\\'a\\')');", "f('a')"),
    ("python", out_of_strings, "exec('f(1)\\ng(2)')\n", "f(1)\ng(2)"),
    ("javascript", out_of_strings, "h(eval('f(1)'));", "h(f(1));"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "move", "before", "after"), MOVES)
def test_moves(
    language: str, move: Callable[[Tree], Iterator[bytes]], before: str, after: str
) -> None:
    tree = view_of("input", before.encode(), language).counter.parse(before.encode())
    found = ["".join(one.decode().split()) for one in move(tree)]
    assert any("".join(after.split()) in one for one in found), found


PROGRAM = """
class Sum:
    start = 5
    def add(self, n):
        return self.start + n
def scale(v, k):
    w = v * k
    return w
print(scale(Sum().add(3), 7))
"""


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_a_program_by_what_it_prints() -> None:
    def test(text: str) -> bool:
        said: list[object] = []
        try:
            exec(compile(text, "program", "exec"), {"print": said.append})
        except Exception:
            return False
        return said == [56]

    result = reduced("python", PROGRAM, test, "-batched")
    assert result.text.decode().strip() == "print(56)"


def test_changes_that_do_not_parse_cost_no_patience() -> None:
    """Of the way to the last of these texts, a dozen kinds only make `-1^=...`, no program."""
    kept = {'a=-1a^=a+""f(a)', 'a=-1f(a^=a+"")', 'f(-1^(-1+""))', 'f(-1^-1+"")', 'f(-1^"-1")'}

    def test(text: str) -> bool:
        return "".join(text.split()).replace(";", "") in kept

    result = reduced("javascript", 'a=-1\na^=a+""\nf(a)\n', test, "-batched")
    assert "".join(result.text.decode().split()) == 'f(-1^"-1")'


def test_a_call_gives_way_to_its_argument_on_the_way() -> None:
    """A function called twice is inlined; of the two bodies the first one need not show a value."""
    kept = {
        "functiona(){f()p(b=c(b+d))}a()a()",
        "f()p(b=c(b+d))f()p(b=c(b+d))",
        "f()b=c(b+d)f()p(b=c(b+d))",
    }

    def test(text: str) -> bool:
        return "".join(text.split()).replace(";", "") in kept

    text = "function a(){f();p(b=c(b+d))}\na();a()\n"
    result = reduced("javascript", text, test, "-batched").text.decode()
    assert "".join(result.split()).replace(";", "") == "f()b=c(b+d)f()p(b=c(b+d))"
