"""Sessions: a reduction in which the caller runs the tests, one candidate at a time.

For callers whose test is not a function: a person, a device, another event loop, a queue. The
algorithm runs in a thread of its own and waits there for the answers, so it is the very reduction
that `marrow.reduce` makes with one worker.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from types import TracebackType
from typing import Final, Self

from marrow.engine.events import Accepted, Event
from marrow.engine.executors.caller import CallerExecutor
from marrow.engine.executors.function import verdict_of_answer
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits
from marrow.engine.verdict import Verdict
from marrow.reducers.choose import strategy_of
from marrow.reducers.settings import Settings
from marrow.run.reduction import Ending, Reduction, Result
from marrow.run.task import AnyGrammar, AnyPath, chosen_view, journal_at, text_of


class Session:
    """A reduction that asks its caller.

    The source is taken to be interesting: it is the best until a candidate is. A session belongs to
    the thread that uses it; any number of them may be in use at once.

    With a `journal` (a path) every answer is on disk, and a session on the same source goes on
    where an earlier one with that journal stopped: what was answered is not asked again.

    >>> with Session("[1, [2, 3], 4]", language="json") as session:
    ...     while (candidate := session.next()) is not None:
    ...         session.answer(b"3" in candidate)
    >>> session.best
    b'3'
    >>> session.stop().tokens_before
    11
    """

    def __init__(
        self,
        source: bytes | str,
        *,
        name: str = "input",
        language: str | None = None,
        grammar: AnyGrammar | None = None,
        start: str | None = None,
        algorithm: str | None = None,
        settings: Settings | None = None,
        max_tests: int | None = None,
        max_seconds: float | None = None,
        journal: AnyPath | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> None:
        """Set up the reduction; the arguments are those of `marrow.reduce`."""
        text = text_of(source)
        view = chosen_view(text, name, language, grammar, start)
        strategy = strategy_of(algorithm, settings)
        self._events: Final[SimpleQueue[Event]] = SimpleQueue()
        self._on_event: Final = on_event
        self._executor: Final = CallerExecutor()
        self._best = text
        kept = journal_at(journal, text, lambda: "a session")
        limits = Limits(max_tests, max_seconds)
        try:
            reduction = Reduction(
                text=text,
                view=view,
                strategy=strategy,
                executor=self._executor,
                journal=kept,
                listener=self._events.put,
                limits=limits,
            )
        except BaseException:
            kept.close()
            raise
        self._run: Final = _Run(reduction, self._executor, kept)
        # The thread knows nothing of the session: one that is dropped is stopped too.
        weakref.finalize(self, self._executor.close)

    @property
    def best(self) -> bytes:
        """The smallest text so far that is interesting."""
        return self._best

    def next(self) -> bytes | None:
        """Return the candidate that waits for an answer; None when the reduction has ended.

        Until it is answered it is the same one. Listeners are called here, in this thread.
        """
        candidate = self._executor.candidate()
        if candidate is None:
            self._end()
        self._tell()
        return candidate

    def answer(self, verdict: bool | Verdict) -> None:
        """Say what the candidate is: true, false or a verdict.

        An answer that comes after the end (a limit of time was reached) is not needed any more.
        """
        said = verdict_of_answer(verdict)
        candidate = self._executor.answer(said)
        if candidate is not None and said is Verdict.INTERESTING:
            self._best = candidate

    def stop(self) -> Result:
        """End the reduction, if it has not ended, and return what came out of it."""
        self._executor.close()
        result = self._end()
        self._tell()
        return result

    def __iter__(self) -> Iterator[bytes]:
        """Go through the candidates; each must be answered before the next."""
        return iter(self.next, None)

    def __enter__(self) -> Self:
        """A session is stopped at the end of its block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _end(self) -> Result:
        result = self._run.result()
        self._best = result.text
        return result

    def _tell(self) -> None:
        while not self._events.empty():
            event = self._events.get()
            if isinstance(event, Accepted):
                # Also what a journal knew: that needed no answer.
                self._best = event.after
            if self._on_event is not None:
                self._on_event(event)


class _Run:
    """The thread of a session, and what came out of it."""

    def __init__(self, reduction: Reduction, executor: CallerExecutor, journal: Journal) -> None:
        self._reduction: Final = reduction
        self._executor: Final = executor
        self._journal: Final = journal
        self._result: Result | None = None
        self._error: BaseException | None = None
        # A daemon: a session that nobody ends must not hold up the end of the program.
        self._thread: Final = threading.Thread(
            target=self._work, name="marrow-session", daemon=True
        )
        self._thread.start()

    def result(self) -> Result:
        """Wait for the end; return the result, or raise what went wrong."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def _work(self) -> None:
        try:
            result = self._reduction.run()
            if self._executor.taken_back:
                result.stopped, result.ending = "stopped by the caller", Ending.INTERRUPTED
            self._result = result
        except BaseException as error:
            self._error = error
        finally:
            self._journal.close()
            self._executor.close()
