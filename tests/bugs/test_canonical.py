"""Canonical forms: the same for what differs by chance, different for what does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marrow.bugs.canonical import (
    canonical,
    contains,
    lexemes,
    one_apart,
    projection,
    projections,
    shape,
)

TEXTS = st.text('ab1(+ \n"{};', max_size=30).map(str.encode)


def test_names_layout_and_values() -> None:
    assert canonical(b"f1(a,\n  b)") != canonical(b"g(a, b, a)")
    assert canonical(b"x = foo(y)") == canonical(b"a=foo( b )")
    assert canonical(b"a = foo(a)") != canonical(b"a = foo(b)")
    assert canonical(b"a[1]") != canonical(b"a[7]")
    assert shape(b"a[1]") == shape(b"b[7]")
    assert canonical(b"len(a)") != canonical(b"max(a)")
    assert canonical(b"HEAD\0\1") != canonical(b"HEAD\0\2")
    assert shape(b"HEAD\0\1") == shape(b"HEAD\0\2") != shape(b"DATA\0\2")


def test_deep_nesting_is_said_once() -> None:
    assert canonical(b"(" * 40) == canonical(b"(" * 900)
    assert canonical(b"[-" * 40) == canonical(b"[-" * 41)
    assert canonical(b"((") != canonical(b"(((")


@given(TEXTS | st.binary(max_size=20))
def test_lexemes_are_the_text(text: bytes) -> None:
    assert b"".join(one.text for one in lexemes(text)) == text


@given(TEXTS, TEXTS)
def test_a_projection_is_a_part_of_both(text: bytes, pattern: bytes) -> None:
    part = projection(text, pattern)
    if part:
        assert contains(text, part)
        assert contains(pattern, part)


def test_a_projection_finds_what_another_needs() -> None:
    large = b'let x = 5; print "a" + max([1, 2]); print pop([]); let y = [3, 4]'
    assert projection(large, b"pop([])") == b"pop([])"
    assert projection(large, b"max([0])") in (b"max([1])", b"max([2])")


def test_a_name_of_a_pattern_is_one_name_of_the_text() -> None:
    large = b"create t (a, b);\ncreate u (b, d);\nselect min(), a from u;\nselect d from u"
    small = b"create t(c)select min()from t"
    assert canonical(projection(large, small) or b"") != canonical(small)
    assert canonical(small) in map(canonical, projections(large, small))


@given(TEXTS, TEXTS)
def test_projections_are_parts(text: bytes, pattern: bytes) -> None:
    found = list(projections(text, pattern))
    assert len(found) == len(set(found))
    assert all(contains(text, part) for part in found)


def test_one_apart() -> None:
    assert one_apart(b"select max ( a )", b"select min(b)")
    assert not one_apart(b"select max(a)", b"select max(b)")
    assert not one_apart(b"select len(0)", b"select chr(-1)")
    assert not one_apart(b"max()", b"max(),a")
    assert not one_apart(b"pop", b"max")
