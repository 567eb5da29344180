"""Code in strings, pages and documents is reduced as what it is."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

import marrow

#: A file, its text, expressions that the result must match, and what it becomes.
EXAMPLES = [
    (
        "a.py",
        'f("""\n    SELECT a.x, sum(b) FROM t AS a WHERE a.y > 3 AND b < 2 GROUP BY a.x\n""", 1)\n',
        [r'\("""\s*SELECT [\s\S]*\ba\.x\b[\s\S]*FROM t AS a[\s\S]*"""'],
        ["sum", "WHERE", "GROUP"],
    ),
    (
        "a.html",
        "<p>x</p><script>\nfor (const a of b) {\n  if (a) { keep(1, 2); }\n  drop();\n}\n</script>",
        [r"<script>[\s\S]*\bkeep\("],
        ["drop", "for", "if", "<p>"],
    ),
    (
        "a.html",
        "<style>a { color: red; keep: 1 } b { x: y }</style>",
        [r"<style>[\s\S]*\ba\s*\{[^}]*keep: *1[^}]*\}"],
        ["color", "b {"],
    ),
    (
        "a.md",
        "# Title\n\n```python\nimport os\n\ndef f(a):\n    keep(a, 2)\n    return a\n```\n",
        [r"```python[\s\S]*\bkeep\([\s\S]*```"],
        ["import", "return"],
    ),
    (
        "a.yaml",
        "a: 1\nrun: |\n  set -e\n  if [ -n x ]; then\n    keep one two\n  fi\n  rm -r out\n",
        [r"(?m)^run: \|\n[\s\S]*^ +keep"],
        ["set", "rm", "a: 1"],
    ),
    (
        "a.py",
        'def f():\n    """Return it.\n\n'
        '    >>> f(1)\n    2\n    >>> keep()\n    3\n    """\n    return 1\n',
        [r'"""[\s\S]*>>> keep\(\)[\s\S]*"""'],
        ["Return it", "f(1)"],
    ),
    (
        "a.html",
        '<p style="color: red; margin: 0 auto; background: url(x.png) no-repeat; top: 0">x</p>',
        [r'style="[^"]*background: *url\(x\.png\)[^"]*"'],
        ["color", "margin", "no-repeat", "top"],
    ),
    (
        "a.go",
        "package a\n\n"
        'var q = "SELECT a.x,\\n\\tsum(b) AS \\"b\\"\\nFROM t WHERE keep(a.y, 3) < 2"\n',
        [r'"SELECT [^\n]*AS *\\"b\\"[^\n]* FROM t|"SELECT [^\n]*AS *\\"b\\"\\nFROM t'],
        ["a.x", "sum", "WHERE", "keep"],
    ),
    (
        "a.js",
        'var y = s.replace(/^(?:a|b|(?<name>[a-z0-9]+))\\s*=("[^"]*"|\\d+)\\/?$/gi, "x");\n',
        [r"/[^\n]*\(\?<name>\)[^\n]*\\d\+[^\n]*/|/[^\n]*\(\?<name>[^\n]*\)[^\n]*\\d\+[^\n]*/"],
        ["((", '"', "s*", "|"],
    ),
    (
        "a.go",
        'package a\n\nvar q = regexp.MustCompile("(a|b)+\\\\s*(?P<keep>[a-z]\\\\d{3})(c|d)")\n',
        [r'Compile\("[^\n]*\(\?P<keep>[^\n]*\\\\d[^\n]*\)[^\n]*"\)'],
        ["a|b", "s*", "a-z", "c|d", "3"],
    ),
]


@pytest.mark.parametrize(("name", "text", "needs", "gone"), EXAMPLES)
def test_code_is_reduced_as_what_it_is(
    name: str, text: str, needs: list[str], gone: list[str]
) -> None:
    expressions = [re.compile(one.encode()) for one in needs]

    def test(some: bytes) -> bool:
        return all(one.search(some) for one in expressions)

    result = marrow.reduce(text, test, name=name)
    assert not [one for one in gone if one.encode() in result.text], result.text
    assert marrow.reduce(text, test, name=name, jobs=2).text == result.text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", 'f("SELECT ((( keep", "<p")\n'),
        ("a.html", "<script>keep ( = }</script><style>}}</style>"),
        ("a.md", "```nothing\nkeep (\n```\n\n```python\nkeep (\n```\n"),
        ("a.yaml", "run: |\n  keep $(\n"),
        ("a.py", 'f("SELECT a \\q, \\x4 FROM keep \\")\n'),
        ("a.py", 'f("SELECT keep \\'),
        ("a.py", 'f(r"(keep[(*", re.compile("keep\\\\(\\\\x"))\n'),
        ("a.js", "x = /(keep(*[/;\n"),
        ("a.html", '<p style="keep: ((( ; } {">x</p>'),
        ("a.ipynb", '{"source": ["keep (\\n", "\\u12 (", "\\", 1, []]}'),
        ("a.ipynb", '{"source": ["keep(1,\\n",\n "\\\\", ""], "source": "keep ="}'),
    ],
)
def test_code_that_does_not_parse_stays_text(name: str, text: str) -> None:
    result = marrow.reduce(text, lambda some: b"keep" in some, name=name)
    assert b"keep" in result.text
    assert len(result.text) <= len(text)


QUERY = '''\
f(1, """
    SELECT a.x, sum(a.y + b.z), CASE WHEN a.q > 3 AND a.y < 2 THEN 1 ELSE 2 END
    FROM t AS a JOIN (SELECT * FROM u WHERE z IN (1, 2, 3)) AS b ON a.x = b.x
    WHERE a.y BETWEEN 1 AND 5 OR (a.x = 2 AND b.z IS NOT NULL)
    GROUP BY a.x HAVING count(*) > 1 ORDER BY a.x DESC LIMIT 3
""")
'''


def unknown_column(text: bytes) -> bool:
    """Whether a string of a program is a query with a column that there is not."""
    try:
        strings = [one.value for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Constant)]
    except (SyntaxError, ValueError):
        return False
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE t (x, y)")
        base.execute("CREATE TABLE u (x, z)")
        for query in (one for one in strings if isinstance(one, str)):
            try:
                base.execute(query)
            except sqlite3.Error as error:
                if "no such column: a.q" in str(error):
                    return True
    return False


