"""`--executor dask`: the same result as here, and clear words where there is no cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM, executable, marrow

REDUCE = ("reduce", "input.c", "./test.sh", *ALGORITHM)

#: What is left of the input by a test that looks for the word.
MINIMUM = "int needle() {\n}"


def test_a_cluster_of_its_own(work: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    executable(work / "test.sh", 'grep -q "$(cat "$(dirname "$0")/word")" "$1"')
    (work / "word").write_text("needle")
    ended = marrow(*REDUCE, "--executor", "dask", "-j", "2", "--ship", "word")
    assert ended.code == 0, ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM
    assert "verified" in ended.out


def test_a_command_on_a_cluster(work: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    # It refuses paths, as protoc does.
    checks = '[ "$1" = input.c ] && grep -q needle "$1" && echo "error: a needle" && exit 3'
    executable(work / "tool", checks)
    ended = marrow("reduce", "input.c", *ALGORITHM, "--executor", "dask", "--", "./tool", "{}")
    assert ended.code == 0, ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM


def test_abstract_on_a_cluster(work: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    (work / "sum.txt").write_text("1 + ((2))")
    executable(work / "test.sh", "grep -q '((' \"$1\"")
    ended = marrow(
        "abstract", "sum.txt", "./test.sh", "--grammar", "calculator", "--executor", "dask",
        "-j", "2", "--checks", "5",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "((<expr>))" in ended.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--executor", "local", "--scheduler", "tcp://x:1"), "Leave one of them out"),
        (("--ship", "word"), "there is none"),
    ],
)
def test_options_that_contradict_each_other(
    work: Path, options: tuple[str, ...], words: str
) -> None:
    executable(work / "test.sh", "exit 0")
    ended = marrow(*REDUCE, *options)
    assert ended.code == 2
    assert words in ended.err


def test_no_scheduler_answers(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr("marrow.engine.executors.dask.connection._ANSWER_SECONDS", 0.5)
    executable(work / "test.sh", "exit 0")
    ended = marrow(*REDUCE, "--scheduler", "tcp://127.0.0.1:9")
    assert ended.code == 11
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in ended.err
    assert not (work / "input.reduced.c").exists()


def test_what_is_to_be_shipped_is_not_there(work: Path) -> None:
    executable(work / "test.sh", "exit 0")
    ended = marrow(*REDUCE, "--executor", "dask", "--ship", "nothing")
    assert ended.code == 4
    assert "cannot read a file to ship" in ended.err
