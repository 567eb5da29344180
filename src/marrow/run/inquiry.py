"""From a failing command to a test: run it on the input, infer the failure, and have it judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from marrow.clock import running_time
from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.mirror import MirrorPlacement
from marrow.engine.process.observed import Ended, Judged, ObservedCommand
from marrow.engine.process.placement import Placement
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Verdict
from marrow.run.first_runs import enough_runs
from marrow.run.judging import FailureJudge, observation
from marrow.run.output import OutputFile
from marrow.run.output_kinds import SAVED_TEST, check_file
from marrow.run.plan import Plan
from marrow.run.typed_command import TypedCommand, typed_command
from marrow.signature.differ import Disagreement, disagreement
from marrow.signature.infer import Kept, commonest_failure, infer
from marrow.signature.observation import CANDIDATE, Inquiry, Observation, Words
from marrow.signature.script import Asked, written_test


@dataclass(frozen=True, slots=True)
class InferredTest:
    """The test for a failure, and where its candidates stand."""

    test: ObservedCommand
    place: Placement


def inferred_test(
    inquiry: Inquiry, plan: Plan, sandbox: Sandbox | None, say: Callable[[str], None]
) -> InferredTest:
    """Return the test for the failure; raise `UnclearFailureError` if there is none to keep.

    With a quorum, the failure that most runs show is kept: not all of them need to.
    """
    source, quorum = plan.source, plan.quorum
    typed = typed_command(inquiry, plan)
    if source.name and CANDIDATE not in typed.plain.removesuffix(f" < {CANDIDATE}"):
        say(
            f"note: no {{}} in the command: it finds the candidate as {source.name}, and on its "
            "standard input"
        )
    name = source.name or source.paths[0].name
    runs = []
    for words in typed.commands:
        watched = _Observing(typed, words, plan, sandbox)
        runs.append(watched.runs(1 if quorum is None else quorum.runs))
        typed = replace(typed, place=watched.place)
    kept: Kept | Disagreement
    if len(runs) == 2:
        kept = disagreement(runs[0], runs[1], name, source.text, inquiry.wanted.forbidden)
    else:
        seen = runs[0] if quorum is None else commonest_failure(runs[0])
        kept = infer(seen, name, source.text, inquiry.wanted)
    say(f"kept: {kept.sentence()}")
    if inquiry.write_test is not None:
        asked = Asked(typed.portable, inquiry.guards, directory=source.several)
        check_file(inquiry.write_test, SAVED_TEST, "write_test test.sh", force=plan.force)
        _save(inquiry.write_test, written_test(asked, kept), source.mode)
        say(f"the test is saved as {inquiry.write_test}")
    test = ObservedCommand(
        typed.commands[0],
        plan.memory,
        typed.plain,
        second=typed.commands[1] if len(typed.commands) == 2 else (),
        guards=inquiry.guards,
        judge=FailureJudge(kept, repr(kept)),
    )
    return InferredTest(test, typed.place)


@dataclass(slots=True)
class _Watching:
    """The judge of the first look: it remembers what it has seen."""

    seen: list[Ended] = field(default_factory=list)
    identity: str = "watching"

    def judge(self, ended: tuple[Ended, ...], candidate: bytes) -> Judged:
        """Say yes."""
        del candidate
        self.seen += ended
        return Judged(Verdict.INTERESTING)


class _Observing:
    """Runs a command on the input and its like, one after the other, to see what it does."""

    def __init__(
        self, typed: TypedCommand, words: Words, plan: Plan, sandbox: Sandbox | None
    ) -> None:
        self.place = typed.place
        self._plan: Final = plan
        self._judge: Final = _Watching()
        self._command: Final = ObservedCommand(
            words, plan.memory, sandbox=sandbox, judge=self._judge
        )

    def runs(self, least: int) -> list[Observation]:
        """Run it on the input: until that is often enough, and `least` times."""
        text = self._plan.source.text
        around = self.place.around if isinstance(self.place, MirrorPlacement) else None
        before = {} if around is None else around.watched()
        started = running_time()
        seen = self._on([text])
        if around is not None:
            assert isinstance(self.place, MirrorPlacement)
            self.place = replace(self.place, around=around.written_since(before))
        if seen[0].status is not None:  # one more would only take as long
            more = enough_runs(running_time() - started, least)
            seen += self._on([text] * (more - 1))
        return seen

    def _on(self, texts: Sequence[bytes]) -> list[Observation]:
        """Run it on some texts. Raises `TestFailureError` if it cannot be run."""
        executor = CommandExecutor(self._command, self.place, adopt=True)
        try:
            if self._plan.timeout is not None:
                executor.allow(self._plan.timeout)
            for text in texts:
                outcome = outcome_of(executor.submit(text, capture=True))
                if outcome.verdict is Verdict.ERROR:
                    raise TestFailureError(outcome.message)
        finally:
            executor.close()
        found = [observation(one) for one in self._judge.seen]
        self._judge.seen.clear()
        return found


def _save(path: Path, script: str, rights: int) -> None:
    """Save a test; whoever may read the input may read it and run it."""
    content = script.encode("utf-8", "surrogateescape")
    OutputFile(path, rights & 0o666 | (rights & 0o444) >> 2 | 0o700).write(content)
