"""The tuned constants of marrow: numbers at module level, with what their comments say of them.

A comment is the one above the constant, with nothing but other constants in between, or the one
after its value. It says what the number does, and what it was measured on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, or some, under a name in capitals; the comment is empty if there is none."""

    name: str
    value: str
    comment: str


def constants_of(path: Path) -> Iterator[Constant]:
    """Yield the constants of a module, in their order."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.AnnAssign):
            name, value = ast.unparse(node.target), node.value
        elif isinstance(node, ast.Assign):
            name, value = ast.unparse(node.targets[0]).strip("()"), node.value
        else:
            continue
        if value is not None and name.replace(", ", "").isupper() and _is_number(value):
            shown = ast.get_source_segment(text, value) or ""
            yield Constant(name, " ".join(shown.split()), _comment(lines, node))


def _is_number(value: ast.expr) -> bool:
    try:
        found = eval(compile(ast.Expression(value), "", "eval"), {"__builtins__": {}})
    except Exception:
        return False
    every = found if isinstance(found, tuple) else (found,)
    return bool(every) and all(type(one) in (int, float) for one in every)


def _comment(lines: list[str], node: ast.stmt) -> str:
    own = lines[(node.end_lineno or node.lineno) - 1][node.end_col_offset or 0 :]
    if "#" in own:
        return own.partition("#")[2].strip()
    end = node.lineno - 1
    while end and lines[end - 1].strip() and not lines[end - 1].startswith("#"):
        end -= 1
    begin = end
    while begin and lines[begin - 1].startswith("#"):
        begin -= 1
    return " ".join(line.lstrip("#: ") for line in lines[begin:end])
