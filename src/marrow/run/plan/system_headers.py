"""The preprocessor of a language, as it is installed here, with its answers in the journal.

It runs in an empty directory. A run that is resumed, here or elsewhere, asks nothing twice.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Final

from marrow.engine.journal.journal import Journal
from marrow.engine.process.watchdog import run_helper
from marrow.languages.language_facts import facts_of

# How long the preprocessor may take.
_SECONDS: Final = 20.0

# Longer answers are headers of megabytes: no reduction of a result gets below it from there.
_MOST_BYTES: Final = 200_000


class SystemHeaders:
    """Expands the headers of the system in a text; see `reducers.pipeline.second_start`."""

    def __init__(self) -> None:
        """Keep answers in memory until `join`."""
        self._journal = Journal.in_memory()

    def __repr__(self) -> str:
        """Return the same for all, for the identity of a journal."""
        return "SystemHeaders()"

    def join(self, journal: Journal) -> None:
        """Work for a run."""
        self._journal = journal

    def expanded(self, text: bytes, language: str) -> bytes | None:
        """Return a text with its headers expanded; None if it has none, or that fails."""
        facts = facts_of(language)
        if not facts.preprocessors or re.search(facts.system_include.encode(), text) is None:
            return None
        name = f"expanded {hashlib.sha256(text).hexdigest()}"
        known = self._journal.fact(name)
        if known is None:
            known = _expanded(text, facts.preprocessors).decode("utf-8", "surrogateescape")
            self._journal.note(name, known)
        return known.encode("utf-8", "surrogateescape") or None


def _expanded(text: bytes, commands: Sequence[str]) -> bytes:
    """Return what the first of the commands that is installed makes of a text; nothing if none."""
    for words in map(str.split, commands):
        if shutil.which(words[0]) is None:
            continue
        try:
            with tempfile.TemporaryDirectory(prefix="marrow-expand-") as place:
                done = run_helper(words, text, seconds=_SECONDS, directory=place)
        except (OSError, subprocess.SubprocessError):
            return b""
        usable = done.returncode == 0 and len(done.stdout) <= _MOST_BYTES
        return done.stdout if usable else b""
    return b""
