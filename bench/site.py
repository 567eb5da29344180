"""The documentation as a site (mkdocs' hooks): the pages outside docs/, and a page for every note.

CONTRIBUTING.md and CHANGELOG.md stay where people look for them in a checkout; the site has them as
pages, with the links to and from them. Notes come and go, so they are listed here and not in
mkdocs.yml.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("CONTRIBUTING.md", "CHANGELOG.md")
SOURCE = re.compile(r"\[([^]]*)\]\((?:tests|src|bench|examples)/[^)]*\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the notes."""
    notes = sorted(f"notes/{path.name}" for path in (ROOT / "docs" / "notes").glob("*.md"))
    nav: list[Any] = config.nav or []
    for entry in nav:
        if isinstance(entry, dict) and "Notes" in entry:
            entry["Notes"] = notes
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/."""
    from mkdocs.structure.files import File

    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Point links to where the pages stand in the site."""
    if page.file.src_uri in PAGES:
        # Sources are no pages: their names stay, as text.
        return SOURCE.sub(r"`\1`", markdown).replace("](docs/", "](")
    for name in PAGES:
        markdown = markdown.replace(f"](../{name}", f"]({name}")
    return markdown
