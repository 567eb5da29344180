"""The pipeline: 1-tree-minimal, nothing changes when it runs again, the same for any workers."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

import pytest

from marrow.reducers.pipeline import stages
from marrow.reducers.pipeline.pass_table import PASSES, passes_of
from marrow.reducers.pipeline.pipeline import EFFORTS
from marrow.syntax.views import view_of
from marrow.tree import EditError, size
from tests.quality.reducing import reduced
from tests.reducers.algorithms.test_hdd import vanishing_places
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
    assert [one.name for one in passes_of("-tokens")] == [
        one.name for one in PASSES if one.name != "tokens"
    ]
    with pytest.raises(LookupError):
        passes_of("names,wonders")


class Calls(NamedTuple):
    """How a language has a function `f0`, a call of it, and a function of calls; what is left."""

    language: str
    function: str
    call: str
    calls: str
    left: str


CALLS = [
    Calls(
        "c",
        "int {0}(int x)\n{{\n  return x;\n}}\n",
        "  {0}(1);\n",
        "int go() {{\n{0}  crash();\n}}\n",
        "crash();",
    ),
    Calls(
        "javascript",
        "function {0}(x) {{\n  return x;\n}}\n",
        "  {0}(1);\n",
        "function go() {{\n{0}  crash();\n}}\n",
        "crash();",
    ),
    Calls(
        "python",
        "def {0}(x, y):\n    return x\n",
        "  {0}(1)\n",
        "def go():\n{0}  crash();\n",
        "def go():\n  crash();",
    ),
    Calls(
        "go",
        "func {0}(x int) int {{\n\treturn x\n}}\n",
        "  {0}(1)\n",
        "func go() {{\n{0}  crash();\n}}\n",
        "crash();",
    ),
]


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case.language)
def test_type_batching_opens_on_a_large_input(case: Calls) -> None:
    """Many functions that are called: with batches the calls go first, and then the functions."""
    names = [f"f{number}" for number in range(60)]
    calls = "".join(case.call.format(name) for name in names)
    text = "".join(map(case.function.format, names)) + case.calls.format(calls)
    asked: list[str] = []

    def test(candidate: str) -> bool:
        asked.append(candidate)
        called = set(re.findall(r"  (f\d+)\(", candidate))
        return "crash();" in candidate and called <= set(re.findall(r"\w+ (f\d+)", candidate))

    def run(passes: str, workers: int = 1) -> tuple[str, int]:
        asked.clear()
        result = reduced(case.language, text, test, passes, workers=workers)
        return result.text.decode().strip(), len(asked)

    opened, tests = run("batched")
    assert opened == case.left
    assert tests < run("none")[1]
    assert run("batched", workers=3)[0] == opened


@pytest.mark.parametrize("much", [20, 1_000_000])
def test_a_pass_that_is_broken_off_comes_again(much: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "_MUCH_LEFT", much)
    monkeypatch.setattr(stages, "_LEAST_PATIENCE", 3)
    # Only the last strings can become shorter, far behind where the pass is broken off.
    kept = [f'"needed{number}"' for number in range(12)]
    text = f'[{", ".join(kept)}, "long text", "other text"]'

    def test(candidate: str) -> bool:
        return all(one in candidate for one in kept) and candidate.count('"') >= 28

    result = reduced("json", text, test, "strings")
    assert result.text.decode().split(", ")[12:] == ['""', '""]']
    assert result.guarantee.startswith("1-tree-minimal")


def test_batches_follow_declarations_that_left_little() -> None:
    """An input that was large is reduced in batches, whatever the opening has left of it."""
    functions = [f"def f{at}(x):\n    y = [x, x, x, x, x, x]\n    return y\n" for at in range(40)]
    asked: list[str] = []

    def test(candidate: str) -> bool:
        asked.append(candidate)
        return "def f7(" in candidate

    result = reduced("python", "".join(functions), test, "declarations,batched")
    assert result.text.startswith(b"def f7(")
    assert len(asked) < len(functions) // 2, "functions do not go one by one"


def test_what_seldom_works_comes_when_nothing_else_is_left() -> None:
    """Little that is to stand for much fails twice, and then waits until the end."""
    names = [f"word{at}" for at in range(40)]
    text = f"f({', '.join(names)}, [needed, [other]]);\n"
    asked: list[str] = []

    def test(candidate: str) -> bool:
        asked.append(candidate)
        return "needed" in candidate

    assert reduced("javascript", text, test, "none").text == b"needed\n"
    alone = [one for one in asked if re.fullmatch(r"word\d+;\s*", one)]
    assert len(alone) <= 2
    # And yet it comes: nothing but a word is left of this.
    assert reduced("javascript", "f(g(needed));", test, "none").text == b"needed"
