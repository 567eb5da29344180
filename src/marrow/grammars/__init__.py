"""The grammars that ship with marrow, as `.g4` files, by name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent


def grammar_names() -> list[str]:
    """Return the names of the grammars that ship with marrow, in the order of the alphabet."""
    return sorted(path.stem for path in _FOLDER.glob("*.g4") if not path.stem.endswith("Lexer"))


def grammar_path(name: str) -> Path:
    """Return the file of a grammar that ships with marrow; raise `KeyError` if there is none."""
    if name not in grammar_names():
        raise KeyError(name)
    return _FOLDER / f"{name}.g4"


def grammar_file(given: str | os.PathLike[str]) -> Path:
    """Return the file that is meant: one on disk, or that of a grammar that ships with marrow.

    A name that is neither comes back as it is if it has a suffix, for whoever reads it to complain;
    without one it raises `LookupError`, with a message that lists the grammars that ship.
    """
    path = Path(given)
    if path.exists() or path.suffix:
        return path
    try:
        return grammar_path(str(given))
    except KeyError:
        known = ", ".join(grammar_names())
        raise LookupError(
            f"there is no file {given}, and no grammar of that name ships with marrow\n"
            f"Check the name. Those that ship: {known}"
        ) from None
