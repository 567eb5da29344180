"""With the greatest effort, a reduction starts once more from its beginning."""

from __future__ import annotations

import pytest

import marrow
from marrow.engine.events import Accepted

# From the end of its lists, a reduction of this comes to the call; from their beginning, to less.
TEXT = """\
def f(x):
    return x + 1

y = [1, 2, 3]
z = {4: 5, 6: 7}
print(f(3) + sum(y) + len(z))
"""


def one_of_two(text: bytes) -> bool:
    try:
        compile(text, "text", "exec")
    except (SyntaxError, ValueError):
        return False
    return (b"sum" in text and b"y" in text) or all(one in text for one in (b"f", b"len(z)", b"{4"))


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_second_way_counts_if_it_ends_smaller(jobs: int) -> None:
    events: list[object] = []
    usual = marrow.reduce(TEXT, one_of_two, language="python")
    best = marrow.reduce(
        TEXT, one_of_two, language="python", effort="max", jobs=jobs, on_event=events.append
    )
    assert best.tokens_after < usual.tokens_after
    sizes = [one.tokens for one in events if isinstance(one, Accepted)]
    assert sizes == sorted(sizes, reverse=True)  # no step of the second way that is larger
    assert any("starting over" in one.phase for one in events if isinstance(one, Accepted))


def test_it_changes_nothing_where_there_is_one_end() -> None:
    def test(text: bytes) -> bool:
        return b"sum" in text

    once = marrow.reduce(TEXT, test, language="python", effort="max")
    again = marrow.reduce(once.text, test, language="python", effort="max")
    assert once.text == again.text == b"sum\n"
