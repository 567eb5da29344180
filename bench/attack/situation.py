"""A hostile situation: how it is set up, what marrow is asked to do in it, how it must end.

Every situation has a directory of its own, with its own TMPDIR, HOME and cache. After the end these
must hold, whatever the exit code: no traceback, no "bug", nothing that a terminal obeys, the input
as it was, no process and no temporary file left, and a result that still shows the failure.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from bench.attack.confinement import DISKS, SCRATCH

PROGRAM: Final = """\
int unused(int a, int b) {
    return a + b;
}

int needle(int a) {
    if (a > 1) {
        return 2;
    }
    return 1;
}

int main(void) {
    unused(1, 2); /* a comment */
    return needle(3);
}
"""

#: What situations are made of, as data: by module, then by name.
TABLES: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("tables.toml").read_text(encoding="utf-8")
)

#: What ends well, or with a message of its own; never 70, and never by a signal.
ANY_CLEAR: Final = frozenset({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13})

#: The journal of a run on `input.c`.
JOURNAL: Final = "input.reduced.c.marrow"

# What a terminal would obey.
_OBEYED: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

# Options that name what is written, not an input.
_NAMED_OUTPUTS: Final = ("-o", "--journal", "--report", "--write-test", "--bug-report")

# An input that is larger is one of those that claim to be: it is not compared.
_LARGEST: Final = 100 << 20

# What marrow says of the test on the input, and how often that is run before and after a run.
_TAKES: Final = re.compile(r"the test takes ([0-9.]+) s")
_TESTS_BESIDE: Final = 5

# How long the processor is kept busy, to see how busy it is.
_SPIN: Final = 0.3

# How long a situation may take in all; far more than any needs on a busy machine.
_PATIENCE: Final = 300.0


@dataclass(frozen=True, slots=True)
class Situation:
    """One hostile situation. `prepare` sets up the directory before marrow starts."""

    name: str
    words: tuple[str | bytes, ...] = ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "40")
    codes: frozenset[int] = frozenset({0})
    prepare: Callable[[Path], None] = lambda _: None
    variables: Mapping[str, str | None] = field(default_factory=dict)
    #: Called in the child before marrow starts: limits, signals, closed files.
    before: Callable[[], object] | None = None
    #: Words in front of the command: to become somebody else.
    wrapped: tuple[str, ...] = ()
    #: Shell words behind the command: `> /dev/full`.
    redirected: str = ""
    #: A signal to send, and after how many seconds.
    signal: tuple[signal.Signals, float] | None = None
    #: Seconds after that signal at which it is continued (SIGCONT).
    continued: float | None = None
    #: What was in TMPDIR before, and stays.
    keeps: tuple[str, ...] = ()
    #: How many seconds it may take, for what is about time.
    seconds: float | None = None
    #: How many seconds it may be late, where it has a processor to itself.
    late: float = 0.0
    #: What must be said, on either stream; what must not.
    says: str = ""
    never: str = ""
    #: The use and size of a small file system: `work` or `temporary`, kilobytes.
    disk: tuple[str, int] | None = None
    #: Whether the test itself changes the input or leaves what nobody can remove.
    harms_itself: bool = False
    #: Whether standard output is for programs, and so as it is.
    raw: bool = False
    #: Further checks: return what is wrong, or nothing.
    after: Callable[[Path], str] = lambda _: ""
    #: Says why it cannot be tried here; empty if it can. Asked only when it is about to be tried.
    impossible: Callable[[], str] = lambda: ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a situation ended: what is wrong, and how long it took."""

    situation: Situation
    code: int | None
    seconds: float
    wrong: tuple[str, ...]
    said: str = ""


def needs(program: str) -> Callable[[], str]:
    """Return what says that a situation cannot be tried without a program."""
    return lambda: "" if shutil.which(program) else f"needs {program}"


