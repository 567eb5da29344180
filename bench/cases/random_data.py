"""Random inputs in languages for data and queries: SMT-LIB, SQL, JSON."""

from __future__ import annotations

import json
from random import Random
from typing import Final

_STRINGS: Final = ("x", "y", "z")
_INTEGERS: Final = ("i", "j")
_TEXTS: Final = ("", "a", "b", "ab", "0", "1", "10", "aa", "-1")


def string_constraints(seed: int, blocks: int = 14, asserts: int = 4) -> str:
    """Return an SMT-LIB script on strings: blocks of assertions, each with its own question."""
    random = Random(seed)
    lines = ["(set-logic QF_SLIA)"]
    lines += [f"(declare-const {name} String)" for name in _STRINGS]
    lines += [f"(declare-const {name} Int)" for name in _INTEGERS]
    for _ in range(blocks):
        lines.append("(push 1)")
        lines += [f"(assert {_condition(random, 3)})" for _ in range(asserts)]
        lines += ["(check-sat)", "(pop 1)"]
    return "\n".join([*lines, ""])


def _condition(random: Random, depth: int) -> str:
    below = max(depth - 1, 0)
    kind = random.randrange(8) if depth else 0
    if kind == 1:
        return f"(<= {_integer(random, below)} {_integer(random, below)})"
    if kind == 5:
        return f"(not {_condition(random, below)})"
    if kind == 6:
        return f"(or {_condition(random, below)} {_condition(random, below)})"
    if kind == 4:
        return f"(str.in_re {_string(random, below)} {_expression(random, 2)})"
    relation = {0: "=", 2: "str.prefixof", 3: "str.contains", 7: "str.<"}[kind]
    return f"({relation} {_string(random, below)} {_string(random, below)})"


def _string(random: Random, depth: int) -> str:
    kind = random.randrange(9) if depth else random.randrange(2)
    if kind == 0:
        return random.choice(_STRINGS)
    if kind == 1:
        return f'"{random.choice(_TEXTS)}"'
    below = depth - 1
    parts = {
        2: ("str.++", _string, _string),
        3: ("str.replace", _string, _string, _string),
        4: ("str.at", _string, _integer),
        5: ("str.substr", _string, _integer, _integer),
        6: ("str.from_int", _integer),
        7: ("str.replace_all", _string, _string, _string),
        8: ("ite", _condition, _string, _string),
    }[kind]
    name, *arguments = parts
    return f"({name} {' '.join(one(random, below) for one in arguments if callable(one))})"


def _integer(random: Random, depth: int) -> str:
    kind = random.randrange(7) if depth else random.randrange(2)
    if kind == 0:
        return random.choice(_INTEGERS)
    if kind == 1:
        return random.choice(("0", "1", "2", "(- 1)", "10"))
    below = depth - 1
    if kind in (2, 3):
        return f"({'str.len' if kind == 2 else 'str.to_int'} {_string(random, below)})"
    if kind == 4:
        found = f"{_string(random, below)} {_string(random, below)}"
        return f"(str.indexof {found} {_integer(random, below)})"
    return f"({'+' if kind == 5 else '-'} {_integer(random, below)} {_integer(random, below)})"


def _expression(random: Random, depth: int) -> str:
    """Return a regular expression."""
    kind = random.randrange(7) if depth else random.randrange(2)
    if kind == 0:
        return f'(str.to_re "{random.choice(("a", "b", "ab", "0", ""))}")'
    if kind == 1:
        return random.choice(("re.allchar", '(re.range "a" "b")', "re.all"))
    inner = _expression(random, depth - 1)
    if kind in (3, 4):
        name = "re.++" if kind == 3 else "re.union"
        return f"({name} {inner} {_expression(random, depth - 1)})"
    return f"({ {2: 're.*', 5: 're.comp', 6: 're.opt'}[kind] } {inner})"


def records(seed: int, count: int = 60) -> str:
    """Return a JSON text: records with names, numbers and lists, some numbers large."""
    random = Random(seed)

    def value(depth: int) -> object:
        kind = random.randrange(7 if depth else 5)
        if kind == 0:
            return random.choice((True, False, None))
        if kind == 1:
            return random.randrange(-1000, 1000)
        if kind == 2:
            return random.random()
        if kind == 3:
            return random.randrange(2**60)
        if kind == 4:
            return "".join(random.choices('abcxyz \\"\n', k=8))
        if kind == 5:
            return [value(depth - 1) for _ in range(random.randrange(5))]
        return {f"key{n}": value(depth - 1) for n in range(random.randrange(5))}

    return json.dumps([{"id": n, "value": value(3)} for n in range(count)], indent=1) + "\n"


def queries(seed: int, count: int = 25) -> str:
    """Return an SQL script: two tables, rows, and queries with joins, cases and subqueries."""
    random = Random(seed)

    def column() -> str:
        return random.choice(("t.a", "t.b", "t.c", "1", "'x'", "NULL", "0.5"))

    def condition(depth: int) -> str:
        kind = random.randrange(7) if depth else 0
        if kind == 1:
            return f"{condition(depth - 1)} AND {condition(depth - 1)}"
        if kind == 2:
            return f"({condition(depth - 1)} OR {condition(depth - 1)})"
        if kind == 3:
            return f"{column()} IN ({select(depth - 1, 1)})"
        if kind == 4:
            return f"EXISTS ({select(depth - 1, 1)})"
        if kind == 5:
            return f"{column()} BETWEEN {column()} AND {column()}"
        return f"{column()} {random.choice(('=', '<', '>=', '<>', 'IS'))} {column()}"

    def expression(depth: int) -> str:
        kind = random.randrange(5) if depth else 0
        if kind == 1:
            return (
                f"CASE WHEN {condition(depth - 1)} THEN {expression(depth - 1)} "
                f"ELSE {expression(depth - 1)} END"
            )
        if kind == 2:
            return f"coalesce({expression(depth - 1)}, {expression(depth - 1)})"
        if kind == 3:
            return f"({select(depth - 1, 1)} LIMIT 1)"
        return column()

    def select(depth: int, columns: int) -> str:
        shown = ", ".join(f"{expression(depth)} AS r{n}" for n in range(columns))
        joined = random.choice(("", " JOIN u ON t.a = u.a", " LEFT JOIN u ON t.b = u.d"))
        grouped = random.choice(("", "", " GROUP BY t.a"))
        return f"SELECT {shown} FROM t{joined} WHERE {condition(depth)}{grouped}"

    lines = ["CREATE TABLE t (a INTEGER, b TEXT, c REAL);", "CREATE TABLE u (a INTEGER, d TEXT);"]
    lines += [f"INSERT INTO t VALUES ({n}, 'x{n}', {n}.5);" for n in range(3)]
    lines += [f"INSERT INTO u VALUES ({n}, 'x{n}');" for n in range(1, 4)]
    for n in range(count):
        ordered = random.choice(("", " ORDER BY r0", " ORDER BY r1 DESC, r0"))
        named = f"WITH w AS ({select(1, 2)}) SELECT * FROM w UNION ALL " if n % 5 == 4 else ""
        lines.append(f"{named}{select(2, 2)}{ordered};")
    return "\n".join([*lines, ""])
