"""Patterns of bugs: what all inputs of a bug have in common, where there is a grammar (DDSET)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from marrow.base.deadline import Deadline
from marrow.base.errors import MarrowError
from marrow.bugs.case import Case
from marrow.bugs.target import FailureExecutor, Target
from marrow.engine.journal.journal import Journal
from marrow.engine.search.limits import Limits
from marrow.run.plan.chosen_view import chosen_language, shipped_grammar
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan

if TYPE_CHECKING:
    from marrow.abstraction.pattern import Pattern
    from marrow.grammar.language import Language

# Of so many valid samples of a whole pattern all must fail. Fewer than `marrow abstract` asks for:
# people look at a pattern that is a little too wide.
_CHECKS: Final = 20

# A result that is larger has a pattern that nobody reads.
_LARGEST: Final = 2_000


class PatternFinder:
    """Finds the pattern of a small result, and tells whether another one belongs to it."""

    def __init__(
        self, plan: Plan, values: Mapping[str, Any], target: Target, most_tests: int
    ) -> None:
        self._plan: Final = plan
        self._values: Final = values
        self._target: Final = target
        self._most: Final = most_tests
        self.tests = 0

    @cached_property
    def _language(self) -> Language | None:
        values, name = self._values, self._plan.source.name
        given = values["grammar"] is not None
        if not given and shipped_grammar(name, b"", values["language"]) is None:
            return None
        return chosen_language(Input(b"", name), values)

    def find(self, case: Case, deadline: Deadline) -> Pattern | None:
        """Return the pattern of a case, as far as the tests suffice; None without a grammar."""
        if not self._most or not case.finished or len(case.text) > _LARGEST:
            return None
        if case.found.overflow or case.found.status is None:
            return None  # each sample would take long, and what recurs says it all
        language = self._language
        if language is None:
            return None
        from marrow.abstraction.ddset import DDSet, DDSetOptions
        from marrow.engine.search.sample_tester import SampleTester

        executor = FailureExecutor(self._target, case.found, case.signature)
        tester = SampleTester(
            executor,
            Journal.in_memory(),
            limits=Limits(tests=self._most, seconds=deadline.left),
        )
        try:
            pattern = DDSet(case.text, language, tester, DDSetOptions(_CHECKS, 0, False)).run()
        except (MarrowError, RecursionError):
            return None  # the result does not match the grammar
        self.tests += tester.counts.asked
        return pattern

    def matches(self, pattern: Pattern, case: Case) -> bool:
        """Whether a result belongs to a pattern, and its failure is in the same function."""
        from marrow.abstraction.recogniser import Recogniser

        if pattern.stopped:
            return False
        try:
            found = Recogniser(pattern).match(case.text)
        except (MarrowError, RecursionError):
            return False
        return bool(found) and not found.doubt
