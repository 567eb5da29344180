"""Other failures that are met on the way: counted, and their smallest inputs kept.

They are counted in stream order and by candidate, so that neither the number of workers nor a run
that is resumed makes a difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from marrow.engine.events import OtherFailure
from marrow.run.output.output_directory import output_for
from marrow.run.output.output_file import OutputError
from marrow.run.plan.input import Input

# More kinds of failures than this are names that a program made up: the rest is not kept.
_MOST: Final = 500

# The longest part of a file name that is made of a label, in characters.
_LONGEST: Final = 60


class OtherFailures:
    """The failures, in the order in which they were first met."""

    def __init__(self) -> None:
        self._candidates: Final[dict[str, set[bytes]]] = {}
        self._smallest: Final[dict[str, bytes]] = {}

    def saw(self, event: OtherFailure) -> None:
        """Count a candidate."""
        if event.label not in self._candidates and len(self._candidates) >= _MOST:
            return
        self._candidates.setdefault(event.label, set()).add(event.key)
        text = event.candidate
        best = self._smallest.setdefault(event.label, text)
        if (len(text), text) < (len(best), best):
            self._smallest[event.label] = text

    def counts(self) -> dict[str, int]:
        """Return how many candidates showed each failure, the most frequent first."""
        found = {label: len(keys) for label, keys in self._candidates.items()}
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))

    def save(self, directory: Path, source: Input, say: Callable[[str], None]) -> None:
        """Save the smallest input of each failure, with a list of them."""
        if not self._smallest:
            say("note: ⟦also⟧: no other failure was met")
            return
        lines = []
        try:
            directory.mkdir(exist_ok=True)
            for number, label in enumerate(self.counts(), start=1):
                slug = re.sub(r"[^A-Za-z0-9_]+", "-", label)[:_LONGEST].strip("-")
                suffix = Path(source.name).suffix if source.name else ""
                path = directory / f"{number:03}-{slug or 'failure'}{suffix}"
                output_for(source, path).write(self._smallest[label])
                lines.append(f"{path.name}: {label} ({len(self._candidates[label])})")
            listed = directory / "failures.txt"
            listed.write_text("\n".join(lines) + "\n", "utf-8", "surrogateescape")
            os.chmod(listed, source.mode & 0o666 | 0o600)
        except OSError as error:
            raise OutputError(
                f"cannot save other failures to {directory}: {error.strerror or error}\n"
                "Choose another directory with ⟦also⟧."
            ) from error
        what = "1 other failure is" if len(lines) == 1 else f"{len(lines)} other failures are"
        say(f"{what} saved in {directory}, listed in failures.txt")
