"""A sandbox for tests (`--sandbox`), by bubblewrap: no network, nothing to write but their own.

In it a test sees the file system as it is, but can write only into its own directory, its directory
for temporary files, and a /tmp and /dev/shm of its own, which are gone when it ends. There is no
network, and no process but its own. /run is empty: the sockets in it lead to programs outside that
would do what the test may not.

Nothing is left out silently: where bubblewrap is missing, or the system does not permit namespaces,
`check_sandbox` raises, and a test that never came into its sandbox gives no verdict.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from marrow.errors import MarrowError

_PROGRAM: Final = "bwrap"

# What bubblewrap exits with if it cannot make the sandbox, or start the test in it.
FAILED: Final = 1

# How long making an empty sandbox may take: it takes some 10 ms, on a busy machine a second.
_PATIENCE: Final = 30.0

# All of it is made anew for every test. What is named later lies on top of what is named earlier.
_ROOT: Final = (
    "--unshare-all",
    "--die-with-parent",
    *("--ro-bind", "/", "/"),
    *("--dev", "/dev"),
    *("--proc", "/proc"),
    *("--tmpfs", "/tmp"),
    *("--tmpfs", "/run"),
    # Where NixOS has its programs.
    *("--ro-bind-try", "/run/current-system", "/run/current-system"),
)

_HIDDEN: Final = (Path("/tmp"), Path("/run"))


class SandboxError(MarrowError):
    """There is no sandbox; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What is in the sandbox besides the test's own directories.

    `visible` are files and directories in /tmp or /run, which are hidden otherwise; they can be
    read. `writable` are directories that can be written too.
    """

    visible: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()

    @classmethod
    def around(cls, paths: Iterable[str | Path]) -> Sandbox:
        """Return a sandbox in which files can be read that lie in /tmp or /run.

        With each file its directory, unless that is /tmp or /run itself, and with a link also what
        it leads to: a script may need what lies beside it.
        """
        found: dict[str, None] = {}
        for path in paths:
            given = Path(os.path.abspath(path))
            for one in (given, given.resolve()):
                hidden = next((top for top in _HIDDEN if top in one.parents), None)
                if hidden is None or not one.exists():
                    continue
                near = one if one.is_dir() or one.parent == hidden else one.parent
                found[str(near)] = None
        return cls(tuple(found))

    def showing(self, *paths: str | Path) -> Sandbox:
        """Return this sandbox with some more files that can be read."""
        return replace(self, visible=Sandbox.around([*self.visible, *paths]).visible)

    def line(self, command: Iterable[str], directories: Iterable[str], status: int) -> list[str]:
        """Return a command line that runs a command in the sandbox.

        The directories can be written; bubblewrap says on the file `status` how the command ended.
        """
        words = [_PROGRAM, *_ROOT]
        for path in self.visible:
            words += ["--ro-bind-try", path, path]
        for path in (*self.writable, *directories):
            words += ["--bind", path, path]
        return [*words, "--json-status-fd", str(status), "--", *command]


class Status:
    """Where bubblewrap says how a command ended: a file without a name, for one test."""

    def __init__(self) -> None:
        self.file: Final = os.memfd_create("marrow-sandbox")

    def entered(self) -> bool:
        """Whether the command was started in its sandbox and ended there; closes the file."""
        try:
            return b'"exit-code"' in os.pread(self.file, os.fstat(self.file).st_size, 0)
        finally:
            os.close(self.file)


def check_sandbox() -> None:
    """Raise `SandboxError` where the system offers no sandbox."""
    if shutil.which(_PROGRAM) is None:
        raise SandboxError(
            f"there is no sandbox here: the program {_PROGRAM} (bubblewrap) is not installed\n"
            "Install it (Linux only), or leave out ⟦sandbox⟧: the test then runs with your rights."
        )
    status = Status()
    try:
        tried = subprocess.run(
            Sandbox().line(["true"], (), status.file),
            pass_fds=(status.file,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_PATIENCE,
            check=False,
        )
        said = tried.stderr.decode("utf-8", "replace").strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    if not status.entered():
        raise SandboxError(
            f"there is no sandbox here: {said or 'bubblewrap fails'}\n"
            "The system must permit user namespaces (in a container they often are not). Leave out "
            "⟦sandbox⟧ to run the\ntest with your rights."
        )
