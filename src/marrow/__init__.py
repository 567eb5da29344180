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
    from marrow.abstraction.pattern import Pattern as Pattern
    from marrow.abstraction.pattern_json import PatternError as PatternError
    from marrow.api import InterruptedReduction as InterruptedReduction
    from marrow.api import abstract as abstract
    from marrow.api import areduce as areduce
    from marrow.api import reduce as reduce
    from marrow.api import triage as triage
    from marrow.base.errors import InputError as InputError
    from marrow.base.errors import MarrowError as MarrowError
    from marrow.base.errors import UsageError as UsageError
    from marrow.bugs.bug import Bug as Bug
    from marrow.bugs.bug import BugStatus as BugStatus
    from marrow.bugs.bug import TriageResult as TriageResult
    from marrow.engine.events import Accepted as Accepted
    from marrow.engine.events import Event as Event
    from marrow.engine.events import Noted as Noted
    from marrow.engine.events import PhaseBegan as PhaseBegan
    from marrow.engine.events import Tried as Tried
    from marrow.engine.events import Warned as Warned
    from marrow.engine.executors.executor import ClusterError as ClusterError
    from marrow.engine.executors.executor import ExecutorLostError as ExecutorLostError
    from marrow.engine.journal.journal import JournalError as JournalError
    from marrow.engine.process.command import TestCommand as TestCommand
    from marrow.engine.process.command import TestCommandError as TestCommandError
    from marrow.engine.process.sandbox import SandboxError as SandboxError
    from marrow.engine.process.workspace import WorkspaceError as WorkspaceError
    from marrow.engine.search.dispatcher import StopReductionError as StopReductionError
    from marrow.engine.search.dispatcher import TestFailureError as TestFailureError
    from marrow.engine.verdict import Verdict as Verdict
    from marrow.grammar.model.parse_error import ParseError as ParseError
    from marrow.grammar.model.rules import GrammarError as GrammarError
    from marrow.learn.model import ModelError as ModelError
    from marrow.reducers.algorithms.settings import Settings as Settings
    from marrow.reducers.algorithms.settings import StrategyError as StrategyError
    from marrow.reducers.passes.templates import TemplateError as TemplateError
    from marrow.run.options.options import AbstractOptions as AbstractOptions
    from marrow.run.options.options import ReduceOptions as ReduceOptions
    from marrow.run.options.options import SessionOptions as SessionOptions
    from marrow.run.options.options import TriageOptions as TriageOptions
    from marrow.run.output.output_file import OutputError as OutputError
    from marrow.run.output.result import Ending as Ending
    from marrow.run.output.result import Result as Result
    from marrow.run.test.unfit_test import EmptyInterestingError as EmptyInterestingError
    from marrow.run.test.unfit_test import FlakyTestError as FlakyTestError
    from marrow.run.test.unfit_test import NotInterestingError as NotInterestingError
    from marrow.run.test.unfit_test import UnfitTestError as UnfitTestError
    from marrow.session import Session as Session
    from marrow.signature.refusals import UnclearFailureError as UnclearFailureError
    from marrow.signature.signature import SignatureFileError as SignatureFileError
    from marrow.signature.user_expression import SlowExpressionError as SlowExpressionError
    from marrow.syntax.views import UnknownLanguageError as UnknownLanguageError

#: The public names, by their modules. A test checks that they agree with the imports above.
_HOMES = {
    "marrow.abstraction.pattern": "Pattern",
    "marrow.abstraction.pattern_json": "PatternError",
    "marrow.api": "InterruptedReduction abstract areduce reduce triage",
    "marrow.base.errors": "InputError MarrowError UsageError",
    "marrow.bugs.bug": "Bug BugStatus TriageResult",
    "marrow.engine.events": "Accepted Event Noted PhaseBegan Tried Warned",
    "marrow.engine.executors.executor": "ClusterError ExecutorLostError",
    "marrow.engine.journal.journal": "JournalError",
    "marrow.engine.process.command": "TestCommand TestCommandError",
    "marrow.engine.process.sandbox": "SandboxError",
    "marrow.engine.process.workspace": "WorkspaceError",
    "marrow.engine.search.dispatcher": "StopReductionError TestFailureError",
    "marrow.engine.verdict": "Verdict",
    "marrow.grammar.model.parse_error": "ParseError",
    "marrow.grammar.model.rules": "GrammarError",
    "marrow.learn.model": "ModelError",
    "marrow.reducers.algorithms.settings": "Settings StrategyError",
    "marrow.reducers.passes.templates": "TemplateError",
    "marrow.run.options.options": "AbstractOptions ReduceOptions SessionOptions TriageOptions",
    "marrow.run.output.output_file": "OutputError",
    "marrow.run.output.result": "Ending Result",
    "marrow.run.test.unfit_test": "EmptyInterestingError FlakyTestError NotInterestingError "
    "UnfitTestError",
    "marrow.session": "Session",
    "marrow.signature.refusals": "UnclearFailureError",
    "marrow.signature.signature": "SignatureFileError",
    "marrow.signature.user_expression": "SlowExpressionError",
    "marrow.syntax.views": "UnknownLanguageError",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = sorted(["__version__", *_HOME_OF])


if not TYPE_CHECKING:  # for which any name would do

    def __getattr__(name: str) -> object:
        """Import a public name, and keep it."""
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        value = globals()[name] = getattr(importlib.import_module(_HOME_OF[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
