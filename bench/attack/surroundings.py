"""Hostile surroundings: variables, limits of the system, streams, places that cannot be used."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench.attack.situation import ANY_CLEAR, TABLES, Situation, needs, put, write_script

REDUCE: Final = ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "15")

VARIABLES: Final[dict[str, dict[str, str | None]]] = {
    **TABLES["surroundings"]["variables"],
    "no HOME": {"HOME": None},
    "a PATH with odd parts": {"PATH": f"::.:/nowhere:/etc/hostname:{os.environ.get('PATH', '')}"},
    "a large environment": {f"X{number}": "y" * 1000 for number in range(80)},
}

BAD_TMPDIR: Final = TABLES["surroundings"]["bad-tmpdir"]

STREAMS: Final = TABLES["surroundings"]["streams"]


def variables() -> Iterator[Situation]:
    """Yield odd environment variables."""
    for what, values in VARIABLES.items():
        codes = frozenset({0})
        if "PATH" in values and not values["PATH"]:
            codes = ANY_CLEAR  # the test finds no grep then
        yield Situation(what, REDUCE, codes, variables=values)
    for place in BAD_TMPDIR:
        yield Situation(
            f"TMPDIR={place!a}", REDUCE, frozenset({4}), variables={"TMPDIR": place}, says="TMPDIR"
        )


def streams() -> Iterator[Situation]:
    """Yield streams that are full, closed or without a reader."""
    for to in STREAMS:
        for more in ((), ("--json",), ("-q",)):
            codes = {0}
            if "/dev/full" in to and to[0] == ">":
                codes = {0} if more == ("-q",) else {8}
            elif "|" in to:
                codes = {0, 1}
            name = f"{' '.join(more)} {to}".strip()
            yield Situation(name, (*REDUCE, *more), frozenset(codes), redirected=to, raw=True)
    for words in (("--help",), ("languages",), ("tree", "input.c"), ("help", "algorithms")):
        yield Situation(f"{words[0]} > /dev/full", words, frozenset({8}), redirected="> /dev/full")


def _limit(what: int, soft: int) -> Callable[[], None]:
    def before() -> None:
        resource.setrlimit(what, (soft, soft))

    return before


def _few_processes(more: int) -> Callable[[], None]:
    """Allow a few processes and threads more than this user has now."""

    def before() -> None:
        now = 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{pid}").st_uid == os.getuid():
                    now += len(os.listdir(f"/proc/{pid}/task"))
        resource.setrlimit(resource.RLIMIT_NPROC, (now + more, now + more))

    return before


def limits() -> Iterator[Situation]:
    """Yield limits of the system: files, memory, processes, time of the processor."""
    for number in (12, 16, 20, 24, 32, 64):
        yield Situation(
            f"{number} open files",
            (*REDUCE, "-j4"),
            ANY_CLEAR,
            before=_limit(resource.RLIMIT_NOFILE, number),
        )
    for size in (0, 1, 100, 4096, 20_000, 100_000):
        yield Situation(
            f"files of {size:,} bytes at most",
            REDUCE,
            ANY_CLEAR,
            before=_limit(resource.RLIMIT_FSIZE, size),
        )
    for megabytes in (120, 160, 200, 300):
        yield Situation(
            f"{megabytes} MB of memory",
            REDUCE,
            # Python itself may not start, or not import a library: 1 then.
            ANY_CLEAR | {127, 134, 139},
            before=_limit(resource.RLIMIT_AS, megabytes << 20),
        )
    yield Situation("no core files", REDUCE, before=_limit(resource.RLIMIT_CORE, 0))
    yield Situation("a small stack", REDUCE, before=_limit(resource.RLIMIT_STACK, 256 << 10))
    for number in (1, 2, 3, 5, 8, 12, 20):
        yield Situation(
            f"room for {number} processes and threads",
            (*REDUCE, "-j4"),
            ANY_CLEAR | {127},
            before=_few_processes(number),
        )


_REQUESTS: Final = TABLES["surroundings"]["requests"]

_ASKING: Final = TABLES["surroundings"]["asking"]


def live() -> Iterator[Situation]:
    """Yield requests to the live page by those who do not know its token."""
    for what, request in _REQUESTS.items():
        yield Situation(
            f"{what} to the live page",
            ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "5", "--live"),
            prepare=partial(_asking, request),
            impossible=needs("bash"),
        )


def _asking(request: str, work: Path) -> None:
    # Whoever gets the page makes the test say yes to everything.
    write_script(work / "test.sh", _ASKING.format(request))


def _locked(work: Path) -> None:
    work.chmod(0o555)


def places() -> Iterator[Situation]:
    """Yield places in which nothing can be written, or that are not there."""
    yield Situation(
        "a directory without the right to write",
        REDUCE,
        frozenset({8}),
        prepare=_locked,
    )
    for option in ("-o", "--journal", "--report", "--write-test", "--bug-report"):
        command = ("--", "sh", "-c", 'grep needle "$1" && exit 3', "sh", "{}")
        first, last = ((), command) if option == "--write-test" else (("./test.sh",), ())
        for what, make in PLACES.items():
            yield Situation(
                f"{option} {what}",
                ("reduce", "input.c", *first, option, "there", "-j1", "--max-tests", "9", *last),
                frozenset({2, 8, 9}),
                prepare=partial(put, "there", make),
                after=partial(_stays, make),
            )


def _device(path: Path) -> None:
    path.symlink_to("/dev/null")


PLACES: Final[dict[str, Callable[[Path], None]]] = {
    "a link to a device": _device,
    "a pipe": os.mkfifo,
    "a directory": os.mkdir,
}


def _stays(make: Callable[[Path], None], work: Path) -> str:
    path = work / "there"
    other = path.with_name("fresh")
    make(other)
    same = (path.lstat().st_mode ^ other.lstat().st_mode) & 0o170000 == 0
    return "" if same else "it was replaced"
