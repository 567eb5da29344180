"""`--report` and `marrow report`: the page of a run, made at its end or from its journal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from marrow.cli.exits import Exit
from tests.cli.running import PROGRAM, executable, marrow


def data_of(page: Path) -> dict[str, Any]:
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def replayed(data: dict[str, Any]) -> str:
    text: str = data["input"]["text"]
    for step in data["steps"]:
        for start, end, new in reversed(step["changes"]):
            text = text[:start] + new + text[end:]
    return text


def test_the_steps_lead_to_the_result(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", "-j1", "--report", "out.html")
    assert ended.code == 0, ended.err
    assert "report: out.html" in ended.err
    data = data_of(work / "out.html")
    assert data["input"]["text"] == PROGRAM
    assert replayed(data).strip() == Path("input.reduced.c").read_text().strip()
    assert data["script"].startswith("#!/bin/sh")
    about = dict(data["about"])
    assert about["command"] == "marrow reduce input.c test.sh -j1 --report out.html"
    assert "tree-sitter" in about["versions"]
    assert about["seed"] == "0"
    assert data["passes"][0]["name"] == "perses"
    assert sum(one["tests"] for one in data["passes"]) == data["tests"]
    assert sum(one["successes"] for one in data["passes"]) == len(data["steps"])


def test_after_the_fact(work: Path) -> None:
    assert marrow("reduce", "input.c", "test.sh", "--report", "out.html", "-q").code == 0
    # The input and the test may have gone since.
    (work / "input.c").unlink()
    (work / "test.sh").unlink()
    for journal in ("input.reduced.c.marrow", "input.reduced.c"):
        ended = marrow("report", journal, "-o", "later.html")
        assert ended.code == 0, ended.err
        assert (work / "later.html").read_text() == (work / "out.html").read_text()
    assert marrow("report", "input.reduced.c").out.startswith("input.reduced.c.html: ")


def test_any_number_of_workers_and_of_runs_gives_the_same(work: Path) -> None:
    marrow("reduce", "input.c", "test.sh", "-j1", "--report", "one.html", "-q")
    marrow("reduce", "input.c", "test.sh", "-j3", "--report", "three.html", "-q")
    marrow("reduce", "input.c", "test.sh", "-j1", "--max-tests", "9", "--report", "cut.html", "-q")
    cut = data_of(work / "cut.html")
    marrow("reduce", "input.c", "test.sh", "-j2", "--resume", "--report", "resumed.html", "-q")
    one, three, resumed = (data_of(work / f"{n}.html") for n in ("one", "three", "resumed"))
    for part in ("steps", "turns", "passes", "tests"):
        assert one[part] == three[part] == resumed[part], part
    assert cut["steps"] == one["steps"][: len(cut["steps"])]
    # With the empty file, which the first runs had asked about.
    assert cut["tests"] == 10
    assert "Stopped" in cut["state"]


def test_a_pattern(work: Path) -> None:
    (work / "calc.txt").write_text("1 + ((2))")
    executable(work / "calc.sh", "grep -qF '((' \"$1\"")
    ended = marrow(
        *("abstract", "calc.txt", "calc.sh", "--grammar", "calculator", "--allow-empty"),
        *("--report", "out.html", "-q"),
    )
    assert ended.code == 0, ended.err
    data = data_of(work / "out.html")
    assert "".join(text for text, _ in data["pattern"]["segments"]) == "((<expr>))"
    varied = next(node for node in data["pattern"]["nodes"] if node["mark"] == "abstract")
    assert varied["failing"] > 0
    assert varied["samples"]
    assert any(node["counterexample"] for node in data["pattern"]["nodes"])


def test_what_is_no_journal(work: Path) -> None:
    ended = marrow("report", "input.c")
    assert ended.code == Exit.JOURNAL
    assert "cannot read the journal input.c" in ended.err
    assert "RESULT.marrow" in ended.err
    assert marrow("report", "nothing.marrow").code == Exit.JOURNAL


def test_a_report_that_cannot_be_written(work: Path) -> None:
    ended = marrow("reduce", "input.c", "test.sh", "--report", "no/such/out.html")
    assert ended.code == Exit.OUTPUT
    assert "there is no directory no/such" in ended.err
    assert not (work / "input.reduced.c").exists()
