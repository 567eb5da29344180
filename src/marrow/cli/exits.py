"""Exit codes. Each has one meaning; 0 is success."""

from __future__ import annotations

import enum
from typing import Final

from marrow.base.errors import MarrowError, spelled


@enum.unique
class Exit(enum.IntEnum):
    """The exit codes of marrow."""

    DONE = 0
    USAGE = 2
    INPUT = 3
    TEST = 4
    NOT_INTERESTING = 5
    FLAKY = 6
    EMPTY_INTERESTING = 7
    OUTPUT = 8
    JOURNAL = 9
    NO_MATCH = 10
    CLUSTER = 11
    SANDBOX = 12
    MEMORY = 13
    NEW_BUGS = 14
    INTERNAL = 70
    INTERRUPTED = 130
    QUIT = 131
    TERMINATED = 143


#: The exit codes of errors, by the name of their class or of a class above it. By name, so that
#: no module is imported for an error that does not happen.
_CODES: Final = {
    "UsageError": Exit.USAGE,
    "UnknownLanguageError": Exit.USAGE,
    "StrategyError": Exit.USAGE,
    "InputError": Exit.INPUT,
    "GrammarError": Exit.INPUT,
    "ParseError": Exit.INPUT,
    "PatternError": Exit.INPUT,
    "SignatureFileError": Exit.INPUT,
    "TestCommandError": Exit.TEST,
    "TestFailureError": Exit.TEST,
    "WorkspaceError": Exit.TEST,
    "NotInterestingError": Exit.NOT_INTERESTING,
    "UnclearFailureError": Exit.NOT_INTERESTING,
    "FlakyTestError": Exit.FLAKY,
    "EmptyInterestingError": Exit.EMPTY_INTERESTING,
    "OutputError": Exit.OUTPUT,
    "JournalError": Exit.JOURNAL,
    "NoReportError": Exit.JOURNAL,
    "ClusterError": Exit.CLUSTER,
    "ExecutorLostError": Exit.CLUSTER,
    "SandboxError": Exit.SANDBOX,
}


class CliError(Exception):
    """Ends the command with a message for the user and an exit code.

    For programs: `kind` where that says more than the code, `hint` where it is not all but the
    first line of the message, and the `output` of the test.
    """

    def __init__(
        self,
        code: Exit,
        message: str,
        *,
        kind: str = "",
        hint: str = "",
        output: str = "",
        recorded: bool = False,
    ) -> None:
        super().__init__(spelled(message, command_line=True))
        self.code = code
        self.kind = kind
        self.hint = spelled(hint, command_line=True)
        self.output = output
        #: Whether a record for programs has it already.
        self.recorded = recorded


def exit_of(error: Exception) -> Exit:
    """Return the exit code of an error."""
    if isinstance(error, CliError):
        return error.code
    names = (kind.__name__ for kind in type(error).__mro__)
    return next((_CODES[name] for name in names if name in _CODES), Exit.INTERNAL)


def cli_error(error: CliError | MarrowError) -> CliError:
    """Return an error as one that ends the command."""
    return error if isinstance(error, CliError) else CliError(exit_of(error), error.on_command_line)
