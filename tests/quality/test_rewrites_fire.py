"""Every shipped rewrite of these languages, or of this sort, fires on a text."""

from __future__ import annotations

import pytest

from marrow.reducers.passes.rewrites import rewrites
from marrow.reducers.pipeline.pipeline import rewrites_of
from marrow.reducers.streams.stream import finish
from tests.quality.named_rewrites import named_rewrites
from tests.reducers.running import run


def tried(language: str, name: str, text: str) -> list[str]:
    """Return what the rewrites of a name try, without blanks."""
    _, context, tree = named_rewrites(language, name, text)
    found = run(tree, rewrites(context)(tree, finish), lambda _: False).tried
    return ["".join(one.decode().split()) for one in found]


# Steps that people take in the results of reductions.
RETURNED = "an assigned value into a returned one"
PRINTED = "a condition in the place of what is printed"
SUM = "a compound assignment into a plain operation"
ONE = "two assignments in one"
STEP = "an assignment with its step"
VALUE = "a step of a variable into its value"
PARAMETER = "a local variable into a parameter"
STEPS = [
    ("javascript", ONE, "a=-1\na+=''\nf(a)", "a=-1+''f(a)"),
    ("c", ONE, "void f() { int a = 0; a |= 2; g(a); }", "void f() { int a = 0 | 2; g(a); }"),
    ("java", ONE, "class A { void f() { a = 0; a *= 2; } }", "class A { void f() { a = 0 * 2; } }"),
    ("python", ONE, "a = 0\na += 2\nf(a)\n", "a = 0 + 2 f(a)"),
    ("php", ONE, "<?php $a = ''; $a .= 2; f($a);", "<?php $a = '' . 2; f($a);"),
    ("javascript", STEP, "a=0\n--a\nf(a)", "a=0-1f(a)"),
    ("c", STEP, "void f() { int a = 0; a++; g(a); }", "void f() { int a = 0 + 1; g(a); }"),
    ("java", STEP, "class A { void f() { a = 0; ++a; } }", "class A { void f() { a = 0 + 1; } }"),
    ("php", STEP, "<?php $a = 0; $a--; f($a);", "<?php $a = 0 - 1; f($a);"),
    (
        "go",
        ONE,
        "package p\nfunc f() { a := 0; a += 2; g(a) }\n",
        "package p\nfunc f() { a := 0 + 2; g(a) }\n",
    ),
    ("rust", ONE, "fn f() { let mut a = 0; a += 2; g(a); }", "fn f() { let mut a = 0 + 2; g(a); }"),
    ("ruby", ONE, "a = 0\na += 2\nf(a)\n", "a = 0 + 2 f(a)"),
    ("javascript", VALUE, "f(a--)", "f(+a)"),
    ("php", VALUE, "<?php f($a--);", "<?php f(+$a);"),
    (
        "javascript",
        PARAMETER,
        "f(function(){var a=0\nreturn a==++a}())",
        "f(function(a){return a==++a}(0))",
    ),
    ("javascript", PARAMETER, "(function(){var a=0;f(a)})()", "(function(a){f(a)})(0)"),
    ("javascript", PARAMETER, "(()=>{var a=0;f(a)})()", "(a=>{f(a)})(0)"),
    (
        "php",
        PARAMETER,
        "<?php (function(){$a=0;f($a);})();",
        "<?php (function($a){f($a);})(0);",
    ),
    ("c", SUM, "void f() { a+=b; }", "void f() { a+b; }"),
    ("c", SUM, "void f() { g(a-=b); }", "void f() { g(a-b); }"),
    ("java", SUM, "class A { void f() { g(a|=b); } }", "class A { void f() { g(a|b); } }"),
    ("rust", SUM, "fn f() { a += b; }", "fn f() { a + b; }"),
    ("javascript", SUM, "f(a+=b)", "f(a+b)"),
    ("python", SUM, "a+=b\n", "a+b"),
    ("php", SUM, "<?php f($a.=$b);", "<?php f($a.$b);"),
    ("ruby", SUM, "f(a+=b)\n", "f(a+b)"),
    (
        "c",
        "a printed value into a result",
        'int main() { printf("%d", f(1)); }',
        "int main() { return f(1); }",
    ),
    (
        "java",
        "a printed value into a result",
        "class A { int f() { System.out.println(g(1)); } }",
        "class A { int f() { return g(1); } }",
    ),
    (
        "go",
        "an argument alone",
        "package p\nfunc f() { g(a, b[int]) }\n",
        "package p\nfunc f() { _ = b[int] }\n",
    ),
    (
        "go",
        "a value outside of its function",
        "package p\nfunc f() { _ = b[int] }\n",
        "package p\nvar _ = b[int]\n",
    ),
    ("c", PRINTED, "void f() { if (a < b) p(0); }", "void f() { p(a < b); }"),
    ("javascript", PRINTED, "if(a<b)p(0)", "p(a<b)"),
    (
        "java",
        PRINTED,
        "class A { void f() { if (a < b) p(0); } }",
        "class A { void f() { p(a < b); } }",
    ),
    ("python", PRINTED, "if a<b:p(0)\n", "p(a<b)"),
    ("php", PRINTED, "<?php if ($a) echo 1;", "<?php echo $a;"),
    ("php", PRINTED, "<?php if ($a) p(1);", "<?php p($a);"),
    (
        "go",
        PRINTED,
        "package p\nfunc f() { if a < b { p(0) } }\n",
        "package p\nfunc f() { p(a < b) }\n",
    ),
    ("rust", PRINTED, "fn f() { if a < b { p(0); } }", "fn f() { p(a < b); }"),
    ("lua", PRINTED, "if a then p(0) end", "p(a)"),
    ("ruby", PRINTED, "if a then p 0 end\n", "p a"),
    ("javascript", "a list of a length", "var a=[];a.length=3;f(a)", "var a=Array(3);f(a)"),
    ("javascript", "a list of a length", "a=[]\na.length=3\nf(a)", "a=Array(3)\nf(a)"),
    ("python", "a list of a length", "a = [0 for b in range(3)]\n", "a = [0] * 3"),
    ("javascript", "a borrowed method called", "f([].at.call(a,b,1))", "f(a.at(b,1))"),
    ("javascript", "a borrowed method called", "f([].at.call(a))", "f(a.at())"),
    ("javascript", "a borrowed method called", "f([].at.apply(a,[b]))", "f(a.at(b))"),
    ("javascript", "a function called without an object", "f(g.call(a,b))", "f(g(b))"),
    ("javascript", RETURNED, "function f(){a=b+1\nreturn a}", "function f(){return b+1}"),
    (
        "java",
        RETURNED,
        "class A { int f() { a = b + 1; return a; } }",
        "class A { int f() { return b + 1; } }",
    ),
    ("php", RETURNED, "<?php function f(){$a=g();return $a;}", "<?php function f(){return g();}"),
    ("python", RETURNED, "def f():\n a=b+1\n return a\n", "def f():\n return b+1\n"),
    (
        "javascript",
        "a method of a class that is called where it is made",
        "new class{a(){f();g(1)}}().a()",
        "f();g(1)",
    ),
    (
        "javascript",
        "a function into an arrow function with a body",
        "f(function(a){g();h(a)})",
        "f((a)=>{g();h(a)})",
    ),
    ("javascript", "a block without its braces", "a=0\n{a--}(f())", "a=0\na--;(f())"),
    (
        "javascript",
        "an argument before the body that is called with it",
        "(function(){f()})(g())",
        "g();f()",
    ),
    (
        "cpp",
        "an object for what goes through a loop",
        "struct A { int b; }; void f() { for (auto x : c) g(x.b); }",
        "struct A { int b; }; void f() { A x; g(x.b); }",
    ),
    (
        "cpp",
        "an object for what goes through a loop",
        "class A { int b; }; void f() { for (auto [x, y] : c) g(x.b); }",
        "class A { int b; }; void f() { A x, y; g(x.b); }",
    ),
    (
        "cpp",
        "what goes through a loop, declared",
        "void f() { for (A x : c) g(x); }",
        "void f() { A x; g(x); }",
    ),
    (
        "cpp",
        "a class into what it is made from",
        "struct A { A(int a) {} int b; }; void f(A a); A c(1);",
        "void f(int a); int c(1);",
    ),
]

