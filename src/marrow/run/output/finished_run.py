"""A run whose search has ended, as the steps after it see it: what they make is in the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from marrow.engine.events import Listener
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.quorum import VoteRule
from marrow.engine.executors.votes import Runs
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import Placement
from marrow.engine.search.dispatcher import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Outcome
from marrow.run.output.run_outputs import RunOutputs
from marrow.run.plan.plan import Plan


@dataclass(slots=True)
class FinishedRun:
    """What a step after the search has at hand; `outcome` is that of a result that holds."""

    plan: Plan
    command: TestCommand | None
    place: Placement
    executor: Executor
    journal: Journal
    outputs: RunOutputs
    listen: Listener
    say: Callable[[str], None]
    rule: VoteRule | None
    outcome: Outcome | None

    def tester(self, limits: Limits | None = None) -> SampleTester:
        """Return what tests other texts, by votes where the test wavers."""
        voter = Runs(self.executor, self.rule).executor
        return SampleTester(voter, self.journal, self.listen, limits)
