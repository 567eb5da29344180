"""`marrow reduce` when all goes well: where the result is, and what is said about it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM, PROGRAM, end, executable, marrow, start


def by_hand(out: str, work: Path) -> str:
    """Do what the summary says to check the result, and return what is printed then."""
    line = next(line for line in out.splitlines() if "check by hand" in line)
    return subprocess.run(
        ["/bin/sh", "-c", line.partition(": ")[2]],
        env={**os.environ, "TMPDIR": str(work)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_the_result_beside_the_input(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", *ALGORITHM)
    assert ended.code == 0
    result = (work / "input.reduced.c").read_text()
    assert "needle" in result
    assert len(result) < len(PROGRAM) / 3
    assert (work / "input.c").read_text() == PROGRAM
    assert "input.reduced.c: " in ended.out
    assert "verified: the test is interesting on the result" in ended.out
    assert "1-tree-minimal" in ended.out
    names = {"input.c", "test.sh", "input.reduced.c", "input.reduced.c.marrow"}
    assert {path.name for path in work.iterdir()} == names
    # One line for every success when it is not a terminal.
    lines = [line for line in ended.err.splitlines() if " tokens " in line]
    assert lines
    assert all(" bytes " in line and " tests " in line for line in lines)


def test_the_check_by_hand_is_right(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", *ALGORITHM)
    assert by_hand(ended.out, work) == "0\n"


KEYS = [
    "input",
    "output",
    "pretty",
    "language",
    "algorithm",
    "tokens_before",
    "tokens_after",
    "bytes_before",
    "bytes_after",
    "tests",
    "cached",
    "seconds",
    "guarantee",
    "verified",
    "reliability",
    "smallest",
    "stopped",
    "also_seen",
]


def test_json(work: Path) -> None:
    executable(work / "test.sh", f'echo >> {work}/log; grep -q needle "$1"')
    ended = marrow("reduce", "input.c", "test.sh", "--json", "-j1", *ALGORITHM)
    assert ended.code == 0
    assert ended.out.count("\n") == 1
    told = json.loads(ended.out)
    assert set(KEYS) <= set(told)  # those of version 0.2.0; see tests/cli/test_json.py
    assert told["input"] == "input.c"
    assert told["output"] == "input.reduced.c"
    assert told["language"] == "c"
    assert told["algorithm"] == "coarse-hddr*"
    assert told["bytes_before"] == len(PROGRAM)
    assert told["bytes_after"] == (work / "input.reduced.c").stat().st_size
    assert 0 < told["tokens_after"] < told["tokens_before"]
    assert told["verified"] is True
    assert told["reliability"] is None
    assert told["stopped"] is None
    assert told["runs"] == len((work / "log").read_text().splitlines())
    assert 0 < told["repeats"] < told["runs"]
    # What the first runs have said is asked again without a run.
    assert told["tests"] <= 1 + told["runs"] - told["repeats"]


def test_quiet(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", "-q", *ALGORITHM)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert "needle" in (work / "input.reduced.c").read_text()


def test_verbose(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", "-v", *ALGORITHM)
    assert "- int unused(int a, int b) {" in ended.err
    assert "not interesting" in ended.err


def test_in_place(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", "--in-place", *ALGORITHM)
    assert ended.code == 0
    assert len((work / "input.c").read_text()) < len(PROGRAM) / 3
    assert (work / "input.c.orig").read_text() == PROGRAM
    assert "input.c.orig" in ended.err
    # Once more: the original is never written over.
    assert marrow("reduce", "input.c", "test.sh", "--in-place", *ALGORITHM).code == 0
    assert (work / "input.c.orig").read_text() == PROGRAM


def test_an_old_result_is_kept(work: Path) -> None:
    (work / "out.c").write_text("precious")
    ended = marrow("reduce", "input.c", "test.sh", "-o", "out.c", *ALGORITHM)
    assert ended.code == 0
    assert (work / "out.c~").read_text() == "precious"
    assert "kept as out.c~" in ended.err


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_the_same_with_any_number_of_workers(work: Path, limit: int) -> None:
    results = set()
    for jobs in (1, 2, 8):
        ended = marrow(
            "reduce", "input.c", "test.sh", f"-j{jobs}", "--max-tests", str(limit), "--json",
            *ALGORITHM,
        )  # fmt: skip
        told = json.loads(ended.out)
        assert told["stopped"] == f"the limit of {limit} tests is reached"
        assert ended.code == 0
        results.add((work / "input.reduced.c").read_bytes())
    assert len(results) == 1


def test_more_tests_than_the_limit_are_explained(work: Path) -> None:
    words = ("reduce", "input.c", "test.sh", "-j1", *ALGORITHM, "--max-tests")
    first = marrow(*words, "2")
    extra = "(runs on the input and the result and speculative tests are not counted)"
    assert f"stopped: the limit of 2 tests is reached {extra}\n" in first.out
    more = marrow(*words, "3", "--resume")
    assert "stopped: the limit of 3 tests is reached" in more.out


def test_the_time_limit(work: Path) -> None:
    executable(work / "test.sh", 'sleep 0.1; grep -q needle "$1"')
    ended = marrow("reduce", "input.c", "test.sh", "-j1", "--max-time", "0.3s", *ALGORITHM)
    assert ended.code == 0
    assert "stopped: the time limit is reached" in ended.out
    again = next(line for line in ended.out.splitlines() if "continue with" in line)
    assert again.endswith("marrow reduce input.c test.sh -j1 --max-time 0.3s --algorithm "
                          "'coarse-hddr*' --resume")  # fmt: skip


def test_an_empty_result_if_the_user_wants_it(work: Path) -> None:
    ended = marrow("reduce", "input.c", "--shell", "true", "--allow-empty", *ALGORITHM)
    assert ended.code == 0
    assert (work / "input.reduced.c").read_bytes() == b""


@pytest.mark.parametrize(
    "name",
    [
        "with space.c",
        "quote'\".c",
        "-dash.c",
        "größe 漢字.c",
        "$(touch x);*.c",
        "[bold].c",
        "noext",
    ],
)
def test_odd_names(work: Path, name: str) -> None:
    shutil.copy("input.c", work / name)
    ended = marrow("reduce", *ALGORITHM, "--", name, "./test.sh")
    assert ended.code == 0, ended.err
    stem, dot, suffix = name.rpartition(".")
    expected = f"{stem}.reduced.{suffix}" if dot else f"{name}.reduced"
    assert "needle" in (work / expected).read_text()
    assert by_hand(ended.out, work) == "0\n"
    assert not (work / "x").exists()


def test_a_name_that_is_not_text(work: Path) -> None:
    name = b"caf\xe9.c".decode("utf-8", "surrogateescape")
    shutil.copy("input.c", work / name)
    process = start("reduce", *ALGORITHM, name, "./test.sh", cwd=work, PYTHONUTF8="1")
    ended = end(process)
    assert ended.code == 0, ended.err
    assert (work / name.replace(".c", ".reduced.c")).exists()


def test_as_a_module(work: Path) -> None:
    assert "marrow reduce" in end(start("--help", cwd=work)).out
