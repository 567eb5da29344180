"""Controls: what else a command is run on, to see what is special about its failure on the input.

What the empty file or a valid one shows too has nothing to do with the input. An input that is cut
off or lacks a token mostly fails in another way, and shows which lines come with any failure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from marrow.diagnostics.observation import Observation
from marrow.languages.language_facts import facts_of

EMPTY: Final = "the empty file"
TRIVIAL: Final = "a trivial valid file"

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")

# Where a token is deleted: early, in the middle, late.
_QUARTERS: Final = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class ControlRun:
    """A run of the command on something else than the input."""

    what: str
    text: bytes
    seen: Observation

    @property
    def is_foreign(self) -> bool:
        """Return whether nothing of the input is in it, and the tool takes it for what it is.

        A file that is valid in its language may be wrong for the tool: LaTeX for TeX.
        """
        return self.what == EMPTY or (self.what == TRIVIAL and self.seen.status == 0)


def control_texts(text: bytes, trivial: bytes | None = None) -> list[tuple[str, bytes]]:
    """Return the controls of an input: what each is, and its text."""
    decoded = text.decode("utf-8", "surrogateescape")
    result = [(EMPTY, b"")]
    if trivial is not None:
        result.append((TRIVIAL, trivial))
    result.append(("cut in the middle", _encoded(decoded[: len(decoded) // 2])))
    tokens = list(_TOKEN.finditer(decoded))
    for number in sorted({len(tokens) * quarter // 4 for quarter in _QUARTERS} if tokens else ()):
        left = decoded[: tokens[number].start()] + decoded[tokens[number].end() :]
        result.append((f"without token {number}", _encoded(left)))
    return result


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def trivial_text(language: str) -> bytes | None:
    """Return a valid file of a language, as small as it gets; None if none is known."""
    text = facts_of(language).smallest
    return None if text is None else text.encode()
