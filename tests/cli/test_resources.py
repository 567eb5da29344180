"""`--slower-than`, `--more-memory-than`, `--output-larger-than`: what a command uses is kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.running import executable, marrow

INPUT = "one 1\nmany 300\ntwo 2\n"

#: Prints as many kilobytes as a line asks for.
PRINTER = """\
while read -r word count; do
  [ "$word" != many ] || { head -c "${count}000" /dev/zero | tr '\\0' x; }
done < "$1"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(INPUT)
    executable(tmp_path / "print.sh", PRINTER)
    executable(tmp_path / "quiet.sh", "echo x")
    return tmp_path


def test_a_large_output_is_kept(here: Path) -> None:
    words = ("reduce", "a.txt", "-j1", "--output-larger-than", "100k")
    ended = marrow(*words, "--baseline", "./quiet.sh {}", "--", "./print.sh", "{}")
    assert ended.code == 0, ended.err
    assert "kept: the command takes more than 108 kB of output, and 7.5e+04 times" in ended.err
    result = (here / "a.reduced.txt").read_text()
    assert result.startswith("many ")
    assert "one" not in result
    again = marrow(*words, "--resume", "--baseline", "./quiet.sh {}", "--", "./print.sh", "{}")
    assert again.code == 0, again.err


def test_time_of_the_processor_is_kept(here: Path) -> None:
    (here / "a.txt").write_text("one\nloop\ntwo\n")
    program = (
        "import sys\nif 'loop' in open(sys.argv[1]).read():\n    for _ in range(20_000_000): pass"
    )
    words = ("--slower-than", "0.2s", "--", sys.executable, "-c", program, "{}")
    ended = marrow("reduce", "a.txt", "-j1", *words)
    assert ended.code == 0, ended.err
    assert (here / "a.reduced.txt").read_text().strip() == "loop"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--slower-than", "1s", "--more-memory-than", "1G"), "exclude each other"),
        (("--slower-than", "10s", "--timeout", "5s"), "--timeout ends a command after 5 s"),
        (("--more-memory-than", "1M"), "less than 256M cannot be measured"),
        (("--more-memory-than", "2G", "--memory", "1G"), "--memory allows a test no more"),
        (("--slower-than", "1s", "--keep-exit"), "is kept alone"),
        (("--baseline", "true"), "--baseline is for a resource"),
        (("--output-larger-than", "1k", "--baseline", " "), "the command given to --baseline"),
    ],
)
def test_options_that_contradict_are_refused(
    here: Path, options: tuple[str, ...], said: str
) -> None:
    ended = marrow("reduce", "a.txt", *options, "--", "./print.sh", "{}")
    assert (ended.code, said in ended.err) == (2, True), ended.err


def test_an_input_that_uses_less_and_a_baseline_that_fails_are_refused(here: Path) -> None:
    words = ("reduce", "a.txt", "--output-larger-than")
    less = marrow(*words, "9M", "--", "./print.sh", "{}")
    assert (less.code, "and the limit is 9,437 kB of output" in less.err) == (5, True), less.err
    fails = marrow(*words, "1k", "--baseline", "false", "--", "./print.sh", "{}")
    assert (fails.code, "the baseline fails on the input" in fails.err) == (5, True), fails.err
    assert not (here / "a.reduced.txt").exists()


def test_a_command_that_does_not_end_is_offered_to_be_kept(here: Path) -> None:
    executable(here / "loop.sh", "while :; do :; done")
    ended = marrow("reduce", "a.txt", "--timeout", "0.5", "--", "./loop.sh", "{}")
    assert ended.code == 5
    assert "the command did not end within 0.5 s" in ended.err
    assert "--slower-than 10s" in ended.err
