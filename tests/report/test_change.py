"""The last change as a short diff."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marrow.engine.delta import changed_region
from marrow.report.plain import printable
from marrow.report.progress import short_diff


@given(
    st.binary(max_size=60), st.binary(max_size=10), st.binary(max_size=10), st.binary(max_size=60)
)
def test_the_region_is_all_that_differs(head: bytes, a: bytes, b: bytes, tail: bytes) -> None:
    before, after = head + a + tail, head + b + tail
    start, end_before, end_after = changed_region(before, after)
    assert before[:start] == after[:start]
    assert before[end_before:] == after[end_after:]
    assert start >= 0
    assert end_before >= start
    assert end_after >= start
    assert end_before - start <= len(a) + max(0, len(b) - len(a))
    if before == after:
        assert start == end_before == end_after


def test_whole_lines() -> None:
    before = b"one\ntwo(a, b)\nthree\n"
    assert list(short_diff(before, b"one\ntwo(a)\nthree\n")) == [
        ("-", "two(a, b)"),
        ("+", "two(a)"),
    ]
    assert next(short_diff(before, b"one\nthree\n")) == ("-", "two(a, b)")


def test_long_changes_are_shortened() -> None:
    before = b"\n".join(b"line %d" % number for number in range(50))
    lines = list(short_diff(before, b"line 0"))
    assert len(lines) < 10
    assert any("more lines" in line for _, line in lines)


@given(st.binary())
def test_nothing_unprintable(text: bytes) -> None:
    assert all(c.isprintable() or c == "\n" for c in printable(text))
