"""What a failing command needs: words, variables, lines of the files that it names."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import marrow
from marrow.run.test.shrunk_command import shrunk_words

TOOL = """\
import os, sys
options, text = open(sys.argv[-2]).read().split(), open(sys.argv[-1]).read()
if "strict" in options and os.environ.get("MODE") == "ci" and "bug" in text:
    sys.exit("error: the rule failed")
"""

COMPILER = """\
import shlex, sys
words = []
for word in sys.argv[1:]:
    words += shlex.split(open(word[1:]).read()) if word.startswith("@") else [word]
if "-O3" in words and "bug" in open(words[-1]).read():
    sys.exit("error: the optimizer failed")
"""


def test_words_that_are_not_needed_go() -> None:
    def fails(words: tuple[str, ...]) -> bool:
        return "-O3" in words and "{}" in words

    assert shrunk_words(("gcc", "-g", "-O3", "-Wall", "{}"), fails) == ("gcc", "-O3", "{}")
    assert shrunk_words(("gcc", "{}"), fails) == ("gcc", "{}")


def test_an_option_goes_with_its_value() -> None:
    def fails(words: tuple[str, ...]) -> bool:
        rest = words[words.index("lint.py") + 1 :] if "lint.py" in words else ("-",)
        return words[0] == "python3" and ("-X" in words) == ("utf8" in words) and rest == ("{}",)

    words = ("python3", "-X", "utf8", "lint.py", "{}")
    assert shrunk_words(words, fails) == ("python3", "lint.py", "{}")


def test_variables_and_lines_of_a_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODE", "ci")
    monkeypatch.setenv("OTHER", "1")
    (tmp_path / "tool.py").write_text(TOOL)
    (tmp_path / "tool.ini").write_text("wide\nnot  strict now\nquick\nlong\n")
    (tmp_path / "in.txt").write_text("one\ntwo bug\nthree\n")
    command = [sys.executable, "tool.py", "-v", "tool.ini", "{}"]
    result = marrow.reduce(
        Path("in.txt"), command=command, shrink_command=True, output=Path("out.txt")
    )
    assert result.text.strip() == b"bug"
    assert result.command == f"MODE=ci {sys.executable} tool.py tool.ini {{}}"
    assert result.command_files == {"tool.ini": Path("tool.reduced.ini")}
    assert Path("tool.reduced.ini").read_text() == "  strict\n"
    assert Path("tool.ini").read_text().count("\n") == 4
    assert Path("tool.py").read_text() == TOOL  # a script runs whole outside of a sandbox
    json.dumps({name: str(path) for name, path in result.command_files.items()})


@pytest.mark.slow
def test_no_watchdog_ends_a_shortened_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The watchdog of the run looks for what tests have left several times a second.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tool.options").write_text("".join(f"{word}\n" for word in "abcdefghij"))
    (tmp_path / "in.txt").write_text("bug\n")
    script = 'sleep 0.2; grep -q bug "$2" && grep -q b "${1#@}" && echo error: bug >&2 && exit 3'
    command = ["sh", "-c", script, "sh", "@tool.options", "{}"]
    result = marrow.reduce(
        Path("in.txt"),
        command=command,
        keep_stderr="error: bug",
        shrink_command=True,
        output=Path("out.txt"),
    )
    assert result.command_files == {"tool.options": Path("tool.reduced.options")}
    assert Path("tool.reduced.options").read_text() == "b\n"


def test_a_file_of_options_gives_way_to_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "options").write_text('-g "two words"\n-O3\n')
    (tmp_path / "in.txt").write_text("bug\n")
    (tmp_path / "compiler.py").write_text(COMPILER)
    command = [sys.executable, "compiler.py", "@options", "{}"]
    result = marrow.reduce(Path("in.txt"), command=command, shrink_command=True)
    assert result.command == f"{sys.executable} compiler.py -O3 {{}}"
    assert result.command_files == {}
