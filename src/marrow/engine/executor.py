"""Executors: where tests run. One small interface, so that local processes are only one answer."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from marrow.engine.verdict import Outcome


class Job(Protocol):
    """A test under way."""

    @property
    def future(self) -> Future[Outcome]:
        """The outcome, once it is there."""

    def cancel(self) -> None:
        """Stop the test; nobody needs its verdict."""


class Executor(Protocol):
    """Runs tests on candidates."""

    @property
    def workers(self) -> int:
        """How many tests may run at once."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> Job:
        """Start the test on a candidate; `capture` keeps what it prints."""

    def close(self) -> None:
        """Stop everything and leave nothing behind."""
