"""Configuration files: found upwards, checked, and beaten by the command line."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from marrow.base.errors import UsageError
from marrow.cli.exits import Exit
from marrow.run.options.config_file import ConfigError, configured
from marrow.run.options.option import SEARCH, USER, declared
from marrow.run.options.options import COMMAND_OPTIONS
from tests.cli.running import ALGORITHM, marrow


def holds(*words: str) -> dict[str, dict[str, str]]:
    ended = marrow("config", *words, "--json")
    assert ended.code == 0
    found: dict[str, dict[str, str]] = json.loads(ended.out)
    return found


def test_a_missing_input_is_an_error(work: Path) -> None:
    ended = marrow("config", work / "typo.c")
    assert (ended.code, "there is no file" in ended.err) == (Exit.INPUT, True)


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
        ("scheduler = 'tcp://x:1'\n", "line 1: scheduler cannot be set by a file beside the input"),
        ("[reduce]\nship = ['/etc/passwd']\n", "line 2: ship cannot be set by a file beside"),
        ("shell = 'true'\n", "line 1: shell cannot be set in a configuration file"),
        ("reduce = 3\n", "reduce is a table of options"),
        ("[tool.marrow]\nmax-tests = 3\n", "[tool.marrow] is a header for pyproject.toml"),
        ("timeout = [", "cannot read the configuration"),
        ("timeout = [", "say --no-config to run without it"),
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


#: Options that run, connect, read or write, whatever their kind says.
COMMANDS_IN_FILES = {"guard", "formatter", "executor", "scheduler", "ship", "grammar", "model"}


@pytest.mark.parametrize("command", COMMAND_OPTIONS)
def test_every_option_has_a_scope_that_a_file_beside_the_input_is_held_to(
    work: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = work / "own"
    (own / "marrow").mkdir(parents=True)
    for name, option in declared(COMMAND_OPTIONS[command]).items():
        key = name.replace("_", "-")
        if option.kind.file or option.metavar in ("COMMAND", "FILE", "DIR"):
            assert option.scope is not SEARCH, f"{command}: {name} names a file or a command"
        assert name not in COMMANDS_IN_FILES or option.scope is not SEARCH
        (work / "marrow.toml").write_text(f"{key} = 'x'\n")
        monkeypatch.setenv("XDG_CONFIG_HOME", "/nowhere")
        if option.scope is SEARCH and not option.alias:
            # It is read: wrong values are refused as such.
            with contextlib.suppress(UsageError):
                assert name in configured(command, work)
            continue
        with pytest.raises(ConfigError, match=f"line 1: {key} cannot be set") as refused:
            configured(command, work)
        if option.scope is USER:
            assert "--trust-config" in str(refused.value)
            assert "/nowhere/marrow/marrow.toml" in str(refused.value)
            with contextlib.suppress(UsageError):
                assert name in configured(command, work, trusted=True)
            (work / "marrow.toml").rename(own / "marrow" / "marrow.toml")
            monkeypatch.setenv("XDG_CONFIG_HOME", str(own))
            with contextlib.suppress(UsageError):
                assert name in configured(command, work)
            (own / "marrow" / "marrow.toml").unlink()


def test_the_own_file_and_trust(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = work / "own"
    (own / "marrow").mkdir(parents=True)
    (own / "marrow" / "marrow.toml").write_text("formatter = 'none'\njobs = 3\neffort = 'max'\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own))
    (work / "marrow.toml").write_text("effort = 'quick'\n")
    found = holds("input.c")
    assert [found[key]["value"] for key in ("formatter", "jobs", "effort")] == [
        "none",
        "3",
        "quick",
    ]
    (work / "marrow.toml").write_text("formatter = 'touch pwned'\n")
    ended = marrow("reduce", "input.c", "test.sh")
    assert (ended.code, (work / "pwned").exists()) == (Exit.USAGE, False)
    assert marrow("reduce", "input.c", "test.sh", "--no-config").code == Exit.DONE
    assert not (work / "pwned").exists()
    assert holds("input.c", "--trust-config")["formatter"]["value"] == "touch pwned"
    (work / "other.toml").write_text("jobs = 5\n")
    monkeypatch.setenv("MARROW_CONFIG", str(work / "other.toml"))
    found = holds("input.c")
    assert [found[key]["value"] for key in ("formatter", "jobs", "effort")] == ["-", "5", "-"]
    monkeypatch.setenv("MARROW_CONFIG", "")
    assert holds("input.c")["jobs"]["value"] == "-"
    monkeypatch.delenv("MARROW_CONFIG")
    # A relative directory would be one of the input's.
    (work / ".config" / "marrow").mkdir(parents=True)
    (work / ".config" / "marrow" / "marrow.toml").write_text("formatter = 'touch pwned'\n")
    (work / "marrow.toml").unlink()
    for variable in ("XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv("XDG_CONFIG_HOME", "")
        monkeypatch.setenv(variable, ".config" if variable == "XDG_CONFIG_HOME" else ".")
        if variable == "HOME":
            assert holds("input.c")["formatter"]["value"] == "-"


@pytest.mark.parametrize(
    "content",
    [
        b"[project\nname = 3",
        "[project]\nname = 'caf\xe9'\n".encode("latin-1"),
        b"\0\xff",
        b"x = [" * 9999,
    ],
)
def test_a_pyproject_that_is_not_about_marrow_is_ignored(work: Path, content: bytes) -> None:
    (work / "pyproject.toml").write_bytes(content)
    below = work / "below"
    below.mkdir()
    (below / "input.c").write_bytes((work / "input.c").read_bytes())
    assert marrow("reduce", "below/input.c", "test.sh", "-q").code == Exit.DONE
    project = work / "project"
    project.mkdir()
    (project / "pyproject.toml").write_bytes(content)
    (project / "input.c").write_bytes((work / "input.c").read_bytes())
    assert marrow("reduce", "project", "--shell", "grep -rq needle .", "-q").code == Exit.DONE
    (project / "pyproject.toml").write_bytes(content + b"\n# needle")
    words = ("reduce", "project/pyproject.toml", "--shell", "grep -q needle pyproject.toml", "-q")
    assert marrow(*words).code == Exit.DONE


def test_a_broken_table_of_ours_is_an_error_unless_it_is_the_input(work: Path) -> None:
    (work / "pyproject.toml").write_bytes(b"[tool.marrow]\ntimeout = [  # needle\n")
    ended = marrow("reduce", "input.c", "test.sh")
    assert (ended.code, "--no-config" in ended.err) == (Exit.USAGE, True)
    assert marrow("reduce", "input.c", "test.sh", "--no-config", "-q").code == Exit.DONE
    words = ("reduce", "pyproject.toml", "--shell", "grep -q needle pyproject.toml", "-q")
    assert marrow(*words).code == Exit.DONE
    (work / "pyproject.toml").rename(work / "marrow.toml")
    words = ("reduce", "marrow.toml", "--shell", "grep -q needle marrow.toml", "-q")
    assert marrow(*words).code == Exit.DONE
