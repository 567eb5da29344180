"""Runs that are stopped, continued, killed and resumed; signals at many moments; processes that are
not marrow's; bombs; and huge inputs with a limit of time."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench.attack.confinement import no_sandbox
from bench.attack.situation import JOURNAL, TABLES, Situation, run_marrow, write_script, write_test

_SLOW: Final = 'sleep 0.05; grep -q needle "$1"'

#: The result of a run that nobody disturbs.
_RESULT: Final = "int needle() {\n}\n"

_ALONE: Final = ("reduce", "input.c", "./test.sh", "--algorithm", "coarse-hddr*")


def stopped() -> Iterator[Situation]:
    """Yield runs that are stopped (Ctrl-Z) for longer than a test may take, and continued."""
    for jobs in ("-j1", "-j2"):
        for moment in (0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.6, 2.0):
            yield Situation(
                f"SIGSTOP after {moment} s, SIGCONT 2.5 s later, {jobs}",
                (*_ALONE, jobs, "--timeout", "2s"),
                prepare=partial(write_test, _SLOW),
                signal=(signal.SIGSTOP, moment),
                continued=2.5,
                after=_same_result,
            )


def _same_result(work: Path) -> str:
    text = (work / "input.reduced.c").read_text()
    return "" if text == _RESULT else f"another result: {text!r}"


def killed() -> Iterator[Situation]:
    """Yield runs that were killed (SIGKILL) and are resumed."""
    early = [0.15 + 0.025 * number for number in range(24)]
    for moment in (*early, 0.8, 0.9, 1.0, 1.2, 1.4, 1.7, 2.0):
        yield Situation(
            f"SIGKILL after {moment:.3f} s, then --resume",
            (*_ALONE, "-j2", "--resume"),
            # Before there is a journal there is nothing to resume.
            frozenset({0, 9}),
            prepare=partial(_killed_run, moment),
            never="another version",
            after=_resumed,
        )


def _killed_run(moment: float, work: Path) -> None:
    write_test(_SLOW, work)
    process = subprocess.Popen(
        [sys.executable, "-m", "marrow", *_ALONE, "-j2"],
        cwd=work,
        env={**os.environ, "TMPDIR": str(work.parent / "temporary")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(moment)
    process.kill()
    process.wait()
    time.sleep(0.2)  # its last tests end by themselves
    if (work / JOURNAL).exists():
        (work.parent / "can be resumed").touch()


def _resumed(work: Path) -> str:
    return _same_result(work) if (work.parent / "can be resumed").exists() else ""


JOBS: Final = TABLES["interruptions"]["jobs"]

_JOB_FIRST: Final = TABLES["interruptions"]["job-first"]


def jobs() -> Iterator[Situation]:
    """Yield children that marrow did not start: they live on."""
    for what, line in JOBS.items():
        for workers in ("-j1", "-j2"):
            yield Situation(
                f"{what} before marrow, {workers}",
                ("reduce", "input.c", "./test.sh", workers, "--max-tests", "9"),
                # Not of the situation: without its mark.
                wrapped=(
                    "/bin/sh",
                    "-c",
                    _JOB_FIRST % line.replace("$quiet", "> /dev/null 2>&1"),
                    "sh",
                ),
                after=_jobs_live,
            )


def _jobs_live(work: Path) -> str:
    pids = [int(pid) for pid in (work / "jobs").read_text().split()]
    dead = [pid for pid in pids if not Path(f"/proc/{pid}").exists()]
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return "a process that marrow did not start was killed" if dead else ""


BOMBS: Final = TABLES["interruptions"]["bombs"]


#: Root in a namespace of users: to marrow it is root, and limits hold all the same.
_ROOT: Final = ("bwrap", "--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL")
_AS_ROOT: Final = (*_ROOT, "--dev-bind", "/", "/")


def bombs() -> Iterator[Situation]:
    """Yield tests that start ever more processes: all of them end."""
    for what, (line, depth) in BOMBS.items():
        for workers, who, more in itertools.product(
            ("-j1", "-j2"), ("a user", "root"), ((), ("--sandbox",))
        ):
            bomb = f"[ $1 -lt {depth} ] || exit 0; {line} sleep 30"
            body = 'grep -q needle "$1"; c=$?; sh "${0%/*}/bomb.sh" 0 > /dev/null 2>&1 & exit $c'
            yield Situation(
                f"{what}, as {who}, {' '.join((workers, *more))}",
                ("reduce", "input.c", "./test.sh", workers, "--max-tests", "6", *more),
                prepare=partial(_bomb, bomb, body),
                wrapped=_AS_ROOT if who == "root" else (),
                impossible=no_sandbox if more or who == "root" else lambda: "",
            )


def _bomb(bomb: str, body: str, work: Path) -> None:
    write_script(work / "bomb.sh", bomb)
    write_script(work / "test.sh", body)


_PROBES: Final = TABLES["interruptions"]["probes"]


def sandboxed() -> Iterator[Situation]:
    """Yield tests in the sandbox, of a user and of root."""
    for (what, deed), who in itertools.product(_PROBES.items(), ("a user", "root")):
        yield Situation(
            f"a test in the sandbox {what}, as {who}",
            ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "9", "--sandbox"),
            prepare=partial(_probe, deed),
            wrapped=_AS_ROOT if who == "root" else (),
            after=_not_harmed,
            impossible=no_sandbox,
        )


def _probe(deed: str, work: Path) -> None:
    home = work.parent / "home"
    (home / "secret").write_text("secret\n")
    deed = deed.replace("$MARROW_WORK", str(work)).replace("$MARROW_HOME", str(home))
    # What the test must not be able to do makes it say yes to everything.
    write_script(work / "test.sh", f'{deed}\ngrep -q needle "$1"')


def _not_harmed(work: Path) -> str:
    places = (work, work.parent / "home", Path("/dev/shm"))
    return "a test wrote outside" if any((one / "harmed").exists() for one in places) else ""


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
