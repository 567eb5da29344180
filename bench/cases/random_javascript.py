"""Random JavaScript programs that end and print what they did: inputs for minifiers and engines.

A program is a list of functions and statements over a few global variables; loops count to small
bounds, functions only call those defined before them, and the globals are printed at the end. What
a minifier or another engine makes of it must print the same. Only ECMAScript 5 is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Final

# Depths and lengths give programs of some 3,000 tokens that run in milliseconds.
_FUNCTIONS: Final = 8
_STATEMENTS: Final = 16
_LIST: Final = 3
_STATEMENT_DEPTH: Final = 3
_EXPRESSION_DEPTH: Final = 3
_GLOBALS: Final = ("a", "b", "c", "d", "e")
_BINARY: Final = (
    *("+", "-", "*", "%", "&", "|", "^", "<<", ">>", ">>>", "<", "<=", ">", ">="),
    *("==", "!=", "===", "!==", "&&", "||", ","),
)
_ASSIGNMENTS: Final = ("=", "=", "+=", "-=", "*=", "|=", "^=", "&=")
_VALUES: Final = (
    *("0", "1", "2", "3", "5", "25", "-1", "1.5", '""', '"a"', '"foo"', "true", "false"),
    *("null", "void 0", "[]", "{}", "NaN", "Infinity", "/a/", "[1, 2]"),
)


def random_javascript(seed: int) -> str:
    """Return the program of a seed."""
    return _Writer(Random(seed)).program()


@dataclass
class _Writer:
    random: Random
    functions: list[tuple[str, int]] = field(default_factory=list)
    fresh: int = 0

    def program(self) -> str:
        start = [f"var {name} = {self.random.choice(_VALUES)};" for name in _GLOBALS]
        parts = []
        for _ in range(_FUNCTIONS):
            parts.append(self.function())
            parts += self.statements(_STATEMENTS // _FUNCTIONS, _GLOBALS, _STATEMENT_DEPTH, "")
        # Objects print as their type: what a function looks like as text may change.
        shown = ", ".join(f"String(typeof {one} == 'object' ? 0 : {one})" for one in _GLOBALS)
        return "\n".join([*start, *parts, f"console.log({shown});", ""])

    def function(self) -> str:
        name = self.name("f")
        parameters = [self.name("p") for _ in range(self.random.randrange(4))]
        local = [self.name("v") for _ in range(self.random.randrange(1, 4))]
        names = (*_GLOBALS, *parameters, *local)
        body = [f"var {one} = {self.expression(names, 1)};" for one in local]
        body += self.statements(_LIST, names, _STATEMENT_DEPTH, "function")
        body.append(f"return {self.expression(names, _EXPRESSION_DEPTH)};")
        self.functions.append((name, len(parameters)))
        return f"function {name}({', '.join(parameters)}) {{\n{_indented(body)}\n}}"

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def statements(self, most: int, names: tuple[str, ...], depth: int, inside: str) -> list[str]:
        count = self.random.randrange(1, most + 1)
        return [self.statement(names, depth, inside) for _ in range(count)]

    def block(self, names: tuple[str, ...], depth: int, inside: str) -> str:
        return f"{{\n{_indented(self.statements(_LIST, names, depth - 1, inside))}\n}}"

    def statement(self, names: tuple[str, ...], depth: int, inside: str) -> str:
        value = self.expression(names, _EXPRESSION_DEPTH)
        if depth == 0:
            return f"{self.random.choice(names)} {self.random.choice(_ASSIGNMENTS)} {value};"
        kind = self.random.randrange(12)
        if kind == 0:
            return f"if ({value}) {self.block(names, depth, inside)}"
        if kind == 1:
            other = self.block(names, depth, inside)
            return f"if ({value}) {self.block(names, depth, inside)} else {other}"
        if kind == 2:
            i = self.name("i")
            head = f"for (var {i} = 0; {i} < {self.random.randrange(1, 4)}; {i}++)"
            return f"{head} {self.block(names, depth, inside + ' loop')}"
        if kind == 3:
            i = self.name("i")
            body = self.statements(_LIST, names, depth - 1, inside + " loop")
            lines = _indented([f"if (++{i} > 3) break;", *body])
            return f"var {i} = 0;\nwhile ({value}) {{\n{lines}\n}}"
        if kind == 4:
            final = f" finally {self.block(names, depth, inside)}" if self.half() else ""
            error = self.name("x")
            caught = self.block((*names, error), depth, inside)
            tried = self.block(names, depth, inside + " try")
            return f"try {tried} catch ({error}) {caught}{final}"
        if kind == 5:
            return self.switch(names, depth, inside, value)
        if kind == 6 and "function" in inside:
            return f"if ({value}) return {self.expression(names, 2)};"
        if kind == 7 and "loop" in inside:
            return f"if ({value}) {self.random.choice(('break', 'continue'))};"
        if kind == 8 and "try" in inside:
            return f"if ({value}) throw {self.expression(names, 1)};"
        if kind == 9:
            return f"var {self.name('v')} = {value};"
        return f"{self.random.choice(names)} {self.random.choice(_ASSIGNMENTS)} {value};"

    def switch(self, names: tuple[str, ...], depth: int, inside: str, value: str) -> str:
        cases: list[str] = []
        for _ in range(self.random.randrange(1, 4)):
            head = "default" if not cases and self.half() else f"case {self.expression(names, 1)}"
            body = self.statements(2, names, depth - 1, inside)
            cases.append(f"{head}:\n{_indented(body + (['break;'] if self.half() else []))}")
        return f"switch ({value}) {{\n{_indented(cases)}\n}}"

    def expression(self, names: tuple[str, ...], depth: int) -> str:
        kind = self.random.randrange(14) if depth else self.random.randrange(2)
        if kind == 0:
            return self.random.choice(names)
        if kind == 1:
            return f"({self.random.choice(_VALUES)})"
        left = self.expression(names, depth - 1)
        if kind == 2:
            prefix = self.random.choice(("!", "-", "+", "~", "typeof ", "void ", "!!"))
            return f"({prefix}{left})"
        if kind == 3:
            right = self.expression(names, depth - 1)
            return f"({left} ? {right} : {self.expression(names, depth - 1)})"
        if kind == 4:
            target = self.random.choice(names)
            return f"({target} {self.random.choice(_ASSIGNMENTS)} {left})"
        if kind == 5:
            step = self.random.choice(("++", "--"))
            target = self.random.choice(names)
            return self.random.choice((f"{target}{step}", f"({step}{target})"))
        if kind in (6, 7) and self.functions:
            name, count = self.random.choice(self.functions[-4:])
            given = [left, *(self.expression(names, depth - 1) for _ in range(count))]
            return f"{name}({', '.join(given[: self.random.randrange(count + 2)])})"
        if kind == 8:
            body = f"return {self.expression((*names, 'p'), depth - 1)};"
            return f"(function (p) {{ {body} }})({left})"
        if kind == 9:
            return f"[{left}, {self.expression(names, depth - 1)}][{self.random.randrange(3)}]"
        if kind == 10:
            return f"({{ x: {left}, y: {self.expression(names, depth - 1)} }}).{self.pick('xyz')}"
        operator = self.random.choice(_BINARY)
        return f"({left} {operator} {self.expression(names, depth - 1)})"

    def pick(self, letters: str) -> str:
        return self.random.choice(letters)

    def half(self) -> bool:
        return self.random.random() < 0.5


def _indented(lines: list[str]) -> str:
    return "\n".join("  " + line for one in lines for line in one.split("\n"))
