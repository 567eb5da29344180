"""A rewrite fires wherever the parser sees a node that it matches, inside a chain too."""

from __future__ import annotations

import pytest

from marrow.reducers.passes.pass_context import PassOptions
from marrow.reducers.passes.templates import read_rewrites
from tests.quality.reducing import reduced

RULE = read_rewrites('[[rewrite]]\nmatch = "foo.bar"\nreplace = "q"\n')


@pytest.mark.parametrize(
    "call", ["f(foo.bar)", "foo.bar.sort()", "foo.bar.sort.by(1)", "x = foo.bar + 1 + 2"]
)
def test_the_object_of_a_member_expression(call: str) -> None:
    after = call.replace("foo.bar", "q")

    def spelled(text: str) -> str:
        return "".join(text.split()).rstrip(";")

    def test(text: str) -> bool:
        return spelled(text) in (spelled(call), spelled(after))

    result = reduced("javascript", f"{call};\n", test, "rewrites", PassOptions(rewrites=RULE))
    assert spelled(result.text.decode()) == spelled(after)
