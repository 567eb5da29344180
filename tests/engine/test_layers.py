"""The rooms of the engine stand on each other, one way."""

from __future__ import annotations

import ast
from pathlib import Path

import marrow.engine

ROOT = Path(marrow.engine.__file__).parent

#: From the bottom to the top; modules outside of a room lie at the bottom.
ROOMS = ("", "journal", "process", "executors", "executors/dask", "search")


def room_of(path: str) -> int:
    return max(at for at, room in enumerate(ROOMS) if not room or path.startswith(f"{room}/"))


def test_no_room_imports_one_above_it() -> None:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            if node.module.startswith("marrow.engine."):
                used = node.module.removeprefix("marrow.engine.").replace(".", "/")
                if room_of(f"{used}.py") > room_of(name):
                    wrong.append(f"{name} imports {node.module}")
    assert not wrong
