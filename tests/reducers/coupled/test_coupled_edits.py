"""Things that go together, each by a small program."""

from __future__ import annotations

import pytest

import marrow
from marrow.reducers.coupled.coupled_edits import edits_of
from marrow.reducers.pipeline.pipeline import rewrites_of
from marrow.syntax.treesitter import TreeSitterFrontEnd
from tests.quality.reducing import both, has, minimum, paired


def proposals(language: str, text: str) -> set[str]:
    """Return the candidates that the parser takes, with single spaces for layout."""
    front = TreeSitterFrontEnd(language)
    tree = front.parse(text.encode())
    found = {candidate.text for edit in edits_of(language) for candidate in edit(tree)}
    return {squeezed(one.decode()) for one in found if not front.errors(one)}


def squeezed(text: str) -> str:
    return " ".join(text.split())


EXAMPLES = [
    # A namespace or a class unwrapped with its qualifiers.
    ("cpp", "namespace n { struct A {}; int b; } n::A a = n::b;", "struct A {}; int b; A a = b;"),
    ("cpp", "struct S { struct T {}; }; S::T t;", "struct T {}; T t;"),
    ("cpp", 'extern "C" { int f(); int g(); }', "int f(); int g();"),
    ("rust", "mod m { pub fn f() {} pub fn g() {} } fn h() { m::f(); m::g(); }",
     "pub fn f() {} pub fn g() {} fn h() { f(); g(); }"),
    ("typescript", "namespace N { export const a = 1; } N.a;", "export const a = 1; a;"),
    # Neighbouring scopes that are one.
    ("cpp", "namespace n { int a; } namespace n { int b; } namespace n { int c; }",
     "namespace n { int a; int b; int c; }"),
    ("cpp", "inline namespace n { int a; } namespace n { int b; }",
     "inline namespace n { int a; int b; }"),
    ("cpp", 'extern "C" { int f(); } extern "C" { int g(); }', 'extern "C" { int f(); int g(); }'),
    # Functions with nothing in them, templates that are declared twice.
    ("c", "int f(int x) {} int main() {}", "int f(int x) ; int main() ;"),
    ("cpp", "struct A { auto f(auto) noexcept {} A() {} };",
     "struct A { void f(auto) noexcept ; A() ; };"),
    ("cpp", "template<class = int> struct A; template<class> struct A { int x; };",
     "template<class = int> struct A { int x; };"),
    # The type of a result with the returns.
    ("c", "int f(int x) { if (x) return 1; g(x); return 2; }",
     "void f(int x) { if (x) return ; g(x); return ; }"),
    ("c", "static int f(int x) { g(x); return 2; }", "void f(int x) { g(x); }"),
    ("cpp", "auto f() { return g(); }", "void f() { g(); }"),
    ("java", "class A { int f() { g(); return 2; } }", "class A { void f() { g(); } }"),
    ("go", "package p\nfunc f() (int, error) {\n\tg()\n\treturn 1, nil\n}\n",
     "package p func f() { g() }"),
    ("go", "package p\nfunc f[T any](a T) bool {\n\treturn true\n}\n",
     "package p func f[T any](a T) { }"),
    ("go", "package p\nfunc f[T any](a T) T { return g[T](a) }\n",
     "package p func f (a any) any { return g[any](a) }"),
    ("rust", "fn f() -> i32 { g(); return 2; }", "fn f() { g(); }"),
    # A parameter with its arguments.
    ("cpp", "template<class T, class U> struct A { T t; U u; }; A<int, char> a;",
     "template<class T> struct A { T t; char u; }; A<int> a;"),
    ("cpp", "template<class T> struct A { T t; }; A<int> a; A<int*> b;",
     "struct A { int t; }; A a; A b;"),
    ("cpp", "template<class T> struct A; template<class U> struct A { U u; }; A<int> a;",
     "struct A; struct A { int u; }; A a;"),
    ("cpp", "template<class T> using same = T; same<long> x;", "using same = long; same x;"),
    ("cpp", "template<int N, class T> T f(T t) { return t + N; } int x = f<3, int>(4);",
     "template< class T> T f(T t) { return t + 3; } int x = f< int>(4);"),
    ("java", "class Box<T> { T value; } class B { Box<String> b; }",
     "class Box { String value; } class B { Box b; }"),
    ("c", "int f(int x, int y) { return x + y; } int g() { return f(1, 2); }",
     "int f(int x ) { return x + 2; } int g() { return f(1 ); }"),
    ("python", "def f(x, y):\n    return x + y\n\nf(a, 2)\n", "def f( y): return a + y f( 2)"),
    # An enumerator by its number.
    ("c", "enum e { a, b = 5, c }; int x[c]; enum e y = b;", "int x[6]; int y = 5;"),
    ("c", "enum e { a, b }; int x = b;", "enum e { a }; int x = 1;"),
    ("cpp", "enum class E { a = 2, b }; int x = (int)E::b;", "int x = (int)3;"),
    ("typescript", "enum E { A, B } const x = E.B;", "enum E { A } const x = 1;"),
    ("c", "enum { a, b } x, y = b;", "int x, y = 1;"),
    ("c", "typedef enum e { a, b } t; t x = b;", "typedef int t; t x = 1;"),
    # A variable by a number, with its members.
    ("c", "int f(struct s *p) { return p->n + p->a.b; }", "int f(int p) { return p + p; }"),
    ("c", "void g() { static const T x = {0}; h(x.y[1]); }", "void g() { int x = {0}; h(x[1]); }"),
    ("cpp", "int f(const std::vector<A> &v) { return v.size(); }", "int f(int v) { return v; }"),
    ("java", "class A { int f(Map<K, V> m) { return m.b.size() + 1; } }",
     "class A { int f(int m) { return m + 1; } }"),
    ("go", "package p\nfunc f(a *T, b U) int { return a.b }\n",
     "package p func f(a int, b U) int { return a }"),
    ("rust", "fn f(a: &T) -> i32 { a.b }", "fn f(a: i32) -> i32 { a }"),
    ("typescript", "let a: T = g(); h(a.b.c);", "let a: number = g(); h(a);"),
    # Access specifiers with friends.
    ("cpp", "class A { int x; friend void f(A); friend class B; public: int y; };",
     "struct A { int x; int y; };"),
    ("cpp", "class A {}; class B : public A { int x; };", "class A {}; struct B : A { int x; };"),
    # An include with its mentions.
    ("c", '#include <stdio.h>\nint main() { int x = 1; printf("%d", x); return x; }\n',
     "int main() { int x = 1; return x; }"),
    ("cpp", "#include <vector>\nint n;\nstd::vector<int> v;\n", "int n;"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), EXAMPLES)
