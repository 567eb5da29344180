"""Forty failures with a known exact condition: an input, the condition, and random inputs.

The condition is a function of the text; `None` says that the text is not a valid input. Random
inputs are made of a template in braces: `{int}` is a number of any size, `{a|b}` one of two, and so
on (`FILLS`). Half of a case's templates have the form that fails, the others have not. Those that
are held out are not looked at before the end of the work; the first ten of them, with capital
letters from A, became cases like the others later.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, Final

#: Says whether a text fails; None if it is not a valid input.
Fails = Callable[[str], "bool | None"]

_WORDS: Final = (
    *("alpha", "beta", "gamma", "delta", "x", "y", "total", "item_2", "Row"),
    *("node", "$el", "Kilo", "_private", "value9"),
)

#: What templates are filled with.
FILLS: Final[dict[str, Callable[[Random], str]]] = {
    "int": lambda r: str(
        r.choice((r.randint(0, 9), r.randint(0, 99), r.randint(0, 2000), r.randint(0, 99_999)))
    ),
    "signed": lambda r: r.choice(("", "-")) + FILLS["int"](r),
    "small": lambda r: str(r.randint(0, 9)),
    "shift": lambda r: str(r.randint(0, 70)),
    "port": lambda r: str(r.randint(1, 140_000)),
    "word": lambda r: r.choice(_WORDS).replace("$", ""),
    "label": lambda r: r.choice(("", "a", "loop", "Out")) + r.choice(("$", "k", "z9", "_")),
    "letters": lambda r: "".join(r.choices("abcd", k=r.randint(1, 30))),
    "text": lambda r: " ".join(
        r.choices(("ab", "Cd", "e", "7", "long-word", "!"), k=r.randint(0, 7))
    ),
    "json": lambda r: _json(r, 0),
    "nest": lambda r: _nest(r.randint(1, 7), "[]", "1"),
    "parens": lambda r: _nest(r.randint(1, 6), "()", "a"),
    "ints": lambda r: ", ".join(FILLS["int"](r) for _ in range(r.randint(1, 6))),
    "words": lambda r: ", ".join(r.sample(_WORDS[:9], r.randint(1, 7))),
    "pair": lambda r: "{}, {}".format(*_close(r)),
    "sum": lambda r: f"{FILLS['int'](r)}{r.choice('+-*/')}{FILLS['int'](r)}",
}


def _json(random: Random, depth: int) -> str:
    sort = random.randrange(7 if depth < 3 else 5)
    if sort < 4:
        return (FILLS["signed"](random), f'"{FILLS["text"](random)}"', "true", "null")[sort]
    if sort == 4:
        return random.choice(("0.5", "false", '""', "[]", "{}"))
    inner = [_json(random, depth + 1) for _ in range(random.randint(0, 4))]
    if sort == 5:
        return f"[{', '.join(inner)}]"
    return "{" + ", ".join(f'"k{at}": {one}' for at, one in enumerate(inner)) + "}"


def _nest(depth: int, signs: str, inner: str) -> str:
    return signs[0] * depth + inner + signs[1] * depth


def _close(random: Random) -> tuple[int, int]:
    first = random.randint(0, 50)
    return first, max(0, first + random.choice((-3, -1, 0, 1, 2, 40)))


def filled(template: str, random: Random) -> str:
    """Fill a template."""

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        return FILLS[name](random) if name in FILLS else random.choice(name.split("|"))

    return re.sub(r"\{([a-z]+|[^{}\n]*\|[^{}\n]*)\}", fill, template)


@dataclass(frozen=True, slots=True)
class Case:
    """A failure: the condition in words, a failing input, the test, templates of inputs."""

    file: str
    condition: str
    text: str
    fails: Fails
    templates: tuple[str, ...]
    grammar: str = ""
    source: str = ""
    held_out: bool = False

    @property
    def name(self) -> str:
        """The condition, as the name of a case."""
        return f"{self.file.partition('.')[2]}: {self.condition}"

    def inputs(self, count: int) -> Iterator[str]:
        """Yield random inputs, valid or not, the same ones always."""
        random = Random(self.name)
        for _ in range(count):
            yield filled(random.choice(self.templates), random)


def _of_json(holds: Callable[[Any], object]) -> Fails:
    """Return the test whether something in a JSON text has a property."""

    def walk(value: Any) -> Iterator[Any]:
        yield value
        inner = value.values() if isinstance(value, dict) else value
        for one in inner if isinstance(value, list | dict) else ():
            yield from walk(one)

    def fails(text: str) -> bool | None:
        try:
            return any(map(holds, walk(json.loads(text))))
        except (ValueError, RecursionError):
            return None

    return fails


def _of_python(holds: Callable[[Any], object]) -> Fails:
    """Return the test whether a node of a Python program has a property."""

    def fails(text: str) -> bool | None:
        try:
            return any(map(holds, ast.walk(ast.parse(text))))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    return fails


def _of_text(pattern: str, holds: Callable[..., bool]) -> Fails:
    """Return the test whether a piece of a text has a form, and its parts a property."""
    return lambda text: any(holds(*one.groups()) for one in re.finditer(pattern, text))


def _more(*at_least: int) -> Callable[..., bool]:
    """Return whether each number is at least as large as that in its place."""
    return lambda *found: all(int(one) >= low for one, low in zip(found, at_least, strict=True))


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _constants(node: Any) -> list[Any]:
    """Return the constants that a tuple, or the arguments of a call, consist of."""
    inner = getattr(node, "elts", None) or getattr(node, "args", None)
    inner = inner if isinstance(inner, list) else []
    return [one.value for one in inner if isinstance(one, ast.Constant) and _is_int(one.value)]


def _calls(node: Any, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


#: What the expressions of the table may use.
_KNOWN: Final = {
    "ast": ast,
    "re": re,
    "is_int": _is_int,
    "depth": _depth,
    "constants": _constants,
    "calls": _calls,
    "more": _more,
}


def _fails(row: dict[str, str]) -> Fails:
    """Take the condition out of a row of the table."""
    if "json" in row:
        return _of_json(eval(f"lambda v: ({row.pop('json')})", _KNOWN))
    if "python" in row:
        return _of_python(eval(f"lambda n: ({row.pop('python')})", _KNOWN))
    if "found" in row:
        return _of_text(row.pop("found"), eval(row.pop("holds", "lambda *_: True"), _KNOWN))
    test: Fails = eval(f"lambda text: ({row.pop('whole')})", _KNOWN)
    return test


def _case(row: dict[str, Any]) -> Case:
    shared = _TABLE["shared"]
    templates = [shared[one[1:]] if one[0] == "@" else [one] for one in row.pop("templates")]
    return Case(fails=_fails(row), templates=tuple(chain(*templates)), **row)


_TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_ALL: Final = tuple(map(_case, _TABLE["case"]))
CASES: Final = tuple(one for one in _ALL if not one.held_out)
HELD_OUT: Final = tuple(one for one in _ALL if one.held_out)
