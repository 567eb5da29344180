"""Files joined to one text: each import of a file gives way to the file's content.

As a linker or bundler does it: from a root, depth first; what was put in once is not put in again,
and whatever mentioned the file by a qualifier mentions its names (`imports` has the tables that say
how). Nothing here knows whether the text still means the same: the test decides.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from posixpath import basename, dirname
from textwrap import dedent
from typing import Final, NamedTuple

from marrow.languages.language_facts import facts_of
from marrow.reducers.coupled.imports import (
    DEFAULT,
    FileImport,
    SourceFile,
    filled,
    import_rules,
    imports_in,
    named_items,
    respelled,
    with_items,
)
from marrow.reducers.streams.spans import NodeSpan, at_line, moved_text, spans
from marrow.tree import Token, Tree
from marrow.tree.tree_cache import kept

# Imports nest at most so deep: who has more of them in a row has generated files.
_DEEPEST: Final = 150

# A file is put in so often on average, where it is put in again: two imports in each of a hundred
# files would double the text a hundred times.
_MOST_COPIES: Final = 4

_NOT_A_WORD: Final = re.compile(rb"\W+")
_WORD: Final = re.compile(rb"\w+")
_MEMBER_SIGNS: Final = frozenset((b".", b"->", b"::", b"?."))
_BEFORE_CONTENT: Final = re.compile(r"(?m)^([ \t]*)\{content\}")


class JoinMode(NamedTuple):
    """How files are joined.

    `apart`: each keeps a name space of its own. `renamed`: what two files declare gets another name
    in one of them. `again`: an import gives way to the content wherever it is, not only once.
    """

    apart: bool = False
    renamed: bool = False
    again: bool = False


class Joined(NamedTuple):
    """A text that several files were joined to, and which ones."""

    text: bytes
    files: frozenset[str]


@kept
def _tokens(tree: Tree) -> list[NodeSpan]:
    return [one for one in spans(tree) if isinstance(one.node, Token)]


def joined(
    files: Mapping[str, SourceFile], root: str, merged: Collection[str], mode: JoinMode
) -> Joined | None:
    """Join files to a root; None if their changes overlap, or nothing was joined."""
    joiner = _Joiner(files, root, frozenset(merged) - {root}, mode)
    text = joiner.whole()
    return None if text is None or not joiner.done else Joined(text, frozenset(joiner.done))


@dataclass
class _Joiner:
    files: Mapping[str, SourceFile]
    root: str
    merged: frozenset[str]
    mode: JoinMode
    done: set[str] = field(default_factory=set)
    #: The name space of each file that has one, and what it gives by default.
    spaces: dict[str, bytes] = field(default_factory=dict)
    defaults: dict[str, bytes] = field(default_factory=dict)
    #: Names that a file has from another one, which may be asked for by them: where from.
    passed_on: dict[tuple[str, bytes], tuple[str, bytes]] = field(default_factory=dict)
    copies: int = 0

    def whole(self) -> bytes | None:
        language = self.files[self.root].language
        rules = facts_of(language).join
        text = self._expanded(self.root, (self.root,))
        if text is None:
            return None
        for name in sorted(self.merged) if rules.siblings else ():
            if name not in self.done and self.files[name].language == language:
                content = self._content(name, (self.root,), raw=False)
                if content is None:
                    return None
                text = text.rstrip() + b"\n" + content + b"\n"
        return _headed(text, rules.head.encode(), rules.after.encode())

    def _expanded(self, name: str, stack: tuple[str, ...], pointer: bytes = b"") -> bytes | None:
        """Return the text of a file with imports replaced, and what it mentions of others.

        With a JSON pointer it is the part of the file there, if it has one.
        """
        source, changes = self.files[name], list[tuple[int, int, bytes]]()
        qualifiers: dict[bytes, tuple[str, bytes]] = {}
        ours: dict[bytes, tuple[str, bytes]] = {}
        statements: list[tuple[int, int]] = []
        first, last = _pointed(source.tree, pointer) or (0, len(source.text))
        every = imports_in(self.files, name, apart=self.mode.apart)
        inside = (one for one in every if first <= one.start and one.end <= last)
        for place, group in groupby(inside, key=lambda one: (one.start, one.end)):
            statements.append(place)
            change = self._statement(name, list(group), stack, qualifiers, ours)
            if change is None:
                return None
            changes += change
        changes += self._mentions(source, statements, qualifiers, ours, self._renamed.get(name, {}))
        self.passed_on.update(((name, word), origin) for word, origin in ours.items())
        aliases = facts_of(source.language).join.aliases
        for found in re.finditer(aliases.encode(), source.text) if aliases else ():
            for one in named_items(found["names"]):
                outside = DEFAULT if one.ours == b"default" else one.ours
                if outside != one.theirs:
                    self.passed_on.setdefault((name, outside), (name, one.theirs))
        moved = moved_text(source.text[:last], changes)
        return None if moved is None else _outdented(moved[first:]) if pointer else moved

    def _statement(
        self,
        name: str,
        group: Sequence[FileImport],
        stack: tuple[str, ...],
        qualifiers: dict[bytes, tuple[str, bytes]],
        ours: dict[bytes, tuple[str, bytes]],
    ) -> list[tuple[int, int, bytes]] | None:
        """Return the changes to a statement that imports; None if it cannot be."""
        text, first = self.files[name].text, group[0]
        parts: list[bytes] = []
        stays: list[FileImport] = []
        for one in group:
            here = one.file in self.merged or one.file == self.root
            template = one.rule.template(apart=self.mode.apart)
            if not here or template is None:
                stays.append(one)
                continue
            space = self.mode.apart and "{name}" in template
            if space or not self.mode.apart:
                if one.qualifier:
                    sign = one.rule.separator or "."
                    qualifiers[one.qualifier] = one.file, sign.encode()
                ours.update((item.ours, (one.file, item.theirs)) for item in one.names)
            if "{content}" not in template:  # that goes to the end
                if template:
                    parts.append(filled(template, {**one.fields, "package": self._package}))
                continue
            each = self.mode.again or one.rule.expression
            if one.file in stack or (one.file in self.done and not each):
                if one.rule.expression:
                    return None  # it would have no value
                continue
            if space:
                self.spaces.setdefault(one.file, one.fields["name"])
            raw, pointer = one.rule.raw and self.mode.apart, one.fields.get("pointer", b"")
            content = self._content(one.file, stack, raw=raw, pointer=pointer)
            if content is None:
                return None
            parts.append(_in_place(template, one, content, self.files[one.file].declares))
        if len(stays) == len(group):
            moved = respelled(first, text, name, self.root) if name != self.root else None
            return [] if moved is None else [(*first.path, moved)]
        others = [*first.foreign, *(item for one in stays for item in one.items)]
        if others:
            parts.append(with_items(text, first, others))
        return [(first.start, first.end, b"\n".join(parts))]

    def _content(
        self, name: str, stack: tuple[str, ...], *, raw: bool, pointer: bytes = b""
    ) -> bytes | None:
        """Return what a file brings into another one."""
        self.done.add(name)
        self.copies += 1
        if len(stack) > _DEEPEST or self.copies > _MOST_COPIES * (1 + len(self.merged)):
            return None
        text = self._expanded(name, (*stack, name), pointer)
        if text is None or raw:
            return text
        stem = _stem(name)
        for match, replacement, default in facts_of(self.files[name].language).join.edits:
            found = re.search(match.encode(), text)
            if found is not None and default:
                self.defaults[name] = found.expand(filled(default, {"stem": stem}))
            text = re.sub(match.encode(), filled(replacement, {"stem": stem}), text)
        return text.strip(b"\n").rstrip()

    @cached_property
    def _package(self) -> bytes:
        root = self.files[self.root]
        pattern = facts_of(root.language).join.package
        found = re.search(pattern.encode(), root.text) if pattern else None
        return b"" if found is None else found[1]

    @cached_property
    def _renamed(self) -> dict[str, dict[bytes, bytes]]:
        """Other names, file by file, for what a file and another one declare."""
        every = self.merged | {self.root} if self.mode.renamed else ()
        # The names that a file declares, without those that it imports.
        own = {
            name: self.files[name].declares
            - {item.ours for one in imports_in(self.files, name) for item in one.names}
            for name in every
        }
        rules = facts_of(self.files[self.root].language)
        scope = dirname if rules.join.packages else str
        scopes: dict[bytes, set[str]] = {}
        for name, some in own.items():
            for word in some:
                scopes.setdefault(word, set()).add(scope(name))
        # Where nothing says which file a name is of, what other files mention keeps its name.
        linked = not any(rule.qualifier or rule.separator for _, rule in import_rules(rules.name))
        words = {name: set(_WORD.findall(self.files[name].text)) for name in own if linked}
        shared = {
            word
            for name in words
            for word in words[name] - own[name]
            if len(scopes.get(word, ())) > 1
        }
        return {
            name: {
                word: word + b"_" + _stem(scope(name))
                for word in scopes.keys() - shared
                if len(scopes[word]) > 1 and scope(name) in scopes[word]
            }
            for name in own
            if scope(name) != scope(self.root)
        }

    def _spelled(self, file: str, theirs: bytes) -> bytes:
        """Return how a name of a file is mentioned from another one."""
        seen: set[tuple[str, bytes]] = set()
        # A name space of its own has what the file has from others, too.
        while file not in self.spaces and (file, theirs) in self.passed_on.keys() - seen:
            seen.add((file, theirs))
            file, theirs = self.passed_on[file, theirs]
        own = self.defaults.get(file, b"") if theirs == DEFAULT else theirs
        own = self._renamed.get(file, {}).get(own, own)
        return self.spaces[file] + b"." + own if file in self.spaces else own

    def _mentions(
        self,
        source: SourceFile,
        statements: Sequence[tuple[int, int]],
        qualifiers: Mapping[bytes, tuple[str, bytes]],
        ours: Mapping[bytes, tuple[str, bytes]],
        renames: Mapping[bytes, bytes],
    ) -> list[tuple[int, int, bytes]]:
        """Return the changes to what mentions other files, and to names that are given up."""
        text, found = source.text, list[tuple[int, int, bytes]]()
        taken = list(statements)

        def free(start: int, end: int) -> bool:
            return not any(start < there and here < end for here, there in taken)

        for qualifier in sorted(qualifiers, key=len, reverse=True):
            file, sign = qualifiers[qualifier]
            words = rb"(?<![\w$.])%s\s*%s\s*([\w$]+)" % (re.escape(qualifier), re.escape(sign))
            for match in re.finditer(words, text):
                if free(*match.span()) and not source.quoted(match.start()):
                    taken.append(match.span())
                    found.append((*match.span(), self._spelled(file, match[1])))
        names = ((name, self._spelled(*one)) for name, one in ours.items())
        spelled = {**renames, **{name: new for name, new in names if new not in (name, b"")}}
        if source.tree is None or not spelled:
            return found
        before = b""
        for one in _tokens(source.tree):
            new = spelled.get(one.node.text)
            if new is not None and before not in _MEMBER_SIGNS and free(one.start, one.end):
                found.append((one.start, one.end, new))
            before = one.node.text
        return found


def _stem(name: str) -> bytes:
    stem = basename(name).partition(".")[0].encode("utf-8", "surrogateescape")
    return _NOT_A_WORD.sub(b"_", stem)


def _in_place(template: str, one: FileImport, content: bytes, declares: frozenset[bytes]) -> bytes:
    """Return what takes the place of an import."""
    level = _BEFORE_CONTENT.search(template)
    if level is not None and level[1]:
        content = at_line(content, b"", level[1].encode())
    fields = {**one.fields, "content": content, "declared": b", ".join(sorted(declares))}
    made = filled(template, fields)
    indent = one.fields.get("indent", b"")
    return indent + at_line(made, b"", indent) if indent else made


def _headed(text: bytes, head: bytes, after: bytes) -> bytes:
    """Return a text whose lines for the top are at the top, each once."""
    if not head:
        return text
    every = (line for one in re.finditer(head, text) for line in _single(one[0].strip()))
    heads = list(dict.fromkeys(every))
    rest = re.sub(head, b"", text)
    found = re.search(after, rest) if after else None
    at = found.end() if found is not None else 0
    top = b"".join(one + b"\n" for one in heads)
    return rest[:at] + (b"\n" if at else b"") + top + rest[at:].lstrip(b"\n")


def _single(head: bytes) -> list[bytes]:
    """Return the lines of a group in brackets, or the line."""
    word, _, inside = head.partition(b"(")
    lines = inside.rstrip(b") \t\n").split(b"\n")
    return [word + one.strip() for one in lines if one.strip()] if b"\n" in inside else [head]


def _pointed(tree: Tree | None, pointer: bytes) -> tuple[int, int] | None:
    """Return where the value at a JSON pointer is in a document; None if there is none."""
    if tree is None or not pointer:
        return None
    start, end = 0, len(tree.text)
    for part in pointer.strip(b"/").split(b"/"):
        inside = (one for one in spans(tree) if start <= one.start and one.end <= end)
        pairs = [one for one in inside if _key(one) == part]
        if not pairs:
            return None
        pair = min(pairs, key=lambda one: len(list(one.place.upwards())))
        start, end = tree.text.index(b":", pair.start + len(part)) + 1, pair.end
    return start, end


def _outdented(value: bytes) -> bytes:
    text = value.strip(b" ").decode("utf-8", "surrogateescape")
    return dedent(text).strip().encode("utf-8", "surrogateescape")


def _key(span: NodeSpan) -> bytes | None:
    """Return the key of a pair of a document; None of any other node."""
    children = [one for one in span.node.children if one.token_count]
    if len(children) < 2 or not children[1].text.startswith(b":"):
        return None
    return children[0].text.strip(b"\"'")
