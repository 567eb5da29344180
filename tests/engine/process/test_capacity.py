"""How many tests are worth running at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.engine.executors.executor import Capacity
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import TestCommand as Command


def measured(clock: float, processor: float, crowd: int = 1, most: int = 64) -> Capacity:
    made = Capacity(most, cores=2)
    for _ in range(10):
        made.ran(clock, processor, crowd)
    return made


def test_as_many_as_cores_as_long_as_nothing_is_known() -> None:
    assert Capacity(8, cores=2).worth == 2
    assert Capacity(1, cores=2).worth == 1


@pytest.mark.parametrize(
    ("clock", "processor", "worth"),
    [(1.0, 1.0, 2), (1.0, 0.95, 2), (1.0, 0.5, 4), (0.2, 0.002, 64), (0.2, 0.0, 64), (1.0, 4.0, 1)],
)
def test_what_tests_take_of_a_core_says_how_many(
    clock: float, processor: float, worth: int
) -> None:
    assert measured(clock, processor).worth == worth


def test_a_test_in_a_crowd_says_nothing() -> None:
    assert measured(1.0, 0.1, crowd=3).worth == 2


def test_the_user_has_the_last_word() -> None:
    assert measured(1.0, 0.0, most=3).worth == 3


def test_what_was_measured_long_ago_counts_less() -> None:
    made = measured(1.0, 1.0)
    for _ in range(200):
        made.ran(1.0, 0.1, 1)
    assert made.worth == 20


@pytest.mark.parametrize(
    ("body", "waits"), [("sleep 0.3", True), ("while :; do :; done", False)], ids=["waits", "works"]
)
def test_measured_on_commands(temporary: Path, body: str, waits: bool) -> None:
    executor = CommandExecutor(Command.shell(body), "input", 1000)
    executor.allow(0.5)
    try:
        executor.submit(b"x").future.result(60)
        # However busy the machine is: a loop takes much more of a core than a sleep does.
        assert (executor.workers > 20 * Capacity(1000).worth) == waits
    finally:
        executor.close()
