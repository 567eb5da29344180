"""Planted links are not followed, and nothing is more readable than the input."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from marrow.engine.process.workspace import remove
from marrow.run.output.output_file import OutputDirectory, OutputError, OutputFile, is_planted
from marrow.syntax.bundle import BundleEntry, make_bundle
from tests.cli.running import ALGORITHM, PROGRAM, executable, marrow

REDUCE = ("reduce", "input.c", "./test.sh", *ALGORITHM)


@pytest.fixture
def victim(work: Path) -> Iterator[Path]:
    """A file that planted links lead to."""
    path = work / "victim"
    path.write_text("precious")
    yield path
    assert path.read_text() == "precious"


@pytest.mark.parametrize(
    "name",
    [
        *(".input.reduced.c.tmp", ".input.reduced.c.new~", ".page.html.new~"),
        *("input.reduced.c~", "input.reduced.c.marrow~"),
        *("input.reduced.pretty.c", ".input.reduced.pretty.c.new~"),
    ],
)
def test_planted_links_are_not_followed(work: Path, victim: Path, name: str) -> None:
    (work / "input.reduced.c").write_text("an old result")
    (work / "input.reduced.c.marrow").write_text("no journal " * 100)
    (work / name).symlink_to("victim")
    ended = marrow(*REDUCE, "--report", "page.html")
    assert ended.code == 0, ended.err
    assert "needle" in (work / "input.reduced.c").read_text()
    backups = [path for path in work.glob("input.reduced.c~*") if not path.is_symlink()]
    assert [path.read_text() for path in backups] == ["an old result"]


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("resume", [(), ("--resume",)])
def test_a_journal_is_no_link(
    work: Path, victim: Path, suffix: str, resume: tuple[str, ...]
) -> None:
    if suffix:
        assert marrow(*REDUCE).code == 0
    (work / f"input.reduced.c.marrow{suffix}").symlink_to("victim")
    ended = marrow(*REDUCE, *resume)
    assert (ended.code, "link" in ended.err) == (Exit.JOURNAL, True), ended.err


def test_a_journal_is_no_device(work: Path) -> None:
    os.mkfifo(work / "pipe")
    for resume in ((), ("--resume",)):
        ended = marrow(*REDUCE, "--journal", "pipe", *resume)
        assert (ended.code, "not a regular file" in ended.err) == (Exit.JOURNAL, True), ended.err
        assert stat.S_ISFIFO((work / "pipe").lstat().st_mode)


def test_a_report_through_a_link_to_another_file_is_refused(work: Path, victim: Path) -> None:
    (work / "page.html").symlink_to("victim")
    assert marrow(*REDUCE, "--report", "page.html").code == Exit.OUTPUT


def test_a_directory_is_not_written_or_removed_through_a_link(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis").touch()
    output = OutputDirectory(tmp_path / "out")
    for name in (".out.tmp", ".out.new~"):
        (tmp_path / name).symlink_to("home")
    output.write(make_bundle([BundleEntry("file", b"x")]))
    output.keep_old()
    output.write(make_bundle([BundleEntry("file", b"y")]))
    (tmp_path / "link").symlink_to("home")
    assert remove(tmp_path / "link")
    assert os.listdir(home) == ["thesis"]


def test_links_of_others_in_open_directories(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "own").symlink_to("target")
    assert not is_planted(shared / "own")
    assert not is_planted(shared / "missing")
    if os.getuid() != 0:
        pytest.skip("only root can plant a link of somebody else")
    (shared / "planted").symlink_to("target")
    os.lchown(shared / "planted", 65534, 65534)
    assert is_planted(shared / "planted")
    shared.chmod(0o755)
    assert not is_planted(shared / "planted")


#: What `find` looks for: what others can do something with, but not in a directory closed to them.
OPEN = (
    *("-type", "d", "!", "-perm", "/077", "-prune"),
    *("-o", "!", "-type", "l", "-perm", "/077", "-print"),
)


def readable_by_others(place: Path, before: set[str]) -> list[str]:
    """Return what is new in a directory and can be read by others."""
    found = subprocess.run(
        ["find", str(place), *OPEN],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return sorted(set(found.stdout.split()) - before)


@pytest.mark.parametrize(
    "options",
    [
        ("reduce", "input.c", "./test.sh", *ALGORITHM, "--report", "page.html"),
        ("reduce", "input.c", "./test.sh", *ALGORITHM, "--in-place"),
        ("reduce", "input.c", *ALGORITHM, "--write-test", "saved.sh", "--", "./program", "{}"),
        ("abstract", "sum.txt", "./sum.sh", "--grammar", "calculator", "--report", "page.html"),
        ("reduce", "project", "./set.sh", *ALGORITHM, "--report", "page.html"),
    ],
)
def test_nothing_is_more_readable_than_the_input(work: Path, options: tuple[str, ...]) -> None:
    """Not while it runs either: the tests look too."""
    (work / "input.c").chmod(0o600)
    (work / "sum.txt").write_text("1 + ((2))")
    (work / "sum.txt").chmod(0o600)
    (work / "project").mkdir(0o700)
    (work / "project" / "input.c").write_text(PROGRAM)
    log = work / "log"
    log.touch()
    looks = f"find {work} {' '.join(OPEN)} >> {log}"
    executable(work / "test.sh", f'{looks}; grep -q needle "$1"')
    executable(work / "sum.sh", f"{looks}; grep -q '((' \"$1\"")
    executable(work / "set.sh", f"{looks}; grep -q needle input.c")
    executable(work / "program", f'{looks}; grep needle "$1" >&2 && exit 3')
    for name in ("test.sh", "sum.sh", "set.sh", "program", "log"):
        (work / name).chmod(0o700)
    # An old result that everybody may read, which is kept and replaced.
    (work / "input.reduced.c").write_text("old")
    (work / "input.reduced.c").chmod(0o600)
    before = set(readable_by_others(work, set()))
    ended = marrow(*options)
    assert ended.code == 0, ended.err
    assert readable_by_others(work, before) == []
    assert set(log.read_text().split()) <= before
    if "--report" in options and "reduce" in options:
        journal = next(work.glob("*.marrow"))
        assert marrow("report", journal, "-o", "other.html").code == 0
        assert readable_by_others(work, before) == []


def test_a_journal_that_others_can_read_is_closed_to_them(work: Path) -> None:
    assert marrow(*REDUCE, "--max-tests", "3").code == 0
    journal = work / "input.reduced.c.marrow"
    assert stat.S_IMODE(journal.stat().st_mode) == 0o644 & ~umask()
    (work / "input.c").chmod(0o600)
    assert marrow(*REDUCE, "--resume").code == 0
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600


def test_what_is_produced_is_as_readable_as_the_pattern(work: Path) -> None:
    (work / "sum.txt").write_text("1 + ((2))")
    (work / "sum.txt").chmod(0o600)
    executable(work / "sum.sh", "grep -q '((' \"$1\"")
    assert marrow("abstract", "sum.txt", "./sum.sh", "--grammar", "calculator").code == 0
    before = set(readable_by_others(work, set()))
    words = ("produce", "sum.pattern.json", "-n", "3", "-o", "inputs", "--verify", "./sum.sh")
    assert marrow(*words).code == 0
    assert readable_by_others(work, before) == []


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o600, 0o444, 0o755])
def test_a_result_is_as_readable_as_the_input(tmp_path: Path, mode: int) -> None:
    output = OutputFile(tmp_path / "out", mode)
    output.write(b"one")
    output.write(b"two")
    assert stat.S_IMODE(output.path.stat().st_mode) == mode & ~umask()


def test_a_link_that_appears_at_the_last_moment(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    output = OutputFile(tmp_path / "out")
    unlink = os.unlink

    def planted(path: str, *, dir_fd: int | None = None) -> None:
        unlink(path, dir_fd=dir_fd)
        (tmp_path / path).symlink_to(victim)

    (tmp_path / output._temporary).touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "unlink", planted)
        with pytest.raises(OutputError):
            output.write(b"text")
    assert victim.read_text() == "precious"


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("name", ["input.reduced.c", "page.html", "folder.reduced"])
def test_a_link_that_leads_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.c").write_text(PROGRAM)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.c").write_text(PROGRAM)
    executable(tmp_path / "test.sh", "exit 0")
    (tmp_path / "other").symlink_to(name)
    (tmp_path / name).symlink_to("other")
    source = "folder" if name == "folder.reduced" else "input.c"
    ended = marrow("reduce", source, "test.sh", "--report", "page.html")
    assert ended.code == Exit.OUTPUT
    assert "leads to itself" in ended.err
    assert (tmp_path / name).is_symlink()
