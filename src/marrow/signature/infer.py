"""From what a command printed to what to keep: the failure, in a form that a script can ask for.

A failure of a known form (see `findings`) is kept by its lines. Otherwise a line that
looks like an error is kept, if it is the same in all runs but for what varies. The exit status is
always kept.
"""

from __future__ import annotations

import re
import shlex
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from marrow.errors import MarrowError
from marrow.signature.findings import Finding, find
from marrow.signature.masking import escaped, line_pattern
from marrow.signature.observation import Observation, Wanted

# From here on the shell's exit status stands for a signal.
SIGNAL_BASE: Final = 128

# What `timeout` of coreutils exits with when the time is up, what the shell does when there is no
# such program or it may not be run.
_TIMED_OUT: Final = 124
_NOT_RUN: Final = frozenset({126, 127})

_ERROR_WORDS: Final = (
    re.compile(r"(?i)\b(?:fatal|panic|internal error|abort(?:ed|ing)?|crash(?:ed)?)\b"),
    re.compile(r"(?i)\berrors?\b|(?-i:\w+(?:Error|Exception)\b)"),
    re.compile(
        r"(?i)\b(?:fail(?:s|ed|ure)?|invalid|illegal|cannot|can't|unable|unexpected|undefined"
        r"|unknown|unsupported|overflow|violation|mismatch|bug|not (?:found|implemented|allowed))\b"
    ),
)


_STREAMS: Final = ("stderr", "stdout")


class UnclearFailureError(MarrowError):
    """There is nothing to keep, or it is not the same every time; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The facts to keep: the exit status, lines of the outputs, lines that must not come.

    Lines are extended regular expressions as `grep -E` reads them. `words` name the failure.
    """

    status: int | None = None
    stderr: tuple[str, ...] = ()
    stdout: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    words: str = ""

    def sentence(self) -> str:
        """Say in one sentence what is kept."""
        return f"the command {self.ways()}"

    def ways(self) -> str:
        """Say what the command does."""
        parts = []
        if self.status is not None:
            parts.append(status_words(self.status))
        for stream, patterns in (("standard error", self.stderr), ("standard output", self.stdout)):
            if patterns:
                lines = " and ".join(f"/{pattern}/" for pattern in patterns)
                parts.append(f"prints {lines} on {stream}")
        for pattern in self.forbidden:
            parts.append(f"prints nothing like /{pattern}/")
        what = f" ({self.words})" if self.words else ""
        return f"{_listed(parts)}{what}"


def infer(runs: Sequence[Observation], name: str, text: bytes, wanted: Wanted) -> Kept:
    """Return what to keep, from runs of a command on the input; `name` is the input's file name.

    Raises `UnclearFailureError` where there is no failure, or not the same one in every run.
    """
    if wanted.chosen:
        check_runs(runs)
        status = same_status(runs) if wanted.status else None
        kept = Kept(status, wanted.stderr, wanted.stdout)
    else:
        kept = failure(runs, same_status(runs), name, text)
    return replace(kept, forbidden=wanted.forbidden)


def commonest_failure(runs: Sequence[Observation]) -> list[Observation]:
    """Return the runs that end in the way that most of the failing ones do.

    For a command that fails only now and then; if it never fails, these are the runs that end.
    """
    ended = [run for run in runs if run.status is not None]
    failing = Counter(run.status for run in ended if run.status != 0)
    status = failing.most_common(1)[0][0] if failing else 0
    return [run for run in ended if run.status == status] or list(runs)


def check_runs(runs: Sequence[Observation]) -> None:
    """Raise `UnclearFailureError` where a run did not end, or did not even begin."""
    if any(run.status is None for run in runs):
        raise UnclearFailureError(
            "the command does not end in time on the input\n"
            "Allow it more with ⟦timeout⟧; or, if hanging is the failure, limit it yourself and "
            "have that kept: -- timeout 10 COMMAND {}"
        )
    for run in runs:
        if run.status in _NOT_RUN:
            raise UnclearFailureError(
                f"the command cannot be run: it {status_words(run.status)}{_said(run)}\n"
                "Name programs and other files that it needs by absolute paths: it runs in a "
                "directory that holds only the input."
            )


def same_status(runs: Sequence[Observation]) -> int:
    """Return the exit status that all runs share; raise `UnclearFailureError` if there is none."""
    check_runs(runs)
    statuses = {run.status for run in runs if run.status is not None}
    if len(statuses) > 1:
        ways = ", ".join(sorted(map(status_words, statuses)))
        raise UnclearFailureError(
            f"the command does not end in the same way every time: it {ways}\n"
            "Make it do the same every time (fixed seeds, one thread), or have it run several "
            "times for each candidate: ⟦flaky 2/5⟧"
        )
    (status,) = statuses
    return status


