"""Why a test could not be run, in words, and what to do about it."""

from __future__ import annotations

import errno
from typing import Final

#: What to say where the system refuses another thread.
NO_THREAD: Final = (
    "the system has no room for another thread\n"
    "Use fewer workers (⟦jobs⟧), or raise the limits (ulimit -u shows the one for processes)."
)


def why_not_entered(output: bytes) -> str:
    """Return a message: a test did not get into its sandbox."""
    said = output.decode("utf-8", "replace").strip()
    return (
        f"the test could not be started in its sandbox{': ' if said else ''}{said}\n"
        "Of /tmp, /run and your home a sandbox has only the current directory, the test's and "
        "those of the\nprograms on the PATH; --sandbox-home PATH shows more."
    )


def why_not_run(error: Exception) -> str:
    """Return a message: why a test could not be run, and what to do."""
    name = getattr(error, "filename", None) or ""
    number = error.errno if isinstance(error, OSError) else None
    match number:
        case errno.ENOENT:
            return (
                f"the test cannot be started: {name} is not there, or the interpreter that its "
                "first line names\nCheck that line; leave the test where it is while marrow runs."
            )
        case errno.EACCES | errno.EPERM:
            return (
                f"the test may not be run: {name}: {error}\n"
                "Check its rights, and that no file system is mounted with noexec."
            )
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return (
                f"no space for the candidate in the temporary directory: {name}: {error}\n"
                "Free some space, or name another directory in the environment variable TMPDIR."
            )
        case errno.ECHILD:
            return (
                f"the exit code of the test is lost: {error.args[-1]}\n"
                "Do not wait for all children (os.wait, os.waitpid(-1)) while marrow runs, nor "
                "ignore SIGCHLD."
            )
        case errno.EMFILE | errno.ENFILE | errno.EAGAIN | errno.ENOMEM:
            return (
                f"the system has no room for another process: {error}\n"
                "Use fewer workers (⟦jobs⟧), or raise the limits (ulimit -a shows them)."
            )
    if isinstance(error, RuntimeError) and "new thread" in str(error):
        return NO_THREAD
    return (
        f"the test could not be run: {error}\n"
        "Run it by hand on the input, in an empty directory, to see why."
    )