OWN = "an operation on a variable into a compound assignment"

FIRES = [
    ("c", OWN, "void f() { a = a >> 1; }", "void f() { a >>= 1; }"),
    ("javascript", OWN, "a = a + b;", "a += b;"),
    ("java", OWN, "class A { void f() { a = a * 2; } }", "class A { void f() { a *= 2; } }"),
    ("go", OWN, "package p\nfunc f() { a = a + b }\n", "package p\nfunc f() { a += b }\n"),
    ("php", OWN, "<?php $a = $a . $b;", "<?php $a .= $b;"),
    ("python", OWN, "a = a + b\n", "a += b\n"),
    ("ruby", OWN, "a = a + b\n", "a += b\n"),
    ("rust", OWN, "fn f() { a = a + b; }", "fn f() { a += b; }"),
    ("javascript", "a compound assignment of one into a step", "a -= 1;", "a--;"),
    (
        "c",
        "two conditions in one",
        "void f() { if (a) if (b) g(); }",
        "void f() { if (a && b) g(); }",
    ),
    (
        "go",
        "two conditions in one",
        "package p\nfunc f() { if a { if b { g() } } }\n",
        "package p\nfunc f() { if a && b { g() } }\n",
    ),
    (
        "java",
        "two returns in one",
        "class A { int f() { if (a) return 1; return 2; } }",
        "class A { int f() { return a ? 1 : 2; } }",
    ),
    (
        "php",
        "two sides of a condition that are assigned",
        "<?php if ($a) $b = 1; else $b = 2;",
        "<?php $b = $a ? 1 : 2;",
    ),
    ("javascript", "a for loop into a while loop", "for (; a;) f();", "while (a) f();"),
    (
        "c",
        "a member of what a pointer points to",
        "void f() { g((*a).b); }",
        "void f() { g(a->b); }",
    ),
    (
        "go",
        "a declaration together with its assignment",
        "package p\nfunc f() {\n\tvar a int\n\ta = g()\n\th(a)\n}\n",
        "package p\nfunc f() {\n\ta := g()\n\th(a)\n}\n",
    ),
    ("javascript", "a text by an operation", "f(String(a))", "f(''+a)"),
    ("javascript", "a number by an operation", "f(Number(a))", "f(+a)"),
    ("javascript", "a power by an operation", "f(Math.pow(a, b))", "f(a**b)"),
    ("python", "an empty value as a literal", "f(list())\n", "f([])\n"),
    ("rust", "an empty text as a literal", "fn f() { g(String::new()) }", 'fn f() { g("") }'),
    ("javascript", "a constant into a variable", "const a = 1;", "var a = 1;"),
    ("javascript", "two declarations into one", "var a; var b = 1; f();", "var a, b = 1; f();"),
    ("javascript", "a method of all arrays by an array", "f(Array.prototype.at)", "f([].at)"),
    ("javascript", "a method of all strings by a string", "f(String.prototype.at)", "f(''.at)"),
    ("javascript", "an array in place", "f(new Array(1, 2))", "f([1, 2])"),
    (
        "javascript",
        "a condition before the call that shows a value",
        "f(g() ? 1 : 2);",
        "g(); f(1);",
    ),
    (
        "c",
        "a condition before the value that is returned",
        "int f() { return g() ? 1 : 2; }",
        "int f() { g(); return 1; }",
    ),
    (
        "go",
        "a compound assignment where its value is used",
        "package p\nfunc f() {\n\ta += 2\n\tg(a)\n}\n",
        "package p\nfunc f() {\n\tg(a + 2)\n}\n",
    ),
    (
        "python",
        "a compound assignment where its value is used",
        "a += s\ng(a)\n",
        "g(a + s)\n",
    ),
    (
        "php",
        "a compound assignment where its value is used",
        "<?php $a .= $s; g($a);",
        "<?php g($a . $s);",
    ),
    (
        "rust",
        "a compound assignment where its value is used",
        "fn f() { a += s; g(a); }",
        "fn f() { g(a + s); }",
    ),
    (
        "javascript",
        "a value for a function that is called at once",
        "(function () { return {a: f()} })()",
        "({a: f()})",
    ),
    (
        "javascript",
        "the values of an object, one after the other",
        "({a: f(), b: g()})",
        "(f(), {b: g()})",
    ),
    (
        "javascript",
        "a function into an arrow function",
        "f(function (a) { return a; })",
        "f((a) => a)",
    ),
    (
        "javascript",
        "a function of one expression into a variable",
        "function f(a) { return a; }",
        "f = (a) => a",
    ),
    ("javascript", "a declaration into an assignment", "var a = 1;", "a = 1;"),
    ("javascript", "a parameter without its brackets", "f((a) => b)", "f(a => b)"),
    ("javascript", "a condition into an operator", "if (a) b();", "a && b();"),
    ("javascript", "a value of an object where it is made", "p(({b: f(1)}).b())", "p(f(1)())"),
    ("javascript", "a value of a list where it is made", "p([f(1)][0])", "p(f(1))"),
    ("python", "a value of a dictionary where it is made", "p({1: f(2)}[1])\n", "p(f(2))"),
    ("python", "a value of a list where it is made", "p([f(1)][0])\n", "p(f(1))"),
    ("php", "a value of an array where it is made", "<?php p([1 => f(2)][1]);", "<?php p(f(2));"),
    ("lua", "a value of a table where it is made", "p(({b = f(1)}).b)", "p(f(1))"),
    ("ruby", "a value of a hash where it is made", "p({1 => f(2)}[1])", "p(f(2))"),
    ("ruby", "a value of a list where it is made", "p([f(1)][0])", "p(f(1))"),
    ("c", "a shorter type", "long a;", "int a;"),
    ("c", "a shorter type", "unsigned a;", "int a;"),
    ("c", "a shorter type", "short a;", "int a;"),
    (
        "c",
        "a text that is printed without a value",
        'void f() { printf("%d", a); }',
        'void f() { printf("0"); }',
    ),
    ("c", "two declarations into one", "int a; int b; char c;", "int a, b; char c;"),
    ("c", "a condition into an operator", "void f() { if (a) b(); }", "void f() { a && b(); }"),
    (
        "c",
        "a loop that asks before its body",
        "void h() { do f(); while (a); }",
        "void h() { while (a) f(); }",
    ),
    (
        "c",
        "a switch into an if",
        "void h() { switch (a) { case 0: f(); } }",
        "void h() { if (a) f(); }",
    ),
    (
        "c",
        "both sides of a condition into an operator",
        "void h() { if (a) f(); else g(); }",
        "void h() { a ? f() : g(); }",
    ),
    ("javascript", "a loop that asks before its body", "do f(); while (a);", "while (a) f();"),
    ("javascript", "a switch into an if", "switch (a) { case 0: f(); }", "if (a) f();"),
    (
        "javascript",
        "both sides of a condition into an operator",
        "if (a) f(); else g();",
        "a ? f() : g();",
    ),
    (
        "java",
        "a loop that asks before its body",
        "class A { void h() { do f(); while (a); } }",
        "class A { void h() { while (a) f(); } }",
    ),
    (
        "java",
        "a switch into an if",
        "class A { void h() { switch (a) { case 0: f(); } } }",
        "class A { void h() { if (a) f(); } }",
    ),
    (
        "php",
        "a loop that asks before its body",
        "<?php do f(); while ($a);",
        "<?php while ($a) f();",
    ),
    ("php", "a switch into an if", "<?php switch ($a) { case 0: f(); }", "<?php if ($a) f();"),
    (
        "php",
        "both sides of a condition into an operator",
        "<?php if ($a) f(); else g();",
        "<?php $a ? f() : g();",
    ),
    (
        "c",
        "the condition of an if for that of its loop",
        "void h() { while (1) if (a) f(); }",
        "void h() { while (a) f(); }",
    ),
    (
        "javascript",
        "the condition of an if for that of its loop",
        "while (1) if (a) f();",
        "while (a) f();",
    ),
    (
        "java",
        "the condition of an if for that of its loop",
        "class A { void h() { while (1) if (a) f(); } }",
        "class A { void h() { while (a) f(); } }",
    ),
    (
        "php",
        "the condition of an if for that of its loop",
        "<?php while (1) if ($a) f();",
        "<?php while ($a) f();",
    ),
    ("javascript", "a compound assignment into a plain one", "a|=1;", "a=1;"),
    ("javascript", "a compound assignment into a plain one", "a += f(1);", "a = f(1);"),
    (
        "java",
        "a compound assignment into a plain one",
        "class A { int f() { a-=1; } }",
        "class A { int f() { a=1; } }",
    ),
    ("php", "a compound assignment into a plain one", "<?php $a.=1;", "<?php $a=1;"),
    ("python", "a compound assignment into a plain one", "a*=2\n", "a=2\n"),
    (
        "go",
        "a compound assignment into a plain one",
        "package p\nfunc f() { a|=2 }\n",
        "package p\nfunc f() { a=2 }\n",
    ),
    ("c", "a compound assignment into a plain one", "void f() { a^=2; }", "void f() { a=2; }"),
    ("java", "a shorter type", "class A { long a; }", "class A { int a; }"),
    (
        "java",
        "a text that is printed without a value",
        'class A { void f() { System.out.printf("%d", a); } }',
        'class A { void f() { System.out.printf("0"); } }',
    ),
    (
        "go",
        "a text that is printed without a value",
        'package a\nfunc f() { fmt.Printf("%d", b) }\n',
        "package a\nfunc f() { fmt.Print(0) }\n",
    ),
    (
        "go",
        "a declaration without its word",
        "package a\nfunc f() { var b = 1 }\n",
        "package a\nfunc f() { b := 1 }\n",
    ),
    ("python", "a text that is made without a value", "f('%s' % a)\n", "f('')\n"),
    ("python", "a text that is made without a value", "f('{}'.format(a))\n", "f('')\n"),
    ("rust", "a text without a copy", 'fn f() { g(String::from("a")); }', 'fn f() { g("a"); }'),
    ("rust", "an array in place of a vector", "fn f() { g(vec![1, 2]); }", "fn f() { g([1, 2]); }"),
    ("lua", "a key that is a number", "f({a = 1})", "f({1})"),
    ("javascript", "a key that is a number", "f({abc: 1})", "f({0: 1})"),
    ("python", "a key that is a number", "f({'abc': 1})\n", "f({0: 1})"),
    ("php", "a key that is a number", "<?php f(['a' => 1]);", "<?php f([1]);"),
    (
        "c",
        "a declared type together with its value",
        "void f() { double a = g(1); }",
        "void f() { int a = 0; }",
    ),
    (
        "java",
        "a declared type together with its value",
        'class A { String a = ""; }',
        "class A { int a = 0; }",
    ),
    (
        "rust",
        "a declared type together with its value",
        "fn f() { let a: Vec<u8> = g(); }",
        "fn f() { let a: u8 = 0; }",
    ),
    (
        "go",
        "a declared type together with its value",
        "package a\nvar b []int = c()\n",
        "package a\nvar b = 0",
    ),
    (
        "typescript",
        "a declared type together with its value",
        "let a: string = f();",
        "let a = 0;",
    ),
    ("python", "a declared type together with its value", "a: str = f()\n", "a = 0"),
    ("lua", "inline a variable", "local a = 1 f(a)", "f(1)"),
    ("lua", "inline a global variable", "a = 1 f(a)", "f(1)"),
    (
        "lua",
        "inline a function that returns an expression",
        "local function a() return 1 end f(a())",
        "f(1)",
    ),
    (
        "lua",
        "inline a global function that returns an expression",
        "function a() return 1 end f(a())",
        "f(1)",
    ),
    ("lua", "a local variable into a global one", "local a = 1", "a = 1"),
    ("lua", "a local function into a global one", "local function a() end", "function a() end"),
    ("lua", "a condition into a block", "if a then f() g() end", "do f() g() end"),
    ("lua", "a loop into a block", "while a do f() g() end", "do f() g() end"),
    ("lua", "a block into its statement", "do f() end", "f()"),
    ("ruby", "inline a variable", "a = 1\nf(a)\n", "f(1)\n"),
    ("ruby", "inline a method of one expression", "def a; 1; end\nf(a)\n", "f(1)\n"),
    ("ruby", "a method into its body", "def a\n f(1)\n g\nend\n", "f(1)\n g\n"),
    ("ruby", "a class into its body", "class A\n f(1)\n g\nend\n", "f(1)\n g\n"),
    ("ruby", "a module into its body", "module A\n f(1)\n g\nend\n", "f(1)\n g\n"),
    ("ruby", "a condition into its body", "if a then f(1) end\n", "f(1)\n"),
    ("ruby", "a block into its body", "begin\n f(1)\n g\nend\n", "f(1)\n g\n"),
    ("ruby", "a value apart from its name", "a = f(1)\n", "f(1)\n"),
    (
        "ruby",
        "a returned value into a statement",
        "def a\n return f(1)\nend\n",
        "def a\n f(1)\nend",
    ),
    ("ruby", "a block in braces", "f do\n g\nend\n", "f { g }"),
    ("ruby", "a call without an object", "self.f\n", "f"),
    ("ruby", "a loop once", "while a do f(1) end\n", "f(1)"),
    *STEPS,
]


@pytest.mark.parametrize(("language", "name", "before", "after"), FIRES)
def test_it_fires(language: str, name: str, before: str, after: str) -> None:
    assert "".join(after.split()) in tried(language, name, before)


@pytest.mark.parametrize("language", ["lua", "ruby"])
def test_all_of_a_language_fire(language: str) -> None:
    names = {one.name for one in rewrites_of(language) if one.calls is None and not one.grows}
    assert names <= {name for other, name, _, _ in FIRES if other == language}
    assert len(names) >= 8


def test_signs_have_no_blanks_where_others_have_none() -> None:
    _, context, tree = named_rewrites(
        "javascript", "a compound assignment into a plain one", "a|=1;b |= 2;"
    )
    found = run(tree, rewrites(context)(tree, finish), lambda _: False).tried
    assert set(found) == {b"a=1;b |= 2;", b"a|=1;b = 2;"}
