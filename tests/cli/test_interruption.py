"""Signals that end a run, wherever in the code they arrive."""

import contextlib
import gc
import signal
import time
import weakref
from collections.abc import Callable, Iterator

import pytest

from marrow.cli.exits import Exit
from marrow.cli.interruption import INTERRUPTING, interruptible
from tests.cli.running import PATIENCE, handlers_restored


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    with handlers_restored():
        yield


class Node:
    """An object that others may refer to."""


def in_a_finalizer(number: int) -> None:
    class Closed:
        def __del__(self) -> None:
            signal.raise_signal(number)

    Closed()


def in_the_call_of_a_reference(number: int) -> None:
    node = Node()
    reference = weakref.ref(node, lambda _: signal.raise_signal(number))
    del node
    assert reference() is None


def work_until_interrupted(begin: Callable[[], None]) -> None:
    with interruptible():
        begin()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("arrives", [in_a_finalizer, in_the_call_of_a_reference])
def test_an_interruption_that_python_drops_is_repeated(
    number: signal.Signals, arrives: Callable[[int], None], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        work_until_interrupted(lambda: arrives(number))
    assert ended.value.code == (Exit.INTERRUPTED if number == signal.SIGINT else Exit.TERMINATED)
    assert "Traceback" not in capfd.readouterr().err


def test_other_errors_in_finalizers_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", lambda dropped: told.append(dropped.exc_value))

    class Broken:
        def __del__(self) -> None:
            raise ValueError("broken")

    with interruptible():
        Broken()
        gc.collect()
    assert [str(value) for value in told] == ["broken"]


def test_signals_after_the_end_of_an_interrupted_run_change_nothing() -> None:
    with pytest.raises(SystemExit):
        work_until_interrupted(lambda: signal.raise_signal(signal.SIGTERM))
    for number in INTERRUPTING:
        signal.raise_signal(number)


def test_the_search_is_told_even_if_the_exception_is_swallowed() -> None:
    with interruptible() as interruption:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert interruption.control.interrupted