def test_a_query_in_a_string() -> None:
    result = marrow.reduce(QUERY, unknown_column, name="a.py")
    assert result.text == b'"SELECT a.q"\n'


FENCE = """\
# Title

```python
class A:
    def f(a, b=2):
        for i in range(3):
            while a > b and i:
                keep(a, [b, 2], c=3)
        return a
```
"""


def loop_in_a_fence(text: bytes) -> bool:
    """Whether a fence has a program with a loop that calls `keep`."""
    found = re.search(rb"(?m)^```python\n([\s\S]*?)^```", text)
    try:
        tree = ast.parse(found[1] if found else b"")
    except (SyntaxError, ValueError):
        return False
    loops = (one for one in ast.walk(tree) if isinstance(one, ast.While))
    return any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "keep"
        for loop in loops
        for one in ast.walk(loop)
    )


def test_code_in_a_document() -> None:
    result = marrow.reduce(FENCE, loop_in_a_fence, name="a.md")
    assert re.fullmatch(rb"```python\nwhile \w:\n +keep\(\)\n```\n", result.text)


CELL = """\
import pandas as pd

def load(path, rows=10):
    frame = pd.read_csv(path, nrows=rows)
    print(f"rows:\\t{len(frame)}\\n")
    return frame.groupby("key", as_index=False).mean()

load("a.csv")"""

NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "Some text"]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [],
            "source": CELL.splitlines(keepends=True),
        },
    ],
    "metadata": {"kernelspec": {"name": "python3"}},
    "nbformat": 4,
}


def cells(text: bytes) -> Iterator[ast.Module]:
    """Yield the programs in the cells of a notebook."""
    try:
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                yield ast.parse("".join(cell["source"]))
    except (LookupError, SyntaxError, TypeError, ValueError):
        return


def grouped_in_a_cell(text: bytes) -> bool:
    """Whether a function in a cell prints something and groups without an index."""
    functions = [
        ast.unparse(one)
        for cell in cells(text)
        for one in ast.walk(cell)
        if isinstance(one, ast.FunctionDef)
    ]
    return any(re.search(r"print\([\s\S]*\.groupby\(.*as_index=", one) for one in functions)


@pytest.mark.filterwarnings("ignore:invalid escape")
def test_a_cell_of_a_notebook() -> None:
    tests: list[int] = []
    for passes in (None, "-injected"):
        result = marrow.reduce(
            json.dumps(NOTEBOOK, indent=1), grouped_in_a_cell, name="a.ipynb", passes=passes
        )
        (cell,) = json.loads(result.text)["cells"]
        assert len("".join(cell["source"])) <= 50, result.text
        tests.append(result.tests)
    assert tests[0] < tests[1]


def test_escapes_stay_escapes() -> None:
    query = (
        "SELECT a.x,\n  \"b\".y AS 'it''s'\nFROM t AS a WHERE a.y > 3 AND keep(a) < 2\nGROUP BY a.x"
    )
    text = f"def f(db):\n    db.run({json.dumps(query)})\n"

    def test(some: bytes) -> bool:
        try:
            strings = [
                one.value for one in ast.walk(ast.parse(some)) if isinstance(one, ast.Constant)
            ]
        except (SyntaxError, ValueError):
            return False
        return any(re.search(r'(?s)SELECT.*"b"\.y.*\nFROM t', str(one)) for one in strings)

    assert marrow.reduce(text, test, name="a.py").text == rb'"SELECT\"b\".y\nFROM t"' + b"\n"


PATTERN = r"^(?P<year>\d{4})-(?P<month>\d\d?)(?:T(?P<hour>[0-2a-f_]+):(\d+|x))?\s*$"


@pytest.mark.parametrize("literal", [f'r"{PATTERN}"', json.dumps(PATTERN)])
def test_a_regular_expression(literal: str) -> None:
    def test(text: bytes) -> bool:
        try:
            calls = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)]
            patterns = [
                ast.literal_eval(one.args[0]) for one in calls if "re.compile" in ast.unparse(one)
            ]
            found = [re.search(one, "2020-1T2:34") for one in patterns]
        except (LookupError, SyntaxError, TypeError, ValueError, re.error):
            return False
        return any(one and one.groupdict().get("hour") == "2" for one in found)

    result = marrow.reduce(f"import re\nx = re.compile({literal}, re.X)\n", test, name="a.py")
    assert len(result.text) <= len('re.compile(r"(?P<hour>[2])")\n'), result.text
    assert result.tests < 250
