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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


def _of_text(pattern: str, holds: Callable[..., bool] = lambda *_: True) -> Fails:
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


JSON: Final = ("{json}", '{"a": {json}, "b": [{json}]}', "[{signed}, {json}]", "[{ints}]")
PYTHON: Final = (
    "x = {int}\nprint(x)",
    "for {letters} in range(3):\n    pass",
    "import os\n{word} = [1]",
)

CASES: Final = (
    Case(
        "a.json",
        "an integer above 1000",
        '{"a": [1, 4711, "x"]}',
        _of_json(lambda v: _is_int(v) and v > 1000),
        JSON,
    ),
    Case(
        "b.json",
        "a string of more than 16 characters",
        '{"id": "gamma delta epsilon"}',
        _of_json(lambda v: isinstance(v, str) and len(v) > 16),
        (*JSON, '{"t": "{text}"}'),
    ),
    Case(
        "c.json",
        "a list of three or more",
        '{"all": [{"k": 1}, 2, "x", 7]}',
        _of_json(lambda v: isinstance(v, list) and len(v) >= 3),
        JSON,
    ),
    Case(
        "d.json",
        "lists in four lists",
        '{"deep": [[1, [[2, []]]]]}',
        _of_json(lambda v: _depth(v) >= 4),
        (*JSON, "{nest}", '[1, {nest}, {"q": {nest}}]'),
    ),
    Case(
        "e.json",
        "a negative integer",
        '{"low": -40, "high": 7}',
        _of_json(lambda v: _is_int(v) and v < 0),
        JSON,
    ),
    Case(
        "f.json",
        "min above max",
        '{"min": 70, "max": 12, "unit": "m"}',
        _of_json(
            lambda v: (
                isinstance(v, dict)
                and _is_int(v.get("min"))
                and _is_int(v.get("max"))
                and v["min"] > v["max"]
            )
        ),
        (
            '{"min": {int}, "max": {int}}',
            '[{json}, {"min": {signed}, "max": {signed}, "u": 1}]',
            '{"min": {json}, "max": {int}}',
        ),
    ),
    Case(
        "g.json",
        "a count below zero or above 99",
        '{"count": 4812}',
        _of_json(
            lambda v: isinstance(v, dict) and _is_int(v.get("count")) and not 0 <= v["count"] <= 99
        ),
        ('{"count": {signed}}', '{"x": {json}, "count": {signed}}', '{"other": {signed}}'),
    ),
    Case(
        "h.json",
        "a switch that is true or false",
        '{"on": false, "off": [null]}',
        _of_json(lambda v: isinstance(v, dict) and isinstance(v.get("on"), bool)),
        ('{"on": {json}}', '{"on": {true|false|null|1}}', '[{json}, {"on": {true|null|"x"}}]'),
    ),
    Case(
        "i.txt",
        "a length that is larger than the data",
        '{"length": 9, "data": "abc"}',
        _of_json(
            lambda v: (
                isinstance(v, dict)
                and _is_int(v.get("length"))
                and isinstance(v.get("data"), str)
                and v["length"] > len(v["data"])
            )
        ),
        (
            '{"length": {small}, "data": "{text}"}',
            '{"length": {shift}, "data": "{letters}"}',
            '{"length": {json}, "data": {json}}',
        ),
        "json",
    ),
    Case(
        "j.txt",
        "a port above 65535",
        "http://a.bc:71284/d",
        _of_text(r":(\d+)", _more(65536)),
        ("http://{letters}:{port}/", "ftp://{letters}.d:{int}", "http://{letters}/{letters}"),
        "url",
    ),
    Case(
        "k.txt",
        "a sum or a difference in brackets",
        "b*(3+cd)",
        _of_text(r"\([a-f0-9]+ *[+-] *[a-f0-9]+\)"),
        ("({sum})", "a*({sum})", "{sum}", "(({sum})*({sum}))", "{parens}"),
        "calculator",
    ),
    Case(
        "l.txt",
        "three or more brackets around something",
        "1+(((b)))*2",
        _of_text(r"\({3}"),
        ("{parens}", "1*{parens}", "{sum}", "{parens}+{parens}"),
        "calculator",
    ),
    Case(
        "m.sql",
        "a limit of 100 or more",
        "SELECT a, b FROM t WHERE a > 1 LIMIT 250;",
        _of_text(r"LIMIT (\d+)", _more(100)),
        (
            "SELECT {word} FROM t LIMIT {int};",
            "SELECT {words} FROM {word};",
            "SELECT 1; SELECT {word} FROM t WHERE a = {int} LIMIT {int};",
        ),
        "sqlite",
    ),
    Case(
        "n.sql",
        "between two numbers, the larger first",
        "SELECT b FROM t WHERE a BETWEEN 90 AND 20;",
        _of_text(r"BETWEEN (\d+) AND (\d+)", lambda a, b: int(a) > int(b)),
        (
            "SELECT {word} FROM t WHERE {word} BETWEEN {int} AND {int};",
            "SELECT {int}; SELECT a FROM t WHERE a BETWEEN {int} AND {int};",
        ),
        "sqlite",
    ),
    Case(
        "o.py",
        "print of a number from 200 on",
        "import os\nx = 1\nprint(250)\n",
        _of_python(
            lambda n: (
                _calls(n, "print")
                and len(n.args) == 1
                and _constants(n)
                and _constants(n)[0] >= 200
            )
        ),
        ("print({int})", "x = {int}\nprint({int})\n", *PYTHON),
    ),
    Case(
        "p.py",
        "a tuple of two numbers that decrease",
        "x = [1]\ny = (9, 4)\n",
        _of_python(
            lambda n: (
                isinstance(n, ast.Tuple)
                and len(n.elts) == 2
                and len(_constants(n)) == 2
                and _constants(n)[0] > _constants(n)[1]
            )
        ),
        ("x = ({int}, {int})", "f(({small}, {small}))\ng()", "x = ({ints},)", *PYTHON),
    ),
    Case(
        "q.py",
        "four parameters or more",
        "def f(a, b, c, d, e):\n    return a\n",
        _of_python(lambda n: isinstance(n, ast.FunctionDef) and len(n.args.args) >= 4),
        (
            "def f({words}):\n    pass",
            "class A:\n    def m({words}):\n        return 1\n",
            "def g():\n    pass",
            *PYTHON,
        ),
    ),
    Case(
        "r.js",
        "a label that does not end in $",
        "f();\nbaz: break baz;\n",
        _of_text(r"([\w$]+): break (?=\1;)[\w$]*[^$\W];"),
        (
            "a1: break a1;",
            "{a|loop}$: break {a|loop}$;",
            "loop$: break loop$;",
            "g();\nq_: break q_;",
            "f({int});",
            "x9: break b;",
        ),
    ),
    Case(
        "s.c",
        "a shift by 32 or more",
        "int f(int x) { x = x + 1; return x << 40; }\n",
        _of_text(r"<< (\d+)", _more(32)),
        (
            "int f(int x) { return x << {shift}; }",
            "int g;\nint h(int y) { if (y) y = y << {shift}; }",
            "int f(void) { return {int} >> {shift}; }",
        ),
    ),
    Case(
        "t.js",
        "a substring of one character",
        "var a = 1;\ns.substring(4, 5);\n",
        _of_text(r"s\.substring\((\d+), (\d+)\)", lambda a, b: int(b) == int(a) + 1),
        ("s.substring({pair});", "f();\nvar q = s.substring({pair});", "s.slice({pair});"),
    ),
    Case(
        "A.json",
        "an integer that is a multiple of 7",
        '{"week": [21]}',
        _of_json(lambda v: _is_int(v) and v % 7 == 0),
        JSON,
    ),
    Case(
        "B.json",
        "an object of four members or more",
        '[{"a": 1, "b": "x", "c": [], "d": null, "e": 2}]',
        _of_json(lambda v: isinstance(v, dict) and len(v) >= 4),
        (*JSON, '{"p": 1, "q": {json}, "r": {json}, "s": {json}}'),
    ),
    Case(
        "C.txt",
        "a host of more than 12 letters",
        "ftp://abcdabcdabcdabcd/a",
        _of_text(r"//[abcd]{13}"),
        ("http://{letters}:{int}/", "ftp://{letters}", "http://{letters}/{letters}"),
        "url",
    ),
    Case(
        "D.sql",
        "an offset beyond the limit",
        "SELECT a FROM t LIMIT 10 OFFSET 400;",
        _of_text(r"LIMIT (\d+) OFFSET (\d+)", lambda a, b: int(b) > int(a)),
        ("SELECT {word} FROM t LIMIT {int} OFFSET {int};", "SELECT {words} FROM t LIMIT {int};"),
        "sqlite",
    ),
    Case(
        "E.py",
        "range of two numbers that are equal or decrease",
        "for i in range(8, 3):\n    print(i)\n",
        _of_python(
            lambda n: (
                _calls(n, "range")
                and len(n.args) == 2
                and len(_constants(n)) == 2
                and _constants(n)[0] >= _constants(n)[1]
            )
        ),
        ("for i in range({int}, {int}):\n    pass", "x = list(range({pair}))\n", *PYTHON),
    ),
    Case(
        "F.py",
        "a string with a digit in it",
        's = "ab"\nt = "x7"\n',
        _of_python(
            lambda n: (
                isinstance(n, ast.Constant)
                and isinstance(n.value, str)
                and re.search("[0-9]", n.value) is not None
            )
        ),
        ('x = "{text}"', 'f("{letters}", "{text}")\n', 'x = {int}\ny = "{word}"\n'),
    ),
    Case(
        "G.c",
        "an array of more than 4096 elements",
        "int x;\nchar buffer[70000];\n",
        _of_text(r"\w+\[(\d+)\];", _more(4097)),
        ("char b[{int}];", "int x = {int};\nlong {word}[{int}];", "int f(void) { return {int}; }"),
    ),
    Case(
        "H.c",
        "a name of 9 letters or more",
        "int counter_of_rows;\nint x;\n",
        _of_text(r"int ([a-d_]\w{8,})(?=;)"),
        ("int {letters};", "char c;\nint {word};", "long {letters};\nint {letters};"),
    ),
    Case(
        "I.js",
        "a call of three to five arguments",
        "f(1, 2, 3, 4);\n",
        _of_text(r"f\((?:[^(),]+,){2,4}[^(),]+\)"),
        ("f({ints});", "g();\nf({words});", "var x = f({int}, {int}, {words});", "h({ints});"),
    ),
    Case(
        "J.js",
        "a case that is the one before plus one",
        "switch (x) { case 4: case 5: break; }\n",
        _of_text(r"case (\d+): case (\d+):", lambda a, b: int(b) == int(a) + 1),
        ("switch (x) { case {small}: case {small}: f(); }", "f();\nswitch (y) { case {small}: }"),
    ),
)

