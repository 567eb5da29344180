"""Types of C that may be left out: all at once, or two tests that say no."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from marrow.reducers.passes.pass_context import PassContext, PassOptions, Stock
from marrow.reducers.passes.token_runs import implied_types_pass
from marrow.syntax.treesitter import TreeSitterFrontEnd
from tests.reducers.running import Run, run

TEXT = b"static int a;char f(int b){return b;}int*g(){}int main(){}"


def left_out(test: Callable[[bytes], bool], language: str = "c", text: bytes = TEXT) -> Run:
    """Return what the pass does to a text."""
    front = TreeSitterFrontEnd(language)
    tree = front.parse(text)
    options = PassOptions(language=language)
    context = PassContext(front, front.parse, front.compact, Stock(tree, front), options)
    return run(tree, implied_types_pass(context)(tree, lambda _: None), lambda one: test(one.text))


def test_all_types_go_at_once() -> None:
    done = left_out(lambda _: True)
    assert done.tried == [b"static a; f(int b){return b;} *g(){} main(){}"]
    assert done.tree.text == done.tried[0]


def test_two_tests_where_none_may_go() -> None:
    assert len(left_out(lambda _: False).tried) == 2


def test_each_is_tried_once_one_may_go() -> None:
    done = left_out(lambda text: re.search(rb"int\*g", text) is not None)
    assert done.tree.text == b"static a; f(int b){return b;}int*g(){} main(){}"


@pytest.mark.parametrize(
    "text", [b"int a;", b"int f(int);", b"struct a{int b;};", b"f(){}", b"int f{}"]
)
def test_there_may_be_none(text: bytes) -> None:
    assert left_out(lambda _: True, text=text).tried == []


def test_other_languages_need_their_types() -> None:
    assert left_out(lambda _: True, language="cpp").tried == []
