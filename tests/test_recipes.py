"""The recipes of CONTRIBUTING.md: a new one of each kind is a function and a row in a table.

Each test adds the row, as a contributor would in the table's own file, and uses what it added as a
user does. CONTRIBUTING.md quotes the functions and rows from here, which a test checks.
"""

# Without `from __future__ import annotations`: options are read from annotations at run time.

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypedDict, TypeVar

import pytest

import marrow
from marrow.cli.commands import reduce as cli_reduce
from marrow.cli.exits import Exit
from marrow.engine.executors import registry
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.function import CallableExecutor, FunctionJob, TestFunction
from marrow.engine.executors.registry import ExecutorKind, ExecutorOptions
from marrow.engine.process.placement import Placement
from marrow.grammar import notations
from marrow.grammar.model.rules import Grammar
from marrow.grammar.notations import Notation
from marrow.grammar.readers.bnf_read import read_bnf
from marrow.grammar.readers.scan import Loader
from marrow.languages import language_facts, recognition
from marrow.reducers.algorithms import list_minimizers
from marrow.reducers.algorithms.ddmin import Configuration, Minimal
from marrow.reducers.algorithms.list_minimizers import MinimizerRow
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.pipeline import algorithm_table, pass_table, pipeline
from marrow.reducers.pipeline.algorithm_table import Algorithm
from marrow.reducers.pipeline.pass_table import Pass
from marrow.reducers.streams.elements import delete_all, listed
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.run.options.option import SEARCH, TESTS, TEXT, Option
from marrow.run.options.options import ReduceOptions
from marrow.tree import Place, Tree
from tests.cli.running import marrow as command_line

ROOT = Path(__file__).parents[1]
T = TypeVar("T")

# -- a pass ---------------------------------------------------------------------------------------


def pairs(_: PassContext) -> Reducer:
    """Return the pass that deletes two neighbouring elements of a list at once.

    Guarantee: none by itself. Worst case: a test for each pair of neighbours.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        neighbours = [pair for row in listed(tree) for pair in pairwise(row)]
        return sweep(tree, neighbours, without, done, "deleting pairs")

    def without(tree: Tree, pair: tuple[Place, Place]) -> Iterator[Tree]:
        if all(tree.at(place) is not None for place in pair):
            candidate = delete_all(tree, pair)
            if candidate is not None:
                yield candidate

    return run


def test_a_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    row = Pass("pairs", pairs, "two neighbouring elements of a list")
    monkeypatch.setattr(pass_table, "PASSES", (*pass_table.PASSES, row))
    monkeypatch.chdir(tmp_path)
    Path("input.json").write_text("[1, 2, 3, 4, 5]")
    # An odd number of elements: none can go alone, and ddmin's halves are two and three.
    test = """[ $(($(tr -cd , < "$1" | wc -c) % 2)) = 0 ] && grep -q '\\[.*5' "$1" """
    ended = command_line(
        *("reduce", "input.json", "--shell", test, "--passes", "pairs"), "-j1", "--json"
    )
    assert ended.code == 0, ended.err
    assert "deleting pairs" in ended.err
    assert Path("input.reduced.json").read_text() == "[5]"
    assert "pairs" in command_line("help", "passes").out
    capfd.readouterr()


# -- a list minimiser -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FirstOnly:
    """Takes elements away from the front as long as that works. Guarantee: none.

    `most` is how many of them are tried. Worst case: as many tests.
    """

    most: int = 100

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration."""
        first, rest = configuration.elements[:1], configuration.elements[1:]
        if first and len(rest) >= configuration.minimum and self.most:
            smaller = configuration.without(first, rest)
            yield smaller.attempt(FirstOnly(self.most - 1), done)
        return done(configuration)


def test_a_list_minimiser(monkeypatch: pytest.MonkeyPatch) -> None:
    row = MinimizerRow("elements from the front, as long as that works", FirstOnly)
    monkeypatch.setitem(list_minimizers.LIST_MINIMIZERS, "first-only", row)

    def result(**options: int) -> bytes:
        settings = Settings(once=True).changed(list_minimizer="first-only", **options)
        test = lambda text: b"3" in text and text[:1] == b"["  # noqa: E731
        reduced = marrow.reduce(
            "[1, 2, 3, 4]", test, language="json", algorithm="perses", settings=settings
        )
        return reduced.text

    assert result() == b"[3, 4]"
    assert result(most=1) == b"[2, 3, 4]"


# -- an algorithm ---------------------------------------------------------------------------------


def largest_first(tree: Tree, done: Done) -> Stream | None:
    """Delete every element that can go, the largest first. Guarantee to a fixpoint: 1-tree-minimal.

    Worst case of a pass: a test for each element.
    """
    places = [place for row in listed(tree) for place in row]
    places.sort(key=lambda place: -tokens_at(tree, place))

    def without(tree: Tree, place: Place) -> Iterator[Tree]:
        if tree.at(place) is not None:
            candidate = delete_all(tree, [place])
            if candidate is not None:
                yield candidate

    return sweep(tree, places, without, done, "deleting")


def test_an_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Algorithm(
        "largest-first*",
        lambda slots, settings: [largest_first],
        "elements of lists, the largest first",
        "1-tree-minimal: no single list element can be deleted",
    )
    monkeypatch.setattr(algorithm_table, "ALGORITHMS", (*algorithm_table.ALGORITHMS, row))
    result = marrow.reduce(
        "[1, [2, 3], 4]", lambda text: b"3" in text, language="json", algorithm="largest-first"
    )
    assert (result.text, result.algorithm) == (b"[ [3] ]", "largest-first*")
    assert "largest-first*" in command_line("help", "algorithms").out