def test_what_is_proposed(language: str, text: str, expected: str) -> None:
    wanted = expected.replace(" ", "")
    found = {one.replace(" ", "") for one in proposals(language, text)}
    assert wanted in found


def test_the_pass_in_the_pipeline() -> None:
    text = "namespace n { struct A { int x; }; struct B {}; } n::A one; n::B two;\n"
    test = both(
        has(r"struct A\b", r"struct B\b"),
        paired(r"namespace n", r"n::A"),
        paired(r"namespace n", r"n::B"),
        has(r"\bA\b.*\bone", r"\bB\b.*\btwo"),
    )
    assert minimum("cpp", text, test, "together") == "struct A; struct B; A one; B two;"


def test_aliases_are_inlined() -> None:
    names = {one.name for one in rewrites_of("cpp")}
    assert {"inline an alias", "inline a typedef"} <= names
    text = "using number = int; number one; number two;\n"
    test = both(
        has(r"\b(int|number) one;", r"\b(int|number) two;"), paired(r"using", r"number (one|two)")
    )
    assert minimum("cpp", text, test, "rewrites") == "int one; int two;"


def test_aliases_of_typescript_are_inlined() -> None:
    text = "type N = number; let one: N; let two: N;\n"
    test = both(has(r"one: (N|number);", r"two: (N|number);"), paired("type", "(one|two): N;"))
    assert minimum("typescript", text, test, "rewrites") == "let one: number; let two: number;"


def test_odd_texts_have_proposals_too() -> None:
    for text in ("{", "template<", "enum { = , }", "class A {", "f(a, b", "", "enum e", "x<y>>z"):
        assert squeezed(text) not in proposals("cpp", text)


@pytest.mark.parametrize(
    ("language", "head", "body", "stub"),
    [
        ("rust", "fn f(x: u8) -> u8 {", "let y = g(x); y + 1 }\n", "loop{}}"),
        ("go", "package p\n\nfunc f(x int) int {", "y := g(x)\n\treturn y + 1\n}\n", "panic(0)}"),
        ("java", "class A { int f(int x) {", "int y = g(x); return y + 1; } }\n", "thrownull;}}"),
    ],
)
def test_a_function_that_has_to_return_something_gets_a_stub(
    language: str, head: str, body: str, stub: str
) -> None:
    bodies = ["".join(one.split()) for one in (body, stub)]

    def test(candidate: bytes) -> bool:
        before, _, after = candidate.decode().partition(head)
        return not before and "".join(after.split()) in bodies

    result = marrow.reduce(head + body, test, language=language, passes="together")
    assert test(result.text)
    assert bodies[1] in "".join(result.text.decode().split())
