"""`--diff GOOD BAD`: the smallest set of changes between two inputs that still makes the test fail.

Zeller's "Yesterday, my program worked. Today, it does not. Why?" (ESEC/FSE 1999). A candidate is
the good input with some of the changes. First whole files, then hunks along the syntax tree from
declarations down to expressions (lines, without a parser), then tokens within those; each
level is minimised as a list. Guarantee: 1-minimal at each level.
"""

from __future__ import annotations

import difflib
import io
import os
import re
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from marrow.base.errors import InputError, UsageError
from marrow.languages.recognition import language_of
from marrow.run.plan.input import Input, mapping_input, path_input
from marrow.run.plan.syntax_changes import has_error, node_changes, parsed
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.views import PortionOrder, S
from marrow.tree import Tree

_TOKENS: Final = re.compile(rb"\w+|[^\S\n]+|\n|[^\w\s]")

# Longer hunks are not compared token by token: difflib is quadratic.
_MOST_TOKENS: Final = 4_000

# What speaks of one whole input.
_NOT_WITH_IT: Final = ("in_place", "keep_lines", "keep", "algorithm", "grammar")

# How deep nodes are compared; what differs below is cut into tokens.
_DEEPEST: Final = 64


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change in one file: pieces of the good text that others take the place of.

    Without `old` the file is new, without `new` it was deleted; else both are the pieces of a part,
    and `at` is where the part begins.
    """

    name: str
    at: int
    old: bytes | None
    new: bytes | None


#: Cuts the changes of a file, given by its name and its two texts, into some.
Cut: TypeAlias = Callable[[str, bytes, bytes], Iterator[FileChange]]

#: The files of an input by their names; a single file has the name "".
Files = Mapping[str, BundleEntry]


def files_of(source: Input, text: bytes | None = None) -> Files:
    """Return the files of an input, or of a text of it."""
    whole = source.text if text is None else text
    if not source.several:
        return {"": BundleEntry("", whole)}
    return {one.name: one for one in read_bundle(whole)}


def changes_between(good: Files, bad: Files, cut: Cut) -> list[FileChange]:
    """Return the changes from one set of files to another, as a level cuts them."""
    found: list[FileChange] = []
    for name in sorted(good.keys() | bad.keys()):
        before, after = good.get(name), bad.get(name)
        if before is None or after is None:
            found.append(
                FileChange(
                    name,
                    0,
                    None if before is None else before.content,
                    None if after is None else after.content,
                )
            )
        elif before.content != after.content:
            found += cut(name, before.content, after.content)
    return found


def _by_pieces(
    pieces: Callable[[bytes], list[bytes]], name: str, old: bytes, new: bytes
) -> Iterator[FileChange]:
    """Yield the changes in a file that is cut into pieces."""
    ours, theirs = pieces(old), pieces(new)
    starts = [0]
    for piece in ours:
        starts.append(starts[-1] + len(piece))
    if len(ours) + len(theirs) > _MOST_TOKENS * 4:
        yield FileChange(name, 0, old, new)
        return
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    for kind, one, two, three, four in matcher.get_opcodes():
        if kind != "equal" and pieces is _tokens:
            yield from _piece_by_piece(name, starts, ours, one, two, theirs[three:four])
        elif kind != "equal":
            yield FileChange(
                name, starts[one], b"".join(ours[one:two]), b"".join(theirs[three:four])
            )


def _piece_by_piece(
    name: str, starts: list[int], ours: list[bytes], start: int, end: int, theirs: list[bytes]
) -> Iterator[FileChange]:
    """Yield a change for every token of a run that others take the place of.

    Added blanks go with the next token, at the end with the one before.
    """
    found: list[FileChange] = []
    blank: FileChange | None = None
    for number in range(max(end - start, len(theirs))):
        at = min(start + number, end)
        old = ours[at] if at < end else b""
        new = theirs[number] if number < len(theirs) else b""
        if old == new:
            continue
        change = FileChange(name, starts[at], old, new)
        if blank is not None:
            change = FileChange(name, blank.at, old, (blank.new or b"") + new)
            blank = None
        if not old and new.isspace():
            blank = change
        else:
            found.append(change)
    if blank is not None:
        last = found.pop() if found and found[-1].at == blank.at else None
        found.append(
            blank if last is None else replace(last, new=(last.new or b"") + (blank.new or b""))
        )
    yield from found


def _lines(text: bytes) -> list[bytes]:
    return text.splitlines(keepends=True)


def _tokens(text: bytes) -> list[bytes]:
    """Cut a text into words, signs and blanks."""
    return _TOKENS.findall(text)


def whole_files(name: str, old: bytes, new: bytes) -> Iterator[FileChange]:
    """Yield one change for a file."""
    yield FileChange(name, 0, old, new)


#: Hunks of lines.
lines: Final[Cut] = partial(_by_pieces, _lines)
#: Runs of words, signs and blanks, one by one.
tokens: Final[Cut] = partial(_by_pieces, _tokens)


class Nodes:
    """Cuts files along their syntax trees down to a depth, and into lines without a parser."""

    def __init__(self, depth: int, language: str | None = None) -> None:
        self._depth: Final = depth
        self._language: Final = language
        #: Whether a deeper cut would be finer.
        self.finer = False

    def __call__(self, name: str, old: bytes, new: bytes) -> Iterator[FileChange]:
        """Yield the changes of a file."""
        ours, theirs = (parsed(name, text, self._language) for text in (old, new))
        if ours is None or theirs is None:
            yield from lines(name, old, new)
            return
        found, finer = node_changes(old, new, (ours, theirs), self._depth)
        self.finer = self.finer or finer
        for one in found:
            yield FileChange(name, *one)


def applied(good: Files, bad: Files, chosen: Sequence[FileChange]) -> dict[str, BundleEntry]:
    """Return the good files with some of the changes."""
    found = dict(good)
    edits: dict[str, list[FileChange]] = {}
    for change in chosen:
        if change.new is None:
            found.pop(change.name, None)
        elif change.old is None:
            found[change.name] = bad[change.name]
        else:
            edits.setdefault(change.name, []).append(change)
    for name, some in edits.items():
        text = good[name].content
        for change in reversed(some):  # from the back, so that places stay
            assert change.old is not None
            assert change.new is not None
            end = change.at + len(change.old)
            text = text[: change.at] + change.new + text[end:]
        found[name] = BundleEntry(name, text, bad[name].mode if name in bad else good[name].mode)
    return found


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
        self._several: Final = bad.several
        self._all: Final = files_of(bad)
        if not self._changes(bad.text, lines):
            raise InputError(
                "the two inputs of ⟦diff⟧ are the same\nGive one that is good and one that fails."
            )

    @property
    def description(self) -> str:
        """The changes, in a few words."""
        count = len(self._changes(self._bad.text, lines))
        return f"{count:,} change{'' if count == 1 else 's'} to a good input"

    def length(self, text: bytes) -> int:
        """Return the bytes of all changes together."""
        return sum(len(one.old or b"") + len(one.new or b"") for one in self._changes(text, lines))

    def tokens(self, text: bytes, parse: Parse) -> int:
        """Return the number of changes."""
        del parse
        return len(self._changes(text, lines))

    def portions(
        self, best: Callable[[], bytes], order: PortionOrder[S]
    ) -> Iterator[tuple[S, Portion]]:
        """Yield the changes by files, by nodes from the root down, by tokens."""
        before: list[FileChange] = []
        for cut in self._levels():
            changes = self._changes(best(), cut)
            if changes and changes != before:
                yield order.everything, self._portion(changes, best())
                before = self._changes(best(), cut)

    def _levels(self) -> Iterator[Cut]:
        """Yield the levels from coarse to fine; how deep nodes go is known when they are cut."""
        yield whole_files
        for depth in range(1, _DEEPEST):
            yield (nodes := Nodes(depth, self._parse_as))
            if not nodes.finer:
                break
        yield tokens

    def _changes(self, text: bytes, cut: Cut) -> list[FileChange]:
        return changes_between(self._good, self._files(text), cut)

    def _files(self, text: bytes) -> Files:
        return files_of(self._bad, text)

    def _portion(self, changes: list[FileChange], best: bytes) -> Portion:
        """Return a portion whose lines are the numbers of changes."""
        bad = self._files(best)

        def whole(numbers: bytes) -> bytes:
            chosen = [changes[int(number)] for number in numbers.split()]
            found = applied(self._good, bad, chosen)
            return make_bundle(found.values()) if self._several else found[""].content

        def count(tree: Tree) -> int:
            return len(tree.text.split())

        text = b"".join(b"%d\n" % number for number in range(len(changes)))
        front = TextFrontEnd("lines")
        return Portion(text, (front,), whole, count, self.length, self._parses, fixed=True)

    def _parses(self, text: bytes) -> bool:
        """Whether all files parse that do so in both inputs: no test is spent on others."""
        for name, file in self._files(text).items():
            known = [files[name].content for files in (self._good, self._all) if name in files]
            if (
                file.content not in known
                and has_error(name, file.content, self._parse_as)
                and not any(has_error(name, one, self._parse_as) for one in known)
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
        raise UsageError(
            "⟦diff⟧ compares two files, two directories or two commits\nGive two of a kind."
        )
    given = [name for name in _NOT_WITH_IT if values[name]]
    if given:
        raise UsageError(f"⟦diff⟧ does not go with ⟦{given[0]}⟧\nLeave one of them out.")


def two_inputs(good: str, bad: Path) -> tuple[Input, Input]:
    """Return the good and the bad input: two files, two directories, or two commits."""
    if not os.path.exists(good) and not os.path.exists(bad):
        return _commit(good), _commit(str(bad))
    for one in (Path(good), bad):
        if not one.exists():
            raise InputError(f"there is no file {one}\nCheck the names of both inputs of ⟦diff⟧.")
    return path_input((Path(good),), bad.name if bad.is_file() else None), path_input((bad,))


def _commit(name: str) -> Input:
    """Return the files of a commit of the repository that the user is in."""
    try:
        known = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        archive = _git("archive", "--format=tar", known.decode().strip())
    except (OSError, subprocess.SubprocessError) as error:
        raise InputError(
            f"⟦diff⟧: {name} is neither a file nor a commit of this repository\n"
            "Give two files, two directories or two commits: the good one first."
        ) from error
    files: dict[str, bytes | str] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is not None:
                files[member.name] = content.read()
    return mapping_input(files)


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], capture_output=True, check=True).stdout
