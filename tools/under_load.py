"""Run a command while four processes keep the processor busy.

    python -m tools.under_load COMMAND [ARGUMENT...]

A test that passes on a quiet machine and fails here depends on time. The exit code is that of the
command.
"""

from __future__ import annotations

import subprocess
import sys

_PROCESSES = 4
_BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(100_000))"


def main() -> int:
    """Start the load, run the command, end the load."""
    if not sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    load = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(_PROCESSES)]
    try:
        return subprocess.run(sys.argv[1:]).returncode
    finally:
        for one in load:
            one.kill()
            one.wait()


if __name__ == "__main__":
    sys.exit(main())
