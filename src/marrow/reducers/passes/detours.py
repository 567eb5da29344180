"""Detours over texts that may be larger: functions inlined, statements moved, values moved.

A change that keeps the failure is followed by a short reduction of what it touched
(`streams.detour`), and is taken only if its end is smaller. Changes are of kinds: functions
inlined by the templates of the language, rewrites that grow, and moves, which know no language.
Each kind has a small budget that grows when it succeeds, so kinds that do not pay cost little.

Guarantee: none by itself. Worst case of a pass: `_MOST_FAILURES` failures, of which each that has
kept the failure at first takes the budget of a detour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from marrow.reducers.passes.inline_calls import inlined
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.restructuring import (
    built_in_place,
    counted_lists,
    into_uses,
    observed,
    out_of_strings,
    outwards,
    plain_templates,
    without_format,
)
from marrow.reducers.passes.rewrites import rewritten, with_semicolons
from marrow.reducers.passes.templates import Rewrite
from marrow.reducers.streams.detour import BUDGET, FIRST_BUDGET, detour, worth_a_detour
from marrow.reducers.streams.spans import has_errors
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.tree import Tree

# A kind is left alone after so many failures, and so many more for each success of it. A change
# that kept the failure, and then could not be made small, counts twice: it cost more.
_PATIENCE: Final = 3
_PATIENCE_FOR_SUCCESS: Final = 4
_MORE_PATIENCE: Final = 6
_LED_NOWHERE: Final = 2

# All kinds together fail at most this often on a text, and once more for every few tokens: what is
# left of a reduction has some twenty tokens, and took a few hundred tests.
_LEAST_FAILURES: Final = 8
_TOKENS_FOR_A_FAILURE: Final = 4
_MOST_FAILURES: Final = 60

# Larger texts have something else to lose first, and every change of one is parsed anew.
_LARGEST: Final = 2_000


class DetourKind(NamedTuple):
    """A kind of changes: what it does, in words, and the trees that it makes of a tree."""

    phase: str
    changed: Callable[[Tree], Iterator[Tree]]
    patience: int = _PATIENCE


#: The changes that know no language.
_MOVES: Final = (
    ("a list with its length", counted_lists, _PATIENCE),
    ("a format without its value", without_format, _PATIENCE),
    ("an object built in place", built_in_place, _PATIENCE),
    ("a value where it is used", into_uses, _PATIENCE),
    ("a value in its place", observed, _MORE_PATIENCE),
    ("code out of a string", out_of_strings, _PATIENCE),
    ("a template as a string", plain_templates, _PATIENCE),
    ("a statement out of its construct", outwards, _PATIENCE),
)


def detours(context: PassContext) -> Reducer:
    """Return the pass that makes detours."""

    def run(tree: Tree, done: Done) -> Stream | None:
        if tree.token_count > _LARGEST:
            return done(tree)
        parsed = context.reparsed(tree)
        most = _LEAST_FAILURES + parsed.token_count // _TOKENS_FOR_A_FAILURE
        spent = _Spent(0, min(most, _MOST_FAILURES))
        return _Detours(context, kinds(context), done).run(parsed, 0, spent)

    return run


def kinds(context: PassContext) -> list[DetourKind]:
    """Return the kinds of changes for a language, in the order to try them."""

    def parsed(make: Callable[[Tree], Iterator[bytes]], tree: Tree) -> Iterator[Tree]:
        for text in make(tree):
            for one in dict.fromkeys((with_semicolons(tree.text, text), text)):
                yield context.parse(one)

    def grown(rewrite: Rewrite, tree: Tree) -> Iterator[Tree]:
        for candidate in rewritten(context, tree, rewrite):
            whole = context.parse(candidate.text)
            if not context.settings.order(whole, tree):  # the pass `rewrites` has tried the others
                yield whole

    rules = context.options.rewrites
    found = [
        # To inline is to keep what a program does: most failures are those of a spelling.
        DetourKind(one.name, partial(parsed, partial(inlined, rewrite=one)), _MORE_PATIENCE)
        for one in rules
        if one.calls is not None
    ]
    # So do those that put a value where it is used; they go before what only might.
    growing = [one for one in rules if one.grows]
    found += [DetourKind(one.name, partial(grown, one)) for one in growing if one.everywhere]
    found += [
        DetourKind(phase, partial(parsed, move), patience) for phase, move, patience in _MOVES
    ]
    found += [DetourKind(one.name, partial(grown, one)) for one in growing if not one.everywhere]
    return found


class _Spent(NamedTuple):
    """What a kind has cost so far, what all of them may still cost, and how often it succeeded."""

    failures: int
    left: int
    successes: int = 0

    def patient(self, kind: DetourKind) -> bool:
        patience = kind.patience + _PATIENCE_FOR_SUCCESS * self.successes
        return self.failures < patience and self.left > 0

    def failed(self, times: int = 1) -> _Spent:
        return _Spent(self.failures + times, self.left - times, self.successes)


@dataclass(frozen=True, slots=True)
class _Detours:
    """The pass under way."""

    context: PassContext
    kinds: list[DetourKind]
    done: Done

    def run(self, tree: Tree, at: int, spent: _Spent, start: int = 0) -> Stream:
        """Try the changes of a kind from some number on, then those of the following kinds."""
        seen: set[bytes] = set()
        for number, kind in enumerate(self.kinds[at:], at):
            for position, first in enumerate(kind.changed(tree) if spent.patient(kind) else ()):
                known = position < start or first.text in seen
                seen.add(first.text)
                broken = has_errors(first) and not has_errors(tree)
                if known or broken or not worth_a_detour(tree, first):
                    continue
                first = self._laid_out(tree, first)
                nowhere = partial(self.run, tree, number, spent.failed(_LED_NOWHERE), position + 1)
                arrived = partial(self._arrived, number, spent)
                phase = f"detour: {kind.phase}"
                parse, order = self.context.parse, self.context.settings.order
                budget = BUDGET if spent.successes else FIRST_BUDGET
                yield detour(tree, first, phase, parse, arrived, nowhere, budget, order)
                spent = spent.failed()
                if not spent.patient(kind):
                    break
            spent, start = _Spent(0, spent.left), 0
        return self.done(tree)

    def _laid_out(self, tree: Tree, changed: Tree) -> Tree:
        """Return a changed tree in compact layout if the tree is: it may be smaller then."""
        compact = self.context.compact
        if self.context.options.keep_layout or compact(tree) != tree.text:
            return changed
        return self.context.parse(compact(changed))

    def _arrived(self, number: int, spent: _Spent, tree: Tree) -> Stream:
        success = _Spent(0, spent.left, spent.successes + 1)
        return self.run(self.context.reparsed(tree), number, success)
