"""What each pass makes of small programs: the exact minimum, in several languages.

Every program keeps what perses* alone would keep with the same test: the first of the two results
is that of perses*, the second that of perses* and the pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.quality.reducing import both, has, minimum, paired, reduced, same_length


class Case(NamedTuple):
    """A program, a test, and what is left of it."""

    language: str
    text: str
    test: Callable[[str], bool]
    alone: str
    with_pass: str


def check(case: Case, passes: str) -> None:
    assert minimum(case.language, case.text, case.test, "none") == case.alone
    assert minimum(case.language, case.text, case.test, passes) == case.with_pass


def ids(case: Case) -> str:
    return case.language


TOGETHER = [
    Case(
        "c",
        "int main(void) {\n  int n = 1;\n  crash();\n  return n;\n}\n",
        both(has(r"crash\(\)"), paired(r"int n", r"return n"), has(r"main")),
        "int main { int n; crash(); return n; }",
        "int main { crash(); }",
    ),
    Case(
        "javascript",
        "const size = 3;\nfunction f() { crash(); }\nf(size);\n",
        both(has(r"crash\(\)"), paired(r"const size", r"f\(size")),
        "const size crash() f(size)",
        "crash()",
    ),
    Case(
        "python",
        "import os\n\ndef f(path):\n    os.remove(path)\n    crash()\n",
        both(has(r"crash\(\)", r"def f"), paired(r"import os", r"os\.")),
        "import os def f(): os.remove crash()",
        "def f(): crash()",
    ),
    Case(
        "go",
        "package p\n\nfunc f() {\n\tx := 1\n\tcrash()\n\tprintln(x)\n}\n",
        both(has(r"crash\(\)", r"func f"), paired(r"x := 1", r"println\(x")),
        "func f() { x := 1 crash() println(x) }",
        "func f() { crash() }",
    ),
    Case(
        "java",
        "class A {\n  int n;\n  void f() { crash(); }\n  void g() { n = 1; }\n}\n",
        both(has(r"crash\(\)", r"class A"), paired(r"int n", r"n = 1")),
        "class A { int n; void f() { crash(); } void g() { n = 1; } }",
        "class A { { crash(); } }",
    ),
]

TOGETHER.append(
    Case(
        "go",
        'package p\n\nimport (\n\t"fmt"\n\t"a/sort"\n)\n\n'
        "func f() {\n\tsort.Ints()\n\tfmt.Crash()\n}\n",
        both(has(r"fmt\.Crash", "import", r'"fmt"'), paired('a/sort"', r"sort\.Ints")),
        'import ( "fmt" "a/sort" ) func f() { sort.Ints fmt.Crash }',
        'import "fmt" func f() { fmt.Crash }',
    )
)

# What goes needs other things to go with it, which no one name holds together.
ORPHANS = [
    Case(
        "go",
        'package p\n\nimport (\n\t"fmt"\n\t"sort"\n)\n\nfunc g(a []int) { sort.Ints(a) }\n\n'
        "func f() {\n\tx := []int{1}\n\tg(x)\n\tfmt.Crash()\n}\n",
        both(
            has(r"fmt\.Crash\(\)", "import", r'"fmt"', r"func f\(\)"),
            paired('"sort"', r"sort\."),
            paired(r"func g", r"\bg\(x\)"),
            paired(r"x := ", r"g\(x\)"),
            paired(r"sort\.Ints\(a\)", "func g"),
        ),
        'import ( "fmt" "sort" ) func g() { sort.Ints(a) } func f() { x := 1 g(x) fmt.Crash() }',
        'import "fmt" func f() { fmt.Crash() }',
    ),
    Case(
        "c",
        "int n;\nint g(int a) { return n + a; }\nint main(void) { int x = 1; g(x); crash(); }\n",
        both(
            has(r"crash\(\)", "main"),
            paired("int n;", r"n \+ a"),
            paired("int g", r"\bg\(x\)"),
            paired("int x", r"\bg\(x\)"),
            paired(r"n \+ a", "int g"),
        ),
        "int n; int g { return n + a; } int main { int x; g(x); crash(); }",
        "int main {crash(); }",
    ),
    Case(
        "rust",
        "use std::fs;\nfn g(a: u8) { fs::read(a); }\nfn f() { let x = 1; g(x); crash(); }\n",
        both(
            has(r"crash\(\)", "fn f"),
            paired("use std::fs", "fs::read"),
            paired("fn g", r"\bg\(x\)"),
            paired("let x", r"\bg\(x\)"),
            paired("fs::read", "fn g"),
        ),
        "use std::fs; fn g() { fs::read; } fn f() { let x = 1; g(x); crash(); }",
        "fn f() { crash(); }",
    ),
    Case(
        "java",
        "class A {\n  int n;\n  int g(int a) { return n + a; }\n"
        "  void f() { int x = 1; g(x); crash(); }\n}\n",
        both(
            has(r"crash\(\)", "class A", "void f"),
            paired("int n;", r"n \+ a"),
            paired("int g", r"\bg\(x\)"),
            paired("int x", r"\bg\(x\)"),
            paired(r"n \+ a", "int g"),
        ),
        "class A { int n; int g() { return n + a; } void f() { int x; g(x); crash(); } }",
        "class A { void f() { crash(); } }",
    ),
]

PARAMETERS = [
    Case(
        "c",
        "void f(int a, int b, int c) { crash(b); }\nvoid g(void) { f(1, 2, 3); }\n",
        both(
            has(r"crash\(b\)", r"int b", r"f\([^)]*2[^)]*\);"),
            same_length(r"void f\(([^)]*)\)", r"\{\s*f\(([^)]*)\);"),
        ),
        "void f(int, int b, int) { crash(b); } void g { f(1, 2, 3); }",
        "void f(int b) { crash(b); } void g { f(2); }",
    ),
    Case(
        "javascript",
        "function f(a, b) { crash(b); }\nf(1, 2);\n",
        both(
            has(r"crash\(b\)", r"function f\(.*b", r"\bf\([^)]*2\)"),
            same_length(r"function f\(([^)]*)\)", r"\bf\(([^)]*)\);"),
        ),
        "function f(a, b) { crash(b) } f(1, 2);",
        "function f(b) { crash(b) } f(2);",
    ),
    Case(
        "python",
        "def f(a, b):\n    crash(b)\n\nf(1, 2)\n",
        both(
            has(r"crash\(b\)", r"def f\(.*b", r"\nf\([^)]*2\)"),
            same_length(r"def f\(([^)]*)\)", r"\nf\(([^)]*)\)"),
        ),
        "def f(a, b): crash(b) f(1, 2)",
        "def f(b): crash(b) f(2)",
    ),
    Case(
        "rust",
        "fn f(a: i32, b: i32) { crash(b); }\nfn g() { f(1, 2); }\n",
        both(
            has(r"crash\(b\)", r"b: i32", r"f\([^)]*2\)"),
            same_length(r"fn f\(([^)]*)\)", r"\{\s*f\(([^)]*)\);"),
        ),
        "fn f(a: i32, b: i32) { crash(b); } fn g() { f(1, 2); }",
        "fn f(b: i32) { crash(b); } fn g() { f(2); }",
    ),
]

MERGE = [
    Case(
        "c",
        "int a; int b;\nvoid f(void) { a = 1; b = 2; }\n",
        both(has(r"= 1;.*= 2;", r"f\(void\)"), paired(r"int a", r"a ="), paired(r"int b", r"b =")),
        "int a; int b; void f(void) { a = 1; b = 2; }",
        "void f(void) { f = 1; f = 2; }",
    ),
    Case(
        "javascript",
        "let a; let b;\na = 1; b = 2;\n",
        both(has(r"= 1;\s*\w = 2;"), paired(r"let a", r"a ="), paired(r"let b", r"b =")),
        "let a; let b a = 1; b = 2;",
        "let b b = 1; b = 2;",
    ),
    Case(
        "java",
        "class A { int a; int b; void f() { a = 1; b = 2; } }\n",
        both(has(r"= 1;.*= 2;"), paired(r"int a", r"a ="), paired(r"int b", r"b =")),
        "class A { int a; int b; void f() { a = 1; b = 2; } }",
        "class A { { A = 1; A = 2; } }",
    ),
    Case(
        "go",
        "package p\n\nvar a int\nvar b int\n\nfunc f() {\n\ta = 1\n\tb = 2\n}\n",
        both(has(r"= 1\n\t?\w = 2"), paired(r"var a", r"a ="), paired(r"var b", r"b =")),
        "var a int var b int { a = 1 b = 2 }",
        "var b int { b = 1 b = 2 }",
    ),
]

IDENTIFIERS = [
    Case(
        "c",
        "int a, b; void f(void) { a = 1; crash(b); b = 2; }\n",
        has(r"a, b;", r"a = 1;\s*crash\(\w\);\s*b = 2"),
        "int a, b; void f { a = 1; crash(b); b = 2; }",
        "int a, b; void f { a = 1; crash(a); b = 2; }",
    ),
    Case(
        "javascript",
        "f(a, b); g(b);\n",
        has(r"f\(a, b\);\s*g\(\w\)"),
        "f(a, b); g(b)",
        "f(a, b); g(a)",
    ),
    Case("python", "f(a, b)\ng(b)\n", has(r"f\(a, b\)\s*g\(\w\)"), "f(a, b) g(b)", "f(a, b) g(a)"),
    Case(
        "java",
        "class A { void f(int a, int b) { g(a, b); h(b); } }\n",
        has(r"g\(a, b\);\s*h\(\w\)", r"int a, int b"),
        "class A { void f(int a, int b) { g(a, b); h(b); } }",
        "class A { void f(int a, int b) { g(a, b); h(A); } }",
    ),
]

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
]

WINDOWS = [
    Case(
        "c",
        "void f(void) { lock(); g(); h(); unlock(); crash(); }\n",
        both(
            has(r"crash"), paired(r"\block", r"unlock"), paired("unlock", r"\bg"), has(r"f\(void")
        ),
        "void f(void) { lock; g; unlock; crash; }",
        "void f(void) { crash; }",
    ),
    Case(
        "javascript",
        "open(); g(); close(); crash();\n",
        both(has("crash"), paired("open", "close"), paired("open", r"\bg")),
        "open; g; close; crash;",
        "crash",
    ),
    Case(
        "python",
        "open()\ng()\nclose()\ncrash()\n",
        both(has("crash"), paired("open", "close"), paired("open", r"\bg")),
        "open g close crash",
        "crash",
    ),
    Case(
        "go",
        "package p\n\nfunc f() {\n\tlock()\n\tg()\n\tunlock()\n\tcrash()\n\tend()\n}\n",
        both(has("crash", "end"), paired(r"\block", "unlock"), paired("unlock", r"\bg\(")),
        "func f() { lock g() unlock crash end }",
        "func f() { crash end }",
    ),
    Case(
        "java",
        "class A { int a; int b; int c; int d; }\n",
        both(has("class A", "int d"), paired("int a", "int b"), paired("int a", "int c")),
        "class A { int a; int b; int c; int d; }",
        "class A { int d; }",
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

SHORT_NAMES = [
    Case(
        "c",
        "int counter; int main(void) { return counter; }\n",
        has(r"int (\w+);\s*int main\(void\)\s*\{\s*return \1;"),
        "int counter; int main(void) { return counter; }",
        "int a; int main(void) { return a; }",
    ),
    Case(
        "javascript",
        "function first(value) { return second(value); }\n",
        has(r"function \w+\((\w+)\) \{\s*return \w+\(\1\);"),
        "function first(value) { return second(value); }",
        "function a(b) { return c(b); }",
    ),
    Case(
        "python",
        "def long_name(x):\n    return x.value\n",
        has(r"def .*\n.*x.*\.value"),
        "def long_name(): return x.value",
        "def a(): return x.value",
    ),
    Case(
        "java",
        "class Account { Account other; }\n",
        has(r"class (\w+) ?\{\s*\1 \w+;"),
        "class Account { Account other; }",
        "class a { a b; }",
    ),
]


def everywhere(token: str, *patterns: str) -> Callable[[str], bool]:
    """Return a test: all patterns are found, and the same number of tokens in each of them."""

    def test(text: str) -> bool:
        found = [re.search(pattern, text) for pattern in patterns]
        return all(found) and len({one[0].count(token) for one in found if one}) == 1

    return test


ALIKE = [
    Case(
        "c",
        "int a[2][3];\nint *p = &a[0][1];\n",
        everywhere("[", r"int a(\[2\])?\[3\];", r"= ?&a(\[0\])?\[1\];"),
        "int a[2][3]; int p = &a[0][1];",
        "int a[3]; int p = &a[1];",
    ),
    Case(
        "c",
        "int **p;\nint f() { return **p; }\n",
        everywhere("*", r"int \**p;", r"f\(\)\s*\{\s*return ?\**p;"),
        "int **p; int f() { return **p; }",
        "int p; int f() { return p; }",
    ),
    Case(
        "javascript",
        "f(await g(), await h())\n",
        everywhere("await", r"f\(.*g\(\)", r",.*h\(\)\)"),
        "f(await g(), await h())",
        "f(g(), h())",
    ),
    Case(
        "java",
        "class A { static int a; static int f() { return a; } }\n",
        everywhere("static", r"(static )?int a;", r"(static )?int f\(\)\s*\{\s*return a;"),
        "class A { static int a; static int f() { return a; } }",
        "class A { int a; int f() { return a; } }",
    ),
    Case(
        "rust",
        "fn f(a: &mut A) { g(&mut a); }\n",
        everywhere("mut", r"fn f\(a: .*A\)", r"g\(.*a\)"),
        "fn f(a: &mut A) { g(&mut a); }",
        "fn f(a: A) { g(a); }",
    ),
    Case(
        "go",
        "package p\n\nfunc f(a *T) { var b *T = a }\n",
        everywhere("*", r"f\(a \*?T\)", r"var b \*?T = a"),
        "func f(a *T) { var b *T = a }",
        "func f(a T) { var b T = a }",
    ),
]


@pytest.mark.parametrize("case", ALIKE, ids=ids)
def test_tokens_that_are_alike(case: Case) -> None:
    check(case, "alike")


@pytest.mark.parametrize("case", TOGETHER, ids=ids)
def test_together_by_name(case: Case) -> None:
    check(case, "names")


@pytest.mark.parametrize("case", ORPHANS, ids=ids)
def test_orphans(case: Case) -> None:
    assert minimum(case.language, case.text, case.test, "names") == case.alone
    check(case, "orphans")


@pytest.mark.parametrize("case", PARAMETERS, ids=ids)
def test_parameters_with_their_arguments(case: Case) -> None:
    check(case, "names")


@pytest.mark.parametrize("case", MERGE, ids=ids)
def test_merged_names(case: Case) -> None:
    check(case, "merge")


@pytest.mark.parametrize("case", IDENTIFIERS, ids=ids)
def test_identifier_replacement(case: Case) -> None:
    check(case, "identifiers")


@pytest.mark.parametrize("case", LESS, ids=ids)
def test_replaced_by_less(case: Case) -> None:
    check(case, "less")


@pytest.mark.parametrize("case", WINDOWS, ids=ids)
def test_windows(case: Case) -> None:
    check(case, "windows")


@pytest.mark.parametrize("case", TOKENS, ids=ids)
def test_runs_of_tokens(case: Case) -> None:
    check(case, "tokens")


@pytest.mark.parametrize("case", NUMBERS, ids=ids)
def test_numbers(case: Case) -> None:
    check(case, "numbers")


@pytest.mark.parametrize("case", STRINGS, ids=ids)
def test_strings(case: Case) -> None:
    check(case, "strings")


@pytest.mark.parametrize("case", SHORT_NAMES, ids=ids)
def test_short_names(case: Case) -> None:
    check(case, "short-names")


def test_few_tests_tell_which_names_must_stay() -> None:
    """64 names of which three must stay: 2 log2(64) tests for each of these, no 64 tests."""
    text = "".join(f"int value_{number};\n" for number in range(64))
    stay = {"value_3", "value_31", "value_60"}
    renamed = []

    def test(candidate: str) -> bool:
        names = set(re.findall(r"\w+", candidate))
        if candidate.count(";") < 64:
            return False
        renamed.append(names)
        return stay <= names

    result = reduced("c", text, test, "short-names")
    assert set(re.findall(r"\bv\w+", result.text.decode())) == stay
    assert len(renamed) <= 2 * 6 * len(stay)


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
