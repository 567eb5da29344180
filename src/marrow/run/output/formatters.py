"""Formatters of languages: the programs that lay out a text, where they are installed.

A formatter reads a text and prints it; it runs in an empty directory, so that no settings of the
input's project (which may be programs) take part. One that the user names runs where the user is.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from marrow.engine.process.watchdog import helpers_spared
from marrow.languages.language_facts import facts_of

#: How long a formatter may take, in seconds: for a reduced text it needs a fraction of one, and a
#: few on a busy machine.
_SECONDS: Final = 30.0

#: An installed formatter lays out no more bytes than this: nobody reads more, and a limit of time
#: must not wait for it.
_MOST_BYTES: Final = 100_000

#: What stands for the file in the command of a formatter.
_FILE: Final = "{}"


def usual_formatters(language: str) -> Sequence[str]:
    """Return the formatters of a language, the usual one first; {} is the name of the file."""
    return facts_of(language).formatters


class Formatter:
    """Lays out texts by programs: the one that is asked for, or those of the language.

    `named` is a command of the user's, or `none`. With `installed` False no program of the table
    is run.
    """

    def __init__(self, named: str | None = None, *, installed: bool = True) -> None:
        self._named: Final = named
        self._installed: Final = installed
        #: Why the formatter that the user named did nothing.
        self.trouble = ""

    def formatted(self, text: bytes, name: str, language: str) -> bytes | None:
        """Return a text as a program lays it out; None where none does."""
        if self._named == "none" or not _is_text(text):
            return None
        if self._named is not None:
            return self._run(shlex.split(self._named), text, name, None)
        usual = usual_formatters(language) if len(text) <= _MOST_BYTES else ()
        for command in usual if self._installed else ():
            words = command.split()
            if shutil.which(words[0]) is None:
                continue
            with tempfile.TemporaryDirectory(prefix="marrow-format-") as place:
                found = self._run(words, text, name, place)
            if found is not None:
                return found
        return None

    def _run(self, words: Sequence[str], text: bytes, name: str, place: str | None) -> bytes | None:
        """Run a command; its output is the text, or the file that it was given."""
        with tempfile.TemporaryDirectory(prefix="marrow-format-") as files:
            path = Path(files, Path(name).name or "input")
            by_file = self._named is not None and any(_FILE in word for word in words)
            if by_file:
                path.write_bytes(text)
            stands = str(path) if by_file else path.name
            try:
                with helpers_spared():
                    done = subprocess.run(
                        [word.replace(_FILE, stands) for word in words],
                        input=b"" if by_file else text,
                        capture_output=True,
                        timeout=_SECONDS,
                        cwd=place,
                        check=False,
                    )
                found = done.stdout or (path.read_bytes() if by_file else b"")
            except (OSError, ValueError, subprocess.TimeoutExpired) as error:
                self.trouble = _reason(error)
                return None
        if done.returncode != 0 or not found.strip():
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            self.trouble = (
                said[-1] if said else f"it ended with {done.returncode} and printed nothing"
            )
            return None
        return found


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took more than {_SECONDS:g} s"
    return str(getattr(error, "strerror", None) or error)


def _is_text(text: bytes) -> bool:
    """Whether programs can be trusted to keep the letters of a text."""
    try:
        return "\0" not in text.decode("utf-8")
    except UnicodeDecodeError:
        return False


#: The mark at the beginning of a text in UTF-8 that some editors write.
_BOM: Final = b"\xef\xbb\xbf"


def like(text: bytes, whole: bytes, formatted: bytes) -> bytes:
    """Return a formatted text with the mark at its beginning that it had, and the line ends of the
    whole input."""
    if text.startswith(_BOM) != formatted.startswith(_BOM):
        formatted = formatted.removeprefix(_BOM)
        formatted = _BOM + formatted if text.startswith(_BOM) else formatted
    if whole.count(b"\r\n") * 2 > whole.count(b"\n"):
        return formatted.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    return formatted
