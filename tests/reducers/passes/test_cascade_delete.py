"""What an edit leaves alone goes with it, where a compiler rejects names without a use."""

from __future__ import annotations

from tests.quality.reducing import both, has, minimum, paired

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
