"""Outlines, what needs what, slices and cuts: on small programs, seen as if they were large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from marrow.reducers.pipeline.coarse_reducers import without_markers
from marrow.reducers.slicing.declaration_graph import DeclarationGraph, Unit
from marrow.reducers.slicing.lookup_precision import LookupPrecision, closure
from marrow.reducers.slicing.outline_reduction import reduce_outline
from marrow.reducers.slicing.slices import Slicing, sliced
from marrow.reducers.slicing.user_code_slice import slice_user_code
from marrow.reducers.streams.stream import Attempts, Reducer, finish
from marrow.syntax.outline_front_end import OutlineFrontEnd
from marrow.syntax.outliner import Outliner
from marrow.tree import smaller
from marrow.tree.outline import DeclarationOutline, OutputHints
from tests.reducers.slicing.outlined import outlined

HEADERS = b"".join(
    b"struct s%d { int m%d; };\nint f%d(struct s%d *p) { return p->m%d; }\n" % (n, n, n, n, n)
    for n in range(60)
)
C = HEADERS + b"int g(struct s7 *q) { return f7(q) + 1; }\nint main(void) { struct s7 a; g(&a); }\n"


def reduced(
    text: bytes, language: str, make: Callable[..., Reducer], test: Callable[[bytes], bool]
) -> tuple[bytes, int]:
    """Return the result, and how many tests it took; verdicts are remembered."""
    see = Outliner(language).outline
    tree = outlined(text, language).tree
    attempts = Attempts(make(see)(tree, finish))
    known: dict[bytes, bool] = {}
    while (one := next(attempts, None)) is not None:
        if one.tree.text not in known:
            known[one.tree.text] = test(one.tree.text)
        if smaller(one.tree, tree) and known[one.tree.text]:
            tree, attempts = one.tree, Attempts(one.then())
    return tree.text, len(known)


def names(outline: DeclarationOutline) -> list[set[bytes]]:
    return [set(one.declares) for one in outline.elements]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("c", b"typedef struct a { int x; } b; enum e { P, Q }; int f(int y);", "b a|e P Q|f"),
        ("cpp", b"template<class T> struct A { void m() {} };", "A|m"),
        ("cpp", b"namespace n { class B; using C = int; }", "n|B|C"),
        ("python", b"import os\nclass A:\n    def m(self):\n        pass\nx = 1\n", "os|A|m|x"),
        ("javascript", b"function f() { g(); } class A { m() {} } const x = 1;", "f|A|m|x"),
        ("go", b"package p\nfunc F() { g() }\nvar v = 1\ntype T struct { x int }\n", "F|v|T"),
        ("rust", b"fn f() { g(); } struct S { x: u8 } impl S { fn m(&self) {} }", "f|S|S|m"),
        ("java", b"class A { int x; void m() { } }", "A|x|m"),
    ],
)
def test_outlines_know_what_is_declared(language: str, text: bytes, expected: str) -> None:
    wanted = [set(one.encode().split()) for one in expected.split("|")]
    every: set[bytes] = set().union(*wanted)
    found = [one & every for one in names(outlined(text, language))]
    assert [one for one in found if one] == wanted


def test_an_inline_namespace_is_needed_where_it_is_called_inline_in_that_scope() -> None:
    text = (
        b"namespace a { inline namespace v { } namespace b { inline namespace v { } } }\n"
        b"namespace a { namespace b { namespace v { struct A; } } }\n"
        b"int f(a::b::A *x) { return 0; }\n"
    )
    outline = outlined(text, "cpp")
    kept = closure(DeclarationGraph(outline), (outline.last,), LookupPrecision.LEAN)
    called = [at for at, one in enumerate(outline.elements) if b"inline" in one.mentions.free]
    assert [one in kept for one in called] == [False, True]


def test_a_slice_holds_what_the_last_declaration_needs() -> None:
    outline = outlined(C, "c")
    graph = DeclarationGraph(outline)
    last = len(outline.elements) - 1
    kept = closure(graph, (last,), LookupPrecision.STRICT)
    declared = {name for index in kept for name in outline.elements[index].declares}
    assert {b"main", b"g", b"s7", b"f7"} <= declared
    assert b"s8" not in declared
    assert set(kept) <= set(closure(graph, (last,), LookupPrecision.GENEROUS))


def test_closures_are_closed() -> None:
    outline = outlined(C, "c")
    graph = DeclarationGraph(outline)
    for root in range(0, len(outline.elements), 7):
        kept = closure(graph, (root,), LookupPrecision.GENEROUS)
        assert set(closure(graph, kept, LookupPrecision.GENEROUS)) == set(kept)


def test_guests_stay_only_with_what_they_are_about() -> None:
    text = (
        b"class A {}; class B {}; bool operator==(A, A); bool operator==(B, B);"
        b"template<class T> struct hash; template<> struct hash<A> {};"
        b"template<> struct hash<B> {};"
        b"int main() { A a; hash<A> h; return a == a; }"
    )
    outline = outlined(text, "cpp")
    last = len(outline.elements) - 1
    kept = closure(DeclarationGraph(outline), (last,), LookupPrecision.STRICT)
    texts = {node.text for i in kept if (node := outline.tree.at(outline.elements[i].place))}
    assert b"bool operator==(A, A);" in texts
    assert b"bool operator==(B, B);" not in texts
    assert b"template<> struct hash<A> {};" in texts
    assert b"template<> struct hash<B> {};" not in texts


def test_slices_find_a_failure_in_the_last_declaration_with_few_tests() -> None:
    def test(text: bytes) -> bool:
        return b"g(&a)" in text and b"int g(struct s7" in text and b"struct s7 {" in text

    result, tests = reduced(C, "c", lambda see: reduce_outline(see, "c"), test)
    assert b"s8" not in result
    assert b"return" not in result  # what is no cause is a declaration only
    assert test(result)
    assert tests < 20


def test_a_body_far_from_the_end_is_found() -> None:
    def test(text: bytes) -> bool:
        return b"return p->m3;" in text and b"struct s3 {" in text

    result, tests = reduced(C, "c", lambda see: reduce_outline(see, "c"), test)
    assert test(result)
    assert len(result) < len(C) / 10
    assert tests < 40


def test_line_markers_go_or_lose_their_nesting() -> None:
    text = b'# 1 "a.h" 1 3\nint a;\n# 2 "b.c" 2\nint b;\n'
    assert reduced(text, "c", lambda _: without_markers, lambda _: True)[0] == b"int a;\nint b;\n"
    wants = reduced(text, "c", lambda _: without_markers, lambda one: b'"a.h"' in one)[0]
    assert wants == b'# 1 "a.h" 3\nint a;\nint b;\n'  # all of it is a system header then
    wants = reduced(text, "c", lambda _: without_markers, lambda one: b'"b.c"' in one)[0]
    assert wants == b'# 1 "a.h" 3\nint a;\n# 2 "b.c"\nint b;\n'


def kept_of(text: bytes, reading: LookupPrecision) -> set[bytes]:
    """Return the texts of what the last element needs."""
    outline = outlined(text, "cpp")
    kept = closure(DeclarationGraph(outline), (outline.last,), reading)
    nodes = (outline.tree.at(outline.elements[index].place) for index in kept)
    return {node.text for node in nodes if node is not None}


@pytest.mark.parametrize(
    ("use", "needed"),
    [
        (b"namespace b { int g() { return f(); } }", b"int f(long);"),
        (b"int g() { return a::f(); }", b"int f(int);"),
        (b"int g() { return ::f(); }", b"int f(char);"),
        (b"int g() { return f(); }", b"int f(char);"),
        (b"namespace d { int g() { return c::f(); } }", b"int f(short);"),
    ],
)
def test_names_are_looked_up_in_their_scopes(use: bytes, needed: bytes) -> None:
    declared = (
        b"namespace a { int f(int); }\nnamespace b { int f(long); }\nint f(char);\n"
        b"namespace c { inline namespace v1 { int f(short); } }\n"
    )
    found = kept_of(declared + use, LookupPrecision.BARE)
    assert [one for one in found if one.startswith(b"int f")] == [needed]


def test_members_are_no_names_of_a_scope() -> None:
    text = b"int size(int);\nstruct A { int size(); };\nint g(A a) { return a.size(); }"
    found = kept_of(text, LookupPrecision.STRICT)
    assert b"int size();" in found
    assert b"int size(int);" not in found
    assert b"int size(int);" in kept_of(text, LookupPrecision.GENEROUS)


def test_words_that_are_no_mentions_need_nothing() -> None:
    text = (
        b"namespace s { struct years { int n; }; struct locale { int m; }; int count(int); }\n"
        b"struct A { A(int years); static_assert(1, "
        b'"no locale"); int size(); };\n'
        b"struct B { int size(); int begin(); };\n"
        b"int g(A a, B b) { for (auto x : b) count(x); }"
    )
    found = kept_of(text, LookupPrecision.BARE)
    assert b"int count(int);" in found  # found by the types of its arguments
    assert b"int begin();" in found  # a loop over a range needs it
    assert not any(one.startswith((b"struct years", b"struct locale")) for one in found)
    assert b"int size();" not in found  # a declaration is no mention of another


def test_inline_namespaces_stay_inline() -> None:
    text = (
        b"namespace s { inline namespace v __attribute__((x)) { } }\n"
        b"namespace s { namespace v { struct A; } }\ns::A *g();"
    )
    assert b"inline namespace v __attribute__((x)) { }" in kept_of(text, LookupPrecision.BARE)


def test_the_definition_of_a_member_class_stays_with_it() -> None:
    text = b"class L { class id; id *x; };\nclass L::id { int n; };\nint g(L l) { return 0; }"
    assert any(one.startswith(b"class L::id") for one in kept_of(text, LookupPrecision.BARE))


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        (
            b"template<class T> int f(T *);\nstruct A { friend int f<>(A *); };\nint g(A a) { }",
            b"template<class T> int f(T *);",
        ),
        (
            b"using days = int;\nstruct A { operator days() const; days d; };\nint g(A a) { }",
            b"using days = int;",
        ),
        (
            b"struct B { B(int); };\nstruct A : B { using B::B; };\nint g(A a) { }",
            b"struct B { B(int); };",
        ),
        (
            b"namespace s::d { int f(int); }\nnamespace q { int x; }\n"
            b"int g() { namespace t = s::d; return t::f(1); }",
            b"int f(int);",
        ),
        (
            b"namespace s { int f(int); }\nnamespace t = s;\nint g() { return t::f(1); }",
            b"int f(int);",
        ),
    ],
    ids=["friend", "conversion", "inherited constructors", "local alias", "alias"],
)
def test_names_that_look_declared_elsewhere_are_needed(text: bytes, needed: bytes) -> None:
    assert needed in kept_of(text, LookupPrecision.BARE)


def test_a_specialisation_by_computed_arguments_stays_with_its_template() -> None:
    text = (
        b"template<class T> struct void_of { typedef void type; };\n"
        b"struct T { int x; };\nstruct Far { int x; };\n"
        b"template<class T, class = void> struct sized { };\n"
        b"template<class T> struct sized<T, typename void_of<T>::type> { int a; };\n"
        b"template<class T> struct sized<Far, T> { int b; };\n"
        b"sized<int> g();"
    )
    found = b"".join(kept_of(text, LookupPrecision.BARE))
    assert b"int a;" in found
    assert b"int b;" not in found
    constant = b"struct A { static const A one; int n; };\nconst A A::one(1);\nA g() { A a; }"
    assert b"const A A::one(1);" in kept_of(constant, LookupPrecision.BARE)


def test_a_class_that_is_named_without_arguments_keeps_its_deduction_guides() -> None:
    guide = b"template<class T> view(T) -> view<kept_t<T>>;"
    text = (
        b"namespace s {\ntemplate<class T> using kept_t = T *;\n"
        b"template<class T> struct view { view(T); };\n" + guide + b"\n"
        b"template<class T> struct other { };\ntemplate<class T> other(T) -> other<T>;\n"
        b"template<class T> concept viewable = requires(T t) { view(t); };\n}\n"
        b"template<s::viewable T> int g(T);\n"
    )
    for reading in LookupPrecision:
        kept = kept_of(text, reading)
        assert guide in kept
        assert b"template<class T> using kept_t = T *;" in kept
        assert b"template<class T> other(T) -> other<T>;" not in kept


CONSTANTS = (
    b"constexpr int size(int a) { return a + 1; }\n"
    b"constexpr int other(int a) { return a + 2; }\n"
    b"int far(int a) { return other(a); }\n"
    b"struct A { int b[size(3)]; static_assert(size(1) == 2); int get() { return far(1); } };\n"
    b"int pointed(int a) { return far(a); }\n"
    b"int main() { A a; return a.get() + pointed(1); }\n"
)


def slices_of(outline: DeclarationOutline) -> list[bytes]:
    return [one.tree.text for one in Attempts(sliced("cpp")(outline, finish))]


def test_the_first_slices_have_the_bodies_of_what_is_pointed_to_alone() -> None:
    outline = outlined(CONSTANTS, "cpp")
    pointed = next(at for at, one in enumerate(outline.elements) if b"pointed" in one.declares)
    found = slices_of(replace(outline, pointed=frozenset({pointed})))
    assert found[0] == (
        b"constexpr int size(int a) ;\nint far(int a) ;\n"
        b"struct A { int b[size(3)]; int get() ; };\n"
        b"int pointed(int a) { return far(a); }\n"
        b"int main() { A a; return a.get() + pointed(1); }\n"
    )
    # Then constants keep their values.
    assert any(b"size(int a) { return" in one and b"far(int a) ;" in one for one in found)


def page_slices(text: bytes, line: bytes) -> list[bytes]:
    front = OutlineFrontEnd("cpp", large=0, hints=OutputHints((line,)), deep=True)
    outline = front.outline(text)
    assert outline is not None
    return [one.tree.text for one in Attempts(slice_user_code("cpp")(outline, finish))]


PAGE = (
    b"struct Item {\n  int price;\n  int other;\n};\n"
    b"struct Unused {\n  int count;\n};\n"
    b"static int total(Item *i) {\n  int count = 1;\n  int idle = 2;\n  idle = 3;\n"
    b"  count = bad(i->price);\n  return count;\n}\n"
    b"int main() {\n  int count = 7;\n  Item i;\n  total(&i);\n}\n"
)


def test_the_slice_of_a_page_keeps_what_a_statement_needs() -> None:
    alone, returning, with_class, called, all_of_it = page_slices(PAGE, b"count = bad(i->price);")
    assert alone == (
        b"struct Item {\n  int price;\n};\n"
        b"static int total(Item *i) {\n  int count = 1;\n  count = bad(i->price);\n}\n"
    )
    assert returning == alone.replace(b"->price);\n", b"->price);\n  return count;\n")
    assert with_class == returning.replace(b"price;\n", b"price;\n  int other;\n")
    assert called.startswith(alone)
    assert b"int main() {\n  Item i;\n  total(&i);\n}" in called
    assert b"return count;" not in called
    assert b"return count;" in all_of_it
    assert b"idle" not in all_of_it


def test_functions_that_nothing_points_into_become_empty_behind_a_slice() -> None:
    text = b"int two() {\n  int a = 2;\n  return a;\n}\nint one() {\n  bad(two());\n}\nint last;\n"
    outline = OutlineFrontEnd(
        "cpp", large=0, hints=OutputHints((b"bad(two());",)), deep=True
    ).outline(text)
    assert outline is not None
    first = next(Attempts(slice_user_code("cpp")(outline, finish)))
    assert first.tree.text == text.replace(b"int last;\n", b"")
    (emptied,) = Attempts(first.then())
    assert emptied.tree.text.split() == b"int two() { } int one() { bad(two()); }".split()


def test_a_body_that_is_computed_comes_back_with_those_that_it_calls() -> None:
    outline = outlined(
        b"constexpr int one() { return 1; }\nconstexpr int two() { return one() + 1; }\n"
        b"constexpr int three() { return two() + 1; }\nint four() { return three(); }\n"
        b"constexpr int five() { return 5; }\nconstexpr int n = three() + five();\n",
        "cpp",
    )
    slicing = Slicing(outline)
    assert slicing.bodies == {0, 1, 2, 3, 4}
    slicing.keep(frozenset({Unit(2, body=True)}))
    assert slicing.bodies == {3, 4}


def test_a_local_name_does_not_hide_a_member() -> None:
    text = (
        b"struct Item {\n  int price;\n  int other;\n};\n"
        b"int total() {\n  for (int price : all(&Item::price))\n    bad(price);\n}\n"
    )
    alone = page_slices(text, b"for (int price : all(&Item::price))")[0]
    assert alone.startswith(b"struct Item {\n  int price;\n};")


def test_a_head_does_not_mention_others_of_its_name_and_a_class_keeps_what_is_public() -> None:
    text = (
        b"class Lamp {\npublic:\n  int saved() { return bad(1); }\n  int idle() { return 2; }\n};\n"
        b"class House {\npublic:\n  int saved() { return lamp.saved(); }\n  Lamp lamp;\n};\n"
    )
    alone = page_slices(text, b"int saved() { return bad(1); }")[0]
    assert alone.split() == b"class Lamp { public: int saved() { } };".split()


def test_a_page_that_nothing_points_to_is_left_to_others() -> None:
    assert page_slices(PAGE, b"no such line") == []


def test_a_namespace_that_is_used_is_opened_first() -> None:
    text = (
        b"namespace m { int far; }\nnamespace b { using namespace m; int f(int); }\n"
        b"namespace m { int near; }\nint g() { return b::f(m::near); }\n"
    )
    outline = outlined(text, "cpp")
    first = next(one.tree.text for one in Attempts(sliced("cpp")(outline, finish)))
    assert first.startswith(b"namespace m { }\nnamespace b { using namespace m; int f(int); }")


def test_a_name_in_brackets_is_declared() -> None:
    assert names(outlined(b"typedef char (&yes)[2];", "cpp")) == [{b"yes"}]


def test_directives_stay_around_what_they_hold_for() -> None:
    text = (
        b'#pragma GCC push_options\n#pragma GCC target("avx")\nint f(int a) { return a; }\n'
        b"#pragma GCC pop_options\n#pragma pack(push, 1)\nint far;\n#pragma pack(pop)\n"
        b"int main(void) { return f(1); }\n"
    )
    outline = outlined(text, "c")
    kept = closure(DeclarationGraph(outline), (outline.last,), LookupPrecision.BARE)
    words = b" ".join(word for at in kept for word in sorted(outline.elements[at].mentions.words))
    assert words.count(b"GCC") == 3
    assert b"pack" not in words
