"""marrow cuts a failing input down to the part that matters.

`reduce`, `abstract` and `triage` do what the commands of these names do; `areduce` is `reduce` to
await; a `Session` asks its caller instead of running a test; `marrow.testing` helps in failing
tests. Everything else is in the packages below.

A name is imported when it is first used, so that `import marrow` and `marrow --version` are quick.
"""

__version__ = "0.2.0"

# Type checkers take a variable of this name to be true. `typing` itself would make every start of
# the command line slower by a few milliseconds.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from marrow.abstraction.pattern import Pattern
    from marrow.abstraction.pattern_json import PatternError
    from marrow.api import InterruptedReduction, abstract, areduce, reduce, triage
    from marrow.base.errors import InputError, MarrowError, UsageError
    from marrow.bugs.bug import Bug, BugStatus, TriageResult
    from marrow.engine.events import Accepted, Event, Noted, PhaseBegan, Tried, Warned
    from marrow.engine.executors.executor import ClusterError, ExecutorLostError
    from marrow.engine.journal.journal import JournalError
    from marrow.engine.process.command import TestCommand, TestCommandError
    from marrow.engine.process.sandbox import SandboxError
    from marrow.engine.process.workspace import WorkspaceError
    from marrow.engine.search.dispatcher import StopReductionError, TestFailureError
    from marrow.engine.verdict import Verdict
    from marrow.grammar.model.parse_error import ParseError
    from marrow.grammar.model.rules import GrammarError
    from marrow.learn.model import ModelError
    from marrow.reducers.algorithms.settings import Settings
    from marrow.reducers.passes.templates import TemplateError
    from marrow.reducers.pipeline.strategy import StrategyError
    from marrow.run.options.command_options import TriageOptions
    from marrow.run.options.options import AbstractOptions, ReduceOptions, SessionOptions
    from marrow.run.output.output_file import OutputError
    from marrow.run.output.result import Ending, Result
    from marrow.run.test.check_test import (
        EmptyInterestingError,
        FlakyTestError,
        NotInterestingError,
        UnfitTestError,
    )
    from marrow.session import Session
    from marrow.signature.refusals import UnclearFailureError
    from marrow.signature.signature import SignatureFileError
    from marrow.signature.user_expression import SlowExpressionError
    from marrow.syntax.views import UnknownLanguageError

#: The module of every name. A test checks that it agrees with the imports above.
_HOMES = {
    "AbstractOptions": "marrow.run.options.options",
    "Accepted": "marrow.engine.events",
    "Bug": "marrow.bugs.bug",
    "BugStatus": "marrow.bugs.bug",
    "ClusterError": "marrow.engine.executors.executor",
    "EmptyInterestingError": "marrow.run.test.check_test",
    "Ending": "marrow.run.output.result",
    "Event": "marrow.engine.events",
    "ExecutorLostError": "marrow.engine.executors.executor",
    "FlakyTestError": "marrow.run.test.check_test",
    "GrammarError": "marrow.grammar.model.rules",
    "InputError": "marrow.base.errors",
    "InterruptedReduction": "marrow.api",
    "JournalError": "marrow.engine.journal.journal",
    "MarrowError": "marrow.base.errors",
    "ModelError": "marrow.learn.model",
    "NotInterestingError": "marrow.run.test.check_test",
    "Noted": "marrow.engine.events",
    "OutputError": "marrow.run.output.output_file",
    "ParseError": "marrow.grammar.model.parse_error",
    "Pattern": "marrow.abstraction.pattern",
    "PatternError": "marrow.abstraction.pattern_json",
    "PhaseBegan": "marrow.engine.events",
    "ReduceOptions": "marrow.run.options.options",
    "Result": "marrow.run.output.result",
    "SandboxError": "marrow.engine.process.sandbox",
    "Session": "marrow.session",
    "SessionOptions": "marrow.run.options.options",
    "Settings": "marrow.reducers.algorithms.settings",
    "StopReductionError": "marrow.engine.search.dispatcher",
    "StrategyError": "marrow.reducers.pipeline.strategy",
    "TemplateError": "marrow.reducers.passes.templates",
    "SignatureFileError": "marrow.signature.signature",
    "SlowExpressionError": "marrow.signature.user_expression",
    "TestCommand": "marrow.engine.process.command",
    "TestCommandError": "marrow.engine.process.command",
    "TestFailureError": "marrow.engine.search.dispatcher",
    "TriageOptions": "marrow.run.options.command_options",
    "TriageResult": "marrow.bugs.bug",
    "Tried": "marrow.engine.events",
    "UnclearFailureError": "marrow.signature.refusals",
    "UnfitTestError": "marrow.run.test.check_test",
    "UnknownLanguageError": "marrow.syntax.views",
    "UsageError": "marrow.base.errors",
    "Verdict": "marrow.engine.verdict",
    "Warned": "marrow.engine.events",
    "WorkspaceError": "marrow.engine.process.workspace",
    "abstract": "marrow.api",
    "areduce": "marrow.api",
    "reduce": "marrow.api",
    "triage": "marrow.api",
}

__all__ = [
    "AbstractOptions",
    "Accepted",
    "Bug",
    "BugStatus",
    "ClusterError",
    "EmptyInterestingError",
    "Ending",
    "Event",
    "ExecutorLostError",
    "FlakyTestError",
    "GrammarError",
    "InputError",
    "InterruptedReduction",
    "JournalError",
    "MarrowError",
    "ModelError",
    "NotInterestingError",
    "Noted",
    "OutputError",
    "ParseError",
    "Pattern",
    "PatternError",
    "PhaseBegan",
    "ReduceOptions",
    "Result",
    "SandboxError",
    "Session",
    "SessionOptions",
    "Settings",
    "SignatureFileError",
    "SlowExpressionError",
    "StopReductionError",
    "StrategyError",
    "TemplateError",
    "TestCommand",
    "TestCommandError",
    "TestFailureError",
    "TriageOptions",
    "TriageResult",
    "Tried",
    "UnclearFailureError",
    "UnfitTestError",
    "UnknownLanguageError",
    "UsageError",
    "Verdict",
    "Warned",
    "WorkspaceError",
    "__version__",
    "abstract",
    "areduce",
    "reduce",
    "triage",
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