def write_script(path: Path, body: str) -> None:
    """Write a test for the shell."""
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def write_test(body: str, work: Path) -> None:
    """Write the test of a situation."""
    write_script(work / "test.sh", body)


def put(name: str, content: bytes | Callable[[Path], object], work: Path) -> None:
    """Put a file of some content, or whatever a function makes, in the directory of a situation."""
    if isinstance(content, bytes):
        (work / name).write_bytes(content)
    else:
        content(work / name)


def too_open(mode: int, mask: int, inside: str, work: Path) -> str:
    """Return which file below a directory gives others more rights of a mask than a mode does."""
    for one in (work / inside).rglob("*"):
        # Scripts, and a template that says nothing of the input.
        if one.is_symlink() or one.name in ("test.sh", "fail.sh", "other", "overrules.toml"):
            continue
        if stat.S_IMODE(one.stat().st_mode) & mask & ~mode:
            return f"{one.relative_to(work)} has mode {one.stat().st_mode & 0o777:o}"
    return ""


def run_marrow(work: Path, *words: str, temporary: Path | None = None) -> int:
    """Run marrow before or after a situation; return its exit code."""
    variables = {**os.environ, "TMPDIR": str(temporary or work.parent / "temporary")}
    line = [sys.executable, "-m", "marrow", *words]
    done = subprocess.run(
        line, cwd=work, env=variables, capture_output=True, check=False, timeout=_PATIENCE
    )
    return done.returncode


def try_out(situation: Situation, place: Path) -> Outcome:
    """Try a situation in a new directory."""
    work, temporary = _folders(situation, place)
    try:
        (work / "input.c").write_text(PROGRAM)
        write_script(work / "test.sh", 'grep -q needle "$1"')
        situation.prepare(work)
    except (OSError, subprocess.SubprocessError) as error:
        return Outcome(situation, None, 0.0, (f"could not be set up: {error}",))
    inputs = {one: one.read_bytes() for one in _inputs(work, situation.words)}
    given: dict[str, str | None] = {
        "TMPDIR": str(temporary),
        "HOME": str(place / "home"),
        "XDG_CACHE_HOME": str(place / "cache"),
        "PYTHONDONTWRITEBYTECODE": None,
        "MARROW_ATTACK": str(place),
        **situation.variables,
    }
    environment = {**os.environ, **{key: one for key, one in given.items() if one is not None}}
    for key, one in given.items():
        if one is None:
            environment.pop(key, None)
    started = time.monotonic()
    try:
        code, out, err = _run(situation, work, environment)
    except (OSError, subprocess.SubprocessError) as error:
        return Outcome(situation, None, 0.0, (f"could not be set up: {error}",))
    seconds = time.monotonic() - started
    wrong = list(_wrong(situation, code, out, err, seconds))
    if not situation.harms_itself:
        wrong += [
            f"the input {one.name!r} has changed"
            for one, content in inputs.items()
            if not one.exists() or one.read_bytes() != content
        ]
        left = sorted({one.name for one in temporary.iterdir()} - {*situation.keeps})
        if "TMPDIR" not in situation.variables and left:
            wrong.append(f"left in TMPDIR: {left[0]}")
    wrong += _left_running(str(place))
    if code == 0 and "reduce" in situation.words:
        wrong += _not_a_result(work)
    try:
        complaint = situation.after(work)
    except OSError as error:
        complaint = str(error)
    if complaint:
        wrong.append(complaint)
    return Outcome(situation, code, seconds, tuple(wrong), (out + err)[-600:])


def _folders(situation: Situation, place: Path) -> tuple[Path, Path]:
    """Make the directories of a situation: where marrow runs, and its TMPDIR."""
    folders = {"files": place / "files", "temporary": place / "temporary", "home": place / "home"}
    if situation.disk is not None:
        use, size = situation.disk
        folders[use] = DISKS / f"{use}-{size}"
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return folders["files"], folders["temporary"]


