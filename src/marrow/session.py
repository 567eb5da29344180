"""Sessions: a reduction in which the caller runs the tests, one candidate at a time.

For callers whose test is not a function: a person, a device, another event loop, a queue. The
algorithm runs in a thread of its own and waits there for the answers, so it is the very reduction
that `marrow.reduce` makes with one worker.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Final, Self, Unpack

from marrow.api import input_of
from marrow.engine.events import Accepted, Event
from marrow.engine.executors.function import CallerExecutor, verdict_of_answer
from marrow.engine.verdict import Verdict
from marrow.run.options.option import AnySource, read_values
from marrow.run.options.options import ReduceOptions, SessionOptions
from marrow.run.output.result import Ending, Result
from marrow.run.plan.plan import plan_reduction
from marrow.run.run import Run


class Session:
    """A reduction that asks its caller.

    The source is taken to be interesting: it is the best until a candidate is. A session belongs to
    the thread that uses it; any number of them may be in use at once.

    With a `journal` (a path) every answer is on disk, and a session on the same source resumes
    an earlier one with that journal: what was answered is not asked again.

    >>> with Session("[1, [2, 3], 4]", language="json") as session:
    ...     while (candidate := session.next()) is not None:
    ...         session.answer(b"3" in candidate)
    >>> session.best
    b'3'
    >>> session.stop().tokens_before
    11
    """

    def __init__(self, source: AnySource, **options: Unpack[SessionOptions]) -> None:
        """Set up the reduction; the options are those of `marrow.reduce`."""
        values = read_values(ReduceOptions, {}) | read_values(SessionOptions, options)
        plan = plan_reduction(input_of(source, values), answered_by_the_caller, values)
        self._events: Final[SimpleQueue[Event]] = SimpleQueue()
        self._on_event: Final = values["on_event"]
        self._executor: Final = CallerExecutor()
        self._best = plan.source.text
        run = Run(plan, self._events.put, executor=self._executor, trusted=True)
        run.open()
        self._ended: Final[Future[Result]] = Future()
        # The thread knows nothing of the session: one that is dropped is stopped too. A daemon: a
        # session that nobody ends must not hold up the end of the program.
        work = run, self._executor, self._ended
        threading.Thread(target=_reduce, args=work, name="marrow-session", daemon=True).start()
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

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _end(self) -> Result:
        result = self._ended.result()
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


def _reduce(run: Run, executor: CallerExecutor, ended: Future[Result]) -> None:
    """Do the work of a session, in its thread."""
    try:
        with contextlib.closing(executor), contextlib.closing(run):
            result = run.reduce()
            if executor.taken_back:
                result.stopped, result.ending = "stopped by the caller", Ending.INTERRUPTED
            run.report()
    except BaseException as error:
        ended.set_exception(error)
    else:
        ended.set_result(result)


def answered_by_the_caller(_: bytes) -> bool:
    """Stand for the test of a session in its plan; nobody calls it."""
    raise AssertionError("the caller of a session runs the test")
