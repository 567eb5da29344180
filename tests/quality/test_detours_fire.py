"""Every rewrite that is a detour, and every one that inlines functions, fires on a text."""

from __future__ import annotations

import pytest

from marrow.reducers.passes.inline_calls import inlined
from marrow.reducers.passes.pass_context import PassContext, PassOptions
from marrow.reducers.passes.rewrites import rewritten
from marrow.reducers.passes.small_nodes import Stock
from marrow.reducers.strategies.pipeline import rewrites_of
from marrow.syntax.views import view_of

LANGUAGES = [
    "c",
    "javascript",
    "java",
    "python",
    "go",
    "rust",
    "lua",
    "ruby",
    "php",
    "sql",
    "smtlib",
]


def made(language: str, name: str, text: str) -> list[str]:
    """Return what the rewrites of a name make of a text, without blanks, valid texts alone."""
    front = view_of("input", text.encode(), language).counter
    tree = front.parse(text.encode())
    chosen = [one for one in rewrites_of(language) if one.name == name]
    assert chosen
    options = PassOptions(rewrites=tuple(chosen))
    context = PassContext(front, front.parse, lambda one: one.text, Stock(tree, front), options)
    found = [candidate.text for one in chosen for candidate in rewritten(context, tree, one)]
    found += [candidate for one in chosen for candidate in inlined(tree, one)]
    validity = front.validity()
    if validity is not None:
        validity.rebase(tree)
        found = [one for one in found if validity.valid(front.parse(one))]
    return ["".join(one.decode().split()) for one in found]


