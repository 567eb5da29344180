"""A view loads the front ends that it needs, and no others."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from marrow.syntax.views import view_of
view_of({name!r}, {text!r}).fronts[0].parse({text!r})
print(*sys.modules)
"""


@pytest.mark.parametrize(
    ("name", "text", "used", "unused"),
    [
        ("a.json", b"{}", "tree_sitter", ["marrow.grammar", "tree_sitter_language_pack"]),
        ("a.txt", b"a b", "marrow.syntax.text_front_end", ["marrow.grammar", "tree_sitter"]),
        ("a.smt2", b"(check-sat)", "marrow.grammar", ["marrow.reducers", "marrow.engine"]),
    ],
)
def test_a_view_loads_its_front_ends_alone(
    name: str, text: bytes, used: str, unused: list[str]
) -> None:
    command = [sys.executable, "-c", PROGRAM.format(name=name, text=text)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    loaded = set(found.stdout.split())
    assert used in loaded
    assert loaded.isdisjoint(unused)
