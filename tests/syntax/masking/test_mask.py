"""Masking: what compilers take and the parser does not, hidden from it and back in the tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.syntax.masking.mask import masked
from marrow.syntax.reparse import ReparseValidity
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Kind

CPP = [
    b"struct A { auto f(B<int, N> = {}) const { return 1; } A f() { operator++(); return a; } };",
    b"struct A { friend void b::f(A *, A const *); friend char const * b::g(A const &); int c; };",
    b"template<class T> auto f(T& t) -> decltype(t += 0, g<true>{}) { return h(decltype(t)()); }",
    b"template<class R, class... A> struct B<R (*)(A... ...)> { using B::f; };",
    b"template<class... B> struct C : B... { using B::f...; };",
    b"template<int N> struct A<N, typename enable_if<N >= 2>::type> { int a; };",
    b"struct A { unsigned a:1 = 0; int :32; int : 3; unsigned b : 2; int c(); };",
    b"struct A { A operator-() const { return operator~() + 1; } int operator~(); };",
    b"void f() { int a = typename A<B>::template C<D, E>()(1); b.template g(2); }",
    b"double f() { return __real__ x; }",
    b'namespace std __attribute__ ((__visibility__ ("default"))) { int a; }',
    b"struct A { friend constexpr bool operator==(A, A) noexcept { return true; } };",
    b"template<typename T, typename U = T&&> U f(int);",
    b"void f(void*) = delete;",
    b"struct A { template < class V, typename std::enable_if < d::c < d::n<V>, d::n<X>, d::n<Y> >"
    b"::value, int >::type = 0 > V f() const { return g<V>(); } };",
    b"struct A { template<typename T, int N, typename B = T (&)[N]> T f(B x); int g(); };",
    b"void A::f() { if (a) { operator[](b.key()).merge(b); } else { operator[](1).c = 2; } }",
    b"template<class T> struct B<T C::*> { typedef T C::* type; };",
    b"extern template class allocator<char>;",
    b"bool f() { if constexpr (__is_same(T, long double)) return true; }",
    b"template<class T> void f(T a, P p = {}, Q q = {});",
    b"auto f() { return g(h, typename A<sizeof...(B)>::type()); }",
    b"void *p(size_t n, const void* = static_cast<const void*>(0));",
    b"int A::*f() { return (p->*q)(x); }",
    b"template class A<int>;",
    b"struct A { int f(A d) { return g[(unsigned{d.day()} - 1) / 7 + 1]; } int h(); };",
]
C = [
    b"struct a { int b; int :32; int :32; unsigned c : 2; };",
    b"typedef __signed__ char s8;",
    b"int f(va_list a) { return __builtin_va_arg(a, int *); }",
    b"static void *__attribute__((x, y(1))) f(int);",
    b'enum a {\n# 1 "f.h"\n A,\n# 2 "f.h" 3 4\n B };',
    b"_Thread_local int x; long double _Complex z;",
]


@pytest.mark.parametrize(("language", "text"), [("cpp", t) for t in CPP] + [("c", t) for t in C])
def test_real_constructs_parse_and_come_back(language: str, text: bytes) -> None:
    front = TreeSitterFrontEnd(language)
    tree = front.parse(text)
    assert tree.text == text
    assert b"".join(t.before + t.text for t in tree.tokens()) in text
    assert not front.errors(text)


def test_what_is_hidden_can_be_deleted() -> None:
    text = b'namespace std __attribute__((visibility("default"))) { int a; }'
    front = TreeSitterFrontEnd("cpp")
    tree = front.parse(text)
    hidden = [place for place, node in tree.walk() if node.symbol == "hidden" and node.children]
    assert len(hidden) == 1
    (star,) = hidden
    node = tree.at(star)
    assert node is not None
    assert node.kind is Kind.STAR
    smaller = tree.delete([star.child(node.children[0].key)])
    assert smaller.text == b"namespace std { int a; }"
    validity = ReparseValidity("cpp")
    validity.rebase(tree)
    assert validity.valid(smaller)


def test_line_markers_are_layout() -> None:
    tree = TreeSitterFrontEnd("c").parse(b'# 1 "a.h" 1 3\nint a;\n# 7 "b.c" 2\nint b;\n')
    assert [one.text for one in tree.tokens()] == [b"int", b"a", b";", b"int", b"b", b";"]


def test_texts_that_parse_are_left_alone() -> None:
    text = b"struct a { int x; } __attribute__((packed));"
    symbols = {node.symbol for _, node in TreeSitterFrontEnd("c").parse(text).walk()}
    assert "hidden" not in symbols


def test_strings_and_comments_hide_nothing() -> None:
    text = b'const char *a = "__attribute__((x))"; /* __extension__ */ // __restrict'
    assert masked(text, "c").text == text


@given(st.binary(max_size=200), st.sampled_from(["c", "cpp", "python"]))
def test_masks_keep_lengths_and_lines(text: bytes, language: str) -> None:
    shown, ranges = masked(text, language)
    assert len(shown) == len(text)
    if language == "python":
        assert shown == text
    reached = 0
    for start, end in ranges:
        assert reached <= start < end
        reached = end
        assert not shown[start:end].strip()


WORDS = [b"__attribute__((a))", b"friend", b"(", b")", b"{", b"}", b"int", b"a", b";", b"= {}"]


@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_any_text_comes_back(words: list[bytes]) -> None:
    text = b" ".join(words)
    assert TreeSitterFrontEnd("cpp").parse(text).text == text
    tree = TreeSitterFrontEnd("cpp").parse(text)
    assert (
        tree.head
        + b"".join((t.before if t.serial else b"") + t.text for t in tree.tokens())
        + tree.tail
        == text
    )


@pytest.mark.parametrize(
    "piece",
    ["typename a = ", "class a = a", "friend a::", ".~a<", "/*", 'R"(', "a::", "<a", "template ",
     "using a", "... ", "decltype(", "operator", "a : 1 ", "* =", "__attribute__((", ">= a", "\\"],
)  # fmt: skip
def test_long_texts_take_no_longer(piece: str) -> None:
    """Each rule is linear: a text that repeats its beginning would take minutes otherwise."""
    for text in (piece * 2_000, piece + "a" * 50_000, piece + " " * 50_000):
        assert len(masked(text.encode(), "cpp").text) == len(text)