def failure(runs: Sequence[Observation], status: int, name: str, text: bytes) -> Kept:
    """Return what tells the failure of a command that ends with this status in all runs."""
    for stream in _STREAMS:
        found = _known_form(runs, stream, name)
        if found is not None:
            return _kept(status, stream, found.patterns, found.words)
    if status == 0:
        raise UnclearFailureError(_nothing_wrong(runs[0]))
    if status > SIGNAL_BASE or status == _TIMED_OUT:
        return Kept(status)
    for digits in (False, True):
        stream, line = _telling_line(runs, name, text, digits=digits)
        if line:
            return _kept(status, stream, (line,), "")
    return Kept(status)


def _kept(status: int, stream: str, patterns: tuple[str, ...], words: str) -> Kept:
    if stream == "stderr":
        return Kept(status, stderr=patterns, words=words)
    return Kept(status, stdout=patterns, words=words)


def _known_form(runs: Sequence[Observation], stream: str, name: str) -> Finding | None:
    """Return the failure of a known form that all runs show."""
    findings = {find(_text(run, stream), name) for run in runs}
    return findings.pop() if len(findings) == 1 else None


def _telling_line(
    runs: Sequence[Observation], name: str, text: bytes, *, digits: bool
) -> tuple[str, str]:
    """Return the stream and the pattern of the line that tells most and is the same in all runs."""
    stable = {stream: _stable_lines(runs, stream, name, text, digits=digits) for stream in _STREAMS}
    for words in _ERROR_WORDS:
        for stream, lines in stable.items():
            for line, pattern in lines:
                if words.search(line):
                    return stream, pattern
    # On the standard error any line is better than none; the standard output is the result of the
    # command, which a smaller input changes.
    return "stderr", next((pattern for _, pattern in stable["stderr"]), "")


def _stable_lines(
    runs: Sequence[Observation], stream: str, name: str, text: bytes, *, digits: bool
) -> list[tuple[str, str]]:
    """Return the lines of the first run, with their patterns, that all runs have."""
    source = {line.strip() for line in text.decode("utf-8", "surrogateescape").splitlines()}
    shared = [_patterns(run, stream, name, digits=digits) for run in runs]
    return [
        (line, pattern)
        for line, pattern in zip(_lines(runs[0], stream), shared[0], strict=True)
        # A line of the input that the command shows is what will change.
        if pattern and line not in source and all(pattern in one for one in shared)
    ]


def _patterns(run: Observation, stream: str, name: str, *, digits: bool) -> list[str]:
    return [line_pattern(line, name, digits=digits) for line in _lines(run, stream)]


def _lines(run: Observation, stream: str) -> list[str]:
    return [line.strip() for line in _text(run, stream).splitlines() if line.strip()]


def _text(run: Observation, stream: str) -> str:
    return (run.stderr if stream == "stderr" else run.stdout).decode("utf-8", "surrogateescape")


def status_words(status: int) -> str:
    """Say how a command ended."""
    if status == 0:
        return "exits with 0"
    if status == _TIMED_OUT:
        return "exits with 124 (what `timeout` says when the time is up)"
    if status > SIGNAL_BASE:
        try:
            name = signal.Signals(status - SIGNAL_BASE).name
        except ValueError:
            return f"exits with {status}"
        return f"is killed by signal {status - SIGNAL_BASE} ({name})"
    return f"exits with {status}"


def _nothing_wrong(run: Observation) -> str:
    lines = list(_shown(run))
    said = _said(run)
    example = escaped(lines[0]) if lines else "WHAT IT PRINTS"
    stream = "⟦keep_stdout⟧" if _lines(run, "stdout") or not lines else "⟦keep_stderr⟧"
    return (
        f"the command succeeds on the input: it exits with 0{said}\n"
        "Say what to keep as a regular expression, for example: "
        f"{stream} {shlex.quote(example)}\n"
        "Or give two commands that should agree (⟦differ⟧), or a test of your own: `marrow init` "
        "writes one to start from."
    )


def _said(run: Observation) -> str:
    lines = [*_shown(run)]
    return " and prints nothing" if not lines else "\n  | " + "\n  | ".join(lines)


# How many lines of an output a message shows.
_SHOWN: Final = 5


def _shown(run: Observation) -> Iterator[str]:
    """Yield the first lines of what a command printed."""
    lines = [*_lines(run, "stdout"), *_lines(run, "stderr")]
    for line in lines[:_SHOWN]:
        yield "".join(one if one.isprintable() else "?" for one in line)


def _listed(parts: Iterable[str]) -> str:
    *some, last = parts
    return f"{', '.join(some)} and {last}" if some else last
