"""A pattern as data for the HTML report: its compact form, and the evidence for every node."""

from __future__ import annotations

from typing import Final

from marrow.abstraction.hole_rules import rules_of
from marrow.abstraction.pattern import Mark, Marked, Pattern, segments
from marrow.tree.node import render

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
            nodes.append(_node(marked, render((node,)), rules))
    return {
        "segments": [[one.text, one.mark.value] for one in segments(pattern)],
        "note": note,
        "nodes": nodes,
    }


def _node(marked: Marked, text: bytes, rules: str) -> dict[str, object]:
    evidence = marked.evidence
    group = f" {marked.group}" if marked.group else ""
    counterexample = evidence.counterexample
    return {
        "name": f"{marked.name}{group}: {_short(text)}",
        "mark": marked.mark.value,
        "failing": evidence.failing,
        "passing": evidence.passing,
        "unresolved": evidence.unresolved + evidence.timeouts,
        "samples": [_short(sample) for sample in marked.samples[:_MOST_SAMPLES]],
        "counterexample": None if counterexample is None else _short(counterexample),
        "reason": evidence.reason or rules,
    }


def _short(text: bytes) -> str:
    shown = text.decode("utf-8", "backslashreplace")
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
