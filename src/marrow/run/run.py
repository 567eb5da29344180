"""A run: the doing of a plan.

A run opens the executor and the journal, checks the test on the input, reduces it, looks for its
pattern, verifies the result and leaves everything in good order. It knows nothing of the terminal:
it reports to a listener, in events.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from marrow.base.clock import running_time, ticking
from marrow.base.errors import UsageError, os_errors, spelled
from marrow.engine.events import Event, Listener, Noted, PhaseBegan, Warned, ignore
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.quorum import SequentialTest, VoteRule
from marrow.engine.executors.registry import open_executor
from marrow.engine.executors.votes import Runs
from marrow.engine.journal.journal import Journal
from marrow.engine.journal.journal_file import locks_work, text_after
from marrow.engine.process.command import CapturedCommand, TestCommand
from marrow.engine.search.control import Control
from marrow.engine.search.dispatcher import Limits, TestUnderWay
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Outcome
from marrow.run.output.contrast import Contrasts
from marrow.run.output.output_paths import check_places
from marrow.run.output.reporting import note_beginning, note_end, write_report
from marrow.run.output.result import Ending, Result
from marrow.run.output.run_outputs import (
    OtherFailures,
    RunOutputs,
    changed_files,
    journal_state,
    open_journal,
    set_aside,
)
from marrow.run.plan.plan import Plan
from marrow.run.plan.proposer import ProposingCommand
from marrow.run.plan.system_headers import SystemHeaders
from marrow.run.reduction import Reduction
from marrow.run.test.check_test import (
    FIRST_RUNS,
    Checked,
    OneAtATime,
    check_good,
    check_test,
    checked_before,
    introduction,
    note_rate,
    record_check,
)
from marrow.run.test.resolved_test import note_test, resolve_test
from marrow.run.test.verify_result import ResultVerifier
from marrow.signature.failing_command import FailingCommand

if TYPE_CHECKING:
    import asyncio


# How often a search continues by another way after its result proved weaker than the input.
_MOST_ROUNDS: Final = 4


class Run:
    """One run of a plan; a context manager that cleans up after itself.

    An `executor` that is given runs the test, and stays open; coroutines run in the `loop`.
    `trusted` leaves out the first runs: the caller vouches for the test. `own_process` says that
    this process does nothing else, so that a run may adopt processes that tests leave.
    `before_close` is called before the end.
    """

    def __init__(
        self,
        plan: Plan,
        listener: Listener = ignore,
        *,
        control: Control | None = None,
        executor: Executor | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
        trusted: bool = False,
        own_process: bool = False,
        before_close: Callable[[], None] = lambda: None,
    ) -> None:
        self.plan: Final = plan
        #: The outcome of the last check of a result.
        self.outcome: Outcome | None = None
        self._control: Final = control or (Control() if plan.live else None)
        #: The address of the page, where one is served.
        self.address = ""
        self._executor = executor
        self._loop: Final = loop
        self._trusted: Final = trusted
        self._own_process: Final = own_process
        self._before_close: Final = before_close
        self._cancelled = False
        self._others: Final = OtherFailures()
        self._contrasts: Final = Contrasts()
        self._listeners: Final = [self._others.hear, self._contrasts.hear, listener]
        self._tests_before = 0
        self.journal = Journal.in_memory()
        self._reduction: Reduction | None = None
        self._result: Result | None = None
        self._closing: Final = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Open the run, and close it whatever happens."""
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Open everything, and check the test on the input."""
        with contextlib.ExitStack() as failed:
            failed.callback(self.close)
            self._open()
            failed.pop_all()

    def close(self) -> None:
        """Leave everything in good order."""
        self._before_close()
        self._closing.close()

    def cancel(self) -> None:
        """Stop the tests, from another thread, or before there are any; the run then ends."""
        self._cancelled = True
        if self._executor is not None:
            self._executor.close()

    def listen(self, event: Event) -> None:
        """Tell everybody who listens of an event."""
        for listener in self._listeners:
            listener(event)

    def say(self, words: str) -> None:
        """Tell them something in words."""
        self.listen(Noted(spelled(words, command_line=self._own_process)))

    def _open(self) -> None:
        plan = self.plan
        self._closing.enter_context(ticking())
        check_places(plan)
        #: What the run writes, fixed before a test runs.
        self.outputs = RunOutputs(plan, self.say)
        self._closing.callback(self.outputs.close)
        # Callbacks run in reverse order: when this one does, all tests have ended.
        self._closing.callback(lambda: self.outputs.settle(self._result, self.journal.path))
        resolved = resolve_test(plan, self.say, own_process=self._own_process)
        self.test, self.place, self._tests_before = resolved.test, resolved.place, resolved.runs
        if self._executor is None:
            where = replace(
                plan.where, base=plan.source.text, adopt=self._own_process, loop=self._loop
            )
            self._executor = open_executor(self.test, self.place, where)
            self._closing.callback(self._close, self._executor)
            if self._cancelled:
                self._executor.close()
        # A command was run several times already, to see what it does.
        self.checked = self._begin(1 if resolved.watched or self._no_time else FIRST_RUNS)
        #: What decides on a candidate, where a run of the test does not.
        self.rule: VoteRule | None = plan.quorum or self.checked.rule
        if self.checked.alone:
            self._executor = OneAtATime(self._executor)
        if plan.good is not None and not self._trusted:
            self._tests_before += 1
            check_good(self.executor, plan.good.text)
        for line in introduction(plan, self.checked, self.rule):
            self.say(line)
        if plan.live:
            self._serve_page()

    def _serve_page(self) -> None:
        """Serve the page of the reduction until the run is closed (`--live`)."""
        from marrow.report.live import LivePage

        reduction = self.prepare_reduction()
        assert self._control is not None
        tokens, length = reduction.tokens_before, reduction.bytes_before
        with os_errors(UsageError, "⟦live⟧: cannot open a port for the page", "Leave it out."):
            page = LivePage(
                self.journal, self._control, tokens, length, **self.plan.progress(tokens)
            )
        self._closing.enter_context(page)
        self._listeners.append(page)
        self.address = page.address
        self.say(f"live: {page.address}")

    def _close(self, executor: Executor) -> None:
        executor.close()
        if left := getattr(executor, "left_behind", ""):
            self.say(f"warning: {left}")

    @property
    def output_path(self) -> Path:
        """The path of the result, in a run that writes it."""
        assert self.plan.output is not None
        return self.plan.output

    @property
    def executor(self) -> Executor:
        """The executor of the tests."""
        assert self._executor is not None
        return self._executor

    @property
    def command(self) -> TestCommand | None:
        """The test, where it is a command."""
        return self.test if isinstance(self.test, TestCommand) else None

    @property
    def shown(self) -> Outcome | None:
        """The outcome to show of the result: that of its readable copy, where there is one."""
        return (self._result and self._result.pretty_outcome) or self.outcome

    def tester(self, limits: Limits | None = None) -> SampleTester:
        """Return what tests other texts, by votes where the test wavers."""
        voter = Runs(self.executor, self.rule).executor
        return SampleTester(voter, self.journal, self.listen, limits)

    def _begin(self, runs: int) -> Checked:
        """Open the journal and check the test, unless the journal says that this was done."""
        plan, path = self.plan, self.plan.journal
        if path is not None and not locks_work(place := path.absolute().parent):
            self.say(
                f"note: files in {place} cannot be locked, so no journal is kept: every test is "
                "run, and this run cannot be resumed"
            )
            path = None
        checked: Checked | None = None
        if path is not None:
            resume = os.path.exists(path) if plan.resume is None else plan.resume
            if not resume:
                found, checked = journal_state(path), self._check(runs)
                set_aside(path, found, self.say)
            self.journal = open_journal(plan, self.test, path, self.say, resume=resume)
            self._closing.callback(self.journal.close)
            if resume:
                self.say(f"resuming with {self.journal.size:,} known verdicts of {path}")
                if before := checked_before(self.executor, self.journal, plan.timeout):
                    return before
        checked = checked or self._check(runs)
        if isinstance(self.command, CapturedCommand):
            note_test(self.journal, self.command)
        if not self._trusted and not self._no_time:  # one run is not all that a resumed run needs
            record_check(checked, plan.source.text, self.journal)
        return checked

    def _check(self, runs: int) -> Checked:
        plan = self.plan
        if self._trusted:
            if plan.timeout is not None:
                self.executor.allow(plan.timeout)
            return Checked(0.0, 0.0)
        self.listen(PhaseBegan("running the test on the input"))
        return check_test(
            self.executor,
            plan.source.text,
            listener=self.listen,
            timeout=plan.timeout,
            # Where the time is up, nothing will be asked but whether the input is interesting.
            # And an empty file is not a candidate of a difference.
            allow_empty=plan.allow_empty or self._no_time or plan.good is not None,
            runs=runs,
            quorum=plan.quorum,
        )

    @property
    def _no_time(self) -> bool:
        """Whether the time limit was reached before the first test."""
        return self.plan.limits.seconds == 0.0 and self.plan.quorum is None

    def prepare_reduction(self) -> Reduction:
        """Set the reduction up, if it is not yet; of a large input this runs the test once."""
        if self._reduction is None:
            from marrow.run.reported_lines import view_with_hints

            plan, checked = self.plan, self.checked
            assert plan.strategy is not None
            assert plan.view is not None
            # The test, where it is a command that may be run once more to see what it prints.
            asked = None if self._trusted or self._no_time else self.command
            # How long it takes and may take, unless the user said so, or it is flaky.
            timed = plan.timeout is None and self.rule is None and checked.timeout
            options = getattr(plan.strategy, "options", None)
            proposer = getattr(options, "propose", None)
            if isinstance(proposer, ProposingCommand):
                language = plan.view.language
                proposer.join(self.journal, language, lambda words: self.listen(Warned(words)))
            headers = getattr(options, "preprocessor", None)
            if isinstance(headers, SystemHeaders):
                headers.join(self.journal)
            self._reduction = Reduction(
                text=plan.source.text,
                view=view_with_hints(plan.view, plan, asked, self.executor, self.journal),
                strategy=plan.strategy,
                executor=self.executor,
                journal=self.journal,
                listener=self.listen,
                limits=plan.limits,
                control=self._control,
                rule=self.rule,
                pace=(checked.slowest, checked.timeout) if timed else None,
            )
        return self._reduction

    def busy(self) -> tuple[list[TestUnderWay], int]:
        """Return the tests of a reduction that run now, and how many may."""
        running = self.prepare_reduction().scheduler.running
        return list(running.values()), self.executor.workers

    def text_after(self, number: int) -> bytes:
        """Return the text after a number of accepted steps."""
        return text_after(self.plan.source.text, self.journal.history.steps[:number])

    def reduce(self, what: str = "reduce") -> Result:
        """Reduce the input, verify the result, and write what the plan asks for.

        `what` is the command whose work this is, for the record of the run.
        """
        plan, reduction, outputs = self.plan, self.prepare_reduction(), self.outputs
        note_beginning(self, what, reduction.tokens_before)
        known = outputs.prepare(self.journal)
        tell_changes = changed_files(self.place, self.say)
        result = self._result = reduction.run(outputs.keep_best, known)
        result.count_repeats(self._tests_before + self.checked.runs)
        outputs.keep_left(reduction.left, result.text)
        outputs.write_final(result.text)
        result.also_seen = self._others.counts()
        if isinstance(plan.test, FailingCommand) and plan.test.also is not None:
            self._others.save(plan.test.also, plan.source, self.say)
        if not self._trusted:
            result = self._finish(result)
        result.seconds = running_time() - plan.started
        note_end(self, result)
        tell_changes()
        return result

    def _finish(self, result: Result) -> Result:
        """Verify a result, and make of it what the plan asks for; Ctrl-C ends each of these."""
        if result.ending.as_planned:
            with _interruptible(result):
                self._verify(result)
                result = self._result = self._continued(result)
        for step in self._steps():
            with _interruptible(result):
                step(self, result)
        if self.plan.good is not None:
            from marrow.run.plan.difference import patch_of

            result.patch = patch_of(self.plan.good, result.text, self.plan.source)
        return result

    def _steps(self) -> Iterator[Callable[[Run, Result], None]]:
        """Yield what the plan wants made of a result; each is loaded only then."""
        plan = self.plan
        if plan.anonymize:
            from marrow.run.output.anonymized import anonymize_result

            yield anonymize_result
        if plan.layout == "pretty":
            from marrow.run.output.pretty_result import lay_out_result

            yield lay_out_result
        if plan.shrink_command and isinstance(self.command, CapturedCommand):
            from marrow.run.test.shrunk_command import shorten_command

            yield shorten_command
        yield self._contrasts.find
        if plan.explain:
            from marrow.run.output.explanation import explain_result

            yield explain_result

    def _continued(self, result: Result, rounds: int = _MOST_ROUNDS) -> Result:
        """Reduce again, by more runs a candidate, while the smallest result proves weaker.

        The way is another one where the first went wrong; verdicts are known.
        """
        rule, weaker = self.rule, result.verified and result.smallest
        if not (isinstance(rule, SequentialTest) and weaker and rounds):
            return result
        self.rule = replace(rule, strict=True)
        self.journal.note("strict", "yes")
        if result.ending is not Ending.FINISHED:
            return result
        self.say(
            "note: the smallest result fails less often than the input; the search continues from "
            "the last one that fails as often, with more runs for each candidate"
        )
        self._reduction = None
        before, result = result, self.prepare_reduction().run(self.outputs.keep_best, result.text)
        result.tests += before.tests
        result.repeats += before.repeats
        result.also_seen = before.also_seen
        self.outputs.write_final(result.text)
        with _interruptible(result):
            self._verify(result)
            return self._continued(result, rounds - 1)
        return result

    def _verify(self, result: Result) -> None:
        """Run the test once more on the result; go back to an earlier one if it does not hold."""
        plan = self.plan
        if self._no_time and result.text == plan.source.text:
            result.verified = True  # by the one run of the test that there was
            return
        self.listen(PhaseBegan("running the test on the result"))
        text = plan.source.text
        verifier = ResultVerifier(self.executor, self.journal, text, self.rule, self.listen)
        self.outcome = verifier.check(result)
        result.changed = verifier.changed
        self.rule = verifier.rule
        note_rate(self.journal, self.rule)
        if result.smallest is not None:
            self.outputs.write_final(result.text)

    def report(self, pattern: dict[str, object] | None = None) -> None:
        """Write the reports that the plan asks for."""
        plan, result, outputs = self.plan, self._result, self.outputs
        if outputs.bug_report is not None and result is not None:
            from marrow.run.output.bug_report import write_bug_report

            write_bug_report(self, result, outputs.bug_report)
            self.say(f"bug report: {plan.bug_report}")
        if outputs.report is not None:
            if result is not None and result.explanation is not None:
                from marrow.run.output.explanation import pattern_data

                pattern = pattern_data(result.explanation, "What the result needs, part by part.")
                pattern["title"] = "What it needs"
            write_report(outputs.report, self.journal.record, pattern, force=plan.force)
            self.say(f"report: {plan.report}")


@contextlib.contextmanager
def _interruptible(result: Result) -> Iterator[None]:
    """Let Ctrl-C end what is done with a result, which stays."""
    try:
        yield
    except KeyboardInterrupt:
        result.stopped, result.ending = "interrupted", Ending.INTERRUPTED
