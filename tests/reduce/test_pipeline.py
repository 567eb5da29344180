"""The pipeline: 1-tree-minimal, nothing changes when it runs again, the same for any workers."""

from __future__ import annotations

import random
import re

import pytest

from marrow.reduce.passes.table import PASSES, passes_of
from marrow.reduce.pipeline import EFFORTS
from marrow.syntax.choose import view_of
from marrow.tree import EditError, size
from tests.quality.reducing import reduced
from tests.reduce.test_hdd import vanishing_places
from tests.syntax.cases import DIRECTORY

ALL = ",".join(one.name for one in PASSES)


def some_words(text: str) -> set[str]:
    return set(random.Random(1).sample(re.findall(r"[A-Za-z_]{3,}", text), 3))


@pytest.mark.parametrize("name", ["ring.c", "cart.js", "Bank.java", "parse.rs", "queue.go"])
def test_result_is_minimal_and_stays(name: str) -> None:
    text = (DIRECTORY / name).read_text()
    needed = some_words(text)
    language = view_of(name, text.encode()).language

    def test(candidate: str) -> bool:
        return all(word in candidate for word in needed)

    result = reduced(language, text, test, ALL)
    again = reduced(language, result.text.decode(), test, ALL)
    assert again.text == result.text
    assert reduced(language, text, test, ALL, workers=3).text == result.text
    front = view_of(name, result.text).counter
    tree = front.parse(result.text)
    validity = front.validity()
    assert validity is not None
    validity.rebase(tree)
    for place in vanishing_places(tree):
        try:
            smaller = tree.delete([place])
        except EditError:
            continue
        if size(smaller) < size(tree) and validity.valid(smaller):
            assert not test(smaller.text.decode())


def test_never_larger_than_the_tree_stage_alone() -> None:
    text = (DIRECTORY / "walk.pyw").read_text()
    needed = {"pair", "range", "encoding"}

    def test(candidate: str) -> bool:
        return all(word in candidate for word in needed)

    alone = reduced("python", text, test, "none")
    for effort in EFFORTS:
        assert reduced("python", text, test, ALL, effort=effort).tokens_after <= alone.tokens_after


def test_passes_are_chosen_and_ordered_by_name() -> None:
    assert [one.name for one in passes_of("less, names")] == ["less", "names"]
    assert passes_of("none") == ()
    assert [one.name for one in passes_of("-windows")] == [
        one.name for one in PASSES if one.name != "windows"
    ]
    with pytest.raises(LookupError):
        passes_of("names,wonders")


def test_type_batching_opens_on_a_large_input() -> None:
    """Many functions that are called: with batches the calls go first, and then the functions."""
    names = [f"f{number}" for number in range(60)]
    text = "".join(f"int {name}(int x)\n{{\n  return x;\n}}\n" for name in names)
    calls = "".join(f"  {name}(1);\n" for name in names)
    text += f"int main()\n{{\n{calls}  crash();\n}}\n"
    asked: list[str] = []

    def test(candidate: str) -> bool:
        asked.append(candidate)
        called = set(re.findall(r"  (f\d+)\(", candidate))
        return "crash();" in candidate and called <= set(re.findall(r"int (f\d+)", candidate))

    def run(passes: str) -> tuple[bytes, int]:
        asked.clear()
        return reduced("c", text, test, passes).text, len(asked)

    alone, tests_alone = run("none")
    opened, tests = run("batched")
    assert opened == alone
    assert tests < tests_alone
