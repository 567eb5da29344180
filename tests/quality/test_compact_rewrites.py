"""Templates match what passes leave: compact texts, without what a language lets one omit.

Each template is filled in and put into a small program. Where it fires on that, it fires on the
compact form of that, too.
"""

from __future__ import annotations

from itertools import product

import pytest

from marrow.reducers.passes.detours import kinds
from marrow.reducers.passes.inline_calls import inlined
from marrow.reducers.passes.rewrites import rewritten, with_semicolons, without_semicolons
from marrow.reducers.passes.templates import Rewrite, Template, TemplateHole
from marrow.reducers.pipeline.pipeline import rewrites_of
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.views import view_of
from tests.quality.named_rewrites import context_of
from tests.quality.test_detours_fire import FIRES as DETOURS
from tests.quality.test_detours_fire import made
from tests.quality.test_rewrites_fire import FIRES, tried

#: Programs around a template, those that hold statements last; and how a hole is filled in.
PROGRAMS = {
    "c": ["%s", "void w() { %s }"],
    "javascript": ["%s", "function w() { %s }"],
    "typescript": ["%s", "function w() { %s }"],
    "java": ["class W { %s }", "class W { void w() { %s } }"],
    "python": ["%s\n", "def w():\n return %s\n"],
    "go": ["package p\n%s\n", "package p\nfunc w() { %s }\n"],
    "rust": ["%s", "fn w() { %s }", "fn w() { k(%s) }"],
    "lua": ["%s", "k(%s)"],
    "ruby": ["%s\n"],
    "php": ["<?php %s", "<?php function w() { %s }"],
    "sql": ["%s;", "SELECT %s FROM t;"],
    "smtlib": ["%s", "(assert %s)"],
}
HOLES = {
    **dict.fromkeys(("type", "of", "sort"), ("int", "T")),
    **dict.fromkeys(("body", "first", "second", "rest", "call", "handler"), ("{ r(2); }", "r(2)")),
    **dict.fromkeys(("parameters", "parameter", "arguments", "argument"), ("q", "int q")),
    **dict.fromkeys(("members",), ("int m;",)),
    **dict.fromkeys(("before", "after", "between"), ("", "")),
    "size": ("3",),
    "label": ("3",),
    "start": ("i = 0;",),
    "condition": ("c < 3",),
    "step": ("c++",),
}


def filled(template: Template, variant: int, sigil: str) -> str:
    """Return a template with something in its holes."""
    parts = []
    for part in template:
        if isinstance(part, TemplateHole):
            texts = HOLES.get(part.name, (part.name[:2],))
            text = texts[variant % len(texts)]
            parts.append(sigil + text if text.isidentifier() and text != "int" else text)
        else:
            parts.append(part.decode())
    return " ".join(parts)


def compacted(front: FrontEnd, text: str) -> str:
    """Return a text without the semicolons that the parser does without, in compact layout."""
    tree = front.parse(text.encode())
    validity = front.validity()
    if validity is not None:
        validity.rebase(tree)
    now, at = tree.text, len(tree.text)
    while (at := now.rfind(b";", 0, at)) >= 0:
        for joint in (b"", b"\n"):
            shorter = now[:at] + joint + now[at + 1 :]
            if shorter.strip() and (validity is None or validity.valid(front.parse(shorter))):
                now = shorter
                break
    return front.compact(front.parse(now)).decode()


def parses(front: FrontEnd, text: str) -> bool:
    """Whether a text has no syntax errors: they would be the first."""
    validity = front.validity()
    if validity is None:
        return True
    validity.rebase(front.parse(b""))
    return validity.valid(front.parse(text.encode()))


def fires(language: str, rewrite: Rewrite, text: str) -> bool:
    front, context, tree = context_of(language, (rewrite,), text)
    if not parses(front, text):
        return False
    if rewrite.calls is not None:
        return next(inlined(tree, rewrite), None) is not None
    return next(rewritten(context, tree, rewrite), None) is not None


#: How a variable of a loop over values is declared.
LOOPS = ("auto q", "auto &q", "const auto &q", "auto [q, p]", "T q")

