"""The rewrites that ship with marrow, as `.toml` files, by language."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent

#: Languages and grammars that share the file of another one. SMT-LIB that its grammar does not
#: match is read as Scheme.
_SAME: Final = {
    "cpp": "c",
    "objc": "c",
    "cuda": "c",
    "typescript": "javascript",
    "tsx": "javascript",
    "sqlite": "sql",
    "scheme": "smtlib",
}


def rewrites_path(language: str) -> Path | None:
    """Return the file of the rewrites of a language, if there is one."""
    path = _FOLDER / f"{_SAME.get(language, language)}.toml"
    return path if path.exists() else None