# -- an executor ----------------------------------------------------------------------------------


class Counting(CallableExecutor):
    """Runs a Python function here, and counts the candidates."""

    submitted = 0

    def submit(self, candidate: bytes, *, capture: bool = False) -> FunctionJob:
        """Start the test on a candidate."""
        Counting.submitted += 1
        return super().submit(candidate, capture=capture)


def open_executor(test: TestFunction, place: Placement, options: ExecutorOptions) -> Executor:
    """Return an executor of this kind; `place` says how a command finds its candidate."""
    return Counting(test, options.workers or 1)


def test_an_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ExecutorKind("counting", __name__, "here, and counted")
    monkeypatch.setitem(registry.KINDS, "counting", row)
    result = marrow.reduce(
        "[1, [2, 3], 4]", lambda text: b"3" in text, language="json", executor="counting"
    )
    assert result.text == b"3"
    assert Counting.submitted >= result.tests > 0


# -- a language -----------------------------------------------------------------------------------

RON = r"""
suffixes = [".ron"]
aliases = ["rusty object notation"]
contents = ['^\s*#!\[enable']
smallest = "()\n"

[[rewrite]]
name = "an optional value into the value"
match = "Some($value)"
replace = "$value"
"""


def test_a_language(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One file is all: the suffix, other names and the rewrites of the language follow."""
    (tmp_path / "ron.toml").write_text(RON)
    caches = (language_facts.facts_of, recognition._index, pipeline.rewrites_of)
    for module in (language_facts, recognition):
        monkeypatch.setattr(module, "FOLDER", tmp_path)
    for cache in caches:
        cache.cache_clear()
    try:
        text = '(a: Some("keep"), b: [1, 2], c: None)'
        result = marrow.reduce(text, lambda text: b"keep" in text, name="input.ron")
        assert result.text == b'"keep"'
        assert result.language == "ron"
        assert recognition.canonical_name("Rusty Object Notation") == "ron"
        assert recognition.language_of("input", b"#![enable(x)]\n()") == "ron"
        facts = language_facts.facts_of("ron")
        (rewrite,) = pipeline.rewrites_of("ron")
        assert (facts.smallest, rewrite.name) == ("()\n", "an optional value into the value")
    finally:
        monkeypatch.undo()
        for cache in caches:
            cache.cache_clear()


# -- a notation -----------------------------------------------------------------------------------


def read_arrows(text: str, name: str, start: str | None, load: Loader) -> Grammar:
    """Read rules such as `list => item list | item`: names are words, texts are in quotes."""
    rules = [line.partition("=>") for line in text.splitlines() if line.strip()]
    names = {left.strip() for left, _, _ in rules}

    def bnf(word: str) -> str:
        return f"<{word}>" if word in names else word

    lines = [
        f"<{left.strip()}> ::= {' '.join(map(bnf, right.split()))}" for left, _, right in rules
    ]
    return read_bnf("\n".join(lines), name, start, load)


def test_a_notation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = Notation(
        name="arrows",
        title="arrows",
        suffixes=(".arrows",),
        help="rules with =>",
        recognises=lambda text: "=>" in text,
        reader=f"{__name__}:read_arrows",
    )
    monkeypatch.setattr(notations, "NOTATIONS", (*notations.NOTATIONS, row))
    grammar = tmp_path / "words.arrows"
    grammar.write_text('list => item list | item\nitem => "a" | "b" | "c"\n')
    result = marrow.reduce("abcab", lambda text: b"c" in text, grammar=grammar)
    assert result.text == b"c"
    assert "a" in command_line("grammar", grammar).out
    assert ".arrows" in command_line("help", "notations").out


# -- a run option ---------------------------------------------------------------------------------


class EditionOptions(TypedDict, total=False):
    """The program under test."""

    edition: Annotated[
        str | None,
        Option(
            "The edition of the program under test; verdicts on another one are not used.",
            TEXT,
            TESTS,
            SEARCH,
            identity="edition",
        ),
    ]


def test_a_run_option(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    declaration = EditionOptions.__annotations__["edition"]
    monkeypatch.setitem(ReduceOptions.__annotations__, "edition", declaration)
    monkeypatch.chdir(tmp_path)
    journal = tmp_path / "journal"

    def reduced(edition: str) -> bytes:
        options: Any = {"journal": journal, "edition": edition}
        return marrow.reduce("[1, 2]", lambda text: b"2" in text, language="json", **options).text

    assert reduced("1.0") == b"2"
    with pytest.raises(marrow.JournalError, match="edition"):
        reduced("2.0")
    # The command line makes its options when its module is imported.
    importlib.reload(cli_reduce)
    try:
        Path("input.json").write_text("[1, 2]")
        words = ("reduce", "input.json", "--shell", 'grep -q 2 "$1"', "-q")
        assert command_line(*words, "--edition", "1.0").code == Exit.DONE
        assert command_line(*words, "--edition", "2.0", "--resume").code == Exit.JOURNAL
        Path("marrow.toml").write_text('edition = "1.0"\n')
        assert command_line(*words, "--resume").code == Exit.DONE
        assert "--edition TEXT" in command_line("reduce", "--help-all").out
    finally:
        monkeypatch.undo()
        importlib.reload(cli_reduce)


# -- the page -------------------------------------------------------------------------------------


def test_the_page_quotes_this_file() -> None:
    """Every block of Python in CONTRIBUTING.md stands here, whatever its white space."""
    here = " ".join(Path(__file__).read_text(encoding="utf-8").split())
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:python|toml)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    for block in blocks:
        assert " ".join(block.split()) in here, block
