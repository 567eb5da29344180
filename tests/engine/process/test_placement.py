"""Sets of files in the directories of tests, and as results on disk."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.placement import SetOfFiles, read_entries, write_entries
from marrow.engine.verdict import Verdict
from marrow.run.output import output_file
from marrow.run.output.output_file import OutputDirectory, OutputError
from marrow.syntax.bundle import BundleEntry, make_bundle
from tests.engine.scripts import command

ENTRIES = [
    BundleEntry("a.c", b"int a;\n"),
    BundleEntry("d/e/run.sh", b"echo\n", stat.S_IFREG | 0o755),
    BundleEntry("d/link", b"e/run.sh", stat.S_IFLNK | 0o777),
    BundleEntry("empty", mode=stat.S_IFDIR | 0o755),
]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_entries(tmp_path, ENTRIES)
    assert sorted(read_entries(tmp_path), key=lambda one: one.name) == ENTRIES
    os.mkfifo(tmp_path / "pipe")
    assert make_bundle(read_entries(tmp_path)) == make_bundle(ENTRIES)


def test_a_test_finds_the_files_in_its_directory(temporary: Path, tmp_path: Path) -> None:
    body = 'test "$1" = "$PWD" && cat a.c kept && test -x d/e/run.sh && ! read x'
    executor = CommandExecutor(command(tmp_path, body), SetOfFiles([BundleEntry("kept", b"!")]), 2)
    try:
        found = outcome_of(executor.submit(make_bundle(ENTRIES), capture=True))
        assert (found.verdict, found.output) == (Verdict.INTERESTING, b"int a;\n!")
        assert outcome_of(executor.submit(b"")).verdict is Verdict.NOT_INTERESTING
    finally:
        executor.close()


def test_the_result_is_replaced_at_once(tmp_path: Path) -> None:
    output = OutputDirectory(tmp_path / "out", [BundleEntry("kept", b"!")])
    bundles = [
        make_bundle([BundleEntry(f"{number}", b"x"), BundleEntry("n", b"%d" % number)])
        for number in range(5)
    ]
    output.write(bundles[0])
    seen: set[int] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            handle = os.open(tmp_path / "out", os.O_RDONLY)
            names = os.listdir(handle)
            # One that has lost its place meanwhile is being removed.
            if os.path.samestat(os.fstat(handle), os.stat(tmp_path / "out")):
                seen.add(len(names))
            os.close(handle)

    reader = threading.Thread(target=read)
    reader.start()
    for bundle in bundles * 10:
        output.write(bundle)
        assert output.read() == bundle
    done.set()
    reader.join()
    assert seen <= {3}
    assert sorted(os.listdir(tmp_path)) == ["out"]
    assert sorted(os.listdir(tmp_path / "out")) == ["4", "kept", "n"]


def test_without_an_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_file, "_exchange", lambda *_: False)
    output = OutputDirectory(tmp_path / "out")
    output.write(make_bundle(ENTRIES))
    output.write(make_bundle(ENTRIES[:1]))
    assert output.read() == make_bundle(ENTRIES[:1])
    assert os.listdir(tmp_path) == ["out"]


def test_old_results_and_originals_are_kept(tmp_path: Path) -> None:
    output = OutputDirectory(tmp_path / "out")
    assert output.keep_old() is None
    output.write(make_bundle(ENTRIES))
    assert output.keep_old(".orig") == tmp_path / "out.orig"
    assert output.keep_old(".orig") == tmp_path / "out.orig"
    output.write(make_bundle(ENTRIES[1:]))
    assert output.keep_old(".orig") == tmp_path / "out.orig2"
    assert make_bundle(read_entries(tmp_path / "out.orig")) == make_bundle(ENTRIES)
    assert output.keep_old() == tmp_path / "out~"
    assert not output.path.exists()
    assert output.read() is None
    # Another one leaves the first alone.
    output.write(make_bundle(ENTRIES[:1]))
    assert output.keep_old() == tmp_path / "out~2"
    assert make_bundle(read_entries(tmp_path / "out~")) == make_bundle(ENTRIES[1:])


def test_a_result_that_cannot_be_written(tmp_path: Path) -> None:
    output = OutputDirectory(tmp_path / "nowhere" / "out")
    with pytest.raises(OutputError, match="cannot write the result"):
        output.write(make_bundle(ENTRIES))
