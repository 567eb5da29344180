"""Definitions to declarations, in batches."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from marrow.reducers.slicing.definitions import DefinitionReducer
from marrow.reducers.streams.stream import Attempts
from marrow.syntax.definition_parts import DefinitionParts
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import smaller
from marrow.tree.outline import without_parts
from tests.quality.reducing import has, reduced

CPP = """\
namespace n { enum E : int { a = 1, b }; }
template<Small T, class U = int> requires Small<T> struct A : public B<T> {
  A(int x = 3) : q(1), r(2) { f(); }
  int q = 4;
  void v() noexcept { g(); }
};
void A<int>::w() { h(); }
int x = 3;
auto y{4};
[[nodiscard]] int k();
"""

# What is left of a line without all parts of one type.
LEFT = {
    "namespace_definition/in declaration_list": "namespace n { }",
    "enum_specifier/in enumerator_list": "namespace n { enum E : int { }; }",
    "template_parameter_list/parameter_declaration": "template<class T, class U = int> requires",
    "optional_type_parameter_declaration/default_type": "template<Small T, class U > requires",
    "template_declaration/requires_clause": "class U = int> struct A : public B<T> {",
    "struct_specifier/base_class_clause": "struct A {",
    "struct_specifier/body": "struct A ;",
    "struct_specifier/in field_declaration_list": "struct A : public B<T> { };",
    "optional_parameter_declaration/default_value": "A(int x ) : q(1)",
    "function_definition/compound_statement": "A(int x = 3) ; int q = 4; void v() noexcept ;",
    "function_definition/elsewhere": "}; int x = 3;",
    "function_definition/field_initializer_list": "A(int x = 3) { f(); }",
    "field_declaration/default_value": "int q ;",
    "function_declarator/noexcept": "void v() { g(); }",
    "init_declarator/value": "int x ;",
    "init_declarator/initializer_list": "auto y ;",
    "declaration/attribute_declaration": "; int k();",
}


def squeezed(text: bytes) -> str:
    return " ".join(text.decode().split())


def test_the_parts_of_definitions_in_cpp() -> None:
    parts = DefinitionParts("cpp").parts(CPP.encode())
    assert {one.type for one in parts} == set(LEFT)
    for name, left in LEFT.items():
        gone = [one for one in parts if one.type == name]
        assert left in squeezed(without_parts(CPP.encode(), gone)), name


def test_bodies_that_are_more_likely_to_be_needed_are_types_of_their_own() -> None:
    text = (
        b"struct A { int f() { return friendly; } friend constexpr int g(A) { return 2; }\n"
        b"auto h() { return 3; } consteval int i() { return 4; } };\n"
    )
    types = {one.type.rpartition("/")[2] for one in DefinitionParts("cpp").parts(text)}
    bodies = {one for one in types if one.endswith("compound_statement")}
    kinds = {"", "friend constexpr ", "auto ", "consteval "}
    assert bodies == {f"{one}compound_statement" for one in kinds}


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("c", "struct s { int a; }; static int f(int x) { return x; }\n",
         "struct s ; static int f(int x) ;"),
        ("c", "struct { int a; } v = { 1 }; typedef struct t { int b; } t;\n",
         "struct { } v ; typedef struct t { } t;"),
        ("c", "__attribute__((noinline)) int f(void) __attribute__((cold)) { return 1; }\n",
         "int f(void) ;"),
        ("java", "@A class C extends D implements E { int x = f(); void g() throws F { h(); } }\n",
         "class C { }"),
        ("python", "class A(B):\n    x = 1\n    def f(self, y=2):\n        return y\n",
         "class A(B): pass"),
        ("python", "@d\ndef f(y=2):\n    return y\n", "def f(y ): pass"),
        ("javascript", "class A extends B { m(a = 1) { return a; } } let x = f();\n",
         "class A { } let x ;"),
        ("typescript", "enum E { a } interface I extends J { x: string }\n",
         "enum E { } interface I { }"),
        ("go", "package p\nfunc f() {\n\tg()\n}\nvar x = 3\n", "package p func f() { } var x"),
        ("rust", "#[a]\nmod m { fn f<T: B>() where T: C { g(); } }\n", "mod m { }"),
        ("rust", "fn f<T: B>() where T: C { g(); }\n", "fn f<T >() { }"),
        ("csharp", "namespace N { class A : B { } }\n", "namespace N { }"),
        # What has to return something gets a body that needs no value.
        ("rust", "fn f(x: u8) -> u8 { let y = x; y + 1 }\n", "fn f(x: u8) -> u8 {loop{}}"),
        ("rust", "fn f() -> () { g(1, 2, 3); }\n", "fn f() -> () { }"),
        ("go", "package p\nfunc f() (int, error) { return g() }\n",
         "package p func f() (int, error) {panic(0)}"),
        ("java", "int f(int x) { return x * 1000; }\n", "int f(int x) {throw null;}"),
        ("csharp", "int f(int x) { return x * 1000; }\n", "int f(int x) {throw null;}"),
        ("scala", "def f(x: Int): Int = { g(x) + 1 }\n", "def f(x: Int): Int = {???}"),
        ("swift", "func f() -> Int { return g(1000) }\n", "func f() -> Int {fatalError()}"),
    ],
)  # fmt: skip
def test_all_parts_at_once(language: str, text: str, left: str) -> None:
    parts = DefinitionParts(language).parts(text.encode())
    assert squeezed(without_parts(text.encode(), parts)) == left


def declared(text: str, test: Callable[[str], bool], least: float = 0.0) -> tuple[str, list[str]]:
    """Return what is left of a C program, and what was tried."""
    tree = TreeSitterFrontEnd("c").parse(text.encode())
    parts = DefinitionParts("c").parts(text.encode())
    attempts = Attempts(DefinitionReducer(tree, parts, lambda _tree, _beliefs: None, least).run())
    tried: list[str] = []
    while (one := next(attempts, None)) is not None:
        assert smaller(one.tree, tree)
        tried.append(one.phase)
        if test(squeezed(one.tree.text)):
            tree, attempts = one.tree, Attempts(one.then())
    return squeezed(tree.text), tried


FUNCTIONS = " ".join(f"int f{at}(int x) {{ return x + {at}; }}" for at in range(8))


def test_all_bodies_go_in_one_test() -> None:
    left, tried = declared(FUNCTIONS, lambda _: True)
    assert left == " ".join(f"int f{at}(int x) ;" for at in range(8))
    assert len(tried) == 1


def test_halves_of_what_must_stay() -> None:
    left, tried = declared(FUNCTIONS, has(r"return x \+ 2;"))
    assert left.count("{") == 1
    assert "int f2(int x) { return x + 2; }" in left
    # All, the first half; the second half goes at once; then two and two, one and one: where one
    # half goes the other is known to stay.
    assert len(tried) <= 6
    assert set(tried) == {"declarations: block"}


def test_runs_that_promise_little_are_not_tried() -> None:
    _, tried = declared(FUNCTIONS, lambda _: False, least=0.3)
    assert len(tried) == 1


def test_the_pass_is_the_same_for_any_number_of_workers() -> None:
    body = " ".join(f"x = x * {at} + f(x, {at});" for at in range(6))
    text = " ".join(f"int f{at}(int x) {{ {body} return x; }}" for at in range(9))
    test = has(r"int f0\b", r"int f3\(int x\) {.*x \* 4", r"int f8\b")
    one = reduced("c", text, test, "declarations")
    assert "int f0" in one.text.decode()
    assert one.text == reduced("c", text, test, "declarations", workers=3).text
