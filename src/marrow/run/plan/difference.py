"""`--diff GOOD BAD`: the smallest set of changes between two inputs that still makes the test fail.

Zeller's "Yesterday, my program worked. Today, it does not. Why?" (ESEC/FSE 1999). A candidate is
the good input with some of the changes. A change is one token, or a whole file that came or went.
They are tried in groups first: all of a file, then those in the same nodes of both syntax trees,
from declarations down to expressions (in the same lines, without a parser), at last one by one.
Each level is minimised as a list. Guarantee: 1-minimal at each level.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Any, Final, TypeAlias

import tree_sitter

from marrow.base.errors import InputError, UsageError, error_text
from marrow.languages.recognition import canonical_name, is_binary, language_of
from marrow.run.plan.chosen_view import chosen_view
from marrow.run.plan.input import Input, path_input
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle
from marrow.syntax.parsers import load_language, parse_text
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.views import PortionOrder, S

# A line has the end of the line before it, and a token the space before it: so the layout of what
# stays is that of the good input.
_LINES: Final = re.compile(rb"(?=\r\n)|(?<!\r)(?=\n)")
_TOKENS: Final = re.compile(rb"\s*(?:\w+|[^\w\s])|\s+")

# Longer lists are not compared piece by piece: difflib is quadratic.
_MOST_PIECES: Final = 16_000

# Lines that differ in more than half of their tokens are others, and not the same ones changed.
_ALIKE: Final = 0.5

# What speaks of one whole input.
_NOT_WITH_IT: Final = ("in_place", "keep_lines", "keep", "algorithm", "grammar")


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change in one file: bytes of the good text, from `at` on, that others take the place of.

    Without `old` the file is new, without `new` it was deleted. `to` is where `new` is in the bad
    text, `hunk` the number of the lines that it is in.
    """

    name: str
    at: int
    old: bytes | None
    new: bytes | None
    to: int = 0
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
    """Return the changes from one set of files to another, in the order of names and places."""
    found: list[FileChange] = []
    for name in sorted(good.keys() | bad.keys()):
        old, new = (files[name].content if name in files else None for files in (good, bad))
        if old is None or new is None:
            found.append(FileChange(name, 0, old, new))
            continue
        hunks = _differences(_LINES.split(old), _LINES.split(new), _indentation)
        for hunk, (at, gone, to, come) in enumerate(hunks):
            for start, before, there, after in _differing_tokens(gone, come):
                found.append(FileChange(name, at + start, before, after, to + there, hunk))
    return found


def _differing_tokens(
    gone: Sequence[bytes], come: Sequence[bytes]
) -> Iterator[tuple[int, bytes, int, bytes]]:
    """Yield the tokens that differ in lines that differ, each with its place in them."""
    old, new = (_TOKENS.findall(b"".join(lines)) for lines in (gone, come))
    runs = list(_differences(old, new, _space_before))
    same = len(old) - sum(len(ours) for _, ours, _, _ in runs)
    if same < _ALIKE * max(len(old), len(new)):
        # Tokens that happen to be equal (brackets) do not make one thing of two.
        runs = [(0, old, 0, ()), (sum(map(len, gone)), (), 0, new)]
    for at, ours, to, theirs in runs:
        for before, after in zip_longest(ours, theirs, fillvalue=b""):
            if before != after:
                yield at, before, to, after
            at, to = at + len(before), to + len(after)


def _space_before(token: bytes) -> int:
    return len(token) - len(token.lstrip())


def _indentation(line: bytes) -> int:
    return -_space_before(line)


def _differences(
    ours: Sequence[bytes], theirs: Sequence[bytes], begins: Callable[[bytes], int]
) -> Iterator[tuple[int, Sequence[bytes], int, Sequence[bytes]]]:
    """Yield the runs of pieces that differ, each with its place in its text.

    What came or went between equal pieces (`; b()` of `a(); b();`) may be one of several runs. It
    is the one whose first piece `begins` something most: a token after space, a line far left.
    """
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    whole = ("replace", 0, len(ours), 0, len(theirs))
    long = len(ours) + len(theirs) > _MOST_PIECES
    codes = [whole] if long else matcher.get_opcodes()
    starts = [list(accumulate(map(len, some), initial=0)) for some in (ours, theirs)]
    for (kind, first, last, start, stop), then in zip_longest(codes, codes[1:], fillvalue=whole):
        if kind == "equal":
            continue
        by = 0
        if kind == "insert" and stop < len(theirs):
            by = _slide(theirs[start : then[4]], stop - start, begins)
        elif kind == "delete" and last < len(ours):
            by = _slide(ours[first : then[2]], last - first, begins)
        first, last, start, stop = (one + by for one in (first, last, start, stop))
        yield starts[0][first], ours[first:last], starts[1][start], theirs[start:stop]


def _slide(pieces: Sequence[bytes], length: int, begins: Callable[[bytes], int]) -> int:
    """Return by how much a run at the start of pieces is moved right, over some equal to it."""
    by = best = 0
    while length + by < len(pieces) and pieces[by] == pieces[length + by]:
        by += 1
        if begins(pieces[by]) > begins(pieces[best]):
            best = by
    return best


def applied(good: Files, bad: Files, chosen: Sequence[FileChange]) -> dict[str, BundleEntry]:
    """Return the good files with some of the changes, which are in the order of places."""
    found = dict(good)
    for change in reversed(chosen):  # from the back, so that places stay
        if change.new is None:
            found.pop(change.name, None)
        elif change.old is None:
            found[change.name] = bad[change.name]
        else:
            text, end = found[change.name].content, change.at + len(change.old)
            text = text[: change.at] + change.new + text[end:]
            found[change.name] = BundleEntry(change.name, text, bad[change.name].mode)
    return found


