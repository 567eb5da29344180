"""`marrow help`: chapters, and the help of commands."""

from __future__ import annotations

import sys

import pytest

from marrow.cli.command_table import COMMANDS
from marrow.cli.commands.help import CHAPTERS
from marrow.cli.exits import Exit
from marrow.reducers.pipeline.algorithm_table import ALGORITHMS
from marrow.reducers.pipeline.pass_table import PASSES
from marrow.run.options.option import declared, help_of, help_words
from marrow.run.options.options import COMMAND_OPTIONS, ReportOptions
from tests.cli.running import marrow


@pytest.mark.parametrize("command", COMMAND_OPTIONS)
def test_every_option_has_words(command: str) -> None:
    options = COMMAND_OPTIONS[command]
    assert all(help_of(options, keyword) for keyword in declared(options))


def test_words_are_about_options_that_exist() -> None:
    everything = {name for options in COMMAND_OPTIONS.values() for name in declared(options)}
    for command, words in help_words().items():
        known = COMMAND_OPTIONS.get(command, ReportOptions)
        assert set(words) <= (everything if command == "all" else set(declared(known))), command


def test_without_a_topic_it_lists_the_chapters() -> None:
    out = marrow("help").out
    assert all(f"  {name} " in out for name in CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapters_are_printed(chapter: str) -> None:
    ended = marrow("help", chapter)
    assert (ended.code, ended.err) == (0, "")
    assert len(ended.out.splitlines()) > 5


def test_chapters_name_all_there_is() -> None:
    algorithms = marrow("help", "algorithms").out
    assert all(f"  {one.name} " in algorithms for one in ALGORITHMS)
    passes = marrow("help", "passes").out
    assert all(f"  {one.name} " in passes for one in PASSES)
    codes = marrow("help", "exit-codes").out
    assert all(str(int(code)) in codes for code in Exit)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_its_own(name: str) -> None:
    assert marrow("help", name).out == marrow(name, "--help").out


def test_an_unknown_topic_is_explained() -> None:
    ended = marrow("help", "nonsense")
    assert ended.code == 2
    assert "'nonsense' is not one of 'tests', 'algorithms'" in ended.err


def test_the_help_of_a_command_whose_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mcp", *(one for one in sys.modules if one.startswith("mcp."))):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "marrow.cli.mcp_server", raising=False)
    assert "Model Context Protocol" in marrow("help", "mcp").out
    ended = marrow("mcp")
    assert (ended.code, "pip install 'marrow[mcp]'" in ended.err) == (Exit.USAGE, True)
