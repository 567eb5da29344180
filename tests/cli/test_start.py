"""Starting marrow: little is imported before it is needed, and Ctrl-C is quiet at any moment."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import marrow
from marrow.cli import main
from marrow.cli.command_table import COMMANDS, load
from marrow.cli.exits import Exit
from tests.cli.running import PATIENCE

# What a process has imported when it ends.
IMPORTED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
"""

# Press Ctrl-C at an import of marrow's own start.
INTERRUPTED = """
import os, signal, sys
left = int(sys.argv.pop(1))

def press(event, _):
    global left
    if event == "import":
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)

from marrow.cli.main import run
sys.addaudithook(press)
run()
"""


def imported(code: str, *words: str) -> list[str]:
    """Run code in a process of its own; return the modules it imported."""
    ended = subprocess.run(
        [sys.executable, "-c", IMPORTED + code, *words], capture_output=True, text=True, check=True
    )
    modules: list[str] = json.loads(ended.stderr)
    return modules


def of_marrow(modules: list[str]) -> list[str]:
    return [module for module in modules if module.partition(".")[0] == "marrow"]


class TestLightStart:
    @pytest.mark.parametrize("option", ["--version", "--help"])
    def test_of_the_command_line(self, option: str) -> None:
        modules = imported("from marrow.cli.main import run; run()", option)
        assert len(of_marrow(modules)) <= 40
        assert {"rich", "importlib.metadata", "tree_sitter"}.isdisjoint(modules)

    def test_of_the_library(self) -> None:
        assert len(of_marrow(imported("import marrow"))) <= 5

    def test_a_command_imports_no_other_command(self) -> None:
        modules = imported("from marrow.cli.main import run; run()", "languages")
        commands = {f"marrow.cli.commands.{name}" for name in COMMANDS}
        assert commands & set(modules) == {"marrow.cli.commands.languages"}


class ObservedCommands:
    @pytest.mark.parametrize("name", COMMANDS)
    def test_the_table_says_what_the_command_says(self, name: str) -> None:
        command = load(name)
        assert command.name == name
        assert COMMANDS[name] == command.get_short_help_str(limit=1000)


class TestDoors:
    def test_every_name_is_imported_from_its_home(self) -> None:
        for name, home in marrow._HOME_OF.items():
            assert getattr(marrow, name) is getattr(importlib.import_module(home), name)

    def test_type_checkers_see_the_same(self) -> None:
        module = ast.parse(Path(marrow.__file__).read_text(encoding="utf-8"))
        block = next(node for node in module.body if isinstance(node, ast.If))
        seen = {
            name.name: node.module
            for node in block.body
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }
        assert seen == marrow._HOME_OF
        assert sorted([*seen, "__version__"]) == marrow.__all__
        assert set(marrow.__all__) <= set(dir(marrow))

    def test_other_names_are_missing(self) -> None:
        with pytest.raises(AttributeError, match="'marrow' has no attribute 'nothing'"):
            _ = marrow.nothing  # type: ignore[attr-defined]

    def test_the_version_is_that_of_the_distribution(self) -> None:
        assert marrow.__version__ == importlib.metadata.version("marrow")


class TestCtrlC:
    """Before `run` begins, Python itself is starting, and shows what it likes."""

    def test_nothing_is_imported_before_it_is_taken_care_of(self) -> None:
        bare = set(imported("import os"))
        ours = set(imported("import marrow.cli.main")) - bare
        assert ours - {*sys.builtin_module_names} == {"marrow", "marrow.cli", "marrow.cli.main"}

    def test_it_has_its_exit_code(self) -> None:
        assert main._INTERRUPTED == Exit.INTERRUPTED

    @pytest.mark.parametrize(
        ("words", "moments"),
        [
            (("--help",), (1, 2, 10, 30, 50)),
            (("tree", "input.c"), (3, 70, 85)),
            (("reduce", "input.c", "./test.sh"), (5, 75, 85, 100)),
        ],
    )
    def test_at_an_import(self, work: Path, words: tuple[str, ...], moments: tuple[int]) -> None:
        for moment in moments:
            ended = subprocess.run(
                [sys.executable, "-c", INTERRUPTED, str(moment), *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (ended.returncode, ended.stderr) == (130, ""), moment

    def test_at_any_time(self, work: Path) -> None:
        for milliseconds in range(0, 160, 20):
            timed = [sys.executable, "-X", "importtime", "-m", "marrow"]
            process = subprocess.Popen(
                [*timed, "reduce", "input.c", "./test.sh"],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert process.stderr is not None
            while not process.stderr.readline().endswith(" marrow.cli.main\n"):
                assert process.poll() is None
            process.stderr.readline()  # the first import of `run`
            time.sleep(milliseconds / 1000)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=PATIENCE)[1]
            assert process.returncode in (0, 130)  # 0 where it was ready sooner
            assert "Traceback" not in said
            assert "KeyboardInterrupt" not in said

    def test_what_is_ignored_stays_ignored(self) -> None:
        code = (
            "import os, signal; from marrow.cli.main import run; "
            "signal.signal(signal.SIGINT, signal.SIG_IGN); "
            "import atexit; "
            "atexit.register(lambda: print('alive')); "
            "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT)); run()"
        )
        ended = subprocess.run(
            [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True
        )
        assert ended.stdout.endswith("alive\n")


def test_a_signal_within_code_that_was_a_string(tmp_path: Path) -> None:
    """Python remembers it, though it was caught; the exit code must be marrow's all the same."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "leave = sys.exit\n"
        "def interrupted(code=None):\n"
        "    try:\n"
        "        exec('raise KeyboardInterrupt')\n"
        "    except KeyboardInterrupt:\n"
        "        leave(code)\n"
        "sys.exit = interrupted\n"
    )
    line = [sys.executable, "-m", "marrow", "--no-such-option"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    assert (ended.returncode, "No such option" in ended.stderr) == (Exit.USAGE, True)
