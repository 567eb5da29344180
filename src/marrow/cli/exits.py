"""Exit codes. Each has one meaning; 0 is success."""

from __future__ import annotations

import enum
from typing import Final

from marrow.base.errors import spelled


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


#: The meaning of the codes, for the help.
EXIT_CODES = """\b
Exit codes:
  0    success: the result is written, and the test was interesting on it once more
  1    the output was closed by its reader (a pipe); a result is kept
  2    wrong use of the command line
  3    the input or grammar is missing, unreadable, empty or broken
  4    the test cannot be run, or can no longer be run
  5    the test is not interesting on the input itself
  6    the test is too flaky, changes, or does not hold on any result when run once more
  7    the test is interesting on an empty file too
  8    the result, or what goes to standard output, cannot be written
  9    the journal cannot be used
  10   a file does not belong to the pattern (marrow match)
  11   the cluster cannot be used, or has lost all its workers; --resume continues
  12   no sandbox is available on this system (--sandbox)
  13   out of memory; the best result so far is kept, --resume continues
  14   marrow triage found a bug that --known does not list
  70   marrow itself failed, which is a bug; the best result so far is kept
  130  stopped by Ctrl-C (131: by SIGQUIT, 143: by SIGTERM); the best result so far is kept
"""


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
