"""Definitions to declarations, in batches: all parts of a type at once, then by halves.

A definition does more than declare its name: it has a body, an initialiser, default arguments, base
clauses, constraints, attributes (`marrow.syntax.definition_parts`). In a large program most of that
is there for uses that are deleted. All parts of one type are tried at once. If they have to stay,
the two halves of the run are tried, and so on; if a first half goes, the second one is known to
stay. The run that promises most comes first, whatever its type: its tokens times the probability of
its type, which is that of type batching (`algorithms.beliefs`), corrected by every outcome.

Guarantee: none by itself; later stages see every token. Worst case: 2/s tests for each type, where
s is the share of the tokens that a run has to promise; types that fail end sooner.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from marrow.base.deadline import look
from marrow.learn.model import PRIOR_MODEL, Model
from marrow.learn.types import UNUSED, USED
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.streams.stream import Stream, attempt
from marrow.tree import Tree
from marrow.tree.names import Introductions
from marrow.tree.node_words import node_words
from marrow.tree.outline import (
    DeclarationOutline,
    TextPart,
    about_tokens,
    as_one_piece,
    without_parts,
)

_WORD: Final = re.compile(rb"[A-Za-z_]\w*")

# Runs of parts that declare a name which is used after them are deleted less often than others, by
# about this factor.
_USED_SHARE: Final = 0.4


@dataclass(frozen=True, slots=True)
class _PartRun:
    """Parts of one type to delete at once, by their numbers; `family` is the run that it is a half
    of."""

    type: str
    parts: tuple[int, ...]
    tokens: int
    family: tuple[str, int, int] | None = None

    @property
    def name(self) -> tuple[str, int, int]:
        return self.type, self.parts[0], self.parts[-1]


@dataclass(frozen=True, eq=False)
class DefinitionReducer:
    """Deletes parts of the definitions in a text, whose tree is `tree`.

    Runs that promise less than a share `least` of the tokens are not tried. `done` says what
    follows, given the beliefs in types as they are by then.
    """

    tree: Tree
    parts: Sequence[TextPart]
    done: Callable[[Tree, Beliefs], Stream | None]
    least: float
    model: Model = PRIOR_MODEL

    @cached_property
    def _tokens(self) -> list[int]:
        """How many tokens more each part has than what takes its place."""
        return [
            max(1, about_tokens(self.tree.text, one.start, one.end) - about_tokens(one.form))
            for one in self.parts
        ]

    def run(self, beliefs: Beliefs | None = None) -> Stream | None:
        """Delete what can go; `beliefs` are those of an earlier round."""
        types: dict[str, list[int]] = {}
        for number, part in enumerate(self.parts):
            name = part.type
            if part.scope:
                used = self._words.used_behind(part.start, part.end - 1)
                name = (USED if used else UNUSED) + name
            types.setdefault(name, []).append(number)
        runs = tuple(self._run(name, tuple(some)) for name, some in types.items())
        beliefs = beliefs or Beliefs(self.model, len(self.tree.text))
        return self._next(self.tree, frozenset(), runs, beliefs)

    @cached_property
    def _words(self) -> Introductions:
        """The words of the text, by where they are introduced."""
        spans: dict[bytes, tuple[int, int]] = {}
        for found in _WORD.finditer(self.tree.text):
            first, _ = spans.get(found[0], (found.start(), 0))
            spans[found[0]] = (first, found.end() - 1)
        return Introductions(spans)

    def _run(
        self, name: str, parts: tuple[int, ...], family: tuple[str, int, int] | None = None
    ) -> _PartRun:
        return _PartRun(name, parts, self._removed(parts), family)

    def _removed(self, parts: Sequence[int]) -> int:
        """Return how many tokens some parts have; those inside others count once."""
        removed, position = 0, -1
        for number in sorted(parts, key=lambda one: (self.parts[one].start, -one)):
            part = self.parts[number]
            if part.start >= position:
                removed += self._tokens[number]
                position = part.end
        return removed

    def _next(
        self, tree: Tree, deleted: frozenset[int], runs: tuple[_PartRun, ...], beliefs: Beliefs
    ) -> Stream:
        """Try the most promising run, then what is left."""
        while runs:
            look()
            left = len(tree.text)
            odds = {one.type: _odds(beliefs, one.type, left) for one in runs}
            best = max(runs, key=lambda one: (odds[one.type] * one.tokens, one.name))
            if odds[best.type] * best.tokens < self.least * tree.token_count:
                break
            others = tuple(one for one in runs if one is not best)
            candidate = self._without(deleted.union(best.parts))
            if candidate.token_count < tree.token_count:
                now = deleted.union(best.parts)
                rest = self._after(others, best)
                phase = f"declarations: {node_words(best.type)}"
                after = beliefs.after_success([best.type])
                yield attempt(candidate, phase, self._next, candidate, now, rest, after)
            beliefs = beliefs.after_failing(best.type)
            runs = (*others, *self._halves(best))
        return self.done(tree, beliefs)

    def _without(self, deleted: frozenset[int]) -> Tree:
        text = without_parts(self.tree.text, (self.parts[one] for one in deleted))
        return as_one_piece(text, self.tree.token_count - self._removed(sorted(deleted)))

    def _after(self, runs: tuple[_PartRun, ...], deleted: _PartRun) -> tuple[_PartRun, ...]:
        """Return the runs after one went: its other half has to stay, as both together do."""
        rest: list[_PartRun] = []
        for one in runs:
            if one.family is not None and one.family == deleted.family:
                rest.extend(self._halves(one))
            else:
                rest.append(one)
        return tuple(rest)

    def _halves(self, run: _PartRun) -> tuple[_PartRun, ...]:
        """Return the halves of a run, by tokens; none if it is one part."""
        if len(run.parts) < 2:
            return ()
        middle = middle_of([self._tokens[one] for one in run.parts], run.tokens)
        halves = (run.parts[:middle], run.parts[middle:])
        return tuple(self._run(run.type, some, run.name) for some in halves)


def _odds(beliefs: Beliefs, type_name: str, left: int) -> float:
    share = _USED_SHARE if type_name.startswith(USED) else 1.0
    return share * beliefs.in_type(type_name, left)


def unsuspected(outline: DeclarationOutline, parts: Sequence[TextPart]) -> list[TextPart]:
    """Return the parts that are not in what the failure is likely to be about."""
    ranges = sorted(
        (outline.elements[at].start, outline.elements[at].end) for at in outline.suspects
    )
    return [part for part in parts if not any(s < part.end and part.start < e for s, e in ranges)]


def middle_of(sizes: Sequence[int], total: int) -> int:
    """Return how many of several sizes make half of the total; neither half is empty."""
    middle, reached = 0, 0
    while middle < len(sizes) - 1 and (not middle or 2 * reached < total):
        reached += sizes[middle]
        middle += 1
    return middle
