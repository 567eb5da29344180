"""Observations of one run of a command."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Observation:
    """How a command ended and what it printed.

    `status` is what the shell calls `$?`: the exit code, or 128 and the number of the signal that
    ended the command. None if it did not end in time.
    """

    status: int | None
    stdout: bytes = b""
    stderr: bytes = b""
