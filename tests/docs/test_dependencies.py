"""The page of dependencies names every package of pyproject.toml, with its range."""

from __future__ import annotations

import re
import tomllib

from tests.docs.test_examples import ROOT


def test_the_page_agrees_with_the_project() -> None:
    page = (ROOT / "docs/reference/dependencies.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"]:
        name, ranged = re.fullmatch(r"([\w-]+)(.*)", requirement).groups()  # type: ignore[union-attr]
        assert f"| `{name}` | `{ranged}` |" in page
    for extra, requirements in project["optional-dependencies"].items():
        assert f"| `{extra}` |" in page
        names = [re.split(r"[<>=]", one)[0] for one in requirements]
        assert extra == "minimal" or all(f"`{name}`" in page for name in names)
