"""Run a command with the programs of a minimal Debian alone: essential packages, python3 and make.

    python -m tools.bare_path COMMAND [ARGUMENT...]

PATH is a directory of links to those programs, so that tests see a machine without bubblewrap,
tmux, compilers, node or git. The exit code is that of the command, or 2 where there is no dpkg to
ask.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

#: Where packages put programs.
_FOLDERS = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/")


def programs() -> dict[str, str]:
    """Return the programs of the essential packages and of make, by name."""
    ask = ["dpkg-query", "-W", "-f", "${Package} ${Essential} ${Priority}\n"]
    listed = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    packages = [row[0] for row in rows if "yes" in row[1:2] or "required" in row[1:]]
    owned = subprocess.run(
        ["dpkg", "-L", *packages, "make"], capture_output=True, text=True, check=False
    ).stdout
    paths = (line for line in owned.splitlines() if line.startswith(_FOLDERS))
    return {Path(path).name: path for path in paths if os.access(path, os.X_OK)}


def main() -> int:
    """Make the directory and run the command."""
    if not sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("dpkg-query") is None:
        print("bare_path: there is no dpkg here to ask for the essential packages", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="bare-path-") as place:
        python = str(Path(sys.base_prefix) / "bin" / "python3")
        for name, path in {**programs(), "python3": python}.items():
            (Path(place) / name).symlink_to(path)
        return subprocess.run(sys.argv[1:], env={**os.environ, "PATH": place}).returncode


if __name__ == "__main__":
    sys.exit(main())
