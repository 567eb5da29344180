"""The HDD family with many workers: the same steps as with one, and enough for all of them."""

from __future__ import annotations

import threading

import pytest

from marrow import reduce
from marrow.engine.events import Accepted, Event
from marrow.reducers.algorithms.hdd_variants import HDD_VARIANTS

WORKERS = 8

PROGRAM = b"""\
var list = [1, 2, 3], other = { a: [4, 5], b: "text" };
function add(left, right) { if (left > right) { return left + right * 2; } return right; }
function twice(x) { for (var i = 0; i < 2; i++) { x = add(x, f(x, "keep", [i, 7])); } return x; }
while (list.length) { if (twice(list.pop()) > other.a[0]) { break; } else { add(1, 2); } }
"""


def needs(text: bytes) -> bool:
    """A word in a function, and a call of something: neither goes alone."""
    return b'"keep"' in text and text.count(b"(") >= 2 and b"function" in text


@pytest.mark.parametrize("name", [variant.name for variant in HDD_VARIANTS])
def test_any_number_of_workers_takes_the_same_steps(name: str) -> None:
    def steps(workers: int) -> list[bytes]:
        found: list[bytes] = []

        def listen(event: Event) -> None:
            if isinstance(event, Accepted):
                found.append(event.after)

        result = reduce(
            PROGRAM, needs, language="javascript", algorithm=name, workers=workers, on_event=listen
        )
        return [*found, result.text]

    alone = steps(1)
    assert len(alone) > 2
    assert steps(WORKERS) == alone


class Rendezvous:
    """A test that lets nobody go until as many are in it as there are workers, or all give up."""

    # How long to wait for the others: only where they do not come at all, which is a failure.
    PATIENCE = 5.0

    def __init__(self) -> None:
        self.most = 0
        self._inside = 0
        self._changed = threading.Condition()
        self._open = False

    def __call__(self, text: bytes) -> bool:
        # The checks of the test itself come one by one.
        if text == PROGRAM or not text.strip():
            return needs(text)
        with self._changed:
            self._inside += 1
            self.most = max(self.most, self._inside)
            self._changed.notify_all()
            full = self._changed.wait_for(lambda: self._open or self.most >= WORKERS, self.PATIENCE)
            self._open = self._open or not full
            self._inside -= 1
        return needs(text)


@pytest.mark.parametrize("name", [variant.name for variant in HDD_VARIANTS])
def test_all_workers_have_something_to_do(name: str) -> None:
    test = Rendezvous()
    reduce(PROGRAM, test, language="javascript", algorithm=name, workers=WORKERS)
    assert test.most == WORKERS
