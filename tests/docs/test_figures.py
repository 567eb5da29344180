"""A figure that stands in several documents is the same in all of them."""

from __future__ import annotations

import re

import pytest

from tests.docs.test_examples import ROOT

COMPARISON = "docs/explanation/comparison.md"
DDSET = "docs/explanation/algorithms/ddset.md"

#: Where each figure stands. The measured ones are those of one worker (`-j 1`), which are exact.
FIGURES = {
    "tests of the csmith program": (
        ("docs/how-to/guide.md", r"csmith program of 260 kB takes (\d+)"),
        (
            COMPARISON,
            r"csmith program \| 259,997 bytes \| 18 bytes, (\d+) tests",
        ),
    ),
    "bytes of the csmith program": (
        ("docs/how-to/guide.md", r"76,638 -> 2 tokens \(0.0%\), ([\d,]+) ->"),
        (COMPARISON, r"csmith program \| ([\d,]+) bytes"),
        ("docs/lab/no-script.md", r"73,383 -> 2 \| ([\d,]+) ->"),
    ),
    "tests of the abstraction": (
        (
            "README.md",
            r"(\d+ tests run, 17 of them to reduce, \d+ more on the input; \d+)",
        ),
        (
            DDSET,
            r"(\d+ tests run, 17 of them to reduce, \d+ more on the input; \d+)",
        ),
    ),
    "languages": (
        ("README.md", r"knows about (\d+)\)"),
        ("docs/how-to/guide.md", r"lists them: about (\d+),"),
        (COMPARISON, r"about (\d+) languages by"),
    ),
    "against C-Vise": (
        (
            COMPARISON,
            r"(0\.\d+) times the tokens of C-Vise after 0\.\d+ times its tests",
        ),
        ("README.md", r"(0\.\d+) times its tokens after 0\.\d+ times its tests"),
    ),
    "the prior of branches": (
        ("docs/explanation/algorithms/batched.md", r"(0\.\d+) for nodes with nodes below them"),
        ("docs/how-to/training.md", r"with one vote, (0\.\d+) for branches"),
    ),
    "bytes for each token": (
        ("docs/how-to/guide.md", r"about ([\d.]+ kB) a token"),
        ("docs/explanation/trees.md", r"about ([\d.]+ kB) a token"),
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_pages_agree(name: str) -> None:
    found = {}
    for page, pattern in FIGURES[name]:
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        match = re.search(pattern, text)
        assert match, f"{page} has no {pattern}"
        found[page] = match[1]
    assert len(set(found.values())) == 1, found
