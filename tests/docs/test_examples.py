"""What the documents show is what happens: Python examples, cheap commands, links."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import marrow

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
)


def blocks(page: str, kind: str) -> list[str]:
    """Return the fenced blocks of a kind."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


#: Before, doctest compared exceptions that have notes with all that is printed of them.
OLD_DOCTEST = sys.version_info < (3, 11, 5)


@pytest.mark.skipif(OLD_DOCTEST, reason="this doctest does not know notes of exceptions")
def test_python_examples() -> None:
    checked = 0
    for page in PAGES:
        names: dict[str, object] = {}
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        for number, block in enumerate(blocks(page, "pycon")):
            example = doctest.DocTestParser().get_doctest(block, names, page, page, number)
            runner.run(example, clear_globs=False)
            names = example.globs
        assert runner.summarize(verbose=False).failed == 0, page
        checked += runner.tries
    assert checked > 10


def commands(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with what it prints."""
    found = re.findall(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    return [(command, output) for command, output in found]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_commands_print_what_the_page_says(page: str, tmp_path: Path) -> None:
    """Blocks marked `console` are run in the directory of the examples; `...` stands for anything.

    Those that need programs, or time, are not marked.
    """
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    programs = tmp_path / "bin"
    programs.mkdir()
    shim = programs / "marrow"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m marrow "$@"\n')
    shim.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(marrow.__file__).parents[1]),
    }
    for block in blocks(page, "console"):
        assert commands(block)
        for command, expected in commands(block):
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=tmp_path,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=300,
            )
            assert doctest.OutputChecker().check_output(expected, done.stdout, doctest.ELLIPSIS), (
                f"{page}: {command}\n{done.stdout}"
            )


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), f"{page}: {target}"
