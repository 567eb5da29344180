"""`marrow help`: chapters, and the help of commands."""

from __future__ import annotations

import pytest

from marrow.cli.command_table import COMMANDS
from marrow.cli.commands.help import CHAPTERS
from marrow.cli.exits import Exit
from marrow.reducers.pipeline.algorithm_table import ALGORITHMS
from marrow.reducers.pipeline.pass_table import PASSES
from tests.cli.running import marrow


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
