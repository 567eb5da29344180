"""Make docs/run.svg: the README's example as it looks in a terminal.

python -m tools.picture
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "marrow reduce deploy.yaml -j 1 -- python3 load.py {}"
WIDTH = 108


def output() -> str:
    """Run the example and return what it prints, without the parts that differ by machine."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "yaml"
        shutil.copytree(ROOT / "examples" / "yaml", folder)
        beside = str(Path(sys.executable).parent)
        done = subprocess.run(
            COMMAND.split(),
            cwd=folder,
            env={**os.environ, "PATH": f"{beside}:{os.environ['PATH']}", "COLUMNS": str(WIDTH)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
    # What the tool itself printed shows paths of this machine.
    return re.sub(r"(?m)^  on the result the command.*\n(?:  \|.*\n)+", "", done.stdout)


def main() -> None:
    """Record the run, and write the picture."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ " + COMMAND, style="bold"))
    for line in output().splitlines():
        bold = re.search(r" -> |^    \S", line) is not None
        dim = re.match(r" +[\d.]+ s ", line) is not None
        console.print(Text(line, style="bold green" if bold else "dim" if dim else ""))
    picture = console.export_svg(title="marrow")
    # The picture loads nothing from elsewhere.
    picture = re.sub(r"@font-face \{.*?\}\n", "", picture, flags=re.DOTALL)
    picture = picture.replace("Fira Code", "ui-monospace, monospace")
    (ROOT / "docs" / "run.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
