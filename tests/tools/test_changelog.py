"""Fragments of changes become a section of the changelog."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.changelog import ROOT, fragments, released, section


def test_fragments_of_the_repository() -> None:
    """Each has a kind, and is short."""
    for paths in fragments(ROOT / "changes").values():
        for path in paths:
            assert len(path.read_text(encoding="utf-8")) < 1200, path


def test_breaking_changes_come_first(tmp_path: Path) -> None:
    (tmp_path / "b.added.md").write_text("A pass.\n")
    (tmp_path / "a.breaking.md").write_text("An option\nwent.\n")
    (tmp_path / "README.md").write_text("# How\n")
    text = section(fragments(tmp_path))
    assert text == "### Breaking\n- An option went.\n\n### Added\n- A pass.\n"
    page = released("# Changes\n\n## 0.1\n\nold\n", "0.2", text)
    assert page.startswith("# Changes\n\n## 0.2\n\n### Breaking")
    assert page.endswith("## 0.1\n\nold\n")


@pytest.mark.parametrize("name", ["a.md", "a.new.md"])
def test_other_files_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("A change.")
    with pytest.raises(ValueError, match=r"TOPIC\.KIND"):
        fragments(tmp_path)
