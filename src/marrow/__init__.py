"""marrow cuts a failing input down to the part that matters.

`reduce` and `abstract` are what the command line does, as functions; `areduce` is `reduce` to
await; a `Session` asks its caller; `marrow.testing` helps in failing tests. Everything else is in
the packages below.
"""

from marrow.api import InterruptedReduction, ReduceOptions, abstract, areduce, reduce
from marrow.engine.events import Accepted, Event, PhaseBegan, Tried, Warned
from marrow.engine.journal.journal import JournalError
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.search.scheduler import TestFailureError
from marrow.engine.verdict import Verdict
from marrow.reducers.settings import Settings
from marrow.run.first_runs import UnfitTestError
from marrow.run.reduction import Ending, Result
from marrow.session import Session

__all__ = [
    "Accepted",
    "Ending",
    "Event",
    "InterruptedReduction",
    "JournalError",
    "PhaseBegan",
    "ReduceOptions",
    "Result",
    "Session",
    "Settings",
    "TestCommand",
    "TestCommandError",
    "TestFailureError",
    "Tried",
    "UnfitTestError",
    "Verdict",
    "Warned",
    "abstract",
    "areduce",
    "reduce",
]
