"""The nearest inputs that do not fail, from what was tested anyway, and by a few tests more."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.run.output.contrast import changes, chosen
from tests.cli.running import executable, marrow

PROGRAM = "x = [1, 2, 3]\nfor i in range(4):\n    print(x[i])\nprint('done', len(x))\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PROGRAM)
    last_line = f'out=$({sys.executable} "$1" 2>&1) || {{ echo "$out" | tail -1 >&2; exit 1; }}'
    executable(tmp_path / "run.sh", last_line)
    return tmp_path


def test_a_result_has_a_contrast_at_no_cost(here: Path) -> None:
    command = ("-j", "1", "--", "./run.sh", "{}")
    words = ("reduce", "a.py", "--json", *command)
    record = json.loads(marrow(*words).out)
    assert record["text"] == "[][0]\n"
    near = record["contrasts"][0]
    assert near["text"] == "[0]\n"
    assert (
        record["text"][: near["start"]] + near["new"] + record["text"][near["end"] :]
        == (near["text"])
    )
    said = marrow("reduce", "a.py", "--bug-report", "bug.md", "--report", "a.html", *command).out
    assert '"contrasts":[["[","][","","0]\\n"]' in (here / "a.html").read_text()
    assert "  fails:  [「][」0]\n  passes: [「」0]" in said
    assert "does not fail on this" in (here / "bug.md").read_text()


def test_tests_bring_a_nearer_one(here: Path) -> None:
    words = ("reduce", "a.py", "--json", "--contrast", "-j", "1", "--", "./run.sh", "{}")
    record = json.loads(marrow(*words).out)
    assert "[0][0]\n" in [one["text"] for one in record["contrasts"]]
    assert record["contrasts"][0]["end"] - record["contrasts"][0]["start"] <= 1


def test_a_number_is_changed_by_one(here: Path) -> None:
    (here / "n.txt").write_text("port = 65536\nhost = a\n")
    executable(here / "test.sh", '[ "$(grep -o "[0-9]*" "$1" | head -1)" -gt 65535 ]')
    record = json.loads(marrow("reduce", "n.txt", "test.sh", "--json", "--contrast").out)
    number = int(record["text"].split()[-1])
    assert number == 65536
    assert "65535" in record["contrasts"][0]["text"], record


def test_contrasts_are_valid_where_the_syntax_is_known(here: Path) -> None:
    (here / "c.py").write_text("connect('h', 70000)\n")
    executable(here / "test.sh", """grep -Eq "^connect.'h', (6553[6-9]|[67][0-9]{4})" "$1" """)
    record = json.loads(marrow("reduce", "c.py", "test.sh", "--json", "--contrast").out)
    assert len(record["contrasts"]) > 3
    for one in record["contrasts"]:
        compile(one["text"], "c.py", "exec")


@given(st.binary(max_size=40), st.lists(st.binary(max_size=40), max_size=8))
def test_contrasts_are_disjoint_changes_of_the_result(result: bytes, texts: list[bytes]) -> None:
    told = chosen(result, iter(set(texts) - {result}))
    for one in told:
        assert result[: one.start] + one.new + result[one.end :] == one.text
    spans = sorted((one.start, one.end) for one in told)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


@given(st.text(max_size=30))
def test_every_change_is_one(text: str) -> None:
    assert all(one != text.encode() for one in changes(text.encode()))
