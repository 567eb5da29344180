"""What a reduced input needs: each part needed as it is, free, or the same as another one.

A short search for the pattern (DDSET) within a small budget, in any language: by the grammar of the
view if it has one, by the parser otherwise, in words without either.
"""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from marrow.abstraction.ddset import DDSet, DDSetOptions
from marrow.abstraction.hole_rules import rules_of
from marrow.abstraction.pattern import Mark, Pattern, segments
from marrow.abstraction.pattern_language import PatternLanguage
from marrow.engine.search.dispatcher import Limits
from marrow.grammar.model.parse_error import ParseError
from marrow.run.output.result import Result
from marrow.run.plan.chosen_view import language_of_view
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.syntax.views import FileView
from marrow.tree.node import render

if TYPE_CHECKING:
    from marrow.run.run import Run

#: As many tests again as a tenth of the reduction took, and at least 150: enough to look at each
#: part of a small result once, and for the bounds of a number in it.
_SHARE: Final = 10
_LEAST: Final = 150

#: How many samples of the whole must fail; an explanation is read by people, and need not be sure.
_CHECKS: Final = 20

#: How many samples near the input are tried for a part: a small budget is to reach them all.
_THOROUGH: Final = 8

# Longer texts whose formatter changed more than white space get no marks: difflib is quadratic.
_LONGEST_ALIGNED: Final = 4_000

_WORDS: Final = {
    Mark.CONCRETE: "needed",
    Mark.LEXICAL: "needed",
    Mark.UNKNOWN: "not known",
    Mark.ABSTRACT: "any",
    Mark.INVISIBLE: "any",
    Mark.CONTEXT_SENSITIVE: "same",
}


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """A part of a result, what is known of it, other texts that fail too, and what else holds."""

    text: str
    mark: str
    name: str = ""
    examples: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A piece of a result's own text, by its place in bytes, and what is known of it."""

    start: int
    end: int
    mark: str
    #: What it may be, in words; empty where it is needed as it is.
    note: str = ""


def budget_of(tests: int) -> int:
    """Return how many tests an explanation may take after a reduction that took this many."""
    return max(_LEAST, tests // _SHARE)


def explain_result(run: Run, result: Result) -> None:
    """Find the pattern of a result by a small budget; what does not parse has none."""
    source, view, text = run.plan.source.text, run.plan.view, result.text
    if not isinstance(view, FileView) or not text:
        run.say("note: ⟦explain⟧ explains results that are one file; this one is not")
        return
    if not result.ending.as_planned:
        return
    front, language = view.counter, None
    if isinstance(front, GrammarFrontEnd) and front.error(text) is None:
        language = front.language
    tester = run.tester(Limits(budget_of(result.tests)))
    options = DDSetOptions(_CHECKS, thorough=_THOROUGH)
    with contextlib.suppress(ParseError):
        known: PatternLanguage = language or language_of_view(source, view)
        found = DDSet(text, known, tester, options, known.parse(source))
        result.explanation = found.run()
    result.tests += tester.counts.tests


def explained_parts(pattern: Pattern) -> list[ExplainedPart]:
    """Return the parts of a result in the order of the text."""
    return [part for part, _, _ in _parts(pattern) if part.text]


def marked_pieces(pattern: Pattern, text: bytes) -> list[MarkedPiece]:
    """Return what is known of the pieces of a text: the pattern's own, or the same laid out."""
    parts = list(_parts(pattern))
    marks = [(part.mark, note) for part, own, note in parts for _ in own]
    at = _places_in(b"".join(own for _, own, _ in parts), text)
    placed = sorted((at[place], marks[place]) for place in at)
    found = []
    # Neighbours with the same mark are one piece, with the white space between them.
    for known, group in groupby(placed, key=lambda one: one[1]):
        places = [place for place, _ in group]
        found.append(MarkedPiece(places[0], places[-1] + 1, *known))
    return found


def _parts(pattern: Pattern) -> Iterator[tuple[ExplainedPart, bytes, str]]:
    """Yield the parts, each with its text in the pattern's input, and what it may be, in words."""
    holes = {place: hole for hole in pattern.holes() for place in hole.places}
    for segment in segments(pattern):
        hole = None if segment.place is None else holes.get(segment.place)
        node = None if segment.place is None else pattern.tree.at(segment.place)
        mark = _WORDS[segment.mark]
        if hole is None or node is None:
            yield ExplainedPart(segment.text, mark), segment.text.encode("utf-8", "replace"), ""
            continue
        marked, rules = hole.marked, tuple(rules_of(pattern, hole))
        samples = sorted((one for one in marked.samples if one.strip()), key=len)[:2]
        examples = tuple(one.decode("utf-8", "backslashreplace") for one in samples)
        what = f"{marked.name} {marked.group}" if marked.group else marked.name
        what = f"{what}, such as {', '.join(examples)}" if examples else what
        part = ExplainedPart(segment.text, mark, marked.name, examples, rules)
        yield part, render((node,)), "; ".join((what, *rules))


def _places_in(own: bytes, text: bytes) -> dict[int, int]:
    """Return where the bytes of a text are in the same text laid out, white space aside."""
    ours = [place for place, byte in enumerate(own) if not chr(byte).isspace()]
    theirs = [place for place, byte in enumerate(text) if not chr(byte).isspace()]
    one, other = bytes(own[place] for place in ours), bytes(text[place] for place in theirs)
    if one == other:
        return dict(zip(ours, theirs, strict=True))
    if len(one) > _LONGEST_ALIGNED:
        return {}
    # A formatter may have added a comma, or other quotes.
    blocks = difflib.SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return {
        ours[block.a + step]: theirs[block.b + step]
        for block in blocks
        for step in range(block.size)
    }


# How much of a sample is shown, and how many samples of a node: enough to see what they are.
_LONGEST: Final = 400
_MOST_SAMPLES: Final = 8


def pattern_data(pattern: Pattern, note: str) -> dict[str, object]:
    """Return what the page shows of a pattern."""
    nodes = []
    holes = {place: hole for hole in pattern.holes() for place in hole.places}
    for place, node in pattern.tree.walk():
        marked = pattern.marks.get(place)
        if marked is not None and marked.mark is not Mark.LEXICAL:
            rules = "; ".join(rules_of(pattern, holes[place])) if place in holes else ""
            group, evidence = f" {marked.group}" if marked.group else "", marked.evidence
            other = evidence.counterexample
            nodes.append(
                {
                    "name": f"{marked.name}{group}: {_short(render((node,)))}",
                    "mark": marked.mark.value,
                    "failing": evidence.failing,
                    "passing": evidence.passing,
                    "unresolved": evidence.unresolved + evidence.timeouts,
                    "samples": [_short(sample) for sample in marked.samples[:_MOST_SAMPLES]],
                    "counterexample": None if other is None else _short(other),
                    "reason": evidence.reason or rules,
                }
            )
    return {
        "segments": [[one.text, one.mark.value] for one in segments(pattern)],
        "note": note,
        "nodes": nodes,
    }


def _short(text: bytes) -> str:
    shown = text.decode("utf-8", "backslashreplace")
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
