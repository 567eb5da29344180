"""Commands that replace what is around them by links to the user's files: nothing of it is lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from marrow.base.open_directory import OpenDirectory
from marrow.diagnostics.observation import Observation
from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import CapturedCommand, JudgedEnd
from marrow.engine.process.placement import OneFile, Overlay, OverlayPlacement, SetOfFiles
from marrow.engine.process.sandbox import Sandbox, SandboxError, check_sandbox
from marrow.engine.process.working_tree import working_tree_of
from marrow.engine.verdict import Verdict
from marrow.syntax.bundle import BundleEntry, make_bundle

#: What a command does to the directory `src`, which it runs beside; `$REAL` is the user's own.
DEEDS = {
    "replaces it by a link": 'mv src gone; ln -s "$REAL/src" src',
    "replaces it by a link to the directory above": 'mv src gone; ln -s "$REAL" src',
    "replaces its own directory": 'cd ..; mv project gone; ln -s "$REAL" project',
    "replaces all directories above": 'cd ../..; mv a gone; ln -s "${REAL%/project}" a',
    "exchanges two directories": "mv src x; mv include src; mv x include",
    "makes another directory": "mv src gone; mkdir src; echo x > src/main.c",
    "makes it a file": "mv src gone; echo x > src",
    "makes the candidate a link": 'rm -r src/main.c; ln -s "$REAL/src/main.c" src/main.c',
    "makes the candidate a pipe": "rm -r src/main.c; mkfifo src/main.c",
    "makes the candidate a hard link": 'rm -r src/main.c; ln "$REAL/src/util.c" src/main.c',
    "makes a copy a link": 'rm src/util.c; ln -s "$REAL/src/main.c" src/util.c',
    "makes a copy a pipe": "rm src/util.c; mkfifo src/util.c",
    "makes a copy a hard link": 'rm src/util.c; ln "$REAL/src/main.c" src/util.c',
    "makes TMPDIR a link": 'rmdir "$TMPDIR"; ln -s "$REAL" "$TMPDIR"',
    "leaves a link in TMPDIR": 'ln -s "$REAL" "$TMPDIR/x"',
    "leaves a link in its directory": 'ln -s "$REAL" ./x; ln -s "$REAL" src/x',
    "takes the rights away": "chmod 000 src include .",
}


class Always:
    """A judge that finds everything interesting."""

    identity = "always"

    def judge(self, ended: tuple[Observation, ...], candidate: bytes) -> JudgedEnd:
        del ended, candidate
        return JudgedEnd(Verdict.INTERESTING)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "a" / "project"
    (project / "src").mkdir(parents=True)
    (project / "include").mkdir()
    (project / "include" / "x.h").write_text("int x;\n")
    (project / "src" / "main.c").write_text("original\n")
    (project / "src" / "util.c").write_text("util\n")
    return project


def content(project: Path) -> dict[str, object]:
    return {
        str(one.relative_to(project)): one.read_text() if one.is_file() else one.is_dir()
        for one in project.parent.rglob("*")
        if one.is_relative_to(project)
    }


def placement(project: Path, kind: str) -> tuple[OverlayPlacement, bytes]:
    if kind == "one file":
        tree = working_tree_of(str(project), [str(project / "src/main.c")])
        return OverlayPlacement(tree, OneFile("main.c")), b"candidate\n"
    tree = working_tree_of(str(project), [str(project / "src")], str(project / "src"))
    place = OverlayPlacement(tree, SetOfFiles(), base=str(project / "src"))
    files = [BundleEntry("main.c", b"candidate\n"), BundleEntry("d/x.c", b"x\n")]
    return place, make_bundle(files)


@pytest.mark.parametrize("sandboxed", [False, True])
@pytest.mark.parametrize("kind", ["one file", "a set of files"])
@pytest.mark.parametrize("deed", DEEDS)
def test_the_users_files_stay(
    project: Path, monkeypatch: pytest.MonkeyPatch, deed: str, kind: str, sandboxed: bool
) -> None:
    sandbox = None
    if sandboxed:
        try:
            check_sandbox()
        except SandboxError as error:
            pytest.skip(str(error))
        sandbox = Sandbox.around([project])
    monkeypatch.setenv("REAL", str(project))
    place, candidate = placement(project, kind)
    before = content(project)
    script = f"REAL={project}; export REAL; {{ {DEEDS[deed]}; }} 2> /dev/null; true"
    command = CapturedCommand(("sh", "-c", script), judge=Always(), sandbox=sandbox)
    executor = CommandExecutor(command, place, 2, adopt=True)
    try:
        for _ in range(2):
            jobs = [executor.submit(candidate) for _ in range(2)]
            assert {outcome_of(job).verdict for job in jobs} == {Verdict.INTERESTING}
        path = executor._runner._workspace.path
    finally:
        executor.close()
    assert content(project) == before
    assert not path.exists()
    assert not executor.left_behind


@pytest.mark.parametrize("kind", ["one file", "a set of files"])
def test_a_replaced_directory_is_not_written_to(project: Path, tmp_path: Path, kind: str) -> None:
    """Nor is it when no restoring took place in between, as with a process that was left."""
    place, candidate = placement(project, kind)
    root = tmp_path / "overlay"
    root.mkdir()
    with OpenDirectory.at(root) as opened:
        overlay = Overlay(opened, str(root), place)
        os.close(overlay.put(candidate)[1])
        before = content(project)
        inside = Path(overlay.directory)
        shutil.move(inside, tmp_path / "gone")
        inside.symlink_to(project)
        with pytest.raises(OSError, match=r"."):
            overlay.put(candidate)
        with pytest.raises(OSError, match=r"."):
            overlay.restore()
    assert content(project) == before


@pytest.mark.parametrize("deed", ["replaces its own directory", "leaves a link in its directory"])
def test_every_file_is_closed(project: Path, deed: str) -> None:
    place, candidate = placement(project, "one file")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        executor = CommandExecutor(
            CapturedCommand(("sh", "-c", DEEDS[deed]), judge=Always()), place, 2
        )
        for job in [executor.submit(candidate) for _ in range(4)]:
            outcome_of(job)
        executor.close()
    assert len(os.listdir("/proc/self/fd")) <= before
