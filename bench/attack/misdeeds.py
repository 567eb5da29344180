"""Hostile tests: what a script may do to its directory, its processes, and to marrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench.attack.situation import ANY_CLEAR, TABLES, Situation, write_test

REDUCE: Final = ("reduce", "input.c", "./test.sh", "-j2", "--max-tests", "12", "--timeout", "20s")

LOOK: Final = 'grep -q needle "$1"'

DEEDS: Final = TABLES["misdeeds"]["deeds"]

#: How a test ends that never says yes, and the exit code that follows.
ENDS: Final[dict[str, tuple[str, int]]] = {
    **{f"exits with {code}": (f"exit {code}", 5) for code in (1, 2, 77, 125, 126, 127, 128, 255)},
    **{
        f"is killed by {name}": (f"kill -{name} $$", 5)
        for name in ("SEGV", "ABRT", "KILL", "TERM", "INT", "PIPE", "HUP", "QUIT", "XCPU")
    },
    **TABLES["misdeeds"]["ends"],
}


def _made_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _made_link(to: str, path: Path) -> None:
    path.unlink()
    path.symlink_to(to)


def _spoilt(spoil: Callable[[Path], object], work: Path) -> None:
    spoil(work / "test.sh")


#: Tests that are no tests.
BROKEN: Final[dict[str, Callable[[Path], object]]] = {
    "is empty": lambda path: path.write_text(""),
    "names no interpreter": lambda path: path.write_text(f"{LOOK}\n"),
    "names a missing interpreter": lambda path: path.write_text("#!/no/such/thing\n"),
    "names itself": lambda path: path.write_text(f"#!{path}\n"),
    "names a directory": lambda path: path.write_text("#!/tmp\n"),
    "has line ends of another system": lambda path: path.write_bytes(b"#!/bin/sh\r\nexit 0\r\n"),
    "is binary": lambda path: path.write_bytes(bytes(range(256)) * 4),
    "is a broken program": lambda path: path.write_bytes(b"\x7fELF" + b"\0" * 60),
    "cannot be executed": lambda path: path.chmod(0o644),
    "is a directory": _made_directory,
    "is a link to nothing": partial(_made_link, "nowhere"),
    "is a link to itself": partial(_made_link, "test.sh"),
    "is not there": lambda path: path.unlink(),
}


def deeds() -> Iterator[Situation]:
    """Yield tests that do something besides looking."""
    for what, body in DEEDS.items():
        yield Situation(
            f"the test {what}",
            REDUCE,
            prepare=partial(write_test, body),
        )
    for what, (deed, *codes) in TABLES["misdeeds"]["harm"].items():
        body = f'grep -q needle "$1"; code=$?; {deed}; exit $code'
        yield Situation(
            f"the test {what}",
            REDUCE,
            frozenset(codes),
            prepare=partial(write_test, body),
            harms_itself=True,
        )
        if 6 in codes:
            yield Situation(
                f"the test {what}, -j1",
                (*REDUCE, "-j1"),
                frozenset(codes) - {6},
                prepare=partial(write_test, body),
                harms_itself=True,
            )


def ends() -> Iterator[Situation]:
    """Yield tests that never say yes to the input, and tests that are none."""
    quick = ("reduce", "input.c", "./test.sh", "-j2", "--timeout", "1s")
    for what, (body, code) in ENDS.items():
        yield Situation(
            f"the test {what}",
            quick,
            frozenset({code}),
            prepare=partial(write_test, body),
        )
    for what, spoil in BROKEN.items():
        works = what == "names no interpreter"  # shells run such a script
        yield Situation(
            f"the test {what}",
            REDUCE if works else quick,
            frozenset({0}) if works else ANY_CLEAR - {0, 13},
            prepare=partial(_spoilt, spoil),
        )