#: Chosen before the work of that day, from public collections and reports of bugs; `source` names
#: where the condition is from. Grammars and inputs are written here.
HELD_OUT: Final = (
    Case(
        "K.txt",
        "a heartbeat that asks for more than it sends",
        "beat 17 abba ddd",
        _of_text(r"^beat (\d+) ([a-d]+) ", lambda n, sent: int(n) > len(sent)),
        ("beat {small} {letters} a", "beat {shift} {letters} {letters}", "end {shift} abc b"),
        "heartbeat",
        source="Avicenna, heartbleed: the length is larger than the payload",
    ),
    Case(
        "L.txt",
        "the square root of a negative number",
        "cos(12)*sqrt(-900.5)",
        _of_text(r"sqrt\(-[\d.]*[1-9]"),
        (
            "sqrt({signed})",
            "{sqrt|sin|cos}({signed}.{small})",
            "{sin|cos}({signed})*{sqrt|tan}({signed})",
            "sqrt({int})*tan({signed})",
        ),
        "functions",
        source="Alhazen, calculator: a domain error",
    ),
    Case(
        "M.txt",
        "three numbers, the second below the first below the third",
        "5,3,9",
        _of_text(r"^(\d+),(\d+),(\d+)$", lambda x, y, z: int(y) < int(x) < int(z)),
        ("{small},{small},{small}", "{int},{int},{int}", "{small},{small},{int}"),
        "triples",
        source="The Debugging Book and Avicenna, middle: the wrong branch returns y",
    ),
    Case(
        "N.txt",
        "a division by the number zero",
        "(4+7)/0-12",
        _of_text(r"/0(?!\d)"),
        ("{int}/{small}", "({sum})/{small}+{int}", "{sum}-{int}/{shift}", "({int}-{small})*{int}"),
        "arithmetic",
        source="Avicenna, expression: ZeroDivisionError, as far as literals tell",
    ),
    Case(
        "O.txt",
        "a quote outside tags",
        '<b>say "hi" now</b>',
        lambda text: '"' in re.sub(r"<[^<>]*>", "", text),
        (
            "<b>{letters}</b>",
            '"{letters}"',
            '<a b="{letters}">{letters}</a>',
            '<a>{letters} "{letters}"</a>',
            '{letters} <b c="{letters}">{letters}</b>',
            '<a b="{letters}">" {letters}</a>',
        ),
        "markup",
        source="The Debugging Book and Avicenna, markup: quotes in the text are lost",
    ),
    Case(
        "P.yaml",
        "a port below 60 after a colon, which makes a number to the base 60",
        "services:\n  web:\n    image: nginx\n    ports:\n      - 8022:22\n",
        _of_text(r"(?m)^ *- \d+:(\d+)$", lambda port: int(port) < 60),
        (
            "ports:\n  - {int}:{shift}\n",
            "ports:\n  - {int}:{int}\n",
            "a: {int}\nports:\n  - {small}:{shift}\n  - {port}\n",
            "web:\n  image: {word}\n  ports:\n    - {int}\n",
        ),
        source="Docker Compose, documentation of ports: xx:yy is read as a number to the base 60",
    ),
    Case(
        "Q.csv",
        "a gene with the name of a month and a day",
        "gene,count\nTP53,4\nMARCH3,17\n",
        _of_text(r"(?:^|[,\n])(?:MARCH|SEPT|DEC)(\d+)(?=[,\n]|$)", lambda n: 1 <= int(n) <= 30),
        (
            "gene,n\n{MARCH|SEPT|DEC}{shift},{int}\n",
            "gene,n\n{TP|BRCA|IL|DEC}{small},{int}\n{letters},{int}\n",
            "{letters},{int}\nx,{SEPT|MARCH|ACT}{small}\n",
            "n,gene\n{int},{letters}\n{int},{TP53|IL6|MYC}\n",
        ),
        source="Ziemann, Eren, El-Osta (2016): gene names that spreadsheets turn into dates",
    ),
    Case(
        "R.js",
        "parseInt of a fraction below a millionth",
        "var n = 1;\nn = parseInt(0.00000051);\n",
        _of_text(r"parseInt\((0\.\d+)\)", lambda n: 0.0 < float(n) < 1e-6),
        (
            "parseInt(0.000000{int});",
            "x = parseInt(0.0000{int});",
            "parseInt({int});\nf({int});",
            "var q = parseInt(0.{int}) + {small};",
            "g(0.0000000{small});",
        ),
        source="MDN and many reports: parseInt(0.0000005) is 5",
    ),
    Case(
        "S.sql",
        "a decimal with more digits after the point than in all",
        "CREATE TABLE t (id INTEGER, price DECIMAL(3, 8));",
        _of_text(r"DECIMAL\((\d+), (\d+)\)", lambda m, d: int(d) > int(m)),
        (
            "CREATE TABLE t (a DECIMAL({small}, {small}));",
            "CREATE TABLE {letters} (x TEXT, {letters} DECIMAL({shift}, {shift}));",
            "CREATE TABLE t ({letters} DECIMAL({small}));",
            "SELECT {int}, {small};",
        ),
        "sqlite",
        source="MySQL error 1427: for DECIMAL(M,D), M must be >= D",
    ),
    Case(
        "T.txt",
        "an underline that is shorter than its title",
        "abba cab\n====\n\nbad dab\n",
        lambda text: any(
            len(title) > len(line) for title, line in re.findall(r"(?m)^([a-d ]+)\n(=+)$", text)
        ),
        (
            "{letters}\n====\n",
            "{letters}\n================\n\n{letters}\n",
            "{letters}\n\n{letters}\n==\n{letters}\n",
            "{letters} {letters}\n========================================\n",
            "{letters}\n{letters}\n",
        ),
        "titles",
        source="ISLa and docutils: Title underline too short",
    ),
)
