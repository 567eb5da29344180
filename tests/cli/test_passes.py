"""Options of the command line choose the passes of the pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.reducers.pipeline.pass_table import PASSES
from tests.cli.running import executable, marrow

PROGRAM = "def function(value):\n    return value\n\nfunction(1)\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    executable(tmp_path / "test", 'grep -q return "$1"')
    return path


def test_passes_are_listed() -> None:
    listed = marrow("reduce", "--passes", "list")
    assert listed.code == 0
    assert all(f"\n  {one.name} " in listed.out for one in PASSES)
    algorithms = marrow("reduce", "--algorithm", "list")
    assert algorithms.code == 0
    assert "\n  coarse-hddr* " in algorithms.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--passes", "wonders"], "there is no pass called 'wonders'"),
        (["--passes", "names", "--algorithm", "perses*"], "--passes is for the pipeline"),
        (["--keep-names", "--algorithm", "perses*"], "--keep-names is for the pipeline"),
        (["--rewrites", "missing.toml"], "cannot read the rewrites missing.toml"),
    ],
)
def test_wrong_use_is_explained(program: Path, options: list[str], message: str) -> None:
    ended = marrow("reduce", program, program.parent / "test", *options)
    assert ended.code == 2
    assert message in ended.err


def test_broken_rewrites_are_explained(program: Path) -> None:
    rewrites = program.parent / "mine.toml"
    rewrites.write_text('[[rewrite]]\nmatch = "f($a)"\nreplace = "$b"\n')
    ended = marrow("reduce", program, program.parent / "test", "--rewrites", rewrites)
    assert ended.code == 2
    assert "$b is in replace but not in match" in ended.err


@pytest.mark.parametrize("options", [[], ["--effort", "quick"], ["--once"], ["--passes", "none"]])
def test_the_result_is_small_and_verified(program: Path, options: list[str]) -> None:
    ended = marrow("reduce", program, program.parent / "test", *options)
    assert ended.code == 0
    assert (program.parent / "program.reduced.py").read_text().split() == ["return"]
