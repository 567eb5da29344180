"""What an edit leaves alone goes with it, where a compiler rejects names without a use."""

from __future__ import annotations

import pytest

from marrow.reducers.passes.name_passes import cascade_delete
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from tests.quality.reducing import both, has, minimum, paired
from tests.reducers.running import run

_TEXT = """package p

import "strconv"

func f[T any](a T, b any) {}

func g() {
\tf(crash[int], strconv.Itoa)
}
"""


def test_a_parameter_goes_with_the_import_that_its_argument_used() -> None:
    test = both(
        has(r"func f\[T any\]\(a T", r"\) ?{}", r"f\(crash\[int\]"), paired("import", r"strconv\.")
    )
    test = both(test, paired(r"a T, b any", r"int\], ?\w"))
    left = minimum("go", _TEXT, test, "together")
    assert left == "func f[T any](a T) {} func g() { f(crash[int]) }"


def test_a_value_becomes_a_smaller_one_and_its_import_goes() -> None:
    test = both(has(r"f\(crash\[int\], ?\w"), paired("import", r"strconv\."))
    assert "strconv" not in minimum("go", _TEXT, test, "less")


@pytest.mark.parametrize(
    ("language", "text", "pairs", "expected"),
    [
        (
            "java",
            "class A { int n; int g(int a) { return n + a; }"
            " void f() { int x = 1; g(x); crash(); } }",
            [("int n;", r"n \+ a"), ("int g", r"\bg\(x\)"), ("int x", r"\bg\(x\)")],
            "class A { void f() { crash(); } }",
        ),
        (
            "go",
            'package p\n\nimport (\n\t"fmt"\n\t"sort"\n)\n\nfunc g(a []int) { sort.Ints(a) }\n\n'
            "func f() {\n\tx := []int{1}\n\tg(x)\n\tfmt.crash()\n}\n",
            [('"sort"', r"sort\."), (r"func g", r"\bg\(x\)"), (r"x := ", r"g\(x\)")],
            'package p import ( "fmt" ) func f() { fmt.crash() }',
        ),
    ],
)  # fmt: skip
def test_an_element_goes_with_all_that_it_leaves_alone(
    language: str, text: str, pairs: list[tuple[str, str]], expected: str
) -> None:
    tree = TreeSitterFrontEnd(language).parse(text.encode())
    test = both(has(r"crash\(\)", " f\\("), *(paired(*pair) for pair in pairs))
    left = run(tree, cascade_delete(tree, finish), lambda one: test(one.text.decode()))
    assert left.tree.text.decode().split() == expected.split()
