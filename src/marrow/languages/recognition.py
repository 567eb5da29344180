"""Which language a file is in, by its name, its first line or its content; names of languages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from marrow.languages.language_facts import FOLDER

# How much of a text is searched for what its language contains.
_START: Final = 65536

# The start of a file of a language has all that tells it from others: no table is among it.
_HEAD_BYTES: Final = 2048

_SHEBANG: Final = rb"^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?"


class _Index(NamedTuple):
    """What tells languages apart, from all files."""

    suffixes: dict[str, tuple[str, ...]]
    by_suffix: dict[str, str]
    by_filename: dict[str, str]
    aliases: dict[str, str]
    by_grammar: dict[str, str]
    shared: tuple[tuple[str, str, str], ...]
    interpreters: tuple[tuple[str, str], ...]
    contents: tuple[tuple[str, str], ...]
    parsed: frozenset[str]


@cache
def _index() -> _Index:
    """Read the start of every file, as one text: a few milliseconds."""
    import tomllib

    parts = []
    for path in sorted(FOLDER.glob("*.toml")):
        with path.open("rb") as file:
            start = b"\n" + file.read(_HEAD_BYTES)
        parts.append(b"[" + path.stem.encode() + b"]" + start.partition(b"\n[")[0] + b"\n")
    heads: dict[str, dict[str, Any]] = tomllib.loads(b"".join(parts).decode("utf-8", "ignore"))

    def pairs(key: str) -> dict[str, str]:
        return {one: name for name, head in heads.items() for one in head.get(key, ())}

    suffixes = {name: tuple(head["suffixes"]) for name, head in heads.items() if "suffixes" in head}
    shared = tuple(
        (suffix, pattern, name)
        for name, head in heads.items()
        for suffix, pattern in head.get("shared_suffixes", {}).items()
    )
    parsed = frozenset(name for name, head in heads.items() if head.get("parser") != [])
    return _Index(
        suffixes,
        pairs("suffixes"),
        pairs("filenames"),
        pairs("aliases"),
        pairs("by_grammar"),
        shared,
        tuple(pairs("interpreters").items()),
        tuple(pairs("contents").items()),
        parsed,
    )


def language_of(name: str, text: bytes) -> str | None:
    """Return the language of a file, or None if nothing tells."""
    index = _index()
    path = PurePath(name)
    suffix = path.suffix.lower()
    for shared, pattern, other in index.shared:
        if shared == suffix and re.search(pattern.encode(), text):
            return other if other in {*index.parsed, *index.by_grammar.values()} else None
    by_name = index.by_filename.get(path.name) or index.by_suffix.get(suffix)
    return by_name or _by_shebang(text) or _by_content(text)


def canonical_name(language: str) -> str:
    """Return marrow's name for a language, given any of its names."""
    lower = language.strip().lower().lstrip(".")
    index = _index()
    return index.aliases.get(lower) or index.by_suffix.get(f".{lower}", lower)


def language_by_grammar(name: str) -> str | None:
    """Return the language whose grammar comes before a parser, by a suffix or name."""
    return _index().by_grammar.get(name.lower().lstrip("."))


def suffixes_of(language: str) -> tuple[str, ...]:
    """Return the suffixes of a language's files, the usual one first."""
    return _index().suffixes.get(language, ())


def known_languages() -> dict[str, tuple[str, ...]]:
    """Return every language that can be parsed, with its file suffixes and file names."""
    index = _index()
    found = {name: list(index.suffixes.get(name, ())) for name in sorted(index.parsed)}
    for filename, language in sorted(index.by_filename.items()):
        found[language].append(filename)
    return {name: tuple(names) for name, names in found.items()}


def is_binary(text: bytes) -> bool:
    """Return whether a text is binary: zero bytes, or control characters and not UTF-8."""
    if b"\0" in text[:_START]:
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        sample = text[:_START]
        control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in sample)
        return control * 50 > len(sample)
    return False


def _by_shebang(text: bytes) -> str | None:
    match = re.match(_SHEBANG, text)
    if match is None:
        return None
    command = match[1].decode("utf-8", "replace").rpartition("/")[2]
    if command == "env" and match[2]:
        command = match[2].decode("utf-8", "replace")
    return next((name for one, name in _index().interpreters if re.fullmatch(one, command)), None)


def _by_content(text: bytes) -> str | None:
    """Return the language whose pattern matches first in a text."""
    start = text[:_START]
    found = ((re.search(one.encode(), start), name) for one, name in _index().contents)
    matches = [(match.start(), name) for match, name in found if match is not None]
    return min(matches)[1] if matches else None
