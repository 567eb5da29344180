"""Every regular expression of marrow takes time in proportion to what it reads.

Inputs and what tools print come from strangers: an expression that backtracks over them would hang
a run, past its time limit.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import marrow
from tests.backtracking import CountingMatcher, TooManySteps, parsed, pumped

ROOT = Path(marrow.__file__).parent

#: The methods of expressions, and the functions of `re`.
METHODS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"}

#: Sizes of strings, and how much more work one of four times the size may be: in proportion, 4.
SIZES, GROWTH = (24, 96), 8

#: Where the work may grow with the square of the length, which makes it 16, and why.
SHORT = {
    "diagnostics/": "reads lines of a bounded width",
    "signature/": "reads lines of a bounded width",
    "bugs/failure_key.py _PLACED": "reads a message, made of lines of a bounded width",
    "syntax/masking.py _PATH": "reads 200 bytes",
    "grammar/": "reads grammars, which are the user's own",
}
GROWTH_OF_SHORT = 30

#: Modules that compile what is not written in them, and where that is looked at.
GIVEN = {
    "abstraction/conditions.py": "of the file of a pattern: only whether it is one",
    "bugs/repair.py": "bytes, escaped",
    "grammar/readers/fuzzjson.py": "a name, escaped, with a colon after it",
    "languages/recognition.py": "data",
    "run/test/inferred_test.py": "data: programs that run a language",
    "diagnostics/message_rules.py": "data, compiled into constants",
    "reducers/coupled/imports.py": "data",
    "reducers/coupled/injected_code.py": "data",
    "reducers/coupled/joined_files.py": "a name, escaped, with a sign and a word after it",
    "run/plan/system_headers.py": "data",
    "run/options/option.py": "a user's own: only whether it is one",
    "signature/signature.py": "a user's own: only whether it is one",
    "signature/template.py": "pieces of a table of the module, with a text between them",
    "signature/user_expression.py": "a user's own: bounded in time",
    "syntax/declared_names.py": "data, and pieces of the module around it",
    "syntax/front_end.py": "data",
    "syntax/masking/mask.py": "data; what is `before` a place has 200 bytes at most",
}

#: How the expressions of a table are used, where that is not by search.
USED: dict[str, set[str]] = {}

#: The keys of data files that hold regular expressions, and how these are used.
DATA = {
    "bases": ("search", re.DOTALL),
    "computed": ("search", 0),
    "contents": ("search", 0),
    "conversion": ("search", 0),
    "here": ("match", re.DOTALL),
    "instantiation": ("search", 0),
    "interpreters": ("fullmatch", 0),
    "known": ("fullmatch", re.VERBOSE),
    "operator_sign": ("finditer", 0),
    "parameter": ("search", 0),
    "shared_suffixes": ("search", 0),
    "sign": ("finditer", re.DOTALL | re.MULTILINE),
    "spelling": ("fullmatch", 0),
}


#: The modules of which that was seen, and a place in each.
given_from_elsewhere: dict[str, str] = {}


@dataclass(frozen=True)
class Found:
    """An expression of the source, where it is, and how it is used."""

    where: str
    expression: str | bytes
    flags: int
    methods: frozenset[str]


class _Unknown(str):
    """What is known when the program runs: some name."""

    __slots__ = ()

    def __new__(cls) -> _Unknown:
        return super().__new__(cls, "name")

    def __getattr__(self, name: str) -> _Unknown:
        return _Unknown()

    def __call__(self, *given: object) -> _Unknown:
        return _Unknown()


class _Names(dict[str, Any]):
    """The names of a module; any other is a local one of a function."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, None) or _Unknown()


