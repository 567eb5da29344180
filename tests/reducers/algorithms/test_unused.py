"""Leftovers: what a success has left without a use goes at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from marrow.reducers.algorithms.unused import delete_unused
from marrow.reducers.streams.minimal_replacement import vanishes
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Tree
from tests.reducers.running import Run, run


def after_deleting(
    element: bytes, text: bytes, interesting: Callable[[bytes], bool] = lambda one: b"main" in one
) -> Run:
    """Delete an element of a C program, then what is no longer used; `main` has to stay."""
    before = TreeSitterFrontEnd("c").parse(text)
    place = next(
        place
        for place, node in before.walk()
        if node.text.strip() == element and vanishes(before, place)
    )
    after = before.delete([place])

    def test(tree: Tree) -> bool:
        return interesting(tree.text)

    return run(after, delete_unused(before, after, finish), test)


def accepted(outcome: Run) -> list[bytes]:
    return [b" ".join(text.split()) for text in outcome.accepted]


def test_what_is_no_longer_used_goes_and_what_only_that_used() -> None:
    text = b"typedef int t;\nt a;\nint b;\nint main() { a = 1; b = 2; }\n"
    assert accepted(after_deleting(b"a = 1;", text)) == [
        b"typedef int t; int b; int main() { b = 2; }",
        b"int b; int main() { b = 2; }",
    ]


def test_together_first_then_one_by_one_from_the_back() -> None:
    text = b"int a;\nint b;\nint c;\nint main() { a = b + c; }\n"
    outcome = after_deleting(b"a = b + c;", text, lambda one: b"int b;" in one)
    assert [b" ".join(one.split()) for one in outcome.tried] == [
        b"int main() { }",
        b"int a; int b; int main() { }",
        b"int a; int main() { }",
        b"int b; int main() { }",
    ]
    assert accepted(outcome)[-1] == b"int b; int main() { }"


def test_a_function_that_only_calls_itself_is_not_used() -> None:
    text = b"int f(int x) { return f(x); }\nint main() { f(1); g(); }\n"
    assert accepted(after_deleting(b"f(1);", text)) == [b"int main() { g(); }"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"int a;\nint main() { a = 1; a = 2; }\n", id="still used"),
        pytest.param(b"int a;\nint main() { a = 1; return a; }\n", id="used elsewhere"),
        pytest.param(b"int b;\nint main() { a = 1; }\n", id="never used"),
    ],
)
def test_all_else_stays(text: bytes) -> None:
    assert after_deleting(b"a = 1;", text).tried == []


def test_a_name_that_may_go_alone_is_not_what_introduces_it() -> None:
    text = b"struct s { int x; };\nint main() { struct s *p; }\n"
    assert accepted(after_deleting(b"struct s *p;", text)) == [b"int main() { }"]


def test_one_inside_the_other() -> None:
    text = b"int f() { int a; }\nint main() { f(a); return 0; }\n"
    assert accepted(after_deleting(b"f(a);", text)) == [b"int main() { return 0; }"]
