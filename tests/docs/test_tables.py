"""Tables that list what is in the code are those of the code."""

from __future__ import annotations

from tools.tables import ROOT, TABLES, pages, rewritten, stale


def test_tables_are_those_of_the_code() -> None:
    """`python -m tools.tables` writes them anew."""
    assert [page.relative_to(ROOT).as_posix() for page in stale()] == []


def test_every_table_stands_somewhere() -> None:
    texts = "".join(page.read_text("utf-8") for page in pages())
    assert [name for name in TABLES if f"<!-- table: {name} -->" not in texts] == []


def test_a_changed_table_is_written_anew() -> None:
    page = "before\n<!-- table: exit codes -->\nold\n<!-- end of table -->\nbehind\n"
    made = rewritten(page)
    assert "\nold\n" not in made
    assert "| 130 | stopped by Ctrl-C" in made
    assert rewritten(made) == made
