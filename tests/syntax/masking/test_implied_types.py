"""Declarations of C that leave out their type: no errors, and positions are those of the text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.syntax.masking.implied_types import implied
from marrow.syntax.reparse import ReparseValidity
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import deletable
from tests.syntax.cases import texts

TEXTS = [
    b"main(){return f(1);}\n\nf(a){if(a){g();}while(a){}}\n",
    b"a(b,c)char*b;{}",
    b"static a,b;extern*c();const d=1;",
    b"char x;/* main() { */f(){auto a;static b[2];return x;}static*g(){}",
    b'#define A\n f(int,char*p){puts("static a;");}volatile v;',
    b"static a __attribute__((x));b(){}",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_compilers_take_is_no_error(text: bytes) -> None:
    front = TreeSitterFrontEnd("c")
    tree = front.parse(text)
    tokens = [one.text for one in tree.tokens()]
    assert not front.errors(text)
    assert tree.text == text
    assert texts(front, text) == tokens
    assert b"int" not in tokens[:1]
    assert not any(node.symbol == "ERROR" for _, node in tree.walk())


def test_where_the_types_are_implied() -> None:
    text = b"static a;b(){register*c=0;if(d)e(f);}int g(){h(i);}T j;k(l)T l;{}"
    told = b"static int a;int b(){register int *c=0;if(d)e(f);}int g(){h(i);}T j;int k(l)T l;{}"
    assert implied(text, "c").told(text).replace(b"  ", b" ").replace(b"; ", b";") == told


def test_a_function_without_a_type_is_an_element_with_parts() -> None:
    tree = TreeSitterFrontEnd("c").parse(b"int x;f(int a,int b){g();}")
    lists = [[one.text for one in node.elements] for _, node in tree.walk() if node.elements]
    assert [b"int x;", b"f(int a,int b){g();}"] in lists
    assert [b"int a", b"int b"] in lists
    assert [b"g();"] in lists


def test_what_stands_in_front_of_the_type_may_go() -> None:
    tree = TreeSitterFrontEnd("c").parse(b"static a(){}")
    assert [one.text for _, node in tree.walk() for one in deletable(node)] == [b"static"]


def test_candidates_of_such_a_text_are_judged_as_it_was() -> None:
    front, validity = TreeSitterFrontEnd("c"), ReparseValidity("c")
    validity.rebase(front.parse(b"int f(){g();}"))
    assert not validity.valid(front.parse(b"f(){g();}"))
    validity.rebase(front.parse(b"f(){g();}"))
    assert validity.valid(front.parse(b"f(){}"))
    assert not validity.valid(front.parse(b"f({}"))
    assert not validity.valid(front.parse(b"f(){g(;}"))


WORDS = [b"static", b"a", b"b", b"(", b")", b"{", b"}", b"int", b";", b"*", b"=", b",", b"'"]


@settings(max_examples=30)
@given(st.lists(st.sampled_from(WORDS), max_size=20))
def test_any_text_comes_back(words: list[bytes]) -> None:
    text = b" ".join(words)
    tree = TreeSitterFrontEnd("c").parse(text)
    tokens = list(tree.tokens())
    between = b"".join((one.before if one.serial else b"") + one.text for one in tokens)
    assert tree.text == text
    assert tree.head + between + tree.tail == text
