"""Signals at many moments of a run, and huge inputs with a limit of time."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from bench.attack.situation import JOURNAL, Situation, run_marrow, write_script

#: The signals, and the exit codes that they may end in. By the signal itself: as long as there is
#: nothing to put in order, and when all is. 1: Python's own, for Ctrl-C before marrow's first line.
SIGNALS: Final = {
    signal.SIGINT: {130, 1},
    signal.SIGTERM: {143},
    signal.SIGHUP: {143},
    signal.SIGQUIT: {131},
    signal.SIGXCPU: {143},
}

#: Seconds after the start: Python starts, marrow starts, the first tests run, candidates run.
MOMENTS: Final = (0.0, 0.03, 0.06, 0.1, 0.15, 0.25, 0.4, 0.6, 0.9, 1.4, 2.0)

#: How long a limit may be late, and Ctrl-C take, on huge inputs: the promise is two seconds; the
#: third is for the start, and for reading and writing the input.
LATE: Final = 3.0

_LIMIT: Final = 4


def signals() -> Iterator[Situation]:
    """Yield signals at all moments."""
    for number, codes in SIGNALS.items():
        for moment in MOMENTS:
            yield Situation(
                f"{number.name} after {moment:.2f} s",
                ("reduce", "input.c", "./test.sh", "-j2"),
                frozenset({0, -number, *codes}),
                prepare=lambda work: write_script(
                    work / "test.sh", 'sleep 0.1; grep -q needle "$1"'
                ),
                signal=(number, moment),
                after=_in_order,
            )


def _in_order(work: Path) -> str:
    """Return what a run has left half done: whatever it ended by, there may be nothing of it."""
    rests = [one.name for one in work.iterdir() if one.name.endswith(("-wal", "-shm", ".new~"))]
    if rests:
        return f"{rests[0]} is left"
    if not (work / JOURNAL).exists():
        return "a result without a journal" if (work / "input.reduced.c").exists() else ""
    # It goes on, or says that it was done.
    code = run_marrow(work, "reduce", "input.c", "./test.sh", "-j2", "--resume")
    return f"it cannot be resumed: exit code {code}" if code else ""


HUGE: Final = {
    "100,000 nested brackets": (".json", lambda: b"[" * 100_000 + b'"needle"' + b"]" * 100_000),
    "a million nested brackets": (".json", lambda: b"[" * 10**6 + b'"needle"' + b"]" * 10**6),
    "a line of 50 MB": (".txt", lambda: b"ab " * 17_000_000 + b"needle"),
    "a list of 10 MB": (".json", lambda: b"[" + b"1," * 5_000_000 + b'"needle"]'),
    "a program of 10 MB in a line": (".c", lambda: b"int needle;" + b"int a;" * 1_700_000),
    "a list of 50 MB": (".json", lambda: b"[" + b"1," * 25_000_000 + b'"needle"]'),
    "a program of 50 MB in a line": (".c", lambda: b"int needle;" + b"int a;" * 8_300_000),
    "a word of 20 MB": (".c", lambda: b"x" * 20_000_000 + b" needle"),
    "2 MB of quotes": (".py", lambda: b"\"'" * 1_000_000 + b"needle"),
    "a YAML list of 3 MB": (".yaml", lambda: b"[" + b"1, " * 1_000_000 + b'"needle"]'),
}


def huge() -> Iterator[Situation]:
    """Yield huge inputs with a limit of time, and with Ctrl-C."""
    for what, (suffix, make) in HUGE.items():

        def prepare(work: Path, suffix: str = suffix, make: Callable[[], bytes] = make) -> None:
            (work / f"huge{suffix}").write_bytes(make())

        words = ("reduce", f"huge{suffix}", "./test.sh", "-j1", "--no-journal")
        yield Situation(
            f"{what}, --max-time {_LIMIT}s",
            (*words, "--max-time", f"{_LIMIT}s"),
            frozenset({0}),
            prepare=prepare,
            seconds=_LIMIT,
            late=LATE,
        )
        yield Situation(
            f"{what}, Ctrl-C after {_LIMIT} s",
            words,
            frozenset({0, 130}),
            prepare=prepare,
            signal=(signal.SIGINT, float(_LIMIT)),
            seconds=_LIMIT,
            late=LATE,
        )
