"""The prose is in the words of the field, in lines that fit a screen.

`DIALECT` counts phrases that readers of the field stumble over. The numbers may only fall: lower
them when you rewrite a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bench.house import DIALECT

from tests.docs.test_examples import PAGES, ROOT

#: Lines with such a phrase, most allowed: in the code, in the documents, in the lab notebook.
MOST = {"src": 2, "docs": 5, "docs/lab": 15}

WIDEST = 120


def lines_of(kind: str) -> Iterator[str]:
    paths: list[Path] = []
    if kind == "src":
        paths = [*(ROOT / "src" / "marrow").rglob("*.py")]
    else:
        lab = kind == "docs/lab"
        paths = [ROOT / page for page in PAGES if page.startswith("docs/lab/") == lab]
    for path in paths:
        yield from path.read_text(encoding="utf-8").splitlines()


def test_the_dialect_only_shrinks() -> None:
    found = {kind: sum(1 for line in lines_of(kind) if DIALECT.search(line)) for kind in MOST}
    assert {kind: count for kind, count in found.items() if count > MOST[kind]} == {}


def test_prose_fits_the_screen() -> None:
    """Tables, code, pictures and commands with long lists of cases are what they are."""
    wide = []
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        text = re.sub(r"^\s*```.*?^\s*```$", "", text, flags=re.MULTILINE | re.DOTALL)
        for line in text.splitlines():
            exempt = line.lstrip().startswith(("|", "<!", "![", ">", "`python -m bench.papers"))
            if len(line) > WIDEST and not exempt:
                wide.append(f"{page}: {line[:60]}")
    assert wide == []
