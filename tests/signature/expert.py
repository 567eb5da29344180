"""The signature that an expert would keep, as the corpus writes it down, and what shows it.

It does not depend on how marrow works, and is not meant for users: it says what is right. A
message is a template: text with placeholders in double braces.

| placeholder | stands for |
| --- | --- |
| `{{name}}`, `{{literal}}` | a word, or any text, that must occur in the input |
| `{{file}}` | a path, or the name of the input |
| `{{number}}` | a count, size, line or column |
| `{{address}}`, `{{pid}}` | what differs from run to run |
| `{{text}}` | anything on the line: free |
| `{{end}}` | nothing: the line ends here |

White space stands for any white space, line breaks included. All quotation marks are alike, since
some tools choose them by locale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

#: What kinds of failures there are.
KINDS: Final = frozenset(
    {
        "sanitizer report",
        "internal error",
        "assertion",
        "exception",
        "panic",
        "diagnostic",
        "lint",
        "solver error",
        "database error",
        "abort",
        "signal",
        "time-out",
    }
)

_QUOTES: Final = str.maketrans(dict.fromkeys('‘’“”`´"«»', "'"))
_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")
_MEANS: Final = {
    "name": r"([^\s']+?)",
    "literal": r"(\S.*?)",
    "file": r"[^\s'\"]+?",
    "number": r"[-+]?\d[\d.,]*?",
    "address": r"(?:0x)?[0-9a-fA-F]+",
    "pid": r"\d+",
    "text": r".*?",
    "end": r"\s*?$",
}


class Printed(Protocol):
    """What a run showed."""

    @property
    def ended(self) -> str:
        """How it ended: `exit N`, `signal NAME`, `time-out`."""

    @property
    def stdout(self) -> bytes:
        """Its standard output."""

    @property
    def stderr(self) -> bytes:
        """Its standard error."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What an expert keeps of a failure.

    All of `message` must be found in the stream, `frames` in this order, every code. `beside` are
    the templates of errors that the input gives too: an error (`diagnostic` finds them) that is
    neither is another failure, so a candidate that shows it is refused. `sentence` says it in
    words, `why` what a careless choice would get wrong.
    """

    kind: str
    ended: str
    stream: str
    message: tuple[str, ...]
    sentence: str
    why: str = ""
    codes: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    diagnostic: str = ""

    @classmethod
    def read(cls, table: Mapping[str, Any], diagnostic: str) -> Expected:
        """Return the signature from a table of an entry's file."""
        given: dict[str, Any] = {"diagnostic": diagnostic, "message": (), "stream": "stderr"}
        for key, value in table.items():
            given[key] = tuple(value) if isinstance(value, list) else value
        return cls(**given)

    def shown_by(self, seen: Printed, text: bytes) -> bool:
        """Return whether a run on this input shows the failure."""
        return not self.missing(seen, text)

    def missing(self, seen: Printed, text: bytes) -> str:
        """Say what of the signature a run does not show; nothing if it shows all."""
        if seen.ended != self.ended:
            return f"it ends with {seen.ended}"
        source = _plain(text)
        printed = _plain(seen.stderr if self.stream == "stderr" else seen.stdout)
        whole = f"{_plain(seen.stdout)}\n{_plain(seen.stderr)}"
        for template in self.message:
            if not next(matches(template, printed, source), None):
                return f"no message {template}"
        for code in self.codes:
            if not re.search(rf"(?<!\w){re.escape(code)}(?!\w)", whole):
                return f"no code {code}"
        position = 0
        for frame in self.frames:
            found = re.compile(rf"(?<![\w]){re.escape(frame)}(?!\w)").search(whole, position)
            if found is None:
                return f"no frame {frame}"
            position = found.end()
        return self._new_error(whole, source)

    def _new_error(self, whole: str, source: str) -> str:
        if not self.diagnostic:
            return ""
        known = [
            match.span()
            for template in (*self.message, *self.beside)
            for match in matches(template, whole, source)
        ]
        for error in re.finditer(self.diagnostic, whole, re.MULTILINE):
            if not any(start < error.end() and error.start() < end for start, end in known):
                return f"a new error: {error[0]}"
        return ""


def matches(template: str, printed: str, source: str) -> Iterator[re.Match[str]]:
    """Yield where a template stands in an output, filled from the input."""
    for match in expression(template).finditer(printed):
        if all(_normal(one) in _normal(source) for one in match.groups()):
            yield match


def expression(template: str) -> re.Pattern[str]:
    """Return the regular expression for a template."""
    *pieces, last = _PLACEHOLDER.split(template.strip().translate(_QUOTES))
    parts = []
    for at, piece in enumerate((*pieces, last)):
        if at % 2:
            parts.append(_MEANS[piece])
        else:
            parts.append(r"\s+".join(re.escape(word) for word in re.split(r"\s+", piece)))
    end = r"\s*$" if not last and pieces[-1] in ("literal", "text") else r"(?!\w)"
    start = r"(?<!\w)" if re.match(r"\w", template.strip()) else ""
    return re.compile(start + "".join(parts) + end, re.MULTILINE)


def _plain(output: bytes) -> str:
    return output.decode("utf-8", "replace").translate(_QUOTES)


def _normal(text: str) -> str:
    return " ".join(text.split())
