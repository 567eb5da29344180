"""Imports: where a file of a set asks for another one, by the tables of its language.

A table `[[import]]` in the file of a language has these keys:

- `match`: a regular expression for what asks for a file. Its groups are `path`, or `names` with the
  things that are asked for, separated by commas, or both (`from path import names`); `default`, the
  name under which the file gives one thing; `pointer`, a part of a document; and any other.
- `files`: names of the file, given the `{path}`, nearest first; `*` is any file there.
- `separator`: what separates directories in the path, if not a slash, and the qualifier from a
  name, if not a dot.
- `qualifier`: what precedes the names of the file where they are used: `{path}`, `{last}` (the last
  part of it), `{name}` (a group, or one of `names`).
- `replace`: what takes the place of the import, with the `{content}` of the file, if what it
  declares loses its qualifier; `apart`: if it keeps that, such as the `{name}` of a name space. A
  table without one of them leaves the import as it is then. `raw`: the content of `apart` is as in
  its file, with its exports. `expression`: it has a value, and gives way wherever it is.

A table `[join]` says how files of the language become one: `siblings` form a program without
imports; lines that match `head` go to the top once, after what matches `after`; `edits` are pairs
of expressions and replacements for the content of a file, the third element naming what it gives by
default. `aliases` matches what gives names of a file to others, its group `names` lists them.
`packages`: files of a directory have one scope. `package` matches what names that of a Java file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from posixpath import basename, dirname, join, normpath, relpath, splitext
from typing import Final, NamedTuple

from marrow.languages.language_facts import facts_of
from marrow.reducers.streams.spans import spans
from marrow.tree import Token, Tree
from marrow.tree.name_spelling import quote_of
from marrow.tree.tree_cache import kept

# `a as b` and `a: b`: one name for another.
_ITEM: Final = re.compile(rb"([\w$.]+)(?:\s+as\s+|\s*:\s*)([\w$]+)|([\w$.]+)")
_FIELD: Final = re.compile(r"\{(\w+)\}")
_NOT_A_WORD: Final = re.compile(rb"\W+")
_UPWARDS: Final = re.compile(r"^(?:\.{1,2}/)+")


#: What a file gives by default, as an item of an import.
DEFAULT: Final = b"<default>"


@dataclass(frozen=True, slots=True)
class ImportRule:
    """A table `[[import]]`."""

    match: str
    files: Sequence[str] = ("{path}",)
    separator: str = ""
    qualifier: str = ""
    replace: str | None = None
    apart: str | None = None
    raw: bool = False
    expression: bool = False

    def template(self, *, apart: bool) -> str | None:
        """Return what takes the place of the import; None if it stays."""
        return self.apart if apart else self.replace


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a set: its text, its language, its tree if it has a parser, what it declares."""

    text: bytes
    language: str
    tree: Tree | None = None
    declares: frozenset[bytes] = frozenset()

    def quoted(self, position: int) -> bool:
        """Whether a position is inside of a string or a comment."""
        return self.tree is not None and position not in _open_places(self.tree)


@kept
def _open_places(tree: Tree) -> frozenset[int]:
    """Return the positions where something may begin that is neither a string nor a comment."""
    found: set[int] = set()
    for one in spans(tree):
        if isinstance(one.node, Token):
            plain = not quote_of(one.node.text)[0]
            found.update(range(one.start, one.end) if plain else (one.start,))
    return frozenset(found)


class ImportedName(NamedTuple):
    """One of the things that an import names: what they call it in its file, and we here."""

    theirs: bytes
    ours: bytes
    text: bytes


@dataclass(frozen=True, slots=True)
class FileImport:
    """An import of a file of the set: where it is, and what it is about.

    A statement may import several files; `items` are those of its things that this is about, and
    `names` those that the file declares, `foreign` those of files that are not in the set.
    `qualifier` precedes names of the file. `path` and `listed` are the places of the path and of
    the things in the text.
    """

    file: str
    start: int
    end: int
    rule: ImportRule
    fields: Mapping[str, bytes]
    names: tuple[ImportedName, ...] = ()
    items: tuple[ImportedName, ...] = ()
    foreign: tuple[ImportedName, ...] = ()
    qualifier: bytes = b""
    path: tuple[int, int] = (0, 0)
    listed: tuple[int, int] = (0, 0)


@cache
def import_rules(language: str) -> tuple[tuple[re.Pattern[bytes], ImportRule], ...]:
    """Return the rules of a language, with what they match."""
    rules = (ImportRule(**one) for one in facts_of(language).imports)
    return tuple((re.compile(rule.match.encode()), rule) for rule in rules)


def filled(template: str, fields: Mapping[str, bytes]) -> bytes:
    """Return a template with its fields filled in; unknown ones stay as they are."""

    def value(found: re.Match[str]) -> str:
        return fields.get(found[1], found[0].encode()).decode("utf-8", "surrogateescape")

    return _FIELD.sub(value, template).encode("utf-8", "surrogateescape")


