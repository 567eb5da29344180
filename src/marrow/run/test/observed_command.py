"""The first look at a failing command: it runs on the input, and on controls that tell more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from marrow.base.clock import running_time
from marrow.diagnostics.observation import Observation
from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.captured_command import CapturedCommand, CommandEnd, JudgedEnd
from marrow.engine.process.overlay import OverlayPlacement
from marrow.engine.process.placement import Placement
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Verdict
from marrow.run.plan.plan import Plan
from marrow.run.test.check_test import enough_runs
from marrow.run.test.failure_judge import KeptFailure, observation
from marrow.run.test.typed_command import TypedCommand
from marrow.signature.controls import EMPTY, ControlRun, control_texts, trivial_text
from marrow.signature.failing_command import Words

# How long the controls may take, in seconds, and by how many times the slowest run on the input: a
# command that takes long is run on some of them only.
_CONTROL_SECONDS: Final = 2.0
_CONTROL_RUNS: Final = 4.0


@dataclass(slots=True)
class _Watcher:
    """The judge of the first look: it remembers what it has seen."""

    seen: list[CommandEnd] = field(default_factory=list)
    identity: str = "watching"

    def judge(self, ended: tuple[CommandEnd, ...], candidate: bytes) -> JudgedEnd:
        """Say yes."""
        del candidate
        self.seen += ended
        return JudgedEnd(Verdict.INTERESTING)


class ObservedCommand:
    """Runs a command on the input and its like, one after the other, to see what it does."""

    def __init__(
        self,
        typed: TypedCommand,
        words: Words,
        plan: Plan,
        sandbox: Sandbox | None,
        *,
        adopt: bool,
    ) -> None:
        self.place = typed.place
        self._plan: Final = plan
        self._adopt: Final = adopt
        #: What runs the command, and the place that it was made for.
        self._executor: tuple[CommandExecutor, Placement] | None = None
        self._seconds = 0.0
        self._judge: Final = _Watcher()
        self._command: Final = CapturedCommand(
            words, plan.memory, sandbox=sandbox, judge=self._judge
        )

    def runs(self, least: int) -> list[Observation]:
        """Run it on the input: until that is often enough, and `least` times."""
        text = self._plan.source.text
        around = self.place.around if isinstance(self.place, OverlayPlacement) else None
        before = {} if around is None else around.watched()
        seen = self._on([text], self._plan.timeout)
        if around is not None:
            assert isinstance(self.place, OverlayPlacement)
            self.place = replace(self.place, around=around.written_since(before))
        if seen[0].status is not None:  # one more would only take as long
            more = enough_runs(self._seconds, least)
            seen += self._on([text] * (more - 1), self._plan.timeout)
        return seen

    def controls(self) -> list[ControlRun]:
        """Run it on other texts, to see what is special about the input."""
        source, view = self._plan.source, self._plan.view
        if source.several:
            texts = [(EMPTY, b"")]
        else:
            texts = control_texts(source.text, trivial_text("" if view is None else view.language))
        found: list[ControlRun] = []
        around = self.place.around if isinstance(self.place, OverlayPlacement) else None
        before = {} if around is None else around.watched()
        started = running_time()
        most = max(_CONTROL_SECONDS, _CONTROL_RUNS * self._seconds)
        for what, text in texts:
            if found and running_time() - started > most:
                break
            seen = self._on([text], self._plan.timeout or max(5.0, 10 * self._seconds))
            found += [ControlRun(what, text, one) for one in seen]
        if around is not None:
            # On an input that does not fail, a command may write more.
            assert isinstance(self.place, OverlayPlacement)
            self.place = replace(self.place, around=around.written_since(before))
        return found

    def without_products(self, kept: KeptFailure) -> list[str]:
        """Hide files that an earlier run has left, if the failure is there without them.

        A result might rely on them: it would not fail alone. Return what is hidden.
        """
        place = self.place
        products = place.around.products() if isinstance(place, OverlayPlacement) else []
        if not products or not isinstance(place, OverlayPlacement):
            return []
        self.place = replace(place, around=place.around.without(products))
        text = self._plan.source.text
        if kept.judge_all(self._on([text], self._plan.timeout), text).matches:
            return products
        self.place = place
        return []

    def _on(self, texts: Sequence[bytes], timeout: float | None) -> list[Observation]:
        """Run it on some texts. Raises `TestFailureError` if it cannot be run."""
        executor = self._ready()
        if timeout is not None:
            executor.allow(timeout)
        for text in texts:
            outcome = outcome_of(executor.submit(text, capture=True))
            if outcome.verdict is Verdict.ERROR:
                raise TestFailureError(outcome.message)
            self._seconds = max(self._seconds, outcome.seconds)
        found = [observation(one) for one in self._judge.seen]
        self._judge.seen.clear()
        return found

    def _ready(self) -> CommandExecutor:
        """Return what runs the command; another one if what the command writes to is new."""
        if self._executor is None or self._executor[1] != self.place:
            self.close()
            executor = CommandExecutor(self._command, self.place, adopt=self._adopt)
            self._executor = (executor, self.place)
        return self._executor[0]

    def close(self) -> None:
        """End what the runs have left."""
        if self._executor is not None:
            self._executor[0].close()
            self._executor = None
