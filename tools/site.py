"""Hooks of mkdocs: the pages that live outside docs/.

CONTRIBUTING.md and CHANGELOG.md stay where people look for them in a checkout. The site shows them
too, and links between them and the other pages work in both.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("CONTRIBUTING.md", "CHANGELOG.md")
SOURCE = re.compile(r"\[([^]]*)\]\((?:tests|src|bench|tools|examples|changes)/[^)]*\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside docs/."""
    from mkdocs.structure.files import File

    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Point links to the place of each page in the site."""
    if page.file.src_uri in PAGES:
        # The site has no sources: links to them become plain names.
        return SOURCE.sub(r"`\1`", markdown).replace("](docs/", "](")
    up = "../" * page.file.src_uri.count("/")
    for name in PAGES:
        markdown = markdown.replace(f"]({up}../{name}", f"]({up}{name}")
    return markdown
