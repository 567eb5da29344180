"""Judges: from what commands did with a candidate to a verdict, by what is kept of the failure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from marrow.engine.process.observed import Ended, Judged
from marrow.engine.verdict import Verdict
from marrow.signature.differ import Disagreement
from marrow.signature.infer import SIGNAL_BASE, Kept
from marrow.signature.observation import Observation


def observation(ended: Ended) -> Observation:
    """Return what was seen of a command."""
    code = ended.code
    status = SIGNAL_BASE - code if code is not None and code < 0 else code
    return Observation(status, ended.stdout, ended.stderr)


@dataclass(frozen=True, slots=True)
class FailureJudge:
    """Asks for the failure of one command, or the disagreement of two."""

    kept: Kept | Disagreement
    identity: str

    def judge(self, ended: tuple[Ended, ...], candidate: bytes) -> Judged:
        """Say whether the commands still show it."""
        del candidate
        why = self._missing([observation(one) for one in ended])
        return Judged(Verdict.NOT_INTERESTING if why else Verdict.INTERESTING, why)

    def _missing(self, seen: list[Observation]) -> str:
        kept = self.kept
        each = (kept,) if isinstance(kept, Kept) else kept.each
        if len(seen) < len(each):
            return "it does not end in time"
        for one, wanted in zip(seen, each, strict=True):
            if why := _lacks(one, wanted):
                return why
        for pattern in kept.forbidden:
            if any(_has(output, pattern) for one in seen for output in (one.stdout, one.stderr)):
                return f"a line matches {pattern}"
        if isinstance(kept, Disagreement) and kept.outputs_differ:
            return "the outputs are the same" if seen[0].stdout == seen[1].stdout else ""
        return ""


def _lacks(seen: Observation, kept: Kept) -> str:
    if kept.status is not None and seen.status != kept.status:
        return f"exit status {seen.status} instead of {kept.status}"
    streams = (("error", seen.stderr, kept.stderr), ("output", seen.stdout, kept.stdout))
    for name, output, patterns in streams:
        for pattern in patterns:
            if not _has(output, pattern):
                return f"no line on standard {name} matches {pattern}"
    return ""


def _has(output: bytes, pattern: str) -> bool:
    expression = re.compile(pattern.encode("utf-8", "surrogateescape"), re.MULTILINE)
    return any(expression.search(line) for line in output.splitlines())
