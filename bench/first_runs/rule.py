"""The rule that says whether two outputs of a command show the same failure.

`docs/lab/signatures.md` has it in words. It knows nothing of what marrow infers or keeps; of the
tool it knows how errors look (`error`, `frame`), which is the same for every failure of the tool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_QUOTED: Final = re.compile(r"""(?<!\w)(['"`‘“])(.+?)(['"`’”])(?!\w)""")
_PATH: Final = re.compile(r"(?<![\w.])(?:[\w.-]*/)+[\w.+-]+")
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]+\b")
_NUMBER: Final = re.compile(r"(?<![\w.])[-+]?\d[\d.,]*(?!\w)")

#: Codes of errors: `E0277`, `SC2115`, `TS2345`.
_CODE: Final = re.compile(r"\b[A-Z]{1,3}\d{3,5}\b")


@dataclass(frozen=True, slots=True)
class Output:
    """What a command did on an input: `ended` is `exit N` or `signal NAME`."""

    ended: str
    text: str
    input: str


@dataclass(frozen=True, slots=True)
class Looks:
    """How a tool prints its errors.

    `error` finds them, the first is the line that names the failure. `frame` finds frames of the
    failing program's own code, its first group is the function. `mask` finds what else is a name,
    a place or a count.
    """

    error: re.Pattern[str]
    frame: re.Pattern[str] | None = None
    mask: Sequence[re.Pattern[str]] = ()

    def kinds(self, output: Output, source: str) -> list[str]:
        """Return the errors of an output, masked, in order; what stands in `source` is a name."""
        plain = _COLOURS.sub("", output.text)
        return [self._masked(match[0], source) for match in self.error.finditer(plain)]

    def first_frame(self, output: Output) -> str:
        """Return the first frame of the failing program's own code; nothing if there is none."""
        found = self.frame.search(_COLOURS.sub("", output.text)) if self.frame else None
        return found[1] if found else ""

    def _masked(self, line: str, source: str) -> str:
        """Replace names, literals, places, counts and addresses."""
        for pattern in self.mask:
            line = pattern.sub("…", line)
        words = " ".join(source.split())
        line = _QUOTED.sub(lambda one: "'…'" if _plain(one[2]) in words else one[0], line)
        for pattern in (_ADDRESS, _PATH, _NUMBER):
            line = pattern.sub("…", line)
        return " ".join(line.split())


def _plain(quoted: str) -> str:
    """Return a quoted text without what tools put before names: `*self`, `@spread`."""
    return " ".join(quoted.split()).lstrip("*&@")


def different(before: Output, after: Output, looks: Looks) -> str:
    """Say why two outputs do not show the same failure; nothing if they do."""
    if before.ended != after.ended:
        return f"ends with {after.ended} instead of {before.ended}"
    source = f"{before.input}\n{after.input}"
    given, shown = looks.kinds(before, source), looks.kinds(after, source)
    if not given:
        return "the input's output names no failure"
    if given[0] not in shown:
        return f"not there: {given[0]}; instead: {'; '.join(shown) or 'nothing'}"
    new = [kind for kind in shown if kind not in given]
    if new:
        return f"a new error: {new[0]}"
    codes = [set(_CODE.findall(" ".join(kinds))) for kinds in (given, shown)]
    if codes[0] != codes[1]:
        return f"other codes: {sorted(codes[1])} instead of {sorted(codes[0])}"
    frames = [looks.first_frame(one) for one in (before, after)]
    if frames[0] != frames[1]:
        return f"another frame: {frames[1] or 'none'} instead of {frames[0]}"
    return ""