def _run(
    situation: Situation, work: Path, environment: Mapping[str, str]
) -> tuple[int | None, str, str]:
    line: Sequence[str | bytes] = [
        *situation.wrapped,
        sys.executable,
        "-m",
        "marrow",
        *situation.words,
    ]
    if situation.redirected:
        line = ["/bin/sh", "-c", f'exec "$@" {situation.redirected}', "sh", *line]
    process = subprocess.Popen(
        line,
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=situation.before,
        start_new_session=True,
    )
    try:
        if situation.signal is not None:
            number, delay = situation.signal
            time.sleep(delay)
            if process.poll() is None:
                os.kill(process.pid, number)
            if situation.continued is not None:
                time.sleep(situation.continued)
                if process.poll() is None:
                    os.kill(process.pid, signal.SIGCONT)
        out, err = process.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return None, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


def _wrong(situation: Situation, code: int | None, out: str, err: str, seconds: float) -> list[str]:
    wrong = []
    if code is None:
        wrong.append(f"not ended after {_PATIENCE:.0f} s")
    elif code not in situation.codes:
        wrong.append(f"exit code {code}, not one of {sorted(situation.codes)}")
    # Before marrow's first line, Python itself may show one.
    if "Traceback" in err and re.search(r"marrow/(?!__main__\.py)", err):
        wrong.append("a traceback")
    if "This is a bug" in err + out:
        wrong.append("called a bug")
    shown = err if situation.raw else out + err
    if found := _OBEYED.search(shown):
        wrong.append(f"prints {found[0]!r}")
    if situation.says and situation.says not in out + err:
        wrong.append(f"does not say {situation.says!r}")
    if situation.never and situation.never in out + err:
        wrong.append(f"says {situation.never!r}")
    if situation.seconds is not None:
        # The tests on the input and on the result do not count as time of the run.
        takes = _TAKES.search(out + err)
        most = situation.seconds + (_TESTS_BESIDE * float(takes[1]) if takes else 0.0)
        most += situation.late * _busyness() if seconds > most + situation.late else situation.late
        if seconds > most:
            wrong.append(f"took {seconds:.1f} s, more than {most:.0f}")
    return wrong


def _busyness() -> float:
    """Return how many times as long everything takes now, as others want the processors too."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < _SPIN:
        pass
    return (time.monotonic() - began) / _SPIN


def _inputs(work: Path, words: Sequence[str | bytes]) -> list[Path]:
    """Return the files that the command line names as inputs: those that are there."""
    if "--in-place" in words:
        return []
    named = [
        work / os.fsdecode(word)
        for option, word in pairwise(words)
        if len(word) < 256 and option not in _NAMED_OUTPUTS
    ]
    files = [one for one in named if one.is_file() and not one.name.endswith(".marrow")]
    return [one for one in files if one.stat().st_size <= _LARGEST]


def _left_running(mark: str) -> list[str]:
    """Return the processes that still carry the mark of a situation in their environment."""
    time.sleep(0.02)
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if f"MARROW_ATTACK={mark}\0".encode() in Path(f"/proc/{pid}/environ").read_bytes():
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z":
                    found.append(f"process {pid} is left")
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            continue
    return found


def _not_a_result(work: Path) -> list[str]:
    """Return what is wrong with the results: each must still have what the test looks for."""
    return [
        f"the result {one.name!r} does not show the failure"
        for one in work.glob("*.reduced*")
        if one.is_file()
        and not one.is_symlink()
        and not one.name.endswith((".marrow", "-wal", "-shm", "~", ".html"))
        and b"needle" not in one.read_bytes()
    ]


def clear(place: Path) -> None:
    """Remove the directory of a situation, whatever is in it: only inside of the cage."""
    if place.parent not in (SCRATCH, DISKS):
        raise ValueError(f"{place} is no directory of a situation")
    for folder, _, _ in os.walk(place):
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700)
    shutil.rmtree(place, ignore_errors=True)
