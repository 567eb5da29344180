"""The result on disk: always whole, always the best so far.

A new best is written beside the old one and then renamed over it, so that a reader, a kill or a
full disk never sees half a file.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Final


class OutputError(Exception):
    """The result cannot be written; the message says why and what to do."""


class OutputFile:
    """Where the best result is kept."""

    def __init__(self, path: Path, mode: int = 0o644) -> None:
        self.path: Final = path
        self._mode: Final = mode & 0o777

    def write(self, text: bytes) -> None:
        """Replace the file's content at once."""
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_bytes(text)
            os.chmod(temporary, self._mode)
            os.replace(temporary, self.path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise OutputError(
                f"cannot write the result to {self.path}: {error.strerror or error}\n"
                "Free some space or choose another place with -o, then go on with --resume."
            ) from error

    def keep_old(self, suffix: str = "~") -> Path | None:
        """Keep a copy of what stands there now, under a name that is free for it."""
        if not self.path.exists():
            return None
        backup = self.path.with_name(self.path.name + suffix)
        try:
            shutil.copy2(self.path, backup)
        except OSError as error:
            raise OutputError(f"cannot keep the old {self.path} as {backup}: {error}") from error
        return backup
