"""The tables of the papers, and MultiDelta's way."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bench.papers import __main__ as command
from bench.papers import hoisting, measure
from bench.papers.multidelta import multidelta, topformflat
from bench.papers.small_cases import SMALL

#: The page whose tables tests read.
PAGE = "hoisting"

PROGRAM = b"int a;\nint f(int x) {\n  int y;\n  y = x;\n  return y;\n}\nint main() { f(1); }\n"


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_RUNS", tmp_path / "runs.jsonl")
    measure._known.cache_clear()


@pytest.mark.skipif(shutil.which("topformflat") is None, reason="topformflat is not installed")
def test_multidelta_goes_down_level_by_level() -> None:
    assert topformflat(PROGRAM, 0).count(b"\n") < topformflat(PROGRAM, 1).count(b"\n")
    done = multidelta(
        PROGRAM, lambda text: b"y = x;" in text and text.count(b"{") == text.count(b"}")
    )
    assert b"main" not in done.text
    assert b"return" not in done.text


def test_a_table_is_made_and_its_runs_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["bench.papers", "hoisting", "a5", "--cases", "matrix"]
    monkeypatch.setattr("sys.argv", arguments)
    assert command.main() == 0
    first = capsys.readouterr().out
    assert "| matrix (" in first
    assert "-36.77%, +64.55%" in first
    assert len(measure._RUNS.read_text().splitlines()) == 4
    measure._known.cache_clear()
    monkeypatch.setattr(measure, "_run", None)
    assert command.main() == 0
    assert capsys.readouterr().out == first


def test_an_unknown_table_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench.papers", "perses", "table9"])
    assert command.main() == 2
    assert "table9" in capsys.readouterr().err


def test_a_table_is_written_between_its_marks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("bench.papers.__main__.PAGES", tmp_path)
    for made in ("one", "two"):
        command._write("perses", "table1", "small", made)
    text = (tmp_path / "perses.md").read_text()
    assert "two" in text
    assert "one" not in text.replace("none", "")


@pytest.mark.parametrize("same", [True, False])
def test_a_page_is_of_this_code_if_quick_rows_are_the_same(
    same: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = (measure.PAGES / "hoisting.md").read_text(encoding="utf-8")
    old = re.sub(r"modules \w+ \(", "modules 0123456789 (", page)
    if not same:
        old = old.replace("| matrix (81) |", "| matrix (81) | 5")
    (tmp_path / "hoisting.md").write_text(old, encoding="utf-8")
    monkeypatch.setattr("bench.papers.__main__.PAGES", tmp_path)
    monkeypatch.setitem(command._QUICK, "hoisting", ("matrix", ("a5",)))
    monkeypatch.setattr("sys.argv", ["bench.papers", "hoisting", "confirm"])
    assert command.main() == (0 if same else 1)
    assert ("0123456789" in (tmp_path / "hoisting.md").read_text(encoding="utf-8")) != same


@pytest.mark.parametrize("paper", measure.MODULES)
def test_tables_are_of_this_code(paper: str) -> None:
    """`python -m bench.papers PAPER TABLE --write` makes one again."""
    page = Path(__file__).parents[2] / "docs" / "papers" / f"{paper}.md"
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- paper: (\S+) -->(.*?)<!-- end of paper -->", text, re.S)
    assert blocks
    current = measure.modules_digest(paper)
    for table, block in blocks:
        words = " ".join(block.split())
        assert f"modules {current} (" in words, f"{table} is of other code"
    assert "**What is not reproduced:**" in text


def published_runs() -> dict[tuple[str, str], tuple[int, int]]:
    """Return characters and tests of tables A2 to A5, by case and variant."""
    found = {}
    for row in (row for table in hoisting.FAMILIES for row in measure.rows_of_page(PAGE, table)):
        case, *variants = row
        for name in variants:
            numbers = re.sub(r" \([^)]*\)", "", row[name]).replace(",", "").split()
            if row[case].endswith(")"):
                size, tests = map(int, numbers)
                found[row[case].split()[0], name.strip("`")] = size, tests
    return found


def test_the_comparison_with_picireny_has_the_sums_of_the_tables() -> None:
    """marrow's side of it is tables A2 to A5 on the cases that the setting was not written with."""
    text = (measure.PAGES / f"{PAGE}.md").read_text(encoding="utf-8")
    comparison = text.partition("## Against Picireny")[2].partition("\n\nReal programs")[0]
    runs = published_runs()
    for row in measure.rows_of(comparison):
        variant = row["variant"].strip("`")
        found = [runs[one.name, variant] for one in SMALL if not one.developed]
        assert row["marrow"] == ", ".join(f"{sum(part):,}" for part in zip(*found, strict=True))


@pytest.mark.parametrize("figure", hoisting.PICTURES)
def test_figures_of_hoisting_are_of_its_tables(
    figure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, properties = published_runs(), measure.rows_of_page(PAGE, "a1")
    heights = {row["case"]: int(row["tree height"]) for row in properties}
    cases: Any = [SimpleNamespace(name=name) for name in heights]

    def made(one: Any, name: str, _: str) -> measure.Measured:
        size, tests = runs[one.name, name]
        return measure.Measured(one.name, 0, 0, 0, size, tests, 0.0)

    monkeypatch.setattr(hoisting, "_run", made)
    monkeypatch.setattr(hoisting, "height", lambda one: (heights[one.name], 0, 0))
    table = measure.rows_of(hoisting.TABLES[figure](cases))
    assert table == measure.rows_of_page(PAGE, figure)
    picture = (measure.PAGES / f"{PAGE}-{figure}.svg").read_text(encoding="utf-8")
    assert hoisting.PICTURES[figure](cases) == picture
