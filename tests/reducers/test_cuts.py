"""Cuts: users by scopes, the odds that failures teach, several cuts in one test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.reducers.cut_odds import CutOdds
from marrow.reducers.cuts import Cuts
from marrow.reducers.needs import Needs
from marrow.reducers.stream import Attempts
from marrow.reducers.thinning import Thinning, empty_form
from marrow.reducers.users import Unit, Users
from tests.reducers.outlined import outlined

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
    thinning = Thinning(outline, empty_form("cpp"))
    at = next(at for at, one in enumerate(outline.elements) if text[one.start : one.end] == cut)
    gone = thinning.users.with_users(frozenset(), [Unit(at)])
    assert gone is not None
    candidate = thinning.edited(outline.tree, frozenset(), gone)
    assert candidate is not None
    assert all(one in candidate.text for one in stays)
    assert not any(one in candidate.text for one in goes)


def test_what_is_gone_with_users_does_not_depend_on_what_was_asked_before() -> None:
    outline = outlined(OTHER + b"struct A { Other o; };\nint main() { }\n", "cpp")
    users = Users(Needs(outline.elements), outline.last)
    first = users.with_users(frozenset(), [Unit(0)])
    assert first is not None
    users.with_users(first, [Unit(2)])
    assert users.with_users(frozenset(), [Unit(0)]) == first


@given(st.sets(st.integers(0, 30), min_size=1), st.sets(st.integers(0, 30), min_size=1))
def test_a_failure_makes_what_overlaps_with_it_less_likely(one: set[int], other: set[int]) -> None:
    failed, second = [Unit(at) for at in sorted(one)], [Unit(at) for at in sorted(other)]
    before = CutOdds()
    after = before.after_failure(failed, [len(failed)])
    assert after.chance(failed) < before.chance(failed)
    if one & other:
        assert after.chance(second) < before.chance(second)
    else:
        assert after.chance(second) == before.chance(second)
    assert after.of_size(len(failed)) < before.of_size(len(failed))
    assert after.chance(failed) < after.faded().chance(failed) <= before.chance(failed)


FAMILIES = b"".join(
    b"struct a%d { int m; };\nstruct b%d { a%d a; };\nvoid f%d(b%d);\n" % ((n,) * 5)
    for n in range(40)
)


def test_several_cuts_go_in_one_test_where_cuts_succeed() -> None:
    text = FAMILIES + b"int main() { }\n"
    outline = outlined(text, "cpp")
    cuts = Cuts(outline, Thinning(outline, empty_form("cpp")), lambda _tree, _known: None)
    attempts, tests = Attempts(cuts.run()), 0
    left = text
    while (one := next(attempts, None)) is not None:
        tests += 1
        if b"struct b17" in one.tree.text:
            left, attempts = one.tree.text, Attempts(one.then())
    assert left.count(b"struct") == 1
    assert tests < 30


def test_what_went_before_a_cut_is_not_to_blame_for_its_failure() -> None:
    text = FAMILIES + b"int main() { }\n"
    outline = outlined(text, "cpp")
    cuts = Cuts(outline, Thinning(outline, empty_form("cpp")), lambda _tree, _known: None)
    first = next(Attempts(cuts.run()))
    went = next(n for n in range(40) if b"struct b%d " % n not in first.tree.text)
    attempts, tests = Attempts(first.then()), 0
    for one in attempts:
        tests += 1
        assert one.hearing is not None
        one.hearing.output = b"input.cc:1:1: error: unknown type name 'b%d'\n" % went
    assert tests > 20  # each of the others is tried, though all outputs name what went before
