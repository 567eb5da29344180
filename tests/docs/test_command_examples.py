"""Every command line in the help and in the documents names what there is, and works.

Those of the help, and those in blocks marked `sh`, are run in a folder with files of the names that
they use; blocks marked `console` are run by `test_examples`, with what they print.
"""

from __future__ import annotations

import inspect
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

import marrow
from marrow.cli.command_table import COMMANDS, load
from marrow.cli.command_table import marrow as marrow_command
from tests.docs.example_folder import make_folder, missing_program
from tests.docs.test_examples import PAGES, blocks

# What must have happened before an example, by what it has in it.
BEFORE = {
    "--resume": "marrow reduce crash.c ./test.sh --max-tests 1 -q",
    "marrow report": "marrow reduce crash.c ./test.sh -q",
    "--known bugs": "marrow triage crashes/ -o bugs -q -- ./target {}",
    "crash.pattern.json": "marrow abstract crash.lua ./test.sh -q",
    "exploit.pattern.json": "marrow abstract exploit.js ./test.sh -q",
    "--write-test test.sh": "rm test.sh",
    "fish/completions": "mkdir -p ~/.config/fish/completions",
}

# Why an example is not run, by what it has in it.
NOT_RUN = {
    "--scheduler": "needs a cluster: tests/cli/test_cluster.py",
    "/usr/share/lua": "needs a corpus of this system",
    "completion bash": "" if shutil.which("bash") else "needs bash",
    "completion zsh": "zsh completes only where somebody types",
    "csmith": "needs csmith",
    "marrow mcp": "a client talks to it: tests/cli/test_mcp.py",
}

# Exit codes other than 0, by the whole command line.
CODES = {
    # The pattern is of the script here, which looks for a word: another failure than that of Lua.
    "marrow match crash.pattern.json report.lua -- lua {}": 10,
}


@dataclass(frozen=True)
class Example:
    """A command line, and where it is from."""

    source: str
    line: str


def from_help() -> list[Example]:
    """Return the examples in the texts of the help: indented lines, with words beside some."""
    found = []
    for name in ("", *COMMANDS):
        command = load(name) if name else marrow_command
        for text in (command.help or "", command.epilog or ""):
            joined = inspect.cleandoc(text).replace("\\\n", " ")
            for line in re.findall(r"^ {2,}((?:marrow|eval) .*)", joined, re.MULTILINE):
                found.append(Example(f"marrow {name} --help", _cut(line)))
    return found


def _cut(line: str) -> str:
    """Return the command line without the words beside it, and with single spaces."""
    head, *rest = re.split(r"\s{2,}", line.partition("  #")[0].strip())
    return " ".join([head, *(one for one in rest if one.startswith("--"))])


def from_documents() -> list[Example]:
    """Return the examples in blocks marked `sh`."""
    found = []
    for page in PAGES:
        if not page.startswith("docs/lab/"):
            for block in blocks(page, "sh"):
                joined = re.sub(r"\\\n\s*", " ", block)
                lines = re.findall(r"^(?:\$ )?(marrow .*)", joined, re.MULTILINE)
                found += [Example(page, line.partition("  #")[0].strip()) for line in lines]
    return found


EXAMPLES = list(dict.fromkeys([*from_help(), *from_documents()]))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 60
    assert any(one.source.startswith("docs/") for one in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.line)
def test_the_help_names_every_option_of_an_example(example: Example) -> None:
    line = example.line.partition("$(")[2].partition(")")[0] or example.line
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(itertools.takewhile(lambda word: word not in ("|", "&&", ">"), lexer))
    name = words[1]
    if name.startswith("-"):
        return
    command = load(name)
    own = words[2 : words.index("--") if "--" in words else len(words)]
    context = click.Context(command, info_name=name, parent=click.Context(marrow_command))
    shown = {
        option
        for one in command.get_params(context)
        if isinstance(one, click.Option) and not one.hidden
        for option in (*one.opts, *one.secondary_opts)
    }
    given = {word.partition("=")[0] for word in own if re.match(r"--?[a-z]", word)}
    assert given <= shown, example.source


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.line)
def test_an_example_works(example: Example, tmp_path: Path) -> None:
    for part, why in NOT_RUN.items():
        if part in example.line and why:
            pytest.skip(why)
    if program := missing_program(example.line):
        pytest.skip(f"needs {program}")
    make_folder(work := tmp_path / "work")
    programs, home = tmp_path / "bin", tmp_path / "home"
    programs.mkdir()
    home.mkdir()
    shim = programs / "marrow"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m marrow "$@"\n')
    shim.chmod(0o755)
    environment = {
        **os.environ,
        "HOME": str(home),
        "PAGER": "cat",
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(marrow.__file__).parents[1]),
    }

    def run(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash" if "completion bash" in line else "sh", "-c", line],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=2000,
        )

    for part, line in BEFORE.items():
        if part in example.line:
            before = run(line)
            assert before.returncode == 0, before.stdout
    done = run(example.line)
    assert done.returncode == CODES.get(example.line, 0), f"{example.source}:\n{done.stdout}"
    assert "Traceback" not in done.stdout
