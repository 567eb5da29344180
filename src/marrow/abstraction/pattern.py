"""Patterns: abstract failure-inducing inputs (DDSET), as data.

A pattern is the derivation tree of a failing input in which some nodes are marked: those that may
be any text of their nonterminal (abstract), those that may be any text as long as it is the same
one in several places (context-sensitive), and those that nobody needs to see (invisible, lexical).
Each marked node has the evidence for its mark. A pattern holds its language, grammar and all, so
that inputs can be produced from it, and recognised, with nothing else at hand.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from marrow.abstraction.conditions import Condition
from marrow.tree import ROOT, Node, Place, Token, Tree
from marrow.tree.layout import joint
from marrow.tree.node import render

if TYPE_CHECKING:
    from marrow.abstraction.pattern_language import PatternLanguage

#: With n of n samples failing, at most 3/n of all samples do not, with 95% confidence: the "rule of
#: three" (the exact bound, 1 - 0.05 ** (1 / n), is a little smaller).
_RULE_OF_THREE: Final = 3.0


class Mark(enum.Enum):
    """The role of a node in a pattern."""

    #: The text is needed: with another one a valid input passed.
    CONCRETE = "concrete"
    #: The text was kept, but no valid input with another one was seen to pass.
    UNKNOWN = "not known"
    #: Any text of the node's nonterminal does.
    ABSTRACT = "abstract"
    #: Any text of the nonterminal does, if all the nodes of the group have the same.
    CONTEXT_SENSITIVE = "context-sensitive"
    #: Abstract, but empty or white space in the input, and so not shown.
    INVISIBLE = "invisible"
    #: A nonterminal that has only this one text.
    LEXICAL = "lexical"


#: Begins the key of names that occur nowhere else, neither in the input nor in the language.
NEW_NAME: Final = "new "

#: What follows a name without a comma.
_COMPARISONS: Final = "<>=≤≥≠"

#: The marks of nodes that vary.
VARIABLE: Final = frozenset({Mark.ABSTRACT, Mark.CONTEXT_SENSITIVE, Mark.INVISIBLE})


@dataclass(frozen=True, slots=True)
class Evidence:
    """The outcome of samples: how many valid ones failed, and how many said nothing.

    `near` counts those that failed and were near the input. `passing` counts samples that did not
    fail; `counterexample` is the first of them, a whole input. `exhaustive` says that there are no
    other samples than these. `reason` says in words why a node does not vary.
    """

    failing: int = 0
    near: int = 0
    passing: int = 0
    unresolved: int = 0
    timeouts: int = 0
    exhaustive: bool = False
    counterexample: bytes | None = None
    reason: str = ""

    @property
    def valid(self) -> int:
        """The samples that were valid inputs."""
        return self.failing + self.passing

    @property
    def samples(self) -> int:
        """All samples."""
        return self.valid + self.unresolved + self.timeouts

    @property
    def validity(self) -> float:
        """The share of samples that were valid inputs."""
        return self.valid / self.samples if self.samples else 1.0

    @property
    def confidence(self) -> float:
        """At least this share of all valid samples fails, with 95% confidence; 0 if unknown."""
        if self.passing or not self.failing:
            return 0.0
        if self.exhaustive:
            return 1.0
        return max(0.0, 1.0 - _RULE_OF_THREE / self.failing)


@dataclass(frozen=True, slots=True)
class Marked:
    """The mark of a node: the name to show, its group (from 1), the evidence.

    `validity` is the share of samples that were valid inputs while nothing but this node varied.
    `samples` are texts that stood in the node's place in valid failing inputs, `invalid` those that
    made an input invalid there. `apart` is, for a node of a group, a valid input that passed in
    which it differed from the others; without one it is `doubtful` that they must be the same.
    `key` is the nonterminal that samples are drawn from, if it is not the node's symbol. `differs`
    are places that must have another text; with the same one a valid input passed (`alike`).
    `passing` are texts that stood in the place of a new name in valid inputs that passed.
    `conditions` hold for every text of the node; `label` is what comparisons with it call it.
    `open` is, for a list, how many samples failed that had further elements in it; with `gaps` they
    may be between those that are needed, too.
    """

    mark: Mark
    name: str
    group: int = 0
    evidence: Evidence = field(default_factory=Evidence)
    samples: tuple[bytes, ...] = ()
    invalid: tuple[bytes, ...] = ()
    validity: float = 1.0
    apart: bytes | None = None
    doubtful: bool = False
    key: str = ""
    differs: tuple[Place, ...] = ()
    alike: bytes | None = None
    passing: tuple[bytes, ...] = ()
    conditions: tuple[Condition, ...] = ()
    label: str = ""
    open: int = 0
    gaps: bool = False


@dataclass(frozen=True, slots=True)
class Hole:
    """A node, or the nodes of a context-sensitive group, that vary as one.

    `symbol` is what `Generator.node` takes as its start.
    """

    places: tuple[Place, ...]
    symbol: str
    marked: Marked

    @property
    def new_name(self) -> bool:
        """Whether it is a name that occurs nowhere else."""
        return self.symbol.startswith(NEW_NAME)


@dataclass(frozen=True, slots=True)
class Counts:
    """Tests that one worker would run, all and those for reducing; answers from the journal."""

    tests: int = 0
    reduction: int = 0
    cached: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A pattern: the derivation tree, with marks.

    `marks` has the nodes that were looked at, by their places; nodes below one that varies are not
    there, and a node without a mark is concrete. `joint` is what the last samples showed in which
    everything that varies varied at once; `together` has the texts of each hole in those of them
    that failed, None where it kept its own. `stopped` says why the search ended early, if it did.
    `core` is the place of the part that makes larger inputs fail wherever it is, `origin` the
    digest of the input before it was reduced, `passing` how many other valid inputs pass.
    """

    tree: Tree
    marks: Mapping[Place, Marked]
    language: PatternLanguage
    joint: Evidence = field(default_factory=Evidence)
    seed: int = 0
    checks: int = 0
    naive: bool = False
    counts: Counts = field(default_factory=Counts)
    stopped: str = ""
    together: tuple[tuple[bytes | None, ...], ...] = ()
    core: Place | None = None
    origin: str = ""
    passing: int = 0

    def mark_at(self, place: Place) -> Mark:
        """Return the mark of a node."""
        marked = self.marks.get(place)
        return Mark.CONCRETE if marked is None else marked.mark

    def holes(self) -> list[Hole]:
        """Return what varies, in the order of the text; a group comes where its first node is."""
        return holes_of(self.tree, self.marks)

    def pieces(self, start: Place = ROOT) -> Iterator[tuple[Place, Node]]:
        """Walk what a place is made of, in the order of the text: parts that vary, and tokens."""
        for place, node in self.tree.walk(start, lambda at, _: self.mark_at(at) not in VARIABLE):
            if isinstance(node, Token) or self.mark_at(place) in VARIABLE:
                yield place, node


