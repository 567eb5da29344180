"""Starting marrow: little is imported before it is needed, and Ctrl-C is quiet at any moment."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

import marrow
from marrow.cli.commands import COMMANDS, load

# What a process has imported when it ends.
IMPORTED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
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
        commands = {f"marrow.cli.{name}" for name in COMMANDS}
        assert commands & set(modules) == {"marrow.cli.languages"}


class TestCommands:
    @pytest.mark.parametrize("name", COMMANDS)
    def test_the_table_says_what_the_command_says(self, name: str) -> None:
        command = load(name)
        assert command.name == name
        assert COMMANDS[name] == command.get_short_help_str(limit=1000)


class TestDoors:
    def test_every_name_is_imported_from_its_home(self) -> None:
        for name, home in marrow._HOMES.items():
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
        assert seen == marrow._HOMES
        assert sorted([*seen, "__version__"]) == marrow.__all__
        assert set(marrow.__all__) <= set(dir(marrow))

    def test_other_names_are_missing(self) -> None:
        with pytest.raises(AttributeError, match="'marrow' has no attribute 'nothing'"):
            _ = marrow.nothing  # type: ignore[attr-defined]

    def test_the_version_is_that_of_the_distribution(self) -> None:
        assert marrow.__version__ == importlib.metadata.version("marrow")
