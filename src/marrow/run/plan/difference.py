"""`--diff GOOD BAD`: the smallest set of changes between two inputs that still makes the test fail.

Zeller's "Yesterday, my program worked. Today, it does not. Why?" (ESEC/FSE 1999). A candidate is
the good input with some of the changes. A change is one line, or a whole file that came or went.
They are tried in groups first: all of a file, then neighbouring lines, at last one by one. Each
level is minimised as a list. Guarantee: 1-minimal at each level.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import tree_sitter

from marrow.base.errors import InputError, UsageError
from marrow.languages.recognition import is_binary, language_of
from marrow.run.plan.input import Input, path_input
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle
from marrow.syntax.parsers import load_language, parse_text
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.views import PortionOrder, S
from marrow.tree import Tree

# More lines are not compared one by one: difflib is quadratic.
_MOST_LINES: Final = 16_000

# What speaks of one whole input.
_NOT_WITH_IT: Final = ("in_place", "keep_lines", "keep", "algorithm", "grammar")


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change in one file: the line number `at` of the good text, which gives way to another.

    Without `old` the line is new, without `new` it was deleted; without both, the whole file came
    or went. `hunk` is the number of the neighbouring lines that it is among.
    """

    name: str
    at: int = 0
    old: bytes | None = None
    new: bytes | None = None
    hunk: int = 0


#: The files of an input by their names; a single file has the name "".
Files: TypeAlias = Mapping[str, BundleEntry]


def files_of(source: Input, text: bytes | None = None) -> Files:
    """Return the files of an input, or of a text of it."""
    whole = source.text if text is None else text
    if not source.several:
        return {"": BundleEntry("", whole)}
    return {one.name: one for one in read_bundle(whole)}


def changes_between(good: Files, bad: Files) -> list[FileChange]:
    """Return the changes from one set of files to another, in the order of names and lines."""
    found: list[FileChange] = []
    for name in sorted(good.keys() | bad.keys()):
        if name not in good or name not in bad:
            found.append(FileChange(name))
        elif good[name].content != bad[name].content:
            found += _changes_in(name, good[name].content, bad[name].content)
    return found


def _changes_in(name: str, old: bytes, new: bytes) -> Iterator[FileChange]:
    ours, theirs = old.splitlines(keepends=True), new.splitlines(keepends=True)
    codes: Sequence[tuple[str, int, int, int, int]]
    codes = [("replace", 0, len(ours), 0, len(theirs))]
    if len(ours) + len(theirs) <= _MOST_LINES:
        codes = difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    for hunk, (kind, first, last, start, stop) in enumerate(codes):
        if kind == "replace" and last - first == stop - start:
            for at in range(first, last):
                yield FileChange(name, at, ours[at], theirs[start + at - first], hunk)
        elif kind != "equal":
            # Which line became which is not known: those that come may do without those that go.
            for line in theirs[start:stop]:
                yield FileChange(name, first, None, line, hunk)
            for at in range(first, last):
                yield FileChange(name, at, ours[at], None, hunk)


def applied(good: Files, bad: Files, chosen: Sequence[FileChange]) -> dict[str, BundleEntry]:
    """Return the good files with some of the changes, which are in the order of lines."""
    found = dict(good)
    for name in dict.fromkeys(change.name for change in chosen):
        if name not in bad:
            del found[name]
        elif name not in good:
            found[name] = bad[name]
        else:
            lines = good[name].content.splitlines(keepends=True)
            for one in reversed([change for change in chosen if change.name == name]):
                end = one.at + (one.old is not None)
                lines[one.at : end] = [] if one.new is None else [one.new]
            found[name] = BundleEntry(name, b"".join(lines), bad[name].mode)
    return found


@lru_cache(maxsize=64)
def _has_error(name: str, text: bytes, language: str | None) -> bool:
    """Whether there is a parser for a text, and it finds an error; known for the last texts."""
    known = language or (None if is_binary(text) else language_of(name, text))
    try:
        return (
            known is not None
            and parse_text(tree_sitter.Parser(load_language(known)), text).root_node.has_error
        )
    except LookupError:
        return False


#: What changes of one group share, from coarse to fine.
_LEVELS: Final[Sequence[Callable[[FileChange], Hashable]]] = (
    lambda one: one.name,
    lambda one: (one.name, one.hunk),
    lambda one: one,
)