#: Texts for templates that need more than something in their holes.
MORE = {
    "c": [
        "typedef int T; T x; int g() { return 2; } int h() { return g(); } struct { int m; } s;",
        "union u { int m; }; int k() { return *p + p->m + (int)&a[1]; } int a[3];",
        "void w() { for (int i = 0; i < 3; i++) r(2); a += 2; a -= 2; a *= 2; a |= 2; a &= 2; }",
        "struct s { int m; }; static struct s v; int n;",
        "void w() { a = 2; r(--a); }",
        *(f"void w() {{ r(a {one}= b); r(a {one}= b + c); }}" for one in "/%^-"),
    ],
    "cpp": [
        "using T = int; T x; void w() { [](int q) { r(q); }(3); }",
        "void w() { try { throw 1; } catch (int e) { r(e); } }",
        "class A { int b; }; class B { int c; }; B d;",
        "class A { A(int a) { } int b; }; void f(A a);",
        *(
            f"{kind} s {{ int m; }}; void w() {{ for ({one} : v) r(q); }}"
            for kind, one in product(("struct", "class"), LOOPS)
        ),
    ],
    "javascript": ["f(`a${b}c`);", "f(`a`);"],
    "typescript": ["let a: T = 1; type T = number; let b: T;"],
    "java": [
        "class W { int g() { return 2; } static int h() { return 3; } int k() { return g() + h(); }"
        " static void n() { r(2); } void m() { n(); List<T> l = new List<>(1); b = 1; f(b);"
        " a += 2; a *= 2; a |= 2; a ^= 2; a &= 2; f(q -> { return q; }); } }",
        "interface W { void m(); }",
        "class W { void m() { a = 2; r(--a); } }",
        *(f"class W {{ void m() {{ r(a {one}= b); r(a {one}= b + c); }} }}" for one in "/%&^-"),
    ],
    "python": [
        "@d\ndef f():\n return 2\n",
        *(f"{first}\na {one}= 1\ng(a)\n" for one in "+-*|^&" for first in ("a = 0", "b")),
    ],
    "go": ['package p\nimport ("fmt")\nfunc w() { f(a, b) }\n'],
    "rust": ["fn w(v: Vec<u8>) where u8: T { match v { _ => 1 }; }"],
    "ruby": ["lambda { |q| r(q) }.call(3)\n", "[3].each do |q| r(q) end\n"],
    "php": [
        "<?php function w() { $a += 2; $a -= 2; $a *= 2; }",
        "<?php $a = 2; r(--$a); r(++$b); r($c++);",
        *(f"<?php r($a {one}= $b); r($a {one}= $b + $c);" for one in "/%|&^-"),
    ],
    "sql": [
        "SELECT a.b FROM t AS a;",
        "WITH q AS (SELECT 1) SELECT * FROM q;",
        "SELECT 1 UNION SELECT 2;",
    ],
    "smtlib": [
        f"(declare-const a T) (assert {one}) (assert (f a))"
        for one in ("(= a b)", "(= b a)", "(and (= a b) c)")
    ],
}

OPERATIONS = ("+", "-", "*", "/", "%", "|", "^", "&", "<<", ">>")

#: Functions of languages that write statements like C, and the sign of a variable.
LIKE_C = {
    "c": ("int w() { %s }", ""),
    "javascript": ("function w() { %s }", ""),
    "java": ("class W { int w() { %s } }", ""),
    "php": ("<?php function w() { %s }", "$"),
}
for one, (form, sigil) in LIKE_C.items():
    MORE[one] += [
        form % statement.replace("@", sigil)
        for statement in (
            *(f"@a = @a {sign} @b;" for sign in OPERATIONS),
            "@a += 1; @a -= 1;",
            "if (@a) if (@b) r(2);",
            "if (@a) return 1; else return 2;",
            "if (@a) return 1; return 2;",
            "if (@a) @b = 1; else @b = 2;",
            "for (; @a;) r(2);",
        )
    ]
MORE["c"].append("void w() { r((*p).m); }")
MORE["php"].append("<?php $a = $a . $b;")
MORE["python"] += [f"a = a {sign} b\n" for sign in OPERATIONS]
MORE["ruby"] += [f"a = a {sign} b\n" for sign in OPERATIONS]
MORE["rust"] += [f"fn w() {{ a = a {sign} b; }}" for sign in OPERATIONS]
MORE["go"] += [
    "package p\nfunc w() { %s }\n" % statement  # noqa: UP031
    for statement in (
        *(f"a = a {sign} b" for sign in OPERATIONS),
        "a += 1\na -= 1",
        "if a { if b { r(2) } }",
        "var a int\na = r(2)\nr(a)",
    )
]

#: In these, a template of C is tried, too; and one of JavaScript with types.
RELATIVES = {"c": "cpp", "javascript": "typescript", "typescript": "javascript"}


