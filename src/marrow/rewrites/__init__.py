"""The rewrites that ship with marrow, as `.toml` files, by language."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from marrow.reducers.passes.templates import Rewrite, read_rewrites

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


@cache
def rewrites_of(language: str) -> tuple[Rewrite, ...]:
    """Return the rewrites of a language; none if there is no file for it."""
    path = _FOLDER / f"{_SAME.get(language, language)}.toml"
    if not path.exists():
        return ()
    return read_rewrites(path.read_text(encoding="utf-8"), path.name)
