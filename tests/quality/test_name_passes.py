"""What each pass on names makes of small programs: the exact minimum, in several languages.

As in test_passes.py: what perses* alone leaves, and what it leaves with the pass.
"""

from __future__ import annotations

import re

import pytest

import marrow
from marrow.reducers.passes.pass_context import PassOptions
from tests.quality.reducing import (
    Case,
    both,
    check,
    has,
    ids,
    paired,
    reduced,
    same_length,
)

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
        "var a int { a = 1 a = 2 }",
    ),
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


@pytest.mark.parametrize("case", TOGETHER, ids=ids)
def test_together_by_name(case: Case) -> None:
    check(case, "names")


@pytest.mark.parametrize("case", PARAMETERS, ids=ids)
def test_parameters_with_their_arguments(case: Case) -> None:
    check(case, "together")


@pytest.mark.parametrize("case", MERGE, ids=ids)
def test_merged_names(case: Case) -> None:
    check(case, "merge")


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


def test_names_are_kept_by_every_pass() -> None:
    text = (
        "int sum(int a) { return a; }\nint compute_total(int first, int second)\n"
        "{ int sum = first + second; return sum + compute_total(sum, first); }\n"
    )
    test = has(r"return \w+ *\+ *\w+\(\w+,")
    kept = reduced("c", text, test, "short-names,merge", PassOptions(keep_names=True))
    assert "return sum + compute_total(sum, first" in kept.text.decode()
    free = reduced("c", text, test, "short-names,merge")
    assert "compute_total" not in free.text.decode()


@pytest.mark.parametrize(
    ("language", "text", "wanted", "kept"),
    [
        # In Lisps `*` is a name, too.
        ("scheme", "(define (f *) (* 2 3))\n(g total)\n", r"\(g [a-z*]+ ?\)", "total"),
        # Names that are not spelled as in most languages are no texts to be shortened.
        ("r", "my.total <- function(first.arg) { first.arg }\n", r"<- *\S", "my.total"),
        # The smallest thing that fits `$total` is `$i`, which is another name.
        ("php", "<?php $i = 1; print_r($total);\n", r"<\?php.*print_r *\( *\$ *\w+\)", "total"),
        # Where there are syntax errors, nothing goes byte by byte.
        ("c", "int first_value ) ( ] = second_value }\n", r"\w+ *\) *\( *\]", "first_value"),
    ],
)
def test_names_are_kept_in_every_language(language: str, text: str, wanted: str, kept: str) -> None:
    def test(candidate: bytes) -> bool:
        return re.search(wanted, candidate.decode("utf-8", "replace")) is not None

    result = marrow.reduce(text, test, language=language, keep_names=True).text.decode()
    assert kept in result
    assert kept not in marrow.reduce(text, test, language=language).text.decode()