def texts_of(language: str, rewrite: Rewrite) -> list[str]:
    """Return programs on which a template may fire."""
    sigil = "$" if language == "php" else ""
    texts = [before for one, name, before, _ in (*FIRES, *DETOURS)
             if (one, name) == (language, rewrite.name)]  # fmt: skip
    for variant in (0, 1):
        text = filled(rewrite.rule.match, variant, sigil)
        for rule in rewrite.everywhere:
            text += "\n" + filled(rule.match, variant, sigil)
        if rewrite.calls is not None and rewrite.calls.call:
            text += "\n" + filled(rewrite.calls.call, variant, sigil) + ";"
        texts += [program % text for program in PROGRAMS.get(language, ())]
    return texts + MORE.get(language, [])


@pytest.mark.parametrize(
    ("language", "at"),
    [
        (one, at)
        for one in (*PROGRAMS, "cpp")
        for at, rewrite in enumerate(rewrites_of(one))
        if one != "cpp" or rewrite not in rewrites_of("c")
    ],
)
def test_every_template_fires_on_its_compact_form(language: str, at: int) -> None:
    rewrite = rewrites_of(language)[at]
    compact = [
        compacted(view_of("input", b"", one).counter, text)
        for one in (language, RELATIVES.get(language, ""))
        if one
        for text in texts_of(one, rewrite)
    ]
    assert any(
        fires(one, rewrite, text)
        for text in compact
        for one in (language, RELATIVES.get(language, ""))
        if one
    ), (rewrite.name, compact)


def changed_by_detours(language: str, text: str) -> list[str]:
    _, context, tree = context_of(language, rewrites_of(language), text)
    found = [one.text for kind in kinds(context) for one in kind.changed(tree)]
    return ["".join(one.decode().split()) for one in found]


def plain(text: str) -> str:
    return "".join(text.replace(";", "").split())


# In Rust, a semicolon says that a block has no value.
@pytest.mark.parametrize(
    ("language", "name", "before", "after"), [row for row in FIRES if row[0] != "rust"]
)
def test_examples_fire_in_compact_form(language: str, name: str, before: str, after: str) -> None:
    front = view_of("input", b"", language).counter
    found = tried(language, name, compacted(front, before))
    assert plain(after) in [plain(one) for one in found]


@pytest.mark.parametrize(
    ("language", "name", "before", "after"), [row for row in DETOURS if row[0] != "rust"]
)
def test_detours_fire_in_compact_form(language: str, name: str, before: str, after: str) -> None:
    front = view_of("input", b"", language).counter
    found = made(language, name, compacted(front, before))
    assert plain(after) in [plain(one) for one in found]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("const a=1\nf(a)", "var a=1\nf(a)"),
        ('const[]=""', 'var[]=""'),
        ("var a\nvar b\nf()", "var a,b\nf()"),
        ("var a\nvar b;(f)()", "var a,b;(f)()"),
    ],
)
def test_no_semicolon_comes_back(before: str, after: str) -> None:
    found = []
    for name in ("a constant into a variable", "two declarations into one"):
        found += tried("javascript", name, before)
    assert "".join(after.split()) in found


def test_a_line_that_would_continue_the_one_before_keeps_its_semicolon() -> None:
    assert without_semicolons(b"; var", b"") == b"\nvar"
    assert without_semicolons(b";", b"[") == b";"
    assert without_semicolons(b"; }", b"") == b"}"
    assert without_semicolons(b";", b"") == b""


@pytest.mark.parametrize(
    ("before", "after", "apart"),
    [
        ("a=1\nf(x)", "a=1\n[].b()", "a=1;\n[].b()"),
        ("a=1\nc;\n(b)()", "a=1\n(b)()", "a=1;\n(b)()"),
        ("a\nf()\n`b`.c()", "a\n`b`.c()", "a;\n`b`.c()"),
        ("a=b\nc", "a=b\n-c", "a=b;\n-c"),
        ("a=b\nc", "a=b\n/c/", "a=b;\n/c/"),
        ("a=b\nc", "a=b\n+c", "a=b;\n+c"),
        # These lines were continued before the change, or are not.
        ("a\n(b)\nc=1", "a\n(b)\nc=2", "a\n(b)\nc=2"),
        ("f(\na)", "f(\n[a])", "f(\n[a])"),
        ("f();\na", "f();\n(a)", "f();\n(a)"),
    ],
)
def test_a_candidate_keeps_lines_apart(before: str, after: str, apart: str) -> None:
    assert with_semicolons(before.encode(), after.encode()).decode() == apart


def test_an_inlined_body_does_not_continue_the_line_before_it() -> None:
    made_of = changed_by_detours("javascript", "function f(){[1].at()}\na=1\nf()\n")
    assert "a=1;[1].at()" in made_of
