"""Fork bombs: ended with the test that started them, however they spread.

They go off in a PID namespace of their own that dies with this process, as a user without rights,
with a limit of processes: whatever fails here, the machine is safe.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache

import pytest

from tests.people import ORDINARY, ROOM

# Each starts a session of its own, so that no signal reaches two of them.
BOMBS = {
    "plain": "if not os.fork(): os.setsid()",
    "comets": "[os.fork() or os.setsid() for _ in range(2)]; os.fork() and os._exit(0)",
    "no mark": "if not os.fork(): os.setsid()",
}

BOMB = """\
import os, sys
if os.environ.get("MARROW_TEST") and {bare}:
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {{}})
while True:
    try:
        {step}
    except OSError:
        pass
"""

# Runs a bomb, then a harmless test; then nothing may be left but this process and the first one.
PROGRAM = """\
import os, shlex, sys
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import TestCommand

bomb = f"{shlex.quote(sys.executable)} -I -S -c {shlex.quote(sys.argv[1])} & sleep 1000"
command = 'case $(cat "$1") in bomb) ' + bomb + ";; *) sleep 0.1 & wait;; esac"
executor = CommandExecutor(TestCommand.shell(command), "input", adopt=True)
executor.allow(1.0)
print(executor.submit(b"bomb").future.result().verdict.value, end=" ")
executor.allow(100.0)
print(executor.submit(b"harmless").future.result().verdict.value, end=" ")
executor.close()
others = {int(name) for name in os.listdir("/proc") if name.isdigit()} - {1, os.getpid()}
print(*[open(f"/proc/{pid}/cmdline").read() for pid in others])
"""


@cache
def confined() -> list[str]:
    """Return the words that confine a command, or skip the test."""
    if shutil.which("bwrap") is None or shutil.which("prlimit") is None:
        pytest.skip("needs bubblewrap and prlimit")
    words = ["bwrap", "--unshare-pid", "--die-with-parent", "--ro-bind", "/", "/"]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chmod", "1777", "/tmp"]
    # A checkout in /tmp, and its parents, which are made for root alone otherwise.
    for parent in reversed(ROOM.parents[:-2]):
        if parent.is_relative_to("/tmp"):
            words += ["--perms", "0755", "--dir", str(parent)]
    words += ["--ro-bind", str(ROOM), str(ROOM)]
    if os.getuid() == 0:
        # Not nobody: others of that name count too.
        words += ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]
    words += ["prlimit", "--nproc=150"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("bubblewrap does not work here")
    return words


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are inherited on Linux")
@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_ends_with_its_test(kind: str) -> None:
    bomb = BOMB.format(step=BOMBS[kind], bare=kind == "no mark")
    ended = subprocess.run(
        [*confined(), ORDINARY.python, "-c", PROGRAM, bomb],
        cwd=ROOM,
        env=ORDINARY.environment(TMPDIR="/tmp"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.stdout.split() == ["timeout", "interesting"], ended
