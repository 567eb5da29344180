"""What each pass makes of small programs: the exact minimum, in several languages.

Every program keeps what perses* alone would keep with the same test: the first of the two results
is that of perses*, the second that of perses* and the pass. Passes on names: test_name_passes.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.quality.reducing import (
    Case,
    both,
    check,
    has,
    ids,
    minimum,
    reduced,
)

LESS = [
    Case(
        "c",
        "int f(int a) { return g(a, 1) + 7; }\nint x = 0;\n",
        both(has(r"int f\(", r"return .*\w;"), lambda text: "return;" not in text),
        "int f() { return 7; }",
        "int f() { return 7; }",
    ),
    Case(
        "javascript",
        "let x = {a: 1, b: [2, 3]}; f(x.a, g(2));\n",
        has(r"f\(.+, .+\)"),
        "f(x, g)",
        "f(0, 0)",
    ),
    Case(
        "python",
        "x = g(h(1), 2)\nf(x, y.z, 3)\n",
        has(r"f\(.+, .+, 3\)"),
        "f(x, y, 3)",
        "f(0, 0, 3)",
    ),
    Case(
        "rust",
        "fn f() -> Vec<u8> { g(h(1), 2) }\n",
        has(r"fn f\(\) -> \S+.*\{\s*\S+.*\}"),
        "fn f() -> u8 { g }",
        "fn f() -> u8 {0}",
    ),
    Case(
        "java",
        "class A { int f(int a) { return a + g(1, a); } }\n",
        has(r"return \S+.*;"),
        "return a;",
        "return 0;",
    ),
    Case(
        "javascript",
        "f(undefined, true, null, 1);\n",
        has(r"f\(\w+, \w+, \w+, 1\)"),
        "f(undefined, true, null, 1)",
        "f(0, 0, 0, 1)",
    ),
    Case(
        "c",
        "int a = 1; int *b = NULL;\n",
        has(r"a = \d", r"b = \w+"),
        "int a = 1; int b = NULL;",
        "int a = 1; int b = 0;",
    ),
]

TOKENS = [
    Case("c", "struct S { int a; } s;\n", has(r"\bs\b"), "s;", "s;"),
    Case(
        "javascript",
        "async function f(a) { await g(a); }\n",
        has(r"g\(a\)", r"f"),
        "function f() { g(a) }",
        "function () { g(a) }",
    ),
    Case(
        "java",
        "class A { int f() { return a ? b : c; } }\n",
        has(r"class A", r"f\(\)", r"b"),
        "class A { int f() { return b; } }",
        "class A { f() { b; } }",
    ),
    Case(
        "rust",
        "fn f() { let x: Vec<u8> = g(1)?; }\n",
        has(r"u8", r"fn f"),
        "fn f() { let x: u8; }",
        "fn f() { u8 }",
    ),
]

NUMBERS = [
    Case(
        "c",
        "int a = 0x1234UL; int b = 17;\n",
        has(r"int a = \w+", r"b = 1\d?"),
        "int a = 0x1234UL; int b = 17;",
        "int a = 0; int b = 1;",
    ),
    Case("javascript", "f(1.5e10, 42);\n", has(r"f\(\S+, 4\d?\)"), "f(1.5e10, 42)", "f(0, 4)"),
    Case(
        "c",
        "int a = b * 4096;\n",
        has(r"int a = b\s?(\* 4096|<<12)"),
        "int a = b * 4096;",
        "int a = b <<12;",
    ),
    Case("python", "f(123456, 0xff)\n", has(r"f\(12\d*, \w+\)"), "f(123456, 0xff)", "f(12, 0)"),
    Case(
        "java",
        "class A { long a = 100L, b = 7; }\n",
        has(r"a = \w+, b = \d"),
        "class A { long a = 100L, b = 7; }",
        "class A { long a = 0, b = 0; }",
    ),
]

STRINGS = [
    Case(
        "c",
        'char *s = "hello, world\\n";\n',
        has(r's = ".*o.*\\n.*"'),
        'char s = "hello, world\\n";',
        'char s = "o\\n";',
    ),
    Case(
        "javascript",
        "f('abc', `d`);\n",
        has(r"f\('.*b.*', .*`.*`\)"),
        "f('abc', `d`)",
        "f('b', ``)",
    ),
    Case(
        "python",
        'f("""a\nb""", "cd")\n',
        has(r'f\("""', r'd"\)'),
        'f("""a b""", "cd")',
        'f("""""", "d")',
    ),
    Case(
        "java",
        'class A { String s = "abc"; }\n',
        has(r's = "'),
        'class A { String s = "abc"; }',
        'class A { String s = ""; }',
    ),
    Case("json", '{"key": "value"}', has(r'"k\w*": "'), '{"key": "value"}', '{"k": ""}'),
]


def everywhere(token: str, *patterns: str) -> Callable[[str], bool]:
    """Return a test: all patterns are found, and the same number of tokens in each of them."""

    def test(text: str) -> bool:
        found = [re.search(pattern, text) for pattern in patterns]
        return all(found) and len({one[0].count(token) for one in found if one}) == 1

    return test


@pytest.mark.parametrize("case", LESS, ids=ids)
def test_replaced_by_less(case: Case) -> None:
    check(case, "less")


@pytest.mark.parametrize("case", TOKENS, ids=ids)
def test_runs_of_tokens(case: Case) -> None:
    check(case, "tokens")


@pytest.mark.parametrize("case", NUMBERS, ids=ids)
def test_numbers(case: Case) -> None:
    check(case, "numbers")


@pytest.mark.parametrize("case", STRINGS, ids=ids)
def test_strings(case: Case) -> None:
    check(case, "strings")


# What a compiler takes and the parser does not: language, text, what the test wants, what is left
# with normal and with the greatest effort; all but the text without white space.
UNPARSED = [
    (
        "c",
        "int a;\nint f() { return a; }\n",
        r"(int)?a;(int)?f\(\)\{returna;\}",
        "inta;intf(){returna;}",
        "a;f(){returna;}",
    ),
    (
        "c",
        "struct { signed a : 29; } b;\n",
        r"struct\{signeda?:29;\}b;",
        "struct{signeda:29;}b;",
        "struct{signed:29;}b;",
    ),
    ("javascript", "f(a + b)\n", r"f\(a\+b?\)", "f(a+b)", "f(a+)"),
    ("json", "[1, 2]", r"\[1,2?\]", "[1,2]", "[1,]"),
    ("python", "if a:\n    b\n", r"ifa:?b?", "ifa:b", "ifa"),
]


@pytest.mark.parametrize(("language", "text", "wanted", "normal", "most"), UNPARSED)
def test_what_only_the_parser_wants(
    language: str, text: str, wanted: str, normal: str, most: str
) -> None:
    def test(candidate: str) -> bool:
        return re.fullmatch(wanted, "".join(candidate.split())) is not None

    for effort, expected in (("normal", normal), ("max", most)):
        result = reduced(language, text, test, "unparsed", effort=effort)
        assert "".join(result.text.decode().split()) == expected
        again = reduced(language, result.text.decode(), test, "unparsed", effort=effort)
        assert again.text == result.text


def test_a_string_of_one_token_gives_way_to_any_smaller_literal() -> None:
    text = "SELECT 'some text', 1;\n"
    assert minimum("sql", text, has(r"^SELECT ('[a-z ]*'|0|1), ?[01];?$"), "less") == "SELECT 0,1"
