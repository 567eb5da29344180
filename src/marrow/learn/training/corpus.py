"""The corpus: the files of a language below some directories, in an order drawn by lot."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from marrow.syntax.language_table import language_of


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus. `name` is its path from there: the same wherever the corpus lies."""

    path: Path
    name: str


def find_sources(
    places: Iterable[Path], language: str, *, most_bytes: int | None = None, seed: int = 0
) -> list[CorpusFile]:
    """Return the files of a language, shuffled; a file that is named itself is always taken."""
    found = {
        source.name: source
        for place in places
        for source in _below(place, language)
        if most_bytes is None or source.path.stat().st_size <= most_bytes
    }
    sources = [source for _, source in sorted(found.items())]
    random.Random(str(seed)).shuffle(sources)
    return sources


def _below(place: Path, language: str) -> Iterator[CorpusFile]:
    if place.is_file():
        yield CorpusFile(place, place.name)
        return
    for path in place.rglob("*"):
        # A link to a directory is not followed by rglob; one to a file is a file twice.
        if not path.is_symlink() and path.is_file() and language_of(path.name, b"") == language:
            yield CorpusFile(path, path.relative_to(place).as_posix())