def modules() -> Iterator[tuple[Path, ModuleType, ast.Module]]:
    for path in sorted(ROOT.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if not re.search(r"^\s*import re$|^from re import|\bimport re as\b", source, re.MULTILINE):
            continue
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        yield path, importlib.import_module(name.removesuffix(".__init__")), ast.parse(source)


def all_uses() -> dict[str, set[str]]:
    """Return the methods that are used of each constant, by its name; a private one's, by file."""
    uses: dict[str, set[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                base = node.value
                while isinstance(base, ast.Subscript):
                    base = base.value
                last = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
                where = str(path.relative_to(ROOT)) if last.startswith("_") else ""
                uses.setdefault(f"{where} {last}", set()).add(node.attr)
    return uses


def called(path: Path, module: ModuleType, tree: ast.Module) -> Iterator[Found]:
    """Yield the expressions in calls of `re`."""
    inside = {
        id(call)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for call in ast.walk(function)
    }
    for node in ast.walk(tree):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in {*METHODS, "compile"}
            and node.args
        ):
            continue
        if id(node) not in inside and node.func.attr == "compile":
            continue  # a constant of the module, or a part of one
        method = node.func.attr
        where = f"{path.relative_to(ROOT)}:{node.lineno}"
        if isinstance(node.args[0], ast.Name | ast.Subscript | ast.Attribute | ast.Call) and not (
            isinstance(node.args[0], ast.Name) and node.args[0].id in vars(module)
        ):
            given_from_elsewhere.setdefault(path.relative_to(ROOT).as_posix(), where)
            continue
        flags = [one.value for one in node.keywords if one.arg == "flags"]
        position = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
        flags += node.args[position : position + 1]
        expression = _value(node.args[0], module)
        yield Found(
            where,
            expression,
            int(_value(flags[0], module)) if flags else 0,
            frozenset({"sub" if method == "compile" else method}),
        )


def _value(node: ast.expr, module: ModuleType) -> Any:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        left = _value(node.left, module)
        signs = re.findall("%[sd]", left if isinstance(left, str) else left.decode("latin-1"))
        name = "name" if isinstance(left, str) else b"name"
        return left % tuple(name if sign == "%s" else 1 for sign in signs)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [_value(node.left, module), _value(node.right, module)]
        if any(isinstance(one, bytes) for one in sides):
            sides = [one if isinstance(one, bytes) else str(one).encode() for one in sides]
        return sides[0] + sides[1]
    code = compile(ast.Expression(body=node), "expression", "eval")
    return eval(code, {}, _Names(vars(module)))


def constants(path: Path, module: ModuleType, uses: Mapping[str, set[str]]) -> Iterator[Found]:
    """Yield the compiled expressions that a module holds, in tables too."""
    for name, value in vars(module).items():
        where = str(path.relative_to(ROOT)) if name.startswith("_") else ""
        for field, pattern in _patterns(value, name if isinstance(value, re.Pattern) else "", 0):
            used = uses.get(f"{where if field == name else ''} {field}") if field else None
            used = USED.get(f"{path.relative_to(ROOT)} {name}", used)
            yield Found(
                f"{path.relative_to(ROOT)} {name}",
                pattern.pattern,
                pattern.flags & ~re.UNICODE,
                frozenset(used or {"sub"}),
            )


def _patterns(value: Any, field: str, depth: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the expressions in a value, and the fields of objects that they are in."""
    if isinstance(value, re.Pattern):
        yield field, value
    elif depth > 4 or isinstance(value, ModuleType | type | str | bytes | int):
        return
    elif isinstance(value, Mapping):
        for one in (*value.keys(), *value.values()):
            yield from _patterns(one, field, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _patterns(one, field, depth + 1)
    elif type(value).__module__.startswith("marrow"):
        for name in (*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())):
            yield from _patterns(getattr(value, name, None), name, depth + 1)


#: The tables of data files that hold regular expressions under keys that mean others elsewhere.
TABLES = {
    "import": {"match": "finditer"},
    "join": {"head": "finditer", "after": "finditer", "edits": "sub"},
    "injection": {"code": "fullmatch", "by": "match", "node": "fullmatch", "joint": "findall"},
}


def in_tables() -> Iterator[Found]:
    """Yield the expressions in tables about imports and about code in other code."""
    for path in sorted(ROOT.rglob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for name, methods in TABLES.items():
            rows = data.get(name, [])
            for row, key in product([rows] if isinstance(rows, dict) else rows, methods):
                # Of an edit, the first is the expression.
                texts = [one[0] for one in row.get(key, [])] if key == "edits" else [row.get(key)]
                for one in filter(None, texts):
                    where = f"{path.relative_to(ROOT)} {name} {key}"
                    yield Found(where, one, 0, frozenset({methods[key]}))


def in_data() -> Iterator[Found]:
    """Yield the expressions in data files."""
    for path in sorted(ROOT.rglob("*.toml")):
        left: list[tuple[str, Any]] = [("", tomllib.loads(path.read_text(encoding="utf-8")))]
        while left:
            key, value = left.pop()
            if isinstance(value, dict):
                left += [(key if key in DATA else one, inner) for one, inner in value.items()]
            elif isinstance(value, list):
                left += [(key, one) for one in value]
            elif isinstance(value, str) and key in DATA:
                method, flags = DATA[key]
                yield Found(f"{path.relative_to(ROOT)} {key}", value, flags, frozenset({method}))


@cache
def everything() -> list[Found]:
    uses = all_uses()
    found: dict[tuple[str | bytes, int], Found] = {}
    for path, module, tree in modules():
        for one in (*called(path, module, tree), *constants(path, module, uses)):
            before = found.get((one.expression, one.flags))
            methods = one.methods | (before.methods if before else frozenset())
            where = before.where if before else one.where
            found[one.expression, one.flags] = Found(where, one.expression, one.flags, methods)
    return [*found.values(), *in_data(), *in_tables()]


def hard_for(found: Found) -> str:
    """Return a string that takes an expression more time than it should; empty if none does."""
    tree = parsed(found.expression, found.flags)
    matcher = CountingMatcher(found.expression, found.flags)
    if found.methods & {"sub", "subn", "findall", "finditer", "split"}:
        method = "sub"
    else:
        method = next(one for one in ("search", "match", "fullmatch") if one in found.methods)
    growth = GROWTH_OF_SHORT if any(map(found.where.startswith, SHORT)) else GROWTH
    for string in pumped(tree, anchored=method in ("match", "fullmatch")):
        # What grows fast from one size to the next must do so once more: a short string may not
        # have reached all parts of the expression.
        if all(_grows(matcher, method, string, size, growth) for size in SIZES):
            return string(SIZES[-1])
    return ""


def _grows(
    matcher: CountingMatcher, method: str, string: Callable[[int], str], size: int, growth: int
) -> bool:
    try:
        few, many = (matcher.count(string(length), method) for length in (size, 4 * size))
    except (TooManySteps, RecursionError):
        return True
    return many > growth * few and many > 40 * size


@pytest.fixture(scope="module", autouse=True)
def deep() -> Iterator[None]:
    """Let the counting matcher call itself for each character."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)


PACKAGES = sorted({path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()})


@pytest.mark.parametrize("package", [*PACKAGES, ""])
def test_every_expression_is_linear(package: str) -> None:
    wrong = [
        f"{found.where}: {found.expression!r} on {hard!r}"
        for found in everything()
        if (found.where.partition("/")[0] if "/" in found.where else "") == package
        and (hard := hard_for(found))
    ]
    assert not wrong, "\n".join(wrong)


def test_every_other_expression_is_accounted_for() -> None:
    everything()
    assert given_from_elsewhere.keys() == GIVEN.keys(), given_from_elsewhere


def test_expressions_of_all_kinds_are_found() -> None:
    where = [found.where for found in everything()]
    assert any(".toml " in one for one in where), "in data"
    assert any(re.search(r"\.py:\d", one) for one in where), "in calls"
    assert any("FRAMES" in one for one in where), "in tables"
    assert len({re.split("[: ]", one)[0] for one in where}) > 60


@pytest.mark.parametrize(
    ("expression", "method"),
    [
        (r"^(?:(?:__GI_|__|_)*abort)$", "match"),
        (r"(x+)+$", "search"),
        (r"(?i)^(?:(?:fatal|Fatal) )*error", "match"),
        (r"\w+:\d", "search"),
        (r"^\s*\w*\s*\w*\s*:", "match"),
        (r".*foo.*bar", "match"),
        (r"a(?:b|c|bc)*d", "match"),
        (rb'"(?:[^"\\\n]|\\.)*"', "sub"),
        (r"/\*.*?\*/|/", "sub"),
        (r"[^=]*?(\w+)\s*=", "fullmatch"),
    ],
)
def test_expressions_that_are_not_linear_are_seen(expression: str | bytes, method: str) -> None:
    assert hard_for(Found("somewhere", expression, re.DOTALL, frozenset({method})))


@pytest.mark.parametrize(
    ("expression", "method"),
    [
        (r"^(?:_+(?:GI_+)*)?abort$", "match"),
        (r"x+$", "match"),
        (r"(?<!\w)\w+:\d", "search"),
        (rb'(?<!\\)"(?:[^"\\\n]|\\.)*"', "sub"),
        (r"/\*.*?(?:\*/|\Z)|/", "sub"),
        (r"(?>a*)b|(?:[^()]|\([^()]*\))*+x", "match"),
    ],
)
def test_linear_expressions_pass(expression: str | bytes, method: str) -> None:
    assert hard_for(Found("somewhere", expression, re.DOTALL, frozenset({method}))) == ""


EXPRESSIONS = [
    r"(a|ab)(c|bcd)(d*)",
    r"^\s*(\w+)(?:\.(\w+))*$",
    r"(?<=a)b+?|(?<!b)c",
    r"\bx(?!y)[^y]{2,4}",
    r"(?i)a(?-i:B)c",
    r"(?:a*)*b",
    r"(a)(?:\1|b)+\Z",
    r"(?>a+)a|b++c",
    r"(?m)^a.?$",
]


@given(st.sampled_from(EXPRESSIONS), st.text("abcdxyB. \n", max_size=12))
def test_the_counting_matcher_matches_as_python_does(expression: str, text: str) -> None:
    matcher = CountingMatcher(expression)
    for at in range(len(text) + 1):
        found = re.compile(expression).match(text, at)
        assert matcher.end_at(text, at) == (found.end() if found else None)
