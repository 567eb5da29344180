"""The grammars that ship with marrow, as `.g4` files, by name."""

from __future__ import annotations

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