def _parsed(name: str, text: bytes, language: str | None) -> tree_sitter.Tree | None:
    """Return the tree of a text, if there is a parser for it."""
    known = language or (None if is_binary(text) else language_of(name, text))
    with contextlib.suppress(LookupError):
        if known is not None:
            return parse_text(tree_sitter.Parser(load_language(known)), text)
    return None


@lru_cache(maxsize=64)
def _has_error(name: str, text: bytes, language: str | None) -> bool:
    """Whether there is a parser for a text, and it finds an error; known for the last texts."""
    tree = _parsed(name, text, language)
    return tree is not None and tree.root_node.has_error


#: The nodes that a change is in, from the root down, in the good tree and in the bad one.
Places: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


def node_places(
    good: Files, bad: Files, changes: Sequence[FileChange], language: str | None
) -> list[Places]:
    """Return where each change is in the trees of its file; without them, in which lines."""

    tree_of = cache(lambda name, new: _parsed(name, (bad if new else good)[name].content, language))

    def nodes(change: FileChange, new: bool) -> tuple[int, ...]:
        if (tree := tree_of(change.name, new)) is None:
            return (change.hunk,)
        text, start = (change.new, change.to) if new else (change.old, change.at)
        # By the last letter: the space before the first belongs to nodes above.
        at = start + max(len((text or b"").rstrip()) - 1, 0)
        found = []
        node = tree.root_node.descendant_for_byte_range(at, at + 1)
        while node is not None:
            found.append(node.id)
            node = node.parent
        return tuple(found[::-1])

    return [
        ((), ()) if None in (one.old, one.new) else (nodes(one, False), nodes(one, True))
        for one in changes
    ]


def grouped(
    changes: Sequence[FileChange], keys: Sequence[Hashable]
) -> list[tuple[FileChange, ...]]:
    """Return changes in groups of the same file and the same key."""
    groups: dict[Hashable, list[FileChange]] = {}
    for change, key in zip(changes, keys, strict=True):
        groups.setdefault((change.name, key), []).append(change)
    return [tuple(group) for group in groups.values()]


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
            raise InputError(error_text("no_difference"))

    @property
    def description(self) -> str:
        """The changes, in a few words."""
        return f"{self._count:,} change{'' if self._count == 1 else 's'} to a good input"

    def length(self, text: bytes) -> int:
        """Return the bytes of all changes together."""
        return sum(len(one.old or b"") + len(one.new or b"") for one in self._changes(text))

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
        """Yield the changes by files, by nodes from the root down, and one by one."""
        before: list[tuple[FileChange, ...]] = []
        for depth in itertools.count():
            bad = files_of(self._bad, best())
            changes = changes_between(self._good, bad)
            places = node_places(self._good, bad, changes, self._parse_as)
            deepest = max((len(path) for both in places for path in both), default=0)
            keys: list[Hashable] = [tuple(path[:depth][-1:] for path in both) for both in places]
            if last := depth > deepest:
                keys = list(range(len(changes)))
            groups = grouped(changes, keys)
            if groups and groups != before:
                yield order.everything, self._portion(groups, bad)
                before = groups
            if last:
                return

    def _portion(self, groups: list[tuple[FileChange, ...]], bad: Files) -> Portion:
        """Return a portion whose lines are the numbers of groups of changes."""

        def whole(numbers: bytes) -> bytes:
            chosen = [change for number in numbers.split() for change in groups[int(number)]]
            chosen.sort(key=lambda one: (one.name, one.at, one.to))
            found = applied(self._good, bad, chosen)
            return make_bundle(found.values()) if self._bad.several else found[""].content

        text = b"".join(b"%d\n" % number for number in range(len(groups)))
        return Portion(
            text,
            (TextFrontEnd("lines"),),
            whole,
            lambda tree: len(tree.text.split()),
            self.length,
            self._parses,
            fixed=True,
        )

    def _parses(self, text: bytes) -> bool:
        """Whether all files parse that do so in both inputs: no test is spent on others."""
        for name, file in files_of(self._bad, text).items():
            known = [files[name].content for files in (self._good, self._all) if name in files]
            errors = (_has_error(name, one, self._parse_as) for one in (file.content, *known))
            if file.content not in known and next(errors) and not any(errors):
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


def difference_view(good: Input, bad: Input, values: Mapping[str, Any]) -> DifferenceView:
    """Return the view of a difference; raise `UsageError` where inputs or options make none."""
    if good.several != bad.several:
        raise UsageError("⟦diff⟧ compares two files or two directories\nGive two of a kind.")
    given = [name for name in _NOT_WITH_IT if values[name]]
    if given:
        raise UsageError(f"⟦diff⟧ does not go with ⟦{given[0]}⟧\nLeave one of them out.")
    language = values["language"]
    if language is not None:
        chosen_view(bad, values)  # raises if the language is unknown
        language = canonical_name(language)
    return DifferenceView(good, bad, language)


def two_inputs(good: str, bad: Path) -> tuple[Input, Input]:
    """Return the good and the bad input: two files, or two directories."""
    for one in (Path(good), bad):
        if not one.exists():
            raise InputError(f"there is no file {one}\nCheck the names of both inputs of ⟦diff⟧.")
    return path_input((Path(good),), bad.name if bad.is_file() else None), path_input((bad,))
