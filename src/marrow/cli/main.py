"""The entry point of `marrow`.

Nothing is imported before `run` has taken care of Ctrl-C, so that it never shows a traceback,
however early it comes: not even `signal`, which takes some milliseconds, but what is below it.
"""

import _signal  # type: ignore[import-not-found]
import gc
import os
import sys

# The exit code of Ctrl-C, `Exit.INTERRUPTED`.
_INTERRUPTED = 130


# Signals that Python ignores itself and sets right in children, and those of terminals.
_KEPT_IGNORED = {_signal.SIGPIPE, _signal.SIGXFSZ}
_KEPT_IGNORED |= {_signal.SIGTSTP, _signal.SIGTTIN, _signal.SIGTTOU}

# Exit codes come with SIGCHLD; the others come from faults, which cannot be ignored.
_NEVER_IGNORED = {_signal.SIGCHLD, _signal.SIGSEGV, _signal.SIGBUS, _signal.SIGFPE}
_NEVER_IGNORED |= {_signal.SIGILL, _signal.SIGABRT, _signal.SIGTRAP, _signal.SIGSYS}


def run() -> None:
    """Run the command line in a process of its own."""
    # Trees and outlines are many objects without cycles, which the collector would walk in vain: a
    # seventh of the time on 2.4 MB of C++, for 13 MB of memory (docs/lab/large.md).
    gc.set_threshold(50_000, 20, 100)
    # Where Ctrl-C is ignored (nohup, a background job of a script), it stays so.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)
    _undo_inherited()
    _open_closed_streams()
    if _has_foreign_children():
        from marrow.cli.foreign_children import work_apart

        work_apart()
    command_line()


def _has_foreign_children() -> bool:
    """Whether this process has children that it did not start, or may inherit some."""
    if os.getpid() == 1:
        return True
    try:
        file = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY)
    except OSError:  # on another system a run inherits nothing
        return False
    try:
        return bool(os.read(file, 1))
    finally:
        os.close(file)


def _undo_inherited() -> None:
    """Undo what the parent has set and tests would inherit: they would be misjudged.

    See `engine.process.child`. What is ignored here (nohup) stays without effect, by a
    handler, which no test inherits. A umask without the owner's rights would keep a test from
    reading its own candidate.
    """
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    for number in _signal.valid_signals():
        if number not in _KEPT_IGNORED and _signal.getsignal(number) == _signal.SIG_IGN:
            _signal.signal(number, _signal.SIG_DFL if number in _NEVER_IGNORED else ignored)
    os.umask(os.umask(0o077) & 0o077)


def ignored(_: int, __: object) -> None:
    """Do nothing about a signal."""


def _open_closed_streams() -> None:
    """Let streams that are closed (`2>&-`) lead nowhere.

    Otherwise the next file that is opened, the journal perhaps, would take the place of one, and
    what is written to standard error would go into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    sys.stdout = sys.stdout or os.fdopen(os.dup(1), "w")
    sys.stderr = sys.stderr or os.fdopen(os.dup(2), "w")


def command_line() -> None:
    """Run the command line. Every failure that a user can meet ends here, without a traceback."""
    from marrow.base.errors import MarrowError
    from marrow.cli.command_table import marrow
    from marrow.cli.console import echo, output_error
    from marrow.cli.exits import CliError, Exit, cli_error
    from marrow.cli.records import print_error

    for stream in (sys.stdout, sys.stderr):
        # A file name or a text that the terminal cannot show must not end the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        marrow()
        return
    except (CliError, MarrowError) as error:
        failure = cli_error(error)
    except Exception as error:
        failure = output_error(error) or CliError(
            Exit.INTERNAL,
            f"marrow itself failed: {type(error).__name__}: {error}\n"
            "This is a bug. Please report it with the command and the input.",
        )
    echo(f"marrow: {failure}", err=True)
    print_error(failure)
    sys.exit(failure.code)


def _leave(_: int, __: object) -> None:
    """End at once after Ctrl-C. A command with something to put in order has its own handler.

    KeyboardInterrupt would not do: imports sometimes catch it, print it and continue.
    """
    try:
        sys.stdout.flush()
    finally:
        os._exit(_INTERRUPTED)