def kept_mark(evidence: Evidence) -> Mark:
    """Return the mark of a node that does not vary: needed only if another text has passed."""
    return Mark.CONCRETE if evidence.passing else Mark.UNKNOWN


def holes_of(tree: Tree, marks: Mapping[Place, Marked]) -> list[Hole]:
    """Return what varies in a marked tree, in the order of the text."""
    groups: dict[int, list[Place]] = {}
    found: list[tuple[list[Place], str, Marked]] = []
    for place, node in tree.walk():
        marked = marks.get(place)
        if marked is None or marked.mark not in VARIABLE:
            continue
        if marked.group in groups:
            groups[marked.group].append(place)
            continue
        places = [place]
        if marked.group:
            groups[marked.group] = places
        found.append((places, marked.key or node.symbol, marked))
    return [Hole(tuple(places), symbol, marked) for places, symbol, marked in found]


class Segment(NamedTuple):
    """A piece of the compact form, and what it shows."""

    text: str
    mark: Mark
    place: Place | None = None


def segments(pattern: Pattern, start: Place = ROOT) -> Iterator[Segment]:
    """Yield the compact form of a place piece by piece; gaps are concrete."""
    tree = pattern.tree
    if start == ROOT:
        yield Segment(_decoded(tree.head), Mark.CONCRETE)
    last: Token | None = None
    for place, node in pattern.pieces(start):
        mark = pattern.mark_at(place)
        first = node.first
        if first is not None and last is not None:
            yield Segment(_decoded(joint(last, first)), Mark.CONCRETE)
        if mark in (Mark.ABSTRACT, Mark.CONTEXT_SENSITIVE):
            yield Segment(hole_text(pattern.marks[place]), mark, place)
        else:
            yield Segment(_decoded(render((node,))), mark)
        last = node.last or last
    if start == ROOT:
        yield Segment(_decoded(tree.tail), Mark.CONCRETE)


def compact(pattern: Pattern, start: Place = ROOT) -> str:
    """Return the compact form, or that of a place."""
    return "".join(segment.text for segment in segments(pattern, start))


def hole_text(marked: Marked) -> str:
    """Return how a part that varies is shown."""
    shown = f"${marked.name}{marked.group}" if marked.group else marked.name
    said = [words for one in marked.conditions if (words := one.words())]
    if marked.label:
        shown = f"{shown} {marked.label}"
    if said:
        comma = "" if said[0][0] in _COMPARISONS else ","
        shown = f"{shown}{comma} {', '.join(said)}"
    return f"<{shown}>"


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")
