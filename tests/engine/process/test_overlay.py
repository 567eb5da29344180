"""Mirrors: what a command finds around a candidate, and that nothing of it stays."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.base.open_directory import OpenDirectory
from marrow.diagnostics.observation import Observation
from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import CapturedCommand, JudgedEnd
from marrow.engine.process.placement import OneFile, Overlay, OverlayPlacement, SetOfFiles
from marrow.engine.process.working_tree import working_tree_of
from marrow.engine.verdict import Verdict
from marrow.syntax.bundle import BundleEntry, make_bundle


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "a" / "project"
    (project / "src").mkdir(parents=True)
    (project / "include").mkdir()
    (project / "include" / "x.h").write_text("int x;\n")
    (project / "src" / "main.c").write_text("original\n")
    (project / "src" / "util.c").write_text("util\n")
    (project / "settings.toml").write_text("here\n")
    (project / "build").mkdir()
    (project / "build" / "old.o").write_text("old\n")
    (project / "link").symlink_to("src/main.c")
    (tmp_path / "above.toml").write_text("above\n")
    return project


def placement(
    project: Path, name: str = "src/main.c", typed_in: Path | None = None
) -> OverlayPlacement:
    around = working_tree_of(str(typed_in or project), [str(project / name)])
    return OverlayPlacement(around, OneFile(os.path.basename(name)))


def test_directories_of_others_are_left_out(project: Path, tmp_path: Path) -> None:
    for name in ("strange", "tools", ".git", "node_modules"):
        (tmp_path / name).mkdir()
    for name in ("settings.toml", "Makefile", "tmp4k2j", "notes.txt"):
        (tmp_path / name).touch()
    tmp_path.chmod(0o1777)
    said = "sh ../../tools/run"
    around = working_tree_of(str(project), [str(project / "src/main.c")], said=said)
    names = (".git", "Makefile", "above.toml", "node_modules", "settings.toml", "tools")
    assert around.linked[str(tmp_path)] == names
    tmp_path.chmod(0o755)
    assert "strange" in around.listed().linked[str(tmp_path)]


def overlay_at(root: Path, place: OverlayPlacement) -> Overlay:
    root.mkdir()
    return Overlay(OpenDirectory.at(root), str(root), place)


def tree(root: Path) -> dict[str, tuple[str, float]]:
    """All files below a directory, with their contents and times."""
    found = {}
    for path in sorted(root.rglob("*")):
        content = path.read_text() if path.is_file() else ""
        found[str(path.relative_to(root))] = (content, path.lstat().st_mtime)
    return found


def sh(mirror: Overlay, script: str, candidate: bytes = b"candidate\n") -> str:
    argument, file = mirror.put(candidate)
    try:
        done = subprocess.run(
            ["sh", "-c", script, "sh", argument],
            cwd=mirror.directory, stdin=file, capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        os.close(file)
    return done.stdout + done.stderr


def test_paths_mean_what_they_meant(project: Path, tmp_path: Path) -> None:
    mirror = overlay_at(tmp_path / "m", placement(project))
    said = sh(
        mirror,
        'echo "$1"; cat "$1" include/x.h ./src/util.c ../../above.toml link\n'
        "cd src; cat ../settings.toml",
    )
    assert said == "src/main.c\ncandidate\nint x;\nutil\nabove\ncandidate\nhere\n"


def test_settings_are_found_upwards_from_the_file(project: Path, tmp_path: Path) -> None:
    mirror = overlay_at(tmp_path / "m", placement(project, typed_in=project / "src"))
    said = sh(
        mirror,
        'echo "$1"; while [ ! -e settings.toml ]; do cd -P ..; done; cat settings.toml\n'
        "while [ ! -e above.toml ]; do cd -P ..; done; cat above.toml",
    )
    assert said == "main.c\nhere\nabove\n"


def test_nothing_of_a_test_stays(project: Path, tmp_path: Path) -> None:
    before = tree(project)
    mirror = overlay_at(tmp_path / "m", placement(project))
    listed = sh(mirror, "find . | sort; cat src/util.c")
    mirror.restore()
    for harm in (
        "echo x > a.out; mkdir -p src/deep/er; echo x > src/deep/er/file",
        "echo changed > src/util.c; rm -f settings.toml; rm include",
        "ln -sf /etc/passwd settings.toml; mkdir ../new; chmod 000 src/util.c",
        "rm -f src/main.c; ln -s /etc/passwd src/main.c; chmod 500 .",
        "printf 'uti1\\n' > src/util.c",
    ):
        sh(mirror, harm)
        mirror.restore()
        assert sh(mirror, "find . | sort; cat src/util.c") == listed
        assert sh(mirror, 'cat "$1"', b"next") == "next"
        mirror.restore()
    assert tree(project) == before


def test_a_directory_that_is_gone_is_an_error(project: Path, tmp_path: Path) -> None:
    mirror = overlay_at(tmp_path / "m", placement(project))
    sh(mirror, "rm -rf src")
    with pytest.raises(OSError, match="src"):
        mirror.restore()


def test_where_a_command_writes_becomes_its_own(project: Path, tmp_path: Path) -> None:
    around = working_tree_of(str(project), [str(project / "src/main.c")])
    before = around.watched()
    (project / "build" / "new.o").write_text("new\n")
    after = around.written_since(before)
    assert str(project / "build") in after.written
    mirror = overlay_at(tmp_path / "m", OverlayPlacement(after, OneFile("main.c")))
    sh(mirror, "echo x > build/old.o; echo x > build/other.o")
    assert (project / "build" / "old.o").read_text() == "old\n"
    assert not (project / "build" / "other.o").exists()
    assert around.written_since(around.watched()) is around


def test_a_small_project_is_copied_whole(project: Path, tmp_path: Path) -> None:
    (project / "lib" / "deep").mkdir(parents=True)
    (project / "lib" / "deep" / "data").write_text("data\n")
    (project / "node_modules").mkdir()
    before = tree(project)
    place = placement(project)
    mirror = overlay_at(tmp_path / "m", place)
    sh(mirror, "echo x > include/x.h; rm lib/deep/data; echo x > lib/new; chmod 0 settings.toml")
    assert tree(project) == before
    mirror.restore()
    assert sh(mirror, "cat include/x.h lib/deep/data; ls lib") == "int x;\ndata\ndeep\n"
    assert os.path.islink(f"{mirror.root}{project}/node_modules"), "that is large, and only read"


def test_what_is_only_linked_is_watched(project: Path, tmp_path: Path) -> None:
    for number in range(40):
        (project / f"other{number}").mkdir()
        (project / f"other{number}" / "one").touch()
    hidden = project / "other1" / "result.c"
    around = working_tree_of(str(project), [str(project / "src/main.c")], hidden=[str(hidden)])
    before = around.watched()
    assert around.changed_since(before) == []
    mirror = overlay_at(tmp_path / "m", OverlayPlacement(around, OneFile("main.c")))
    sh(mirror, "echo x > other3/one; echo x > other4/new; rm other5/one; echo x > settings.toml")
    hidden.write_text("x")
    hidden.with_name("result.c.marrow").write_text("x")
    assert around.changed_since(before) == [
        str(project / name) for name in ("other3/one", "other4/new", "other5/one")
    ]


def test_where_others_are_at_work_nothing_is_taken_for_an_output(project: Path) -> None:
    for number in range(40):
        (project / f"other{number}").mkdir()
        (project / f"other{number}" / "one").touch()
    around = working_tree_of(str(project), [str(project / "src/main.c")])
    before = around.watched()
    for number in range(40):
        (project / f"other{number}" / "new").touch()
    assert around.written_since(before) is around


def test_an_input_elsewhere_has_both_directories(project: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "target").write_text("the target\n")
    (here / "util.c").write_text("another\n")
    mirror = overlay_at(tmp_path / "m", placement(project, typed_in=here))
    assert sh(mirror, 'echo "$1"; cat "$1" target util.c ../settings.toml') == (
        "main.c\ncandidate\nthe target\nutil\nhere\n"
    )


def test_a_set_of_files(project: Path, tmp_path: Path) -> None:
    around = working_tree_of(str(project), [str(project / "src")], str(project / "src"))
    place = OverlayPlacement(around, SetOfFiles(), base=str(project / "src"))
    mirror = overlay_at(tmp_path / "m", place)
    candidate = make_bundle([BundleEntry("main.c", b"one\n"), BundleEntry("d/x.c", b"two\n")])
    assert sh(mirror, 'cat "$1/main.c" src/d/x.c; ls src', candidate) == "one\ntwo\nd\nmain.c\n"
    mirror.restore()
    assert sh(mirror, "ls src include", make_bundle([BundleEntry("y.c", b"")])) == (
        "include:\nx.h\n\nsrc:\ny.c\n"
    )


class Echo:
    """A judge that tells what a command printed."""

    identity = "echo"

    def judge(self, ended: tuple[Observation, ...], candidate: bytes) -> JudgedEnd:
        said = ended[-1].stdout.decode().strip()
        return JudgedEnd(
            Verdict.INTERESTING if said == candidate.decode() else Verdict.NOT_INTERESTING, said
        )


def test_tests_at_once_do_not_see_each_other(project: Path) -> None:
    script = 'cat "$1" > out; cat "$1" > src/util.c; sleep 0.05; cat out src/util.c > both; cat out'
    command = CapturedCommand(("sh", "-c", script, "sh", "{}"), judge=Echo())
    before = tree(project)
    executor = CommandExecutor(command, placement(project), 4, adopt=True)
    try:
        jobs = [executor.submit(str(number).encode()) for number in range(24)]
        assert {outcome_of(job).verdict for job in jobs} == {Verdict.INTERESTING}
    finally:
        executor.close()
    assert tree(project) == before


def test_outputs_name_the_users_own_files(project: Path) -> None:
    command = CapturedCommand(("sh", "-c", 'realpath "$1"', "sh", "{}"), judge=Echo())
    executor = CommandExecutor(command, placement(project), adopt=True)
    try:
        outcome = outcome_of(executor.submit(b"x", capture=True))
        assert outcome.why == str(project / "src/main.c")
    finally:
        executor.close()


def test_an_input_that_is_run(project: Path) -> None:
    (project / "run.sh").write_text("#!/bin/sh\necho no\n")
    place = placement(project, "run.sh")
    place = OverlayPlacement(place.around, place.files, 0o755)
    executor = CommandExecutor(CapturedCommand(("./run.sh",), judge=Echo()), place, adopt=True)
    try:
        assert outcome_of(executor.submit(b"#!/bin/sh\necho hi\n")).why == "hi"
    finally:
        executor.close()


NAMES = st.sampled_from(["a", "b c", "-d", "é", "$x", "'q", "src", "new\nline"])
WRITES = st.lists(
    st.tuples(st.sampled_from(["write", "remove", "mkdir", "link"]), NAMES), max_size=6
)


@settings(max_examples=25, deadline=None)
@given(st.sets(NAMES, max_size=5), st.lists(WRITES, min_size=1, max_size=3))
def test_whatever_tests_do_the_next_finds_the_same(
    tmp_path_factory: pytest.TempPathFactory, names: set[str], tests: list[list[tuple[str, str]]]
) -> None:
    home = tmp_path_factory.mktemp("user")
    (home / "input").write_text("original")
    for name in names:
        (home / name).write_text(name)
    before = tree(home)
    root = tmp_path_factory.mktemp("mirror") / "m"
    mirror = overlay_at(root, placement(home, "input"))
    inside = Path(mirror.directory)
    for writes in tests:
        os.close(mirror.put(b"candidate")[1])
        assert {path.name: path.read_text() for path in inside.iterdir()} == {
            "input": "candidate",
            **{name: name for name in names},
        }
        for what, name in writes:
            path = inside / name
            if what == "write" and not path.is_dir() and not path.is_symlink():
                path.write_text("other")
            elif what == "remove" and path.is_file():
                path.unlink()
            elif what == "mkdir" and not os.path.lexists(path):
                (path / "deep").mkdir(parents=True)
            elif what == "link" and not os.path.lexists(path):
                path.symlink_to("/nowhere")
        mirror.restore()
        time.sleep(0.001)
    assert tree(home) == before
