"""Configuration files: found upwards, checked, and beaten by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from marrow.run.options.config_file import configured
from tests.cli.running import ALGORITHM, marrow


def holds(*words: str) -> dict[str, dict[str, str]]:
    ended = marrow("config", *words, "--json")
    assert ended.code == 0
    found: dict[str, dict[str, str]] = json.loads(ended.out)
    return found


def test_found_upwards_and_nearest_wins(work: Path) -> None:
    (work / "marrow.toml").write_text('timeout = "30s"\nkeep-names = true\n')
    below = work / "below"
    below.mkdir()
    (below / "input.c").write_text("int x;\n")
    assert holds("below/input.c")["timeout"] == {
        "value": "30.0",
        "origin": f"{work / 'marrow.toml'}, line 1",
    }
    (below / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert holds("below/input.c")["timeout"]["value"] == "30.0"
    (below / "pyproject.toml").write_text('[tool.marrow]\nflaky = "2/5"\n')
    assert holds("below/input.c")["timeout"] == {"value": "-", "origin": "default"}
    assert holds("below/input.c")["flaky"]["value"] == "2/5"


def test_a_table_is_for_one_command(work: Path) -> None:
    (work / "marrow.toml").write_text(
        'max-tests = 9\n[reduce]\neffort = "quick"\n[abstract]\nchecks = 7\n[train]\ntokens = 2\n'
    )
    assert holds("input.c")["effort"]["value"] == "quick"
    assert holds("input.c", "--command", "abstract")["checks"]["value"] == "7"
    assert holds("input.c", "--command", "abstract")["max-tests"]["value"] == "9"
    assert "effort" not in holds("input.c", "--command", "abstract")


def test_keys_are_long_names_or_keywords(work: Path) -> None:
    (work / "marrow.toml").write_text('not = ["x"]\nkeep_names = true\njson = true\n')
    assert holds("input.c")["not"]["value"] == "x"
    assert holds("input.c")["keep-names"]["value"] == "yes"
    assert holds("input.c")["json"]["value"] == "yes"


def test_it_holds_for_a_run_and_the_command_line_wins(work: Path) -> None:
    (work / "marrow.toml").write_text('algorithm = "coarse-hddr*"\nmax-tests = 2\n')
    first = marrow("reduce", "input.c", "test.sh", "--json")
    assert json.loads(first.out)["stopped"] == "the limit of 2 tests is reached"
    assert json.loads(first.out)["algorithm"] == "coarse-hddr*"
    second = marrow("reduce", "input.c", "test.sh", "--json", "--max-tests", "3", *ALGORITHM)
    assert json.loads(second.out)["stopped"] == "the limit of 3 tests is reached"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("timeuot = 3\n", "line 1: there is no option 'timeuot'; did you mean 'timeout'?"),
        ("\n\ntimeout = 'soon'\n", "line 3: timeout: 'soon' is not a time"),
        ("[reduce]\nmax-tests = 0\n", "line 2: max-tests: 0 is too small; the least is 1"),
        ("[reduce]\nchecks = 3\n", "line 2: there is no option 'checks'"),
        ("keep-names = 'yes'\n", "line 1: keep-names: 'yes' is neither true nor false"),
        ("shell = 'true'\n", "line 1: shell cannot be set in a configuration file"),
        ("reduce = 3\n", "reduce is a table of options"),
        ("timeout = [", "cannot read the configuration"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(work: Path, text: str, message: str) -> None:
    (work / "marrow.toml").write_text(text)
    ended = marrow("reduce", "input.c", "test.sh")
    assert ended.code == Exit.USAGE
    assert "marrow.toml" in ended.err
    assert message in ended.err


def test_deeply_nested_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "marrow.toml").write_text("timeout = " + "[" * 5000 + "]" * 5000)
    with pytest.raises(Exception, match=r"cannot read the configuration|is not a time"):
        configured("reduce", tmp_path)
