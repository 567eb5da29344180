"""Outlines, what needs what, and slices: on small programs, seen as if they were large."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from marrow.reducers.far_view import far_view
from marrow.reducers.line_markers import without_markers
from marrow.reducers.needs import Needs, Reading
from marrow.reducers.stream import Attempts, Reducer, finish
from marrow.syntax.outliner import Outliner
from marrow.tree import smaller
from marrow.tree.outline import DeclarationOutline

HEADERS = b"".join(
    b"struct s%d { int m%d; };\nint f%d(struct s%d *p) { return p->m%d; }\n" % (n, n, n, n, n)
    for n in range(60)
)
C = HEADERS + b"int g(struct s7 *q) { return f7(q) + 1; }\nint main(void) { struct s7 a; g(&a); }\n"


def outlined(text: bytes, language: str) -> DeclarationOutline:
    outline = Outliner(language).outline(text)
    assert outline is not None
    assert outline.tree.text == text
    return outline


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


def test_a_slice_holds_what_the_last_declaration_needs() -> None:
    outline = outlined(C, "c")
    needs = Needs(outline.elements)
    last = len(outline.elements) - 1
    kept = needs.closure((last,), Reading.STRICT)
    declared = {name for index in kept for name in outline.elements[index].declares}
    assert {b"main", b"g", b"s7", b"f7"} <= declared
    assert b"s8" not in declared
    assert set(kept) <= set(needs.closure((last,), Reading.GENEROUS))


def test_closures_are_closed() -> None:
    outline = outlined(C, "c")
    needs = Needs(outline.elements)
    for root in range(0, len(outline.elements), 7):
        kept = needs.closure((root,), Reading.GENEROUS)
        assert set(needs.closure(kept, Reading.GENEROUS)) == set(kept)


def test_guests_stay_only_with_what_they_are_about() -> None:
    text = (
        b"class A {}; class B {}; bool operator==(A, A); bool operator==(B, B);"
        b"template<class T> struct hash; template<> struct hash<A> {};"
        b"template<> struct hash<B> {};"
        b"int main() { A a; hash<A> h; return a == a; }"
    )
    outline = outlined(text, "cpp")
    last = len(outline.elements) - 1
    kept = Needs(outline.elements).closure((last,), Reading.STRICT)
    texts = {node.text for i in kept if (node := outline.tree.at(outline.elements[i].place))}
    assert b"bool operator==(A, A);" in texts
    assert b"bool operator==(B, B);" not in texts
    assert b"template<> struct hash<A> {};" in texts
    assert b"template<> struct hash<B> {};" not in texts


def test_slices_find_a_failure_in_the_last_declaration_with_few_tests() -> None:
    def test(text: bytes) -> bool:
        return b"g(&a)" in text and b"int g(struct s7" in text and b"struct s7 {" in text

    result, tests = reduced(C, "c", lambda see: far_view(see, "c"), test)
    assert b"s8" not in result
    assert b"return" not in result  # what is no cause is a declaration only
    assert test(result)
    assert tests < 20


def test_binary_reduction_finds_a_body_far_from_the_end() -> None:
    def test(text: bytes) -> bool:
        return b"return p->m3;" in text and b"struct s3 {" in text

    result, tests = reduced(C, "c", lambda see: far_view(see, "c"), test)
    assert test(result)
    assert len(result) < len(C) / 10
    assert tests < 60


def test_line_markers_go_or_lose_their_nesting() -> None:
    text = b'# 1 "a.h" 1 3\nint a;\n# 2 "b.c" 2\nint b;\n'
    assert reduced(text, "c", without_markers, lambda _: True)[0] == b"int a;\nint b;\n"
    wants = reduced(text, "c", without_markers, lambda one: b'"a.h"' in one)[0]
    assert wants == b'# 1 "a.h" 3\nint a;\n# 2 "b.c"\nint b;\n'