IF = "void f() { %s }"
FIRES = [
    ("c", "a loop once, with its condition", IF % "while (a) b();", IF % "a; b();"),
    ("c", "a loop once", IF % "do b(); while (a);", IF % "b();"),
    (
        "c",
        "the first side of a conditional, with its condition",
        IF % "if (a) b(); else c();",
        IF % "a; b();",
    ),
    (
        "c",
        "the second side of a conditional, with its condition",
        IF % "if (a) b(); else c();",
        IF % "a; c();",
    ),
    ("c", "a condition that is returned", IF % "if (a);", IF % "return a;"),
    (
        "c",
        "a variable that is assigned, where it is used",
        "int f() { a = 1; return a; }",
        "int f() { return 1; }",
    ),
    (
        "c",
        "a first iteration in front of its loop",
        IF % "while (a) b();",
        IF % "if (a) b(); while (a) b();",
    ),
    ("c", "inline a variable", IF % "int a = 1 + 2; g(a, a);", IF % "g(1 + 2, 1 + 2);"),
    ("c", "a constant where it is used", "const int a = 1; int b = a;", "int b = 1;"),
    ("c", "a macro where it is used", "#define A 1\nint b = A;\n", "int b = 1;"),
    (
        "c",
        "a parameter into a global variable",
        "int f(int a) { return a; }\nint g() { return f(1); }",
        "int a; int f() { return a; } int g() { return f(); }",
    ),
    (
        "c",
        "a global variable into a parameter",
        "int a; int f() { return a; }",
        "int f(int a) { return a; }",
    ),
    (
        "c",
        "a value into a variable",
        IF % "g(h(1));",
        IF % "int fresh = h(1); g(fresh);",
    ),
    (
        "c",
        "a function where it is called",
        "static int f(int a) { h(a); return a + 1; }\nint g() { return f(2) * 3; }",
        "int g() { h(2); return (2 + 1) * 3; }",
    ),
    (
        "c",
        "a function where it is called",
        "int f(int a) { return a + a; }\nint g() { return f(h(2)); }",
        "int g() { int a = h(2); return (a + a); }",
    ),
    ("javascript", "inline a variable", "let a = b(); f(a, a);", "f(b(), b());"),
    ("javascript", "a class where it is used", "class A {} f(new A);", "f(new (class {}));"),
    (
        "javascript",
        "a function where it is named",
        "function f(a) { g(a) } [].map(f);",
        "[].map((function (a) { g(a) }));",
    ),
    (
        "javascript",
        "a parameter into a global variable",
        "function f(a) { g(a) } f(1);",
        "function f() { g(a) } f(a = 1);",
    ),
    (
        "javascript",
        "the body of a function that is called at once",
        "(function (a) { f(); g(); })(1)",
        "f(); g();",
    ),
    ("javascript", "what is tried", "try { f(); g(); } catch (e) { }", "f(); g();"),
    (
        "javascript",
        "a loop over values, once",
        "for (const a of b) f(a);",
        "var [a] = b; f(a);",
    ),
    (
        "javascript",
        "an object in place",
        "var a = {}; a.b = 1; f(a);",
        "var a = {b: 1}; f(a);",
    ),
    ("javascript", "a text with a value", "f(`${a}`)", "f('' + a)"),
    ("javascript", "a value into a variable", "f(g(1));", "var fresh = g(1); f(fresh);"),
    (
        "javascript",
        "a method of a class where an object is made",
        "new A().f(1);",
        "f(1);",
    ),
    (
        "javascript",
        "a function where it is called",
        "function f(a, b) { g(b); return a; } h(f(1, 2));",
        "g(2); h(1);",
    ),
    (
        "javascript",
        "a method where it is called",
        "class A { f(a) { return this.b + a; } } h(c.f(1));",
        "class A { } h((c.b + 1));",
    ),
    (
        "javascript",
        "an arrow function where it is called",
        "const f = (a, b) => { g(b); return a; }; h(f(1, 2));",
        "g(2); h(1);",
    ),
    (
        "javascript",
        "an arrow function in a variable where it is called",
        "var f = (a) => a; h(f(1));",
        "h(1);",
    ),
    (
        "javascript",
        "a function in a variable where it is called",
        "var f = function (a) { g(a); return a; }; h(f(1));",
        "g(1); h(1);",
    ),
    (
        "javascript",
        "an arrow function where it is called",
        "const f = (a, b) => a + b; h(f(1, 2));",
        "h((1 + 2));",
    ),
    (
        "java",
        "inline a variable",
        "class A { void f() { int a = 1; g(a); } }",
        "class A { void f() { g(1); } }",
    ),
    (
        "java",
        "a constant where it is used",
        "class A { static final int a = 1; int b = a; }",
        "class A { int b = 1; }",
    ),
    (
        "java",
        "a parameter into a field",
        "class A { void f(int a) { g(a); } void g() { f(1); } }",
        "class A { int a; void f() { g(a); } void g() { f(); } }",
    ),
    (
        "java",
        "a loop over values, once",
        "class A { void f() { for (B a : b) g(a); } }",
        "class A { void f() { B a = null; g(a); } }",
    ),
    (
        "java",
        "a loop once",
        "class A { void f() { do g(); while (a); } }",
        "class A { void f() { g(); } }",
    ),
    (
        "java",
        "a method where it is called",
        "class A { static int f(int a) { return a + 1; } int b = f(2); }",
        "class A { int b = (2 + 1); }",
    ),
    (
        "java",
        "a method where it is called on an object",
        "class A { int f(int a) { return this.c + a; } int b = d.f(2); }",
        "class A { int b = (d.c + 2); }",
    ),
    ("python", "inline a variable", "a = b()\nf(a, a)\n", "f(b(), b())\n"),
    ("python", "a loop once, with its condition", "while a: f()\n", "if a: f()\n"),
    ("python", "the value of a text", "g(f'{a}')\n", "g(str(a))\n"),
    (
        "python",
        "a function where it is called",
        "def f(a):\n    g(a)\n    return a + 1\nb = f(2) * 3\n",
        "g(2)\nb = (2 + 1) * 3\n",
    ),
    (
        "python",
        "a method where it is called",
        "class A:\n    b = 1\n    def f(self, a):\n        return self.b + a\ng(c.f(2))\n",
        "class A:\n    b = 1\ng((c.b + 2))\n",
    ),
    (
        "python",
        "a method without parameters where it is called",
        "class A:\n    b = 1\n    def f(self):\n        return self.b\ng(c.f())\n",
        "class A:\n    b = 1\ng(c.b)\n",
    ),
    (
        "python",
        "a lambda where it is called",
        "f = lambda a, b: a * b\ng(f(1, 2))\n",
        "g((1 * 2))\n",
    ),
    (
        "python",
        "a method that is a lambda where it is called",
        "class A:\n    b = 1\n    f = lambda self, a: a\ng(c.f(2))\n",
        "class A:\n    b = 1\ng(2)\n",
    ),
    (
        "go",
        "inline a variable",
        "package a\nfunc f() { b := c(); g(b, b) }\n",
        "package a\nfunc f() { g(c(), c()) }",
    ),
    (
        "go",
        "inline a constant",
        "package a\nconst b = 1 + 2\nvar c = b\n",
        "package a\nvar c = 1 + 2",
    ),
    (
        "go",
        "a loop once, with its condition",
        "package a\nfunc f() { for b { g() } }\n",
        "package a\nfunc f() { if b { g() } }",
    ),
    (
        "go",
        "the body of a loop",
        "package a\nfunc f() { for range b { g() } }\n",
        "package a\nfunc f() { { g() } }",
    ),
    (
        "go",
        "a parameter into a global variable",
        "package a\nfunc f(b int) { g(b) }\nfunc h() { f(1) }\n",
        "package a\nvar b int; func f() { g(b) }\nfunc h() { f() }",
    ),
    (
        "go",
        "a function that is called at once",
        "package a\nfunc f() { func() { g() }() }\n",
        "package a\nfunc f() { g() }",
    ),
    (
        "go",
        "a function where it is called",
        "package a\nfunc f(b int, c string) int {\n\tg(c)\n\treturn b\n}\n"
        "var d = 1\nfunc h() {\n\te := f(1, 2)\n}\n",
        "package a\nvar d = 1\nfunc h() {\n\tg(2)\n\te := 1\n}\n",
    ),
    (
        "go",
        "a function without a result where it is called",
        "package a\nfunc f(b int) {\n\tg(b)\n}\nfunc h() {\n\tf(1)\n}\n",
        "package a\nfunc h() {\n\tg(1)\n}\n",
    ),
    (
        "rust",
        "inline a variable",
        "fn f() { let a = b(); g(a, a); }",
        "fn f() { g(b(), b()); }",
    ),
    (
        "rust",
        "inline a constant",
        "const A: u8 = 1 + 2; fn f() { g(A, A); }",
        "fn f() { g(1 + 2, 1 + 2); }",
    ),
    (
        "rust",
        "a loop once, with its condition",
        "fn f() { while a { g() } }",
        "fn f() { if a { g() } }",
    ),
    ("rust", "a loop once", "fn f() { loop { g() } }", "fn f() { { g() } }"),
    (
        "rust",
        "a loop over values, once",
        "fn f() { for a in b { g(a) } }",
        "fn f() { { let a = b; { g(a) } } }",
    ),
    ("rust", "what is unsafe without the word", "fn f() { unsafe { g() } }", "fn f() { { g() } }"),
    ("rust", "a closure that is called at once", "fn f() { g((|| a)()) }", "fn f() { g(a) }"),
    (
        "rust",
        "a function where it is called",
        "fn f(a: u8) -> u8 { g(a); a + 1 } fn h() { let b = f(2); }",
        "fn h() { g(2); let b = (2 + 1); }",
    ),
    (
        "rust",
        "a function without a result where it is called",
        "fn f(a: u8) { g(a); } fn h() { f(2); }",
        "fn h() { g(2); }",
    ),
    ("lua", "inline a variable", "local a = b() f(a, a)", "f(b(), b())"),
    ("lua", "inline a global variable", "a = b() f(a, a)", "f(b(), b())"),
    ("lua", "a loop once", "for a = 1, 2 do f(a) end", "local a = 1 f(a)"),
    (
        "lua",
        "a function where it is called",
        "function f(a) g(a) return a + 1 end b = f(2)",
        "g(2) b = (2 + 1)",
    ),
    ("lua", "a local function where it is called", "local function f(a) g(a) end f(2)", "g(2)"),
    ("ruby", "inline a variable", "a = b(1)\nf(a, a)\n", "f(b(1), b(1))"),
    ("ruby", "a loop once", "while a do f(1) end\n", "f(1)"),
    (
        "ruby",
        "a method where it is called",
        "def f(a)\n  g(a)\n  a + 1\nend\nb = f(2)\n",
        "g(2)\nb = (2 + 1)",
    ),
    ("php", "inline a variable", "<?php $a = 1; f($a);", "<?php f(1);"),
    (
        "php",
        "inline a function that returns an expression",
        "<?php function a() { return 1; } f(a());",
        "<?php f(1);",
    ),
    (
        "php",
        "inline a function of one statement",
        "<?php function a() { g(1); } a();",
        "<?php g(1);",
    ),
    ("php", "the condition of an if alone", "<?php if (f(1)) { g(); }", "<?php f(1);"),
    ("php", "a value apart from its name", "<?php $a = f(1);", "<?php f(1);"),
    (
        "php",
        "a returned value into a statement",
        "<?php function f() { return g(1); }",
        "<?php function f() { g(1); }",
    ),
    ("php", "a printed value into a statement", "<?php echo f(1);", "<?php f(1);"),
    ("php", "a loop into an if", "<?php while (a()) b();", "<?php if (a()) b();"),
    ("php", "a loop over values, once", "<?php foreach ($a as $b) f($b);", "<?php $b = $a; f($b);"),
    (
        "php",
        "the body of a loop over values",
        "<?php foreach ($a as $b) f($b);",
        "<?php $a; f($b);",
    ),
    (
        "php",
        "the first side of a conditional, with its condition",
        "<?php if ($a) b(); else c();",
        "<?php $a; b();",
    ),
    (
        "php",
        "the second side of a conditional, with its condition",
        "<?php if ($a) b(); else c();",
        "<?php $a; c();",
    ),
    ("php", "what is tried", "<?php try { f(); g(); } catch (E $e) { }", "<?php f(); g();"),
    ("php", "an array in place", "<?php f(array(1, 2));", "<?php f([1, 2]);"),
    ("php", "an object in place", "<?php f(new A(1));", "<?php f(new A);"),
    ("php", "an identity test into a plain one", "<?php f(1 === 2);", "<?php f(1 == 2);"),
    ("php", "a text that is made without a value", "<?php f(sprintf('%d', 1));", "<?php f('');"),
    (
        "php",
        "a block of one statement without its braces",
        "<?php if ($a) { f(); }",
        "<?php if ($a) f();",
    ),
    ("php", "inline a variable", "<?php $a = b(); f($a, $a);", "<?php f(b(), b());"),
    (
        "php",
        "a function where it is called",
        "<?php function f($a) { g($a); return $a + 1; } $b = f(2);",
        "<?php g(2); $b = (2 + 1);",
    ),
    (
        "php",
        "a method where it is called",
        "<?php class A { function f($a) { return $a; } } $b = $c->f(2);",
        "<?php class A { } $b = 2;",
    ),
    (
        "sql",
        "a view into its query",
        "CREATE VIEW a AS SELECT 1; SELECT * FROM a, a AS b;",
        "SELECT * FROM (SELECT 1), (SELECT 1) AS b;",
    ),
    ("sql", "a condition into a column", "SELECT * FROM a WHERE b = 1;", "SELECT b = 1 FROM a;"),
    (
        "sql",
        "values that are inserted by a query",
        "INSERT INTO a VALUES (1, 2);",
        "INSERT INTO a SELECT 1, 2;",
    ),
    ("sql", "a join into a product", "SELECT * FROM a JOIN b ON c = d;", "SELECT * FROM a, b;"),
    (
        "sql",
        "a left join into a join",
        "SELECT * FROM a LEFT JOIN b ON c = d;",
        "SELECT * FROM a JOIN b ON c = d;",
    ),
    (
        "smtlib",
        "inline a definition",
        "(define-fun a () Int (+ 1 2))(assert (= a a))",
        "(assert (= (+ 1 2) (+ 1 2)))",
    ),
    (
        "smtlib",
        "inline a binding",
        "(assert (let ((a (+ 1 2))) (= a a)))",
        "(assert (= (+ 1 2) (+ 1 2)))",
    ),
    ("smtlib", "two assertions out of one", "(assert (and a b))", "(assert a) (assert b)"),
    ("smtlib", "an implication into its two sides", "(assert (=> a b))", "(assert (or (not a) b))"),
    ("smtlib", "one side of a condition", "(assert (ite a b c))", "(assert b)"),
    ("smtlib", "the other side of a condition", "(assert (ite a b c))", "(assert c)"),
    ("smtlib", "a chain of equalities into one", "(assert (= a b c))", "(assert (= a c))"),
]


@pytest.mark.parametrize(("language", "name", "before", "after"), FIRES)
def test_it_fires(language: str, name: str, before: str, after: str) -> None:
    found = made(language, name, before)
    assert "".join(after.split()) in found, found


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_detours_of_a_language_fire(language: str) -> None:
    names = {one.name for one in rewrites_of(language) if one.grows or one.calls is not None}
    shared = {name for other, name, _, _ in FIRES if other == "c"}  # spelled alike in C's relatives
    assert names <= {name for other, name, _, _ in FIRES if other == language} | shared
