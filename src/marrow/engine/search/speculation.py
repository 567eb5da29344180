"""Looking ahead: the tree of what may have to be tried, and how likely each of it is needed.

A *branch* is a stream of attempts under an assumption: that certain attempts before it are
interesting. It goes on as long as its own attempts fail; each of them has a branch that follows if
it is interesting. The branch without assumptions is the trunk, whose attempts are really made. Any
other is only looked into, and what is found there depends on the assumption alone: when it comes
true, the branch is the trunk, as if nobody had looked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from marrow.engine.journal.journal import digest
from marrow.engine.search.chances import Before, Traits
from marrow.reducers.stream import Attempt, Attempts, Stream
from marrow.syntax.front_end import Validity
from marrow.syntax.portion import Portion
from marrow.tree import Tree, smaller

#: How likely an attempt succeeds after another one.
Chance: TypeAlias = Callable[["Entry", Before | None], float]


@dataclass(slots=True, eq=False)
class Entry:
    """An attempt that was taken from a stream. `refused`: the parser does not take it.

    With one that is skipped, the rest of its pass is left out.
    """

    attempt: Attempt
    key: bytes
    after: Branch
    traits: Traits
    refused: bool = False
    skipped: bool = False

    def says(self, success: bool) -> Before:
        """Return what a verdict on this attempt says to the next one."""
        return Before(self.traits.phase, success)


@dataclass(frozen=True, slots=True)
class Ground:
    """What all branches of a reduction stand on: how candidates lie in the input, what is known.

    `been` are the texts that were the best; `asked` those that have been asked about.
    """

    part: Portion
    been: Collection[bytes]
    asked: Collection[bytes]


@dataclass(slots=True, eq=False)
class Branch:
    """A stream of attempts from a base; `then` gives the stream when it is needed first."""

    ground: Ground
    base: Tree
    then: Callable[[], Stream | None]
    above: Branch | None = None
    key: bytes = b""
    #: What was taken from the stream and is not settled, in order.
    entries: deque[Entry] = field(default_factory=deque)
    ended: bool = False
    _validity: Validity | None = None
    _judging: bool = False
    _source: Iterator[Entry] | None = None
    _next: Entry | None = None

    @classmethod
    def trunk(
        cls, ground: Ground, base: Tree, stream: Stream | None, validity: Validity | None
    ) -> Branch:
        """Return the branch that a run begins with; `validity` knows the base."""
        branch = cls(ground, base, lambda: stream)
        branch._validity, branch._judging = validity, True
        return branch

    def other(self, stream: Stream | None) -> Branch:
        """Return the branch that follows instead of this one, from the same base."""
        return Branch.trunk(self.ground, self.base, stream, self.validity)

    def peek(self) -> Entry | None:
        """Return the next entry of the stream, None at its end; it stays the next one."""
        if self._next is None and not self.ended:
            if self._source is None:
                self._source = self._walk()
            self._next = next(self._source, None)
            self.ended = self._next is None
        return self._next

    def take(self) -> Entry | None:
        """Take the next entry from the stream."""
        entry, self._next = self.peek(), None
        if entry is not None:
            self.entries.append(entry)
        return entry

    def end_after(self, count: int) -> None:
        """Forget all but the first entries: the last of them is interesting."""
        while len(self.entries) > count:
            self.entries.pop().after.close()
        self.ended = True
        self._source = self._next = None

    def close(self) -> None:
        """Let go of all that was looked at in this branch and in those that grow from it.

        A branch and its stream hold each other, and candidates are as long as the input: they must
        not wait for the garbage collector, which counts objects and not their bytes.
        """
        pending = [self]
        while pending:
            branch = pending.pop()
            pending.extend(entry.after for entry in branch.entries)
            branch.entries.clear()
            branch.ended = True
            branch._source = branch._next = branch.above = branch._validity = None

    @property
    def validity(self) -> Validity | None:
        """What judges the candidates of this branch: it counts the base as accepted."""
        if not self._judging:
            self._judging = True
            before = None if self.above is None else self.above.validity
            if before is not None:
                self._validity = before.copy()
                self._validity.rebase(self.base)
        return self._validity

    def grown(self) -> Branch:
        """Say that the assumption has come true: nothing stands above this branch any more."""
        _ = self.validity
        self.above = None
        return self

    def _walk(self) -> Iterator[Entry]:
        """Walk the attempts of the stream and of those that follow it; drop what is not smaller."""
        for attempt in Attempts(self.then()):
            candidate = attempt.tree
            if not smaller(candidate, candidate.origin or self.base):
                continue
            key = digest(self.ground.part.whole(candidate.text))
            if self._was(key):
                continue
            after = Branch(self.ground, candidate, attempt.then, self, key)
            traits = Traits.of(attempt, self.base)
            yield Entry(attempt, key, after, traits, refused=self._refuses(attempt, key))

    def _was(self, key: bytes) -> bool:
        """Whether a text was the best before, or is by assumption."""
        if key in self.ground.been:
            return True
        branch: Branch | None = self
        while branch is not None:
            if branch.key == key:
                return True
            branch = branch.above
        return False

    def _refuses(self, attempt: Attempt, key: bytes) -> bool:
        if attempt.unparsed or key in self.ground.asked:
            return False
        return self.validity is not None and not self.validity.valid(attempt.tree)


#: Something to do next: start the test of an entry, or take another from a branch.
Step: TypeAlias = Entry | Branch


@dataclass(slots=True)
class Survey:
    """What there is to do, how likely each of it is needed, and what is assumed just before it."""

    steps: list[tuple[float, Step, Before | None]] = field(default_factory=list)
    #: Of each candidate that waits for its verdict, the chance that it is needed.
    waiting: dict[bytes, float] = field(default_factory=dict)
    entries: int = 0


def survey(trunk: Branch, running: Collection[bytes], chance: Chance) -> Survey:
    """Look at the trunk and at all branches that grow from it; cut off those that cannot come true.

    `chance` is 0 or 1 where the verdict is known.
    """
    found = Survey()
    pending: list[tuple[float, Branch, Before | None]] = [(1.0, trunk, None)]
    while pending:
        likely, branch, before = pending.pop()
        for count, entry in enumerate(branch.entries, 1):
            found.entries += 1
            success = chance(entry, before)
            if 0.0 < success < 1.0:
                found.waiting[entry.key] = max(likely, found.waiting.get(entry.key, 0.0))
                if entry.key not in running:
                    found.steps.append((likely, entry, before))
            if success > 0.0:
                pending.append((likely * success, entry.after, entry.says(True)))
            elif entry.after.entries:
                entry.after.end_after(0)
            likely *= 1.0 - success
            if not entry.refused:
                before = entry.says(False)
            if success == 1.0:
                branch.end_after(count)
                break
        if not branch.ended:
            found.steps.append((likely, branch, before))
    return found