class DifferenceView:
    """The view of an input as changes to a good one."""

    note: Final = ""
    language: Final = "changes"

    def __init__(self, good: Input, bad: Input, language: str | None = None) -> None:
        """`language` is what files are parsed as, where their names do not tell."""
        self._bad: Final = bad
        # The name of a single file is not among its changes.
        self._parse_as: Final = language or (
            None if bad.several else language_of(bad.name, bad.text)
        )
        self._good: Final = files_of(good)
        self._all: Final = files_of(bad)
        self._count: Final = self._hunks(bad.text)
        if not self._count:
            raise InputError(
                "the two inputs of ⟦diff⟧ are the same\nGive one that is good and one that fails."
            )

    @property
    def description(self) -> str:
        """The changes, in a few words."""
        return f"{self._count:,} change{'' if self._count == 1 else 's'} to a good input"

    def length(self, text: bytes) -> int:
        """Return the bytes of all changes together."""
        files = files_of(self._bad, text)
        whole = [one.name for one in self._changes(text) if one.old is one.new]
        return sum(len(one.old or b"") + len(one.new or b"") for one in self._changes(text)) + sum(
            len((files if name in files else self._good)[name].content) for name in whole
        )

    def tokens(self, text: bytes, parse: Parse) -> int:
        """Return the number of changes, as lines that belong together."""
        del parse
        return self._hunks(text)

    def _hunks(self, text: bytes) -> int:
        return len({(one.name, one.hunk) for one in self._changes(text)})

    def _changes(self, text: bytes) -> list[FileChange]:
        return changes_between(self._good, files_of(self._bad, text))

    def portions(
        self, best: Callable[[], bytes], order: PortionOrder[S]
    ) -> Iterator[tuple[S, Portion]]:
        """Yield the changes by files, by neighbouring lines, and one by one."""
        before: list[list[FileChange]] = []
        for key in _LEVELS:
            bad = files_of(self._bad, best())
            found: dict[Hashable, list[FileChange]] = {}
            for change in changes_between(self._good, bad):
                found.setdefault(key(change), []).append(change)
            groups = list(found.values())
            if groups and groups != before:
                yield order.everything, self._portion(groups, bad)
                before = groups

    def _portion(self, groups: list[list[FileChange]], bad: Files) -> Portion:
        """Return a portion whose lines are the numbers of groups of changes."""

        def whole(numbers: bytes) -> bytes:
            chosen = [change for number in numbers.split() for change in groups[int(number)]]
            found = applied(self._good, bad, chosen)
            return make_bundle(found.values()) if self._bad.several else found[""].content

        def count(tree: Tree) -> int:
            return len(tree.text.split())

        text = b"".join(b"%d\n" % number for number in range(len(groups)))
        front = TextFrontEnd("lines")
        return Portion(text, (front,), whole, count, self.length, self._parses, fixed=True)

    def _parses(self, text: bytes) -> bool:
        """Whether all files parse that do so in both inputs: no test is spent on others."""
        for name, file in files_of(self._bad, text).items():
            known = [files[name].content for files in (self._good, self._all) if name in files]
            if (
                file.content not in known
                and _has_error(name, file.content, self._parse_as)
                and not any(_has_error(name, one, self._parse_as) for one in known)
            ):
                return False
        return True


def patch_of(good: Input, text: bytes, bad: Input) -> str:
    """Return what is left of a difference as a unified diff."""
    before, after = files_of(good), files_of(bad, text)
    found: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = (files[name].content if name in files else b"" for files in (before, after))
        if old != new:
            shown = name or bad.name
            found += difflib.unified_diff(
                old.decode("utf-8", "backslashreplace").splitlines(keepends=True),
                new.decode("utf-8", "backslashreplace").splitlines(keepends=True),
                f"a/{shown}" if name in before else "/dev/null",
                f"b/{shown}" if name in after else "/dev/null",
            )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in found)


def check_difference(good: Input, bad: Input, values: Mapping[str, Any]) -> None:
    """Raise `UsageError` if two inputs, or the options with them, make no difference to reduce."""
    if good.several != bad.several:
        raise UsageError("⟦diff⟧ compares two files or two directories\nGive two of a kind.")
    given = [name for name in _NOT_WITH_IT if values[name]]
    if given:
        raise UsageError(f"⟦diff⟧ does not go with ⟦{given[0]}⟧\nLeave one of them out.")


def good_input(good: str, bad: Path) -> Input:
    """Return the good input of a difference from a file or directory."""
    if not Path(good).exists():
        raise InputError(f"there is no file {good}\nCheck the name that ⟦diff⟧ gives.")
    return path_input((Path(good),), bad.name if bad.is_file() else None)
