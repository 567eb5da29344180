"""A tiny corpus, and checks in this process."""

from __future__ import annotations

import ast
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.training.collect import Bounds, Collected, Collection, TrainingEvent, find_sources

PROGRAMS = {
    "one.py": """\
import os
import sys

LIMIT = 3


def first(values):
    for value in values:
        if value > LIMIT:
            return value
    return None


print(first(map(len, sys.argv)), os.sep)
""",
    "two.py": """\
size = 4
names = ["a", "b", "c"]
total = 0
for name in names:
    total = total + size
    if name == "b":
        print(name, total)
""",
    "more/three.py": """\
class Point:
    x = 1
    y = 2

    def sum(self):
        return self.x + self.y


p = Point()
print(p.sum())
""",
}


TWO_TOKENS = Bounds(tokens=2)

# Before Python 3.13, ast.parse in several threads at once may raise "AST constructor recursion
# depth mismatch": depth is counted once for the whole interpreter (python/cpython issue 106905).
ONE_AT_A_TIME = threading.Lock()


def write(place: Path, programs: dict[str, str] = PROGRAMS) -> Path:
    for name, text in programs.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def no_loose_names(text: bytes) -> bool:
    """A check that knows names: what is read was assigned, imported or defined somewhere."""
    try:
        with ONE_AT_A_TIME:
            tree = ast.parse(text)
    except SyntaxError:
        return False
    known = {"print", "len", "map", "None"}
    used: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else known).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            known.add(node.name)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.alias):
            known.add(node.name)
    return used <= known


def collect(
    place: Path,
    bounds: Bounds = TWO_TOKENS,
    *,
    check: Callable[[bytes], bool] = no_loose_names,
    workers: int = 1,
    seed: int = 0,
    journal: Journal | None = None,
    listener: Callable[[TrainingEvent], None] = lambda _: None,
) -> Collected:
    collection = Collection(
        TreeSitterFrontEnd("python"),
        lambda _: contextlib.closing(CallableExecutor(check, workers)),
        journal or Journal.in_memory(),
        listener,
        bounds,
        seed,
    )
    return collection.run(find_sources([place], "python", seed=seed))
