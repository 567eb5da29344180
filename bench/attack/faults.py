"""Faults of the file system: a preloaded library lets calls fail; a small tmpfs runs full."""

from __future__ import annotations

import errno
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.attack.confinement import DISK_SIZES, DISK_USES, SCRATCH
from bench.attack.situation import ANY_CLEAR, JOURNAL, Situation, needs, run_marrow

REDUCE: Final = ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "15")

#: The calls, and the errors that each may fail with.
CALLS: Final = {
    "open": (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EMFILE),
    "write": (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG),
    "rename": (errno.EIO, errno.EXDEV, errno.ENOSPC),
    "unlink": (errno.EIO, errno.EPERM),
    "mkdir": (errno.ENOSPC, errno.EACCES),
    "chmod": (errno.EPERM,),
    "sync": (errno.EIO,),
    "lock": (errno.ENOLCK, errno.EOPNOTSUPP),
    "truncate": (errno.EIO,),
}

#: The first call that fails, and how many of them: one, or all that follow.
WHEN: Final = ((1, 1), (1, 0), (4, 0))


_LIBRARY: Final = SCRATCH / "faults.so"
_COMPILING: Final = threading.Lock()


def _compiled(_: Path) -> None:
    """Compile the library, once."""
    with _COMPILING:
        if not _LIBRARY.exists():
            source = Path(__file__).with_name("faults.c")
            words = ("-shared", "-fPIC", "-O1", "-w", "-o", _LIBRARY, source, "-ldl")
            subprocess.run(["cc", *words], check=True, capture_output=True)


def faults() -> Iterator[Situation]:
    """Yield every call that fails, beside the input and in the directory of temporary files."""
    for call, errors in CALLS.items():
        for error in errors:
            for first, count in WHEN:
                for place in ("/files/", "/temporary/"):
                    if place == "/temporary/" and call in ("sync", "lock", "truncate", "chmod"):
                        continue
                    often = "once" if count else "from then on"
                    yield Situation(
                        f"{call} number {first} in {place.strip('/')} fails {often}: "
                        f"{errno.errorcode[error]}",
                        REDUCE,
                        ANY_CLEAR,
                        prepare=_compiled,
                        variables={
                            "LD_PRELOAD": str(_LIBRARY),
                            "FAULT_CALL": call,
                            "FAULT_ERRNO": str(error),
                            "FAULT_FROM": str(first),
                            "FAULT_COUNT": str(count),
                            "FAULT_PATH": place,
                        },
                        # What cannot be removed stays, of course.
                        harms_itself=call in ("unlink",) or place == "/temporary/",
                        impossible=needs("cc"),
                    )


def unlocked() -> Iterator[Situation]:
    """Yield commands on what runs left, where files cannot be locked: they say so."""
    for words, codes, says in (
        (("report", JOURNAL, "-o", "page.html"), {9}, "cannot be locked"),
        ((*REDUCE, "--resume"), {0}, "cannot be locked"),
    ):
        yield Situation(
            f"marrow {' '.join(words[:2])} where files cannot be locked",
            words,
            frozenset(codes),
            prepare=_used,
            variables={
                "LD_PRELOAD": str(_LIBRARY),
                "FAULT_CALL": "lock",
                "FAULT_ERRNO": str(errno.ENOLCK),
                "FAULT_FROM": "1",
                "FAULT_COUNT": "0",
                "FAULT_PATH": "/",
            },
            says=says,
            after=lambda work: "" if (work / JOURNAL).exists() else "the journal was removed",
            impossible=needs("cc"),
        )


def _used(work: Path) -> None:
    _compiled(work)
    run_marrow(work, *REDUCE)


def full_disks() -> Iterator[Situation]:
    """Yield small file systems for the result and the journal, and for the temporary files."""
    for use in DISK_USES:
        for kilobytes in DISK_SIZES:
            yield Situation(
                f"{use} has {kilobytes} kB",
                REDUCE,
                ANY_CLEAR,
                harms_itself=True,
                disk=(use, kilobytes),
                after=_goes_on,
            )


def _goes_on(work: Path) -> str:
    """See that no rest stays; resume the run where there is room: nothing is lost."""
    names = sorted(one.name for one in work.iterdir())
    if rests := [name for name in names if name.endswith(("-wal", "-shm", ".new~"))]:
        return f"{rests[0]} is left on the full disk"
    room = work.parent.parent / "attack" / f"room-{work.parent.name}-{work.name}"
    shutil.copytree(work, room)
    try:
        if (room / JOURNAL).exists():
            # The same test: a journal knows it by its path too.
            words = ("reduce", "input.c", str(work / "test.sh"), "-j1", "--resume")
            code = run_marrow(room, *words, temporary=room)
            if code:
                return f"it cannot be resumed where there is room: exit code {code}"
            if b"needle" not in (room / "input.reduced.c").read_bytes():
                return "the result of the resumed run is wrong"
        names = sorted(one.name for one in room.iterdir())
        left = [name for name in names if name.endswith(("-wal", "-shm", ".new~"))]
        return f"{left[0]} stays after the disk was full" if left else ""
    finally:
        shutil.rmtree(room, ignore_errors=True)
