"""`marrow reduce` on several files and on directories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, PROGRAM, executable, marrow
from tests.cli.test_reduce import by_hand


@pytest.fixture
def project(work: Path) -> Path:
    """A directory of files, of which two matter."""
    project = work / "project"
    (project / "src" / "deep").mkdir(parents=True)
    (project / "src" / "main.c").write_text(PROGRAM)
    (project / "src" / "deep" / "other.c").write_text("int other;\n")
    (project / "data.json").write_text('{"a": [1, 2, 3], "pin": true}')
    (project / "logo.png").write_bytes(b"\x89PNG\0\0")
    (project / "Makefile").write_text("all:\n\techo\n")
    executable(work / "test.sh", "grep -q needle src/main.c && grep -q pin data.json")
    return project


def files(directory: Path) -> dict[str, str]:
    """Return what is in a directory."""
    return {
        str(path.relative_to(directory)): path.read_text(errors="replace")
        for path in directory.rglob("*")
        if path.is_file()
    }


RESULT = {"src/main.c": "int needle() {\n}", "data.json": '{"pin": true}'}


def stripped(found: dict[str, str]) -> dict[str, str]:
    return {name: text.strip() for name, text in found.items()}


def test_a_directory(work: Path, project: Path) -> None:
    before = files(project)
    ended = marrow("reduce", "project", "test.sh", *ALGORITHM)
    assert ended.code == 0, ended.err
    assert stripped(files(work / "project.reduced")) == RESULT
    assert files(project) == before
    assert "project: 5 files (" in ended.err
    assert "project.reduced: " in ended.out
    names = {"project", "project.reduced", "project.reduced.marrow", "input.c", "test.sh"}
    assert set(os.listdir(work)) == names
    assert by_hand(ended.out, work) == "0\n"


def test_the_current_directory(work: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert marrow("reduce", ".", "../test.sh", *ALGORITHM).code == 0
    assert stripped(files(work / "project.reduced")) == RESULT


def test_several_files(work: Path, project: Path) -> None:
    executable(work / "test.sh", "grep -q needle input.c && grep -q other project/src/deep/other.c")
    ended = marrow("reduce", "input.c", "project/src", "test.sh", "-o", "out", *ALGORITHM)
    assert ended.code == 0, ended.err
    assert stripped(files(work / "out")) == {
        "input.c": "int needle() {\n}",
        "project/src/deep/other.c": "int other;",
    }
    assert by_hand(ended.out, work) == "0\n"


def test_files_elsewhere(work: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "src")
    executable(work / "test.sh", "grep -q needle src/main.c && grep -q pin data.json")
    inputs = ("../data.json", project / "src" / "main.c")
    assert marrow("reduce", *inputs, "../../test.sh", "-o", "../../out", *ALGORITHM).code == 0
    assert stripped(files(work / "out")) == RESULT


def test_kept_files(work: Path, project: Path) -> None:
    keep = ("--keep", "*.png", "--keep", "src/deep")
    assert marrow("reduce", "project", "test.sh", *keep, *ALGORITHM).code == Exit.DONE
    left = work / "project.reduced"
    assert set(os.listdir(left)) == {"src", "data.json", "logo.png"}
    assert (left / "logo.png").read_bytes() == b"\x89PNG\0\0"
    assert (left / "src" / "deep" / "other.c").read_text() == "int other;\n"


def test_in_place_and_resumed(work: Path, project: Path) -> None:
    before = files(project)
    stopped = marrow("reduce", "project", "test.sh", "--in-place", "--max-tests", "3", *ALGORITHM)
    assert stopped.code == 0
    assert "stopped" in stopped.out
    assert files(work / "project.orig") == before
    ended = marrow("reduce", "project", "test.sh", "--in-place", "--resume", *ALGORITHM)
    assert ended.code == 0, ended.err
    assert stripped(files(project)) == RESULT
    assert files(work / "project.orig") == before


def test_resumed(work: Path, project: Path) -> None:
    executable(
        work / "test.sh",
        f"cat src/main.c data.json | cksum >> {work}/log\n"
        "grep -q needle src/main.c && grep -q pin data.json",
    )
    words = (*ALGORITHM, "--layout", "compact")
    assert marrow("reduce", "project", "test.sh", "-j1", "-o", "whole", *words).code == 0
    tests = (work / "log").read_text().splitlines()
    (work / "log").unlink()
    marrow("reduce", "project", "test.sh", "-j1", "--max-tests", "5", *words)
    ended = marrow("reduce", "project", "test.sh", "-j1", "--resume", *words)
    assert ended.code == 0
    assert files(work / "project.reduced") == files(work / "whole")
    # No test is run twice, but for the first runs and the check of the result, which both do.
    again = (work / "log").read_text().splitlines()
    twice = {one for one in again if again.count(one) > tests.count(one)}
    assert twice <= {tests[0], tests[-1]}


def test_an_old_result_is_kept(work: Path, project: Path) -> None:
    (work / "out").mkdir()
    (work / "out" / "precious").write_text("!")
    ended = marrow("reduce", "project", "test.sh", "-o", "out", *ALGORITHM)
    assert ended.code == 0
    assert (work / "out~" / "precious").read_text() == "!"
    assert not (work / "out" / "precious").exists()
    for _ in range(2):
        assert marrow("reduce", "project", "test.sh", "-o", "out", *ALGORITHM).code == 0
    assert (work / "out~" / "precious").read_text() == "!", "kept, however often it is run"


def test_a_command_on_a_directory(work: Path, project: Path) -> None:
    shell = 'cat "$0" "$1" && exit 3'
    words = ("sh", "-c", shell, "project/src/main.c", "project/data.json")
    keep = ("--keep-exit", "--keep-stdout", "needle", "--keep-stdout", "pin")
    ended = marrow("reduce", "project", *ALGORITHM, *keep, "--write-test", "saved.sh", "--", *words)
    assert ended.code == 0, ended.err
    assert stripped(files(work / "project.reduced")) == RESULT
    again = marrow("reduce", "project", "saved.sh", *ALGORITHM, "-o", "again")
    assert again.code == 0, again.err
    assert files(work / "again") == files(work / "project.reduced")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("project", "nowhere", "test.sh"), Exit.INPUT, "cannot read nowhere"),
        (("project", "test.sh", "-l", "c"), Exit.USAGE, "each file has its own"),
        (("project", "input.c", "test.sh", "--in-place"), Exit.USAGE, "one directory"),
        (("project", "test.sh", "-o", "input.c"), Exit.OUTPUT, "not a directory"),
        (("project", "test.sh", "-o", "project/out"), Exit.USAGE, "into the input"),
        (("project/src", "test.sh", "-o", "project"), Exit.USAGE, "is in"),
        (("project", "test.sh", "--keep", "*"), Exit.INPUT, "nothing to reduce"),
        (("input.c", "test.sh", "--keep", "*"), Exit.USAGE, "only one file"),
        (("project", "--shell", "false"), Exit.NOT_INTERESTING, '"$PWD"'),
        (("project", "--shell", "true"), Exit.EMPTY_INTERESTING, "empty"),
        (("project",), Exit.USAGE, "give one test"),
    ],
)
def test_what_is_wrong_is_said(
    work: Path, project: Path, arguments: tuple[str, ...], code: Exit, says: str
) -> None:
    ended = marrow("reduce", *arguments)
    assert ended.code == code, ended.err
    assert ended.out == ""
    assert says in ended.err
    assert ended.err.count("\n") >= 2, "what happened, and what to do"
