"""Numbers: a value that makes the test run into its time limit is not approached again."""

from __future__ import annotations

from marrow.reducers.passes.literals import numbers
from marrow.reducers.streams.stream import Attempts, finish
from tests.quality.named_rewrites import context_of


def tried(*, slow: bool) -> list[str]:
    """Return what is tried in the place of a number if nothing is interesting."""
    _, context, tree = context_of("python", (), "f(100000)\n")
    found = []
    for one in Attempts(numbers(context)(tree, finish)):
        found.append(one.tree.text.decode().strip())
        if one.hearing is not None:
            assert not one.hearing.wants_output
            one.hearing.timed_out = slow
    return found


def test_a_number_keeps_its_value_after_a_time_out() -> None:
    assert tried(slow=True) == ["f(0)", "f(1)"]
    assert len(tried(slow=False)) > len(tried(slow=True))


def test_bisection_stops_at_a_time_out() -> None:
    _, context, tree = context_of("python", (), "f(60000)\n")
    attempts = Attempts(numbers(context)(tree, finish))
    asked = []
    while (one := next(attempts, None)) is not None:
        number = int(one.tree.text.strip()[2:-1])
        if number == 59_999:
            attempts = Attempts(one.then())
        elif number > 30_000:
            asked.append(number)
            assert one.hearing is not None
            one.hearing.timed_out = True
    assert asked == [44_999]
