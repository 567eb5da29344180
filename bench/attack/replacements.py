"""Directories, files and mounts that tests replace, at every moment; what a run inherits.

A command replaces what is around it by links to the user's own files, or mounts something there:
before it fails, as it ends, by a process that it leaves, or when others are at work. Marrow clears
up after it, and the user's files stay as they were.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path
from subprocess import run
from typing import Final

from bench.attack.confinement import no_sandbox
from bench.attack.situation import PROGRAM, TABLES, Situation, write_script, write_test

_DEEDS: Final = TABLES["replacements"]["deeds"]

_MOMENTS: Final = TABLES["replacements"]["moments"]

_COMMAND: Final = TABLES["replacements"]["command"]

_WORDS: Final = ("--max-tests", "14", "--timeout", "20s")


def replaced() -> Iterator[Situation]:
    """Yield commands that replace what is around them by links to the user's files."""
    for (what, deed), (when, moment), sandboxed in product(
        _DEEDS.items(), _MOMENTS.items(), (True, False)
    ):
        more = ("--sandbox",) if sandboxed else ()
        body = moment % deed
        yield Situation(
            f"a command {what}, {when}{', in the sandbox' if sandboxed else ''}",
            ("reduce", "project", "-j4", *_WORDS, *more, "--", "./fails.sh"),
            # Where a process changes what another test sees, the failure may not be seen again.
            frozenset({0, 4, 5, 6}),
            prepare=partial(_project, body),
            after=_users_files_stay,
            impossible=no_sandbox if sandboxed else _nothing,
        )


def _nothing() -> str:
    return ""


def _project(body: str, work: Path) -> None:
    for folder in ("project/a", "project/b", "other"):
        (work / folder).mkdir(parents=True)
    for number, name in enumerate(("project/one.c", "project/a/two.c", "project/b/three.c")):
        (work / name).write_text(f"int unused{number};\nint needle{number};\n")
    (work / "other/keys").write_text("secret\n")
    write_script(work / "fails.sh", _COMMAND.format(real=work, body=body))


def _users_files_stay(work: Path) -> str:
    wanted = {
        **{
            name: f"int unused{number};\nint needle{number};\n"
            for number, name in enumerate(("project/one.c", "project/a/two.c", "project/b/three.c"))
        },
        "other/keys": "secret\n",
        "input.c": PROGRAM,
    }
    for name, text in wanted.items():
        path = work / name
        if path.is_symlink() or not path.is_file() or path.read_text() != text:
            return f"the user's {name} was removed or changed"
    found = {path.name for folder in ("project", "other") for path in (work / folder).rglob("*")}
    unknown = found - {Path(name).name for name in wanted} - {"a", "b"}
    return f"{sorted(unknown)[0]} was written among the user's files" if unknown else ""


# -- mounts -----------------------------------------------------------------------------------

_MOUNTED: Final = TABLES["replacements"]["mounted"]

_PLACES: Final = TABLES["replacements"]["places"]

#: Somebody who may mount, without any right outside.
_MOUNTING: Final = ("unshare", "--map-root-user", "--mount", "--propagation", "private", "--")


def mounts() -> Iterator[Situation]:
    """Yield tests that mount something where marrow clears up, and leave it."""
    for (what, deed), (where, place), jobs in product(
        _MOUNTED.items(), _PLACES.items(), ("-j1", "-j2")
    ):
        if place == "$PWD" and what.startswith("a file of"):
            continue
        yield Situation(
            f"a test mounts {what} {where}, {jobs}",
            ("reduce", "input.c", "./test.sh", jobs, "--max-tests", "6", "--timeout", "20s"),
            prepare=partial(_mounting, deed, place),
            wrapped=_MOUNTING,
            after=_nothing_lost,
            impossible=_no_mounts,
        )


@cache
def _no_mounts() -> str:
    try:
        done = run(
            [*_MOUNTING, "mount", "-t", "tmpfs", "x", "/mnt"], capture_output=True, check=False
        )
    except OSError as error:
        return f"needs unshare: {error}"
    return "" if done.returncode == 0 else "nobody may mount here"


