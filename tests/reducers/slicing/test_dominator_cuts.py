"""Cuts: users by scopes, the odds that failures teach."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.reducers.slicing.cut_probabilities import Chances, after_failure, chance_of, faded
from marrow.reducers.slicing.declaration_graph import DeclarationGraph, Deleted, Unit
from marrow.reducers.slicing.delete_runs import DeleteRuns
from marrow.reducers.slicing.dependents import Dependents, body_form
from marrow.reducers.slicing.dominator_cuts import CutState, DominatorCuts
from marrow.reducers.slicing.outline_reduction import page_cuts
from marrow.reducers.streams.stream import Attempts, finish
from marrow.syntax.outliner import Outliner
from marrow.tree.outline import DeclarationOutline
from tests.reducers.slicing.outlined import outlined

OTHER = b"struct Other { int start; int get() { return start; } };\n"


@pytest.mark.parametrize(
    ("text", "cut", "stays", "goes"),
    [
        (
            OTHER + b"struct A { B *start; A() : start(0) { } int n; };\nint main() { }\n",
            b"B *start;",
            [b"int n;", b"return start;"],
            [b"start(0)"],
        ),
        (
            b"namespace s { void swap(int); }\nnamespace t { void swap(long); }\n"
            b"void f() { s::swap(1); }\nvoid g() { t::swap(1); }\nint main() { }\n",
            b"void swap(int);",
            [b"void f() ;", b"t::swap(1)"],
            [b"s::swap(1)"],
        ),
        (
            b"namespace s { struct A { }; struct B { A a; }; }\nstruct A { };\n"
            b"struct C { A a; };\nint main() { }\n",
            b"struct A { };",
            [b"struct C { A a; };"],
            [b"struct B { A a; }"],
        ),
    ],
    ids=["a member of the class around", "a name of a namespace", "the innermost scope"],
)
def test_users_are_those_of_the_declaration_that_is_meant(
    text: bytes, cut: bytes, stays: list[bytes], goes: list[bytes]
) -> None:
    outline = outlined(text, "cpp")
    runs = DeleteRuns(outline, body_form("cpp"))
    at = next(at for at, one in enumerate(outline.elements) if text[one.start : one.end] == cut)
    gone = runs.dependents.with_dependents(frozenset(), [Unit(at)])
    assert gone is not None
    candidate = runs.without(outline.tree, frozenset(), gone)
    assert candidate is not None
    assert all(one in candidate.text for one in stays)
    assert not any(one in candidate.text for one in goes)


PAGE = b"""\
struct Early { int x; };
int early(Early *one) { return one->x; }
struct Late { int y; };
int late(Late *one) { return one->y; }
"""
MAIN = b"""\
int main() {
  Early first;
  early(&first);
  Late second;
  late(&second);
  return 0;
}
"""


def test_statements_of_the_page_are_cut_with_what_they_alone_need() -> None:
    text = PAGE + MAIN
    reducer = page_cuts(lambda one: replace(outlined_page(one), page=one.find(b"int main")), "cpp")
    outline = outlined_page(text)
    tried = Attempts(reducer(outline.tree, finish))
    tree = outline.tree
    while (one := next(tried, None)) is not None:
        if b"late(&second)" in one.tree.text and b"Late second" in one.tree.text:
            tree, tried = one.tree, Attempts(one.then())
    assert b"late(&second)" in tree.text
    assert b"int late" in tree.text
    assert b"arly" not in tree.text
    assert b"return" not in tree.text.partition(b"main")[2]


def outlined_page(text: bytes) -> DeclarationOutline:
    outline = Outliner("cpp").outline(text, page=len(MAIN))
    assert outline is not None
    return outline


def test_what_is_gone_with_users_does_not_depend_on_what_was_asked_before() -> None:
    outline = outlined(OTHER + b"struct A { Other o; };\nint main() { }\n", "cpp")
    users = Dependents(DeclarationGraph(outline))
    first = users.with_dependents(frozenset(), [Unit(0)])
    assert first is not None
    users.with_dependents(first, [Unit(2)])
    assert users.with_dependents(frozenset(), [Unit(0)]) == first


@given(st.sets(st.integers(0, 30), min_size=1), st.sets(st.integers(0, 30), min_size=1))
def test_a_failure_makes_what_overlaps_with_it_less_likely(one: set[int], other: set[int]) -> None:
    failed, second = [Unit(at) for at in sorted(one)], [Unit(at) for at in sorted(other)]
    before: Chances = {}
    after = after_failure(before, failed)
    assert chance_of(after, failed) < chance_of(before, failed)
    if one & other:
        assert chance_of(after, second) < chance_of(before, second)
    else:
        assert chance_of(after, second) == chance_of(before, second)
    assert chance_of(after, failed) < chance_of(faded(after), failed) <= chance_of(before, failed)


FAMILIES = b"".join(
    b"struct a%d { int m; };\nstruct b%d { a%d a; };\nvoid f%d(b%d);\n" % ((n,) * 5)
    for n in range(40)
)


def test_what_went_before_a_cut_is_not_to_blame_for_its_failure() -> None:
    text = FAMILIES + b"int main() { }\n"
    outline = outlined(text, "cpp")
    cuts = DominatorCuts(outline, DeleteRuns(outline, body_form("cpp")), lambda _tree, _known: None)
    first = next(Attempts(cuts.run()))
    went = next(n for n in range(40) if b"struct b%d " % n not in first.tree.text)
    attempts, tests = Attempts(first.then()), 0
    for one in attempts:
        tests += 1
        assert one.hearing is not None
        one.hearing.output = b"input.cc:1:1: error: unknown type name 'b%d'\n" % went
    assert tests > 20  # each of the others is tried, though all outputs name what went before


def test_what_is_needed_does_not_go_with_what_is_useless() -> None:
    text = (
        b"struct Used { };\nstruct Idle { };\n"
        b"auto needed() { Used one; return 1; }\n"
        b"void cut() { needed(); Idle one; }\nint main() { }\n"
    )
    outline = outlined(text, "cpp")
    cuts = DominatorCuts(outline, DeleteRuns(outline, body_form("cpp")), lambda _tree, _known: None)
    units = {name: Unit(at) for at, one in enumerate(outline.elements) for name in one.declares}
    state = CutState(outline.tree, (), outline.tree.token_count, {})
    all_of_it = cuts._going(state, units[b"cut"].at)
    state = replace(state, needed=frozenset((units[b"needed"],)))
    assert all_of_it == frozenset(units[name] for name in (b"cut", b"needed", b"Used", b"Idle"))
    assert cuts._going(state, units[b"cut"].at) == frozenset((units[b"cut"], units[b"Idle"]))


class PlainCuts(DominatorCuts):
    """Cuts by the definition: what goes is computed anew for each, by walks through all."""

    def _going(self, state: CutState, index: int) -> Deleted | None:
        users = self._with(state.deleted, (Unit(index),))
        if users is None or not state.needed.isdisjoint(users - state.deleted):
            return None
        kept = self._kept(state.needed)
        gone = self._plus(state.deleted, self._unreached(state.deleted), kept)
        all_gone = self._with(gone, (Unit(index),))
        if all_gone is None:
            return None
        lost = self._unreached(users).difference(self._unreached(state.deleted))
        return self._plus(all_gone, lost, kept - (users - state.deleted)) - state.deleted

    def _unreached(self, gone: Deleted) -> Deleted:
        reached = self._reached(gone)
        return frozenset(
            unit
            for unit in map(Unit, range(len(self._elements)))
            if unit not in reached and unit not in gone
        )

    def _plus(self, gone: Deleted, useless: Collection[Unit], kept: Deleted) -> Deleted:
        before, pending = (
            gone,
            [[one for one in sorted(useless) if one.at not in self._scopes and one not in kept]],
        )
        while pending:
            some = pending.pop()
            more = self._with(gone, some)
            if more is not None and not kept & (more - before):
                gone = more
            elif len(some) > 1:
                pending += [some[len(some) // 2 :], some[: len(some) // 2]]
        return gone

    def _kept(self, needed: Deleted) -> Deleted:
        kept = self._runs.repair.with_needs(needed, self._nothing_kept.emptied)
        return frozenset(one for one in kept if not one.body)

    def _reached(self, gone: Collection[Unit]) -> set[int]:
        found: set[int] = set()
        pending: list[int] = [*self._graph.roots]
        while pending:
            unit = pending.pop()
            if unit not in found and unit not in gone:
                found.add(unit)
                pending += self._graph.dependencies[unit]
        return found

    def _with(self, gone: Deleted, units: Iterable[Unit]) -> Deleted | None:
        more, before = {*gone, *units}, -1
        while before != len(more):
            before = len(more)
            for at, inside in enumerate(self._dependents.members):
                if inside and self._elements[at].scope and more.issuperset(inside):
                    more.add(Unit(at))
                if Unit(at) in more:
                    more.update(inside)
            left = {
                name
                for at, names in enumerate(self._dependents.introduces)
                if Unit(at) not in more
                for name in names
            }
            for name, mentioning in enumerate(self._dependents.mentioning):
                if name not in left:
                    more.update(mentioning)
        if any(unit.at == self._graph.last for unit in more):
            return None
        # The body of what goes whole does not count.
        return frozenset(one for one in more if not one.body or Unit(one.at) not in more)


@st.composite
def programs(draw: st.DrawFn) -> bytes:
    """Return a program of classes and functions that need some of those before them."""
    lines: list[bytes] = []
    for n in range(draw(st.integers(4, 9))):
        others = draw(st.lists(st.integers(0, max(0, n - 1)), max_size=3))
        fields = b" ".join(b"A%d f%d;" % (one, one) for one in others)
        calls = b" ".join(b"g%d();" % one for one in others)
        kind = draw(st.sampled_from([b"class", b"function", b"both", b"namespace"]))
        text = b""
        if kind != b"function":
            text += b"struct A%d { int n; %s };\n" % (n, fields)
        if kind != b"class":
            text += b"void g%d() { int a, b, c; %s }\n" % (n, calls)
        lines.append(b"namespace s { %s}\n" % text if kind == b"namespace" else text)
    return b"".join(lines) + b"int main() { A0 a; g1(); }\n"


def tried(cuts: DominatorCuts, needed: Sequence[bytes], told: bool) -> list[bytes]:
    """Return the candidates that cuts try, where some words are needed."""
    found: list[bytes] = []
    attempts = Attempts(cuts.run())
    while (one := next(attempts, None)) is not None:
        found.append(one.tree.text)
        missing = [word for word in needed if word not in one.tree.text]
        if not missing:
            attempts = Attempts(one.then())
        elif told and one.hearing is not None:
            one.hearing.output = b"input.cc:1:1: error: unknown type name '%s'\n" % missing[0]
    return found


@settings(max_examples=20)
@given(
    programs(), st.lists(st.sampled_from([b"A2", b"g3", b"A4", b"A5"]), max_size=2), st.booleans()
)
def test_cuts_are_those_of_the_plain_way(text: bytes, words: list[bytes], told: bool) -> None:
    needed = [one for one in words if one in text]
    outline = outlined(text, "cpp")
    quick, plain = (
        kind(outline, DeleteRuns(outline, body_form("cpp")), lambda _tree, _known: None)
        for kind in (DominatorCuts, PlainCuts)
    )
    assert tried(quick, needed, told) == tried(plain, needed, told)


@given(programs(), st.sets(st.integers(0, 30)))
def test_the_outline_of_what_is_left_is_that_of_a_new_outliner(
    text: bytes, lines: set[int]
) -> None:
    used = Outliner("cpp")
    used.outline(text)
    left = b"".join(one for at, one in enumerate(text.splitlines(True)) if at not in lines)
    outlines = [one.outline(left) for one in (used, Outliner("cpp"))]
    first, second = (None if one is None else one.elements for one in outlines)
    assert first == second
