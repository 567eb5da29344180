"""marrow cuts a failing input down to the part that matters.

`reduce` and `abstract` do what the commands of these names do; `areduce` is `reduce` to await; a
`Session` asks its caller instead of running a test; `marrow.testing` helps in failing tests.
Everything else is in the packages below.

A name is imported when it is first used, so that `import marrow` and `marrow --version` are quick.
"""

__version__ = "0.1.0"

# Type checkers take a variable of this name to be true. `typing` itself would make every start of
# the command line slower by a few milliseconds.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from marrow.api import InterruptedReduction, abstract, areduce, reduce
    from marrow.engine.events import Accepted, Event, PhaseBegan, Tried, Warned
    from marrow.engine.journal.journal import JournalError
    from marrow.engine.process.command import TestCommand, TestCommandError
    from marrow.engine.search.dispatcher import TestFailureError
    from marrow.engine.verdict import Verdict
    from marrow.reducers.settings import Settings
    from marrow.run.first_runs import UnfitTestError
    from marrow.run.options import ReduceOptions
    from marrow.run.reduction import Ending, Result
    from marrow.session import Session

#: The module of every name. A test checks that it agrees with the imports above.
_HOMES = {
    "Accepted": "marrow.engine.events",
    "Ending": "marrow.run.reduction",
    "Event": "marrow.engine.events",
    "InterruptedReduction": "marrow.api",
    "JournalError": "marrow.engine.journal.journal",
    "PhaseBegan": "marrow.engine.events",
    "ReduceOptions": "marrow.run.options",
    "Result": "marrow.run.reduction",
    "Session": "marrow.session",
    "Settings": "marrow.reducers.settings",
    "TestCommand": "marrow.engine.process.command",
    "TestCommandError": "marrow.engine.process.command",
    "TestFailureError": "marrow.engine.search.dispatcher",
    "Tried": "marrow.engine.events",
    "UnfitTestError": "marrow.run.first_runs",
    "Verdict": "marrow.engine.verdict",
    "Warned": "marrow.engine.events",
    "abstract": "marrow.api",
    "areduce": "marrow.api",
    "reduce": "marrow.api",
}

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
    "__version__",
    "abstract",
    "areduce",
    "reduce",
]


if not TYPE_CHECKING:  # for which any name would do

    def __getattr__(name: str) -> object:
        """Import a public name, and keep it."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        value = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
