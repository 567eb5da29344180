"""The rewrites that ship with marrow: every language has a program that one of them shortens."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from marrow.reducers.passes.pass_context import PassOptions
from marrow.reducers.passes.templates import (
    TemplateError,
    is_counted,
    match,
    may_match,
    read_rewrites,
)
from marrow.reducers.pipeline.pipeline import rewrites_of
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.syntax.views import view_of
from tests.quality.reducing import both, has, minimum, reduced


def defined(name: str, definition: str) -> Callable[[str], bool]:
    """Return a test: a name is defined if it is used."""
    return lambda text: (
        not re.search(rf"\b{name}\b", re.sub(definition, "", text))
        or bool(re.search(definition, text))
    )


CASES = [
    (
        "c",
        "typedef unsigned word;\nword f(word a) { return a; }\n",
        both(has(r"\w+ f\(\w+ a\) \{ return a; \}"), defined("word", r"typedef \w+ word;")),
        "int f(int a) { return a; }",
    ),
    (
        "c",
        "int g() { return x[3]; }\nint f(void) { crash(g()); }\n",
        both(
            has(r"f\(void\)", r"crash\((g\(\)|x\[3\])\)"),
            defined("g", r"int g\(\) ?\{\s*return x\[3\]"),
        ),
        "int f(void){crash(x[3]);}",
    ),
    (
        "c",
        "int g(int);\nint f(int a) { if (a) g(a); }\n",
        both(
            has(r"int f\(int a\)", r"if ?\(a\)\s*(g\(a?\)|while)"),
            defined("g", r"int g\((int)?\);"),
        ),
        "int f(int a){if(a)while(1);}",
    ),
    (
        "c",
        "int f() { int **a; b = **a; }\n",
        both(has(r"= ?\*\*a;|return ?\*\*a;", r"int f\("), defined("a", r"int ?\*\*a")),
        "int f(int**a){return**a;}",
    ),
    (
        "c",
        "int a[2];\nint *p = &a[1];\n",
        both(has(r"int ?\*p ?= ?(&a\[1\]|a ?\+ ?1);"), defined("a", r"int a\[2\];")),
        "int a[2]; int*p=a+1;",
    ),
    (
        "javascript",
        "const f = [1, 2];\ncrash(f);\n",
        both(has(r"crash\(.+\)", r"\[1, 2\]"), defined("f", r"const f\b")),
        "crash([1, 2])",
    ),
    (
        "python",
        "f = [1, 2]\ncrash(f)\n",
        both(has(r"crash\(.+\)", r"\[1, 2\]"), defined("f", r"\bf =")),
        "crash([1, 2])",
    ),
    (
        "java",
        "class A { void f() { int[] a = new int[2]; crash(a); } }\n",
        both(has(r"class A", r"crash\(.+\)", r"new int\[2\]"), defined("a", r"\ba =")),
        "class A{{crash(new int[2]);}}",
    ),
    (
        "java",
        "interface A { int f() { return crash; } }\n",
        has(r"[{)] *\{ *return crash; *\}"),
        "class A{{return crash;}}",
    ),
    (
        "rust",
        "fn f() { let a = vec(2); crash(a); }\n",
        both(has(r"fn f", r"crash\(.+\)", r"vec\(2\)"), defined("a", r"let a\b")),
        "fn f(){crash(vec(2));}",
    ),
    (
        "go",
        "package p\n\nfunc f() {\n\ta := vec(2)\n\tcrash(a)\n}\n",
        both(has(r"func f", r"crash\(.+\)", r"vec\(2\)"), defined("a", r"\ba :=")),
        "func f(){ crash(vec(2))}",
    ),
    (
        "sql",
        "SELECT t.a FROM t WHERE t.a BETWEEN 1 AND 2;",
        has(r"WHERE \S+ (BETWEEN|>) 1"),
        "SELECT a FROM t WHERE a > 1;",
    ),
    (
        "scheme",
        "(declare-const x Int)\n(assert (let ((y (+ x 1))) (crash y)))\n",
        both(has(r"\(crash ?(y|\(\+ x 1\)) ?\)"), defined("y", r"\(let \(\(y \(\+ x 1")),
        "(crash(+ x 1))",
    ),
]


@pytest.mark.parametrize(("language", "text", "test", "expected"), CASES)
def test_exact_minimum(
    language: str, text: str, test: Callable[[str], bool], expected: str
) -> None:
    assert minimum(language, text, test, "rewrites,compact") == expected


@pytest.mark.parametrize(
    "language", ["c", "javascript", "python", "java", "rust", "go", "sql", "smtlib"]
)
def test_every_language_of_the_issue_has_rewrites(language: str) -> None:
    assert len(rewrites_of(language)) >= 10


def test_a_users_rewrite() -> None:
    mine = read_rewrites('[[rewrite]]\nmatch = "double($a)"\nreplace = "$a + $a"\n')
    left = minimum(
        "python",
        "print(double(x))\n",
        has(r"print\((double\(x\)|x \+ x)\)"),
        "rewrites",
        PassOptions(rewrites=mine),
    )
    assert left == "print(x + x)"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[rewrite", "mine"),
        ('[[rule]]\nmatch = "a"', "only"),
        ('[[rewrite]]\nmatch = "a"\nfrom = "b"', "keys"),
        ('[[rewrite]]\nreplace = "a"', "match"),
        ('[[rewrite]]\nmatch = "f($a)"\nreplace = "$b"', r"\$b"),
        ('[[rewrite]]\nmatch = "a"\neverywhere = 1', "everywhere"),
    ],
)
def test_files_that_are_none_are_refused(text: str, problem: str) -> None:
    with pytest.raises(TemplateError, match=problem):
        read_rewrites(text, "mine")


MATCHES = [
    ("f(1, g(2))", "f($a, $b)", {"a": "1", "b": "g(2)"}),
    ("f(1, 1)", "f($a, $a)", {"a": "1"}),
    ("f(1, 2)", "f($a, $a)", None),
    ("f(1, 2, 3)", "f($$all)", {"all": "1, 2, 3"}),
    ("f(1, 2, 3)", "f($a, $$rest)", {"a": "1", "rest": "2, 3"}),
    ("f()", "f($$all)", {"all": ""}),
    ("f()", "f($a)", None),
    ("x.y", "$a.y", {"a": "x"}),
]


@pytest.mark.parametrize(("text", "template", "holes"), MATCHES)
def test_templates_match_whole_nodes(
    text: str, template: str, holes: dict[str, str] | None
) -> None:
    (rewrite,) = read_rewrites(f"[[rewrite]]\nmatch = '{template}'")
    tree = view_of("a.py", text.encode(), "python").counter.parse(text.encode())
    found = match(rewrite.rule.match, tree.root)
    if holes is None:
        assert found is None
    else:
        assert found is not None
        shown = {
            name: "".join(node.text.decode() for node in nodes).replace(",", ", ")
            for name, nodes in found.items()
        }
        assert {name: text.replace(",  ", ", ") for name, text in shown.items()} == holes


def test_a_template_without_its_words_in_the_text_is_not_looked_for() -> None:
    (loop, value) = read_rewrites(
        '[[rewrite]]\nmatch = "while ($a) $b;"\nreplace = "if ($a) $b;"\n'
        '[[rewrite]]\nmatch = "$a = $b;"\nreplace = "$b;"\n'
    )
    assert may_match(loop.rule.match, b"while(x)y")  # the semicolon may be missing
    assert not may_match(loop.rule.match, b"for (;x;) y;")
    assert may_match(value.rule.match, b"x=1")
    assert not may_match(value.rule.match, b"x;")
    assert is_counted(value.rule.replace)
    assert not is_counted(loop.rule.replace)  # two tokens, `if` and `(`


DEPTH = 5_000


def test_a_deep_tree_and_a_deep_template() -> None:
    text = b"[" * DEPTH + b"1" + b"]" * DEPTH
    tree = TreeSitterFrontEnd("json").parse(text)
    (document,) = tree.root.elements
    (peel,) = read_rewrites('[[rewrite]]\nmatch = "[$a]"\nreplace = "$a"')
    found = match(peel.rule.match, document)
    assert found is not None
    (inner,) = found["a"]
    assert inner.text == text[1:-1]
    (deep,) = read_rewrites(f"[[rewrite]]\nmatch = '{text.decode()}'\nreplace = '1'")
    match(deep.rule.match, document)  # given up or found, but it ends


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * DEPTH + "]" * DEPTH,
        "a = " + "{a = " * DEPTH + "1" + "}" * DEPTH,
        ".".join("a" * DEPTH) + " = 1",
        "[[rewrite]]\nmatch" + ".a" * DEPTH + " = 1",
    ],
    ids=["lists", "tables", "dotted keys", "a dotted match"],
)
def test_a_file_that_is_nested_too_deep_is_refused(text: str) -> None:
    with pytest.raises(TemplateError):
        read_rewrites(text)


def test_a_detour_is_measured_in_compact_layout() -> None:
    """A template puts blanks around its signs: without them, the text is smaller."""

    def test(text: str) -> bool:
        plain = "".join(text.split())
        return plain in ('a=-1f(a*=a+"")', 'f(-1*(-1+""))')

    found = reduced("javascript", 'a=-1\nf(a*=a+"")\n', test, "detours", options_of("javascript"))
    assert found.text == b'f(-1*(-1+""))\n'


def options_of(language: str) -> PassOptions:
    return PassOptions(rewrites=rewrites_of(language))