def imports_in(
    files: Mapping[str, SourceFile], name: str, *, apart: bool = False
) -> list[FileImport]:
    """Return the imports of other files of a set in one of them, in the order of the text.

    No import begins in a comment or string. Where several tables match, the first counts that says
    what to do for files that stay `apart`, or for others.
    """
    source = files[name]
    found: list[FileImport] = []
    taken: list[tuple[int, int]] = []
    rules = import_rules(source.language)
    for pattern, rule in sorted(rules, key=lambda one: one[1].template(apart=apart) is None):
        for match in pattern.finditer(source.text):
            start, end = match.span()
            overlaps = any(start < there and here < end for here, there in taken)
            if overlaps or source.quoted(end - len(match[0].lstrip())):
                continue
            some = list(_imports_in(name, match, rule, files))
            if some:
                taken.append((start, end))
                found += some
    return sorted(found, key=lambda one: one.start)


def _imports_in(
    name: str, match: re.Match[bytes], rule: ImportRule, files: Collection[str]
) -> Iterator[FileImport]:
    """Yield what one statement imports: a file, or several that it names."""
    groups = {key: value for key, value in match.groupdict().items() if value is not None}
    path = groups.get("path", b"")
    where = match.span("path") if "path" in groups else (0, 0)
    listed = match.span("names") if "names" in groups else (0, 0)
    items = tuple(named_items(groups.get("names", b"")))
    parts: dict[ImportedName, str] = {}
    for one in items if rule.separator else ():
        whole = path + (rule.separator.encode() if path.strip(b".") else b"") + one.theirs
        file = resolved(name, whole, rule, files)
        if file is not None and file != name:
            parts[one] = file
    left = tuple(one for one in items if one not in parts)
    file = resolved(name, path, rule, files) if path and (left or not items) else None
    foreign = left if file is None else ()
    for one, part in parts.items():
        last = one.ours.rpartition(rule.separator.encode())[2]
        fields = {**groups, "name": last, "path": one.theirs, "last": last}
        span = match.span()
        yield FileImport(part, *span, rule, fields, (), (one,), foreign, one.ours, where, listed)
    if file is None:
        return
    default = (ImportedName(DEFAULT, groups["default"], b""),) if "default" in groups else ()
    base = basename(path.replace(rule.separator.encode() or b"/", b"/"))
    last = _NOT_A_WORD.sub(b"_", splitext(base)[0])
    known = {"last": last, **groups}
    qualifier = filled(rule.qualifier, known).strip()
    fields = {"name": last + b"_", **known}
    if b"{" in qualifier:
        qualifier = b""  # by a group that did not match
    names = (*left, *default)
    yield FileImport(file, *match.span(), rule, fields, names, left, (), qualifier, where, listed)


def named_items(names: bytes) -> Iterator[ImportedName]:
    """Yield the things in a list of names."""
    for part in names.strip(b"(){} \t\r\n").split(b","):
        found = _ITEM.fullmatch(part.strip())
        if found is not None:
            theirs = found[1] or found[3]
            ours = found[2] or theirs
            yield ImportedName(DEFAULT if theirs == b"default" else theirs, ours, part.strip())


def with_items(text: bytes, one: FileImport, items: Sequence[ImportedName]) -> bytes:
    """Return the statement of an import with some of its things only."""
    start, end = one.listed
    names = b", ".join(item.text for item in items)
    return text[one.start : start] + names + text[end : one.end]


def resolved(name: str, path: bytes, rule: ImportRule, files: Collection[str]) -> str | None:
    """Return the file of a set that a path in another file means; None if there is none.

    It is looked for beside the file, then from the top, then in any directory.
    """
    spelled = path.decode("utf-8", "surrogateescape")
    if rule.separator:
        steps = len(spelled) - len(spelled.lstrip(rule.separator[0]))
        above = "../" * (steps - 1) if len(rule.separator) == 1 else ""
        spelled = above + spelled[steps:].replace(rule.separator, "/")
    for template in rule.files:
        wanted = template.replace("{path}", spelled).replace("{last}", basename(spelled))
        for exact in (normpath(join(dirname(name), wanted)), normpath(wanted)):
            if exact in files:
                return exact
        ending = normpath(_UPWARDS.sub("", wanted))
        near = [one for one in files if fnmatchcase(f"/{one}", f"*/{ending}")]
        if near:
            return min(near, key=lambda one: (len(one), one))
    return None


def respelled(one: FileImport, text: bytes, name: str, target: str) -> bytes | None:
    """Return the path of an import in a file as another file has to say it; None if it is alike."""
    start, end = one.path
    path = text[start:end].decode("utf-8", "surrogateescape")
    if start == end or dirname(name) == dirname(target):
        return None
    separator = one.rule.separator
    if separator:
        if not path.startswith(separator[0]):
            return None
        steps = len(path) - len(path.lstrip(separator[0]))
        above = [part for part in dirname(name).split("/") if part]
        above = above[: len(above) - (steps - 1)]
        return separator.join([*above, *filter(None, [path[steps:]])]).encode()
    if normpath(join(dirname(name), path)) == normpath(path):
        return None
    moved = relpath(join(dirname(name) or ".", path), dirname(target) or ".")
    dotted = path.startswith(".") and not moved.startswith(".")
    return (f"./{moved}" if dotted else moved).encode("utf-8", "surrogateescape")
