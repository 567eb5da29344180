"""What a reduced input needs: each part needed as it is, free, or the same as another one.

A short search for the pattern (DDSET) within a small budget, in any language: by the grammar of the
view if it has one, by the parser otherwise, in words where there is neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from marrow.abstraction.compact_form import segments
from marrow.abstraction.ddset import DDSet, DDSetOptions
from marrow.abstraction.pattern import Mark, Pattern
from marrow.abstraction.syntax import PatternLanguage
from marrow.engine.events import Listener
from marrow.engine.executors.executor import Executor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.limits import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.grammar.model.parse_error import ParseError
from marrow.run.pattern_language import language_of_view
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.syntax.views import FileView

#: As many tests again as a tenth of the reduction took, and at least 50: enough to look at each
#: part of a small result once.
_SHARE: Final = 10
_LEAST: Final = 50

#: How many samples of the whole must fail; an explanation is read by people, and need not be sure.
_CHECKS: Final = 20

#: How many examples are shown of what a part may be.
_EXAMPLES: Final = 2

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
    """A part of a result: its text, what is known of it, and other texts that fail as well."""

    text: str
    mark: str
    name: str = ""
    examples: tuple[str, ...] = ()


def budget_of(tests: int) -> int:
    """Return how many tests an explanation may take after a reduction that took so many."""
    return max(_LEAST, tests // _SHARE)


def explain(
    whole: bytes,
    text: bytes,
    view: FileView,
    executor: Executor,
    journal: Journal,
    listener: Listener,
    tests: int,
) -> Pattern | None:
    """Return the pattern of a reduced input, as far as a small budget goes; None if it has none."""
    front = view.counter
    language: PatternLanguage
    if isinstance(front, GrammarFrontEnd) and front.error(text) is None:
        language = front.language
    else:
        language = language_of_view(whole, view)
    tester = SampleTester(executor, journal, listener, Limits(budget_of(tests), None))
    try:
        return DDSet(text, language, tester, DDSetOptions(_CHECKS), language.parse(whole)).run()
    except ParseError:
        return None


def explained_parts(pattern: Pattern) -> list[ExplainedPart]:
    """Return the parts of a result in the order of the text."""
    holes = {place: hole for hole in pattern.holes() for place in hole.places}
    found: list[ExplainedPart] = []
    for segment in segments(pattern):
        if not segment.text:
            continue
        hole = None if segment.place is None else holes.get(segment.place)
        if hole is None:
            found.append(ExplainedPart(segment.text, _WORDS[segment.mark]))
            continue
        examples = tuple(
            one.decode("utf-8", "backslashreplace")
            for one in sorted(hole.marked.samples, key=len)
            if one.strip()
        )[:_EXAMPLES]
        found.append(ExplainedPart(segment.text, _WORDS[segment.mark], hole.marked.name, examples))
    return found
