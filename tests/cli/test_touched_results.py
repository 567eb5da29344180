"""Results that a test removes, replaces or leads elsewhere: in the end the result is on disk."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import executable, marrow

RESULT = "input.reduced.c"
SMALL = "a needle{}"

#: What a test does to the result of the run that runs it.
DEEDS = {
    "removes it": "rm -f {result}",
    "empties it": ": > {result}",
    "writes garbage": "rm -f {result}; echo garbage > {result}",
    "plants a pipe": "rm -f {result}; mkfifo {result}",
    "plants a directory": "rm -f {result}; mkdir -p {result}/inside",
    "plants a link": "ln -sf {victim} {result}",
    "plants a broken link": "ln -sf {work}/nowhere {result}",
    "takes the rights": "chmod 000 {result}",
    "plants the temporary file": "mkdir -p {work}/.input.reduced.c.new~/x",
}


@pytest.mark.parametrize("moment", ["always", "last"])
@pytest.mark.parametrize("deed", DEEDS)
def test_the_result_is_on_disk_whatever_a_test_does(work: Path, deed: str, moment: str) -> None:
    victim = work / "victim"
    victim.write_text("precious")
    does = DEEDS[deed].format(result=work / RESULT, victim=victim, work=work)
    if moment == "last":
        # Only on the smallest result: after it was written, and at the end.
        does = f'[ "$(wc -c < "$1")" -gt 40 ] || {{ {does}; }}'
    executable(work / "test.sh", f'{does}\ngrep -q needle "$1"')
    ended = marrow("reduce", "input.c", "./test.sh", "-j1", "--layout", "compact")
    assert ended.code == Exit.DONE, ended.err
    found = os.lstat(work / RESULT)
    assert stat.S_ISREG(found.st_mode)
    assert (work / RESULT).read_text().strip() == SMALL
    assert victim.read_text() == "precious"
    assert not (work / "nowhere").exists()


def test_a_directory_that_is_the_result(work: Path) -> None:
    project = work / "project"
    project.mkdir()
    (project / "a.c").write_bytes((work / "input.c").read_bytes())
    (project / "b.c").write_text("int b;\n")
    result = work / "project.reduced"
    for does in (f"rm -r {result}", f"rm -r {result}; mkfifo {result}", f"touch {result}/more"):
        shell = f"{{ {does}; }} 2> /dev/null; grep -rq needle ."
        ended = marrow("reduce", "project", "--shell", shell, "-j1", "--layout", "compact")
        assert ended.code == Exit.DONE, ended.err
        assert sorted(os.listdir(result)) == ["a.c"]
        assert "is written again" in ended.err


def test_a_directory_above_the_result_that_is_moved(work: Path) -> None:
    place, other = work / "out", work / "other"
    place.mkdir()
    other.mkdir()
    (other / RESULT).write_text("precious")
    moves = f"[ -L {place} ] || {{ mv {place} {work}/moved; ln -s {other} {place}; }}"
    executable(work / "test.sh", f'{moves}\ngrep -q needle "$1"')
    words = ("reduce", "input.c", "./test.sh", "-o", f"out/{RESULT}", "-j1", "--no-journal")
    ended = marrow(*words)
    assert (ended.code, "was moved or replaced" in ended.err) == (Exit.OUTPUT, True)
    assert (other / RESULT).read_text() == "precious"
    assert (work / "moved" / RESULT).read_text().strip() == SMALL


def test_a_directory_above_the_result_that_is_removed(work: Path) -> None:
    place = work / "out"
    place.mkdir()
    executable(work / "test.sh", f'rm -r {place} 2> /dev/null\ngrep -q needle "$1"')
    words = ("reduce", "input.c", "./test.sh", "-o", f"out/{RESULT}", "-j1", "--no-journal")
    ended = marrow(*words)
    assert ended.code == Exit.DONE, ended.err
    assert (place / RESULT).read_text().strip() == SMALL


def test_a_journal_that_is_removed_is_said(work: Path) -> None:
    executable(work / "test.sh", f'rm -f {work}/*.marrow*\ngrep -q needle "$1"')
    ended = marrow("reduce", "input.c", "./test.sh", "-j1")
    assert (ended.code, "cannot be resumed" in ended.err) == (Exit.DONE, True)


def test_a_pattern_is_on_disk(work: Path) -> None:
    (work / "sum.txt").write_text("1 + ((2))")
    (work / "victim").write_text("precious")
    result = work / "sum.pattern.json"
    for does in (f"rm -f {result}", f"ln -sf {work}/victim {result}"):
        executable(work / "sum.sh", f"{does}\ngrep -q '((' \"$1\"")
        words = ("abstract", "sum.txt", "./sum.sh", "--grammar", "calculator", "-j1", "-q")
        assert marrow(*words).code == Exit.DONE
        assert not result.is_symlink()
        assert result.read_text().startswith("{")
        assert (work / "victim").read_text() == "precious"


@pytest.mark.parametrize("name", ["page.html", "bug.md"])
def test_a_link_planted_where_a_report_goes_is_not_followed(work: Path, name: str) -> None:
    executable(work / "test.sh", f'ln -sf {work}/nowhere {work}/{name}\ngrep -q needle "$1"')
    option = "--report" if name == "page.html" else "--bug-report"
    ended = marrow("reduce", "input.c", "./test.sh", "-j1", "-q", option, name)
    assert not (work / "nowhere").exists()
    assert ended.code == Exit.DONE, ended.err
    assert not (work / name).is_symlink()


def test_the_rights_of_standard_input(work: Path) -> None:
    (work / "secret.c").write_bytes((work / "input.c").read_bytes())
    (work / "secret.c").chmod(0o600)
    words = ("reduce", "-", "./test.sh", "--name", "x.c", "-q", "--report", "page.html")
    with (work / "secret.c").open("rb") as secret:
        line = [sys.executable, "-m", "marrow", *words, "--bug-report", "bug.md"]
        assert subprocess.run(line, stdin=secret, check=False).returncode == 0
    for path in work.glob("x*"):
        assert path.stat().st_mode & 0o077 == 0, path
    for name in ("page.html", "bug.md"):
        assert (work / name).stat().st_mode & 0o077 == 0