def _mounting(deed: str, place: str, work: Path) -> None:
    (work / "other").mkdir()
    (work / "other/keys").write_text("secret\n")
    body = (
        f'real={work}; at="{place}"; mkdir -p "${{at%/*}}"; grep -q needle "$1"; code=$?\n'
        f"{{ {deed}; }} || touch {work.parent}/not-mounted; exit $code"
    )
    write_script(work / "test.sh", body)


def _nothing_lost(work: Path) -> str:
    if (work.parent / "not-mounted").exists():
        return "the test could not mount"
    if not (work / "other/keys").is_file() or not (work / "test.sh").is_file():
        return "files of the user are gone"
    return ""


# -- what a run inherits ------------------------------------------------------------------------

_NUMBERS: Final = (
    *(signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGALRM),
    *(signal.SIGPIPE, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGUSR1, signal.SIGUSR2),
    *(signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP),
    *(signal.SIGSYS, signal.SIGIO, signal.SIGPROF, signal.SIGVTALRM, signal.SIGWINCH),
    *(signal.SIGURG, signal.SIGCONT, signal.SIGPWR),
)


def _ignore(numbers: tuple[signal.Signals, ...]) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def _block(numbers: tuple[signal.Signals, ...]) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def _soft(what: int, value: int) -> None:
    resource.setrlimit(what, (value, resource.getrlimit(what)[1]))


_OTHERS: Final[dict[str, Callable[[], object]]] = {
    "every signal ignored": partial(_ignore, _NUMBERS),
    "every signal blocked": partial(_block, _NUMBERS),
    "a umask without any right": partial(os.umask, 0o777),
    "a umask without reading": partial(os.umask, 0o444),
    "no umask": partial(os.umask, 0),
    "the lowest priority": partial(os.nice, 19),
    "an hour of the processor": partial(_soft, resource.RLIMIT_CPU, 3600),
    "no core files": partial(_soft, resource.RLIMIT_CORE, 0),
    "a timer of an hour": partial(signal.alarm, 3600),
    "a small stack": partial(_soft, resource.RLIMIT_STACK, 1 << 20),
    "no standard input": partial(os.close, 0),
    "no standard streams": partial(os.closerange, 0, 3),
}

_DECIDED: Final = TABLES["replacements"]["decided"]


def inherited() -> Iterator[Situation]:
    """Yield what a parent process sets for its children: tests are judged as without it."""
    settings: dict[str, Callable[[], object]] = {}
    for number in _NUMBERS:
        settings[f"{number.name} ignored"] = partial(_ignore, (number,))
        settings[f"{number.name} blocked"] = partial(_block, (number,))
    for setting, before in settings.items():
        yield from _decided(setting, before, "that looks for a word")
    for setting, before in _OTHERS.items():
        for test in _DECIDED:
            yield from _decided(setting, before, test)


def _decided(setting: str, before: Callable[[], object], test: str) -> Iterator[Situation]:
    note = "grep -E '^Sig(Ign|Blk)' /proc/self/status >> \"$MARROW_ATTACK/signals\""
    yield Situation(
        f"{setting}, a test {test}",
        ("reduce", "input.c", "./test.sh", "-j2", "--max-tests", "9", "--timeout", "60s"),
        prepare=partial(write_test, f"{note}\n{_DECIDED[test]}"),
        before=before,
        after=_reduced,
    )


def _reduced(work: Path) -> str:
    seen = set((work.parent / "signals").read_text().split()) - {"SigBlk:", "SigIgn:"}
    # Signals 32 and 33 belong to threads: posix_spawn, by which make starts programs, ignores one.
    if wrong := [mask for mask in sorted(seen) if int(mask, 16) & ~(0b11 << 31)]:
        return f"a test had signals ignored or blocked: {wrong[-1]}"
    size = (work / "input.reduced.c").stat().st_size
    return "" if size < len(PROGRAM) else "nothing was removed"
