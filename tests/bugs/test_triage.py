"""A triage from start to end, on a target of a few lines."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import marrow
from marrow import BugStatus
from marrow.bugs.bug_directory import check_directory
from marrow.bugs.triage_run import TriageProgress
from marrow.run.output.output_file import OutputError
from marrow.signature.refusals import UnclearFailureError

TARGET = str(Path(__file__).with_name("target.sh"))
COMMAND = [TARGET, "{}"]

FILES = {
    "id:000000,sig:06": "ab boom cd",
    "id:000001,sig:06": "x boom",
    "id:000002,sig:06": "some bang here",
    "id:000003,sig:06": "crack crack",
    "id:000004,sig:06": "it is mute",
    "id:000005,sig:06": "so dumb",
    "id:000006,sig:06": "mute y",
    "id:000007,sig:06": "fine",
    "id:000008,sig:06": "a ? b",
    "id:000009,sig:06": "x boom",
    "id:000020,sig:06": "y bing",
    "README.txt": "Command line used to find this crash: boom",
}


@pytest.fixture
def crashes(tmp_path: Path) -> Path:
    folder = tmp_path / "crashes"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def groups(result: marrow.TriageResult) -> list[tuple[bytes, list[str]]]:
    return [
        (
            bug.case.text,
            sorted(os.path.basename(name)[3:9] for one in bug.files for name in one.names),
        )
        for bug in result.bugs
    ]


FOUND = [
    (b"bang", ["000000", "000001", "000002", "000009", "000020"]),
    (b"mute", ["000004", "000006"]),
    (b"dumb", ["000005"]),
    (b"crack", ["000003"]),
]


@pytest.mark.parametrize("jobs", [1, 3])
def test_bugs_are_told_apart_and_joined(crashes: Path, jobs: int) -> None:
    result = marrow.triage(crashes, command=COMMAND, jobs=jobs)
    assert sorted(groups(result)) == sorted(FOUND)
    assert (result.files, result.distinct) == (11, 10)
    why = {os.path.basename(one.name)[3:9]: one.why for one in result.passing}
    assert why["000007"] == "does not fail"
    assert "rejects" in why["000008"]
    mute = next(bug for bug in result.bugs if bug.case.text == b"mute")
    assert any("split" in note for note in mute.notes)
    boom = next(bug for bug in result.bugs if bug.case.text == b"bang")
    assert [link.rule for link in boom.links] == ["place", "place"]


def test_results_that_are_the_same_in_the_end_are_one_bug(tmp_path: Path) -> None:
    for name, text in {"a": "mute", "b": "mute2"}.items():
        (tmp_path / name).write_text(text)
    result = marrow.triage(tmp_path, command=COMMAND)
    assert [(bug.case.text, len(bug.files)) for bug in result.bugs] == [(b"mute", 2)]


def test_the_directory_and_going_on(crashes: Path, tmp_path: Path) -> None:
    output = tmp_path / "bugs"
    first = marrow.triage(crashes, command=COMMAND, output=output)
    data = json.loads((output / "triage.json").read_text())
    assert [bug["id"] for bug in data["bugs"]] == [bug.id for bug in first.bugs]
    for bug in data["bugs"]:
        folder = output / bug["id"]
        assert (output / bug["smallest"]).read_bytes()
        assert (folder / "signature.toml").exists()
        assert (folder / "report.html").exists()
        assert len(list((folder / "files").iterdir())) == len(bug["files"])
    log = json.loads((output / "triage.sarif").read_text())
    assert len(log["runs"][0]["results"]) == 4
    suite = ElementTree.parse(output / "junit.xml").getroot()
    assert suite.attrib["failures"] == "4"
    assert "bang" in (output / "index.html").read_text()
    # Again: nothing is run, all is known.
    again = marrow.triage(crashes, command=COMMAND, output=output)
    assert again.effort.starts <= 1  # the first look at an empty file
    assert groups(again) == groups(first)
    assert {bug.status for bug in again.bugs} == {BugStatus.KNOWN}
    # A new file costs its own runs alone, a new bug those of its reduction.
    (crashes / "id:000010,sig:06").write_text("y boom y")
    more = marrow.triage(crashes, command=COMMAND, output=output)
    assert more.effort.starts <= 3
    assert [bug.id for bug in more.bugs] == [bug.id for bug in first.bugs]


def test_known_new_and_fixed(crashes: Path, tmp_path: Path) -> None:
    known = tmp_path / "known"
    marrow.triage(crashes, command=COMMAND, output=known)
    mended = tmp_path / "mended.sh"
    lines = Path(TARGET).read_text().splitlines()
    lines = [line for line in lines if "*crack*" not in line]
    lines.insert(lines.index("esac"), "  *new*) exit 9 ;;")
    mended.write_text("\n".join(lines))
    mended.chmod(0o755)
    (crashes / "id:000011,sig:06").write_text("is new")
    found = marrow.triage(crashes, command=[str(mended), "{}"], known=[known])
    by_status = {status: found.with_status(status) for status in BugStatus}
    assert [bug.case.text for bug in by_status[BugStatus.NEW]] == [b"new"]
    assert len(by_status[BugStatus.KNOWN]) == 3
    assert len(found.fixed) == 1
    assert "second" in found.fixed[0].title
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    with pytest.raises(marrow.InputError, match="no file to triage"):
        marrow.triage(nothing, command=[str(mended), "{}"])
    quiet = marrow.triage(nothing, command=[str(mended), "{}"], known=[known])
    assert not quiet.with_status(BugStatus.NEW)
    assert len(quiet.with_status(BugStatus.KNOWN)) == 3
    assert len(quiet.fixed) == 1


def test_overrules(crashes: Path, tmp_path: Path) -> None:
    file = tmp_path / "overrules.toml"
    file.write_text(
        '[[same]]\nfiles = ["id:000004", "id:000005"]\n'
        '[[different]]\nfiles = ["id:000000", "id:000002"]\nreason = "they are"\n'
        '[[ignore]]\nfiles = ["id:000003"]\n'
    )
    result = marrow.triage(crashes, command=COMMAND, overrules=file)
    found = sorted(files for _, files in groups(result))
    assert ["000004", "000005", "000006"] in found
    assert ["000002"] in found
    ignored = result.with_status(BugStatus.IGNORED)
    assert [bug.case.text for bug in ignored] == [b"crack"]


@pytest.mark.parametrize(
    "text",
    ["[[sam]]\n", "same = 3\n", '[[same]]\nfiles = ["one"]\n', '[[ignore]]\nfile = "x"\n', "]["],
)
def test_broken_overrules(crashes: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "overrules.toml"
    file.write_text(text)
    with pytest.raises(marrow.InputError, match=r"overrules\.toml"):
        marrow.triage(crashes, command=COMMAND, overrules=file)


def test_progress_goes_on_during_a_reduction(crashes: Path) -> None:
    seen: list[TriageProgress] = []
    marrow.triage(crashes, command=COMMAND, jobs=1, on_progress=seen.append)
    reducing = [now.tests for now in seen if now.phase == "reducing" and not now.done]
    assert len(set(reducing)) > 3
    assert seen[-1].phase == "done"


def test_a_test_script(crashes: Path, tmp_path: Path) -> None:
    script = tmp_path / "test.sh"
    script.write_text('#!/bin/sh\ngrep -q "boom\\|crack" "$1"\n')
    script.chmod(0o755)
    result = marrow.triage(crashes, str(script))
    assert sorted(bug.case.text for bug in result.bugs) == [b"boom", b"crack"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["sh", "-c", "echo 'fatal error: no such option' >&2; exit 2", "sh", "{}"], "everything"),
        (["sh", "-c", 'cat "$1"', "sh"], "has no {}"),
        (["sleep", "100"], "does not end in time"),
    ],
)
def test_targets_that_fail_on_everything(crashes: Path, command: list[str], words: str) -> None:
    with pytest.raises(UnclearFailureError, match=words):
        marrow.triage(crashes, command=command, timeout=0.3)


def test_a_target_that_is_missing(crashes: Path, tmp_path: Path) -> None:
    with pytest.raises(marrow.TestCommandError, match="there is no program"):
        marrow.triage(crashes, command=["./no-such-target", "{}"])
    plain = tmp_path / "plain"
    plain.write_text("#!/bin/sh\n")
    with pytest.raises(marrow.TestCommandError, match="not executable"):
        marrow.triage(crashes, command=[str(plain), "{}"])


def test_flaky_files_are_run_often(crashes: Path, tmp_path: Path) -> None:
    counter = tmp_path / "runs"
    script = tmp_path / "flaky.sh"
    script.write_text(
        f'#!/bin/sh\nif grep -q boom "$1"; then\n  echo >> {counter}\n'
        f"  [ $(($(wc -l < {counter}) % 3)) = 0 ] && exit 0\n  exit 4\nfi\nexit 0\n"
    )
    script.chmod(0o755)
    result = marrow.triage(crashes, command=[str(script), "{}"], jobs=1)
    flaky = [one for bug in result.bugs for one in bug.files if one.flaky]
    assert flaky
    assert all(one.runs == 10 for one in flaky)


def test_a_directory_of_other_files_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(OutputError, match="holds other files"):
        check_directory(tmp_path)


def test_the_users_files_and_rights(crashes: Path, tmp_path: Path) -> None:
    output = tmp_path / "bugs"
    for one in crashes.iterdir():
        one.chmod(0o600)
    marrow.triage(crashes, command=COMMAND, output=output)
    assert all(
        one.stat().st_mode & 0o077 == 0 for one in output.rglob("*") if "rules" not in one.name
    )
    (output / "bug-001" / "notes.txt").write_text("mine")
    (output / "bug-007").mkdir()
    (output / "bug-007" / "patch").write_text("mine")
    (crashes / "id:000030,sig:06").write_text("is new")
    new = tmp_path / "new.sh"
    new.write_text(Path(TARGET).read_text().replace("esac", "  *new*) exit 9 ;;\nesac"))
    new.chmod(0o755)
    found = marrow.triage(crashes, command=[str(new), "{}"], output=output)
    assert (output / "bug-001" / "notes.txt").read_text() == "mine"
    assert [one.name for one in (output / "bug-007").iterdir()] == ["patch"]
    assert "bug-008" in {bug.id for bug in found.bugs}


def test_a_large_text_of_an_unknown_language_is_reduced(tmp_path: Path) -> None:
    (tmp_path / "large").write_text("some (words) here;\n" * 20_000 + "crack\n")
    command = ["sh", "-c", 'grep -q crack "$1" && exit 3; exit 0', "sh", "{}"]
    result = marrow.triage(tmp_path, command=command)
    assert [bug.case.text for bug in result.bugs] == [b"crack"]


def test_no_time(crashes: Path, tmp_path: Path) -> None:
    found = marrow.triage(crashes, command=COMMAND, output=tmp_path / "bugs", max_time=1e-6)
    assert "time limit" in found.stopped
    assert not found.bugs


def test_bugs_at_one_place_are_called_by_their_callers(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        "def get(text): raise ValueError('short')\n"
        "def name(text): get(text)\n" + "\n" * 200 + "def size(text): get(text)\n"
        "text = open(sys.argv[1]).read()\n"
        "name(text) if 'n' in text else size(text) if 's' in text else 0\n"
    )
    folder = tmp_path / "crashes"
    folder.mkdir()
    for text in ("n", "s"):
        (folder / text).write_text(text)
    command = [sys.executable, str(program), "{}"]
    (folder / "overrules.toml").write_text('[[different]]\nfiles = ["n", "s"]\n')
    result = marrow.triage(
        [folder / "n", folder / "s"], command=command, overrules=folder / "overrules.toml"
    )
    titles = sorted(bug.title.rpartition("called by ")[2] for bug in result.bugs)
    assert titles == ["name", "size"]
