"""An expression that Python cannot read is a wrong use of the command line, in every door."""

from __future__ import annotations

from pathlib import Path

import pytest

import marrow as library
from marrow.cli.exits import Exit
from tests.cli.running import marrow

BROKEN = ("(", "[", "*a", "a{2,1}", "\\")


@pytest.mark.parametrize("expression", BROKEN)
@pytest.mark.parametrize("option", ["--keep-stderr", "--keep-stdout", "--not"])
def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, expression: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.json").write_text("[1]")
    ended = marrow("reduce", "in.json", option, expression, "--", "cat", "{}")
    assert ended.code == Exit.USAGE
    assert option in ended.err
    assert "is not a regular expression" in ended.err


def test_in_triage_in_a_file_and_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crashes").mkdir()
    (tmp_path / "crashes" / "one").write_text("x")
    ended = marrow("triage", "crashes", "--not", "(", "--", "cat", "{}")
    assert ended.code == Exit.USAGE
    assert "is not a regular expression" in ended.err
    (tmp_path / "in.json").write_text("[1]")
    (tmp_path / "marrow.toml").write_text('keep-stderr = "("\n')
    ended = marrow("reduce", "in.json", "--", "cat", "{}")
    assert ended.code == Exit.USAGE
    assert "is not a regular expression" in ended.err
    with pytest.raises(library.UsageError, match="is not a regular expression"):
        library.reduce("[1]", command=["cat", "{}"], forbid=["("])
