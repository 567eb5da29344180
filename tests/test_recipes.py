"""The recipes of CONTRIBUTING.md: a new one of each kind is a function and a row in a table.

Each test adds the row, as a contributor would in the table's own file, and uses what it added as a
user does. CONTRIBUTING.md quotes the functions and rows from here, which a test checks.
"""

# Without `from __future__ import annotations`: options are read from annotations at run time.

import importlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypedDict, TypeVar

import pytest

import marrow
from marrow.bugs import evidence
from marrow.bugs.case import Case
from marrow.cli.commands import reduce as cli_reduce
from marrow.cli.exits import Exit
from marrow.diagnostics import message_rules
from marrow.diagnostics.observation import Observation
from marrow.diagnostics.report import report_of
from marrow.diagnostics.texts import InputText
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
from marrow.reducers.binary import reduce_blocks
from marrow.reducers.binary.block import Block, Cursor, plain
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.pipeline import algorithm_table, pass_table, pipeline
from marrow.reducers.pipeline.algorithm_table import Algorithm
from marrow.reducers.pipeline.pass_table import Pass
from marrow.reducers.streams.elements import delete_all, listed
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.run.options import option
from marrow.run.options.option import SEARCH, TESTS, TEXT, Option
from marrow.run.options.options import ReduceOptions
from marrow.signature.inference import infer_signature
from marrow.syntax import views
from marrow.syntax.front_end import FrontEnd
from marrow.tree import SEPARATOR, Branch, Kind, Node, Place, Token, Tree
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
        "[1, [2, 3], 4]", lambda text: b"3" in text, language="json", algorithm="largest-first*"
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


# -- a front end ----------------------------------------------------------------------------------


class Rows(FrontEnd):
    """A table: rows are lines, and semicolons separate cells."""

    name = "rows"
    description = "rows of cells"

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree; a separator goes with what it separates."""
        rows: list[Node] = []
        cells: list[Node] = []
        for serial, piece in enumerate(re.findall(rb"[;\n]|[^;\n]+", text)):
            if piece == b"\n":
                rows.append(Branch(Kind.STAR, "row", cells, key=len(rows)))
                rows.append(Token("end", piece, slot=SEPARATOR, key=len(rows), serial=serial))
                cells = []
            else:
                slot = SEPARATOR if piece == b";" else "cell"
                cells.append(Token("cell", piece, slot=slot, key=len(cells), serial=serial))
        rows.append(Branch(Kind.STAR, "row", cells, key=len(rows)))
        return Tree(Branch(Kind.STAR, "rows", rows), text=text)


def test_a_front_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(views.FRONT_ENDS, "rows", Rows)
    result = marrow.reduce(
        "a;b;c\nd;keep;f\ng;keep;i\nj",
        lambda text: sorted(re.findall(b"keep", text)) == [b"keep"] * 2,
        language="rows",
        algorithm="perses",
    )
    assert result.text == b"keep\nkeep"
    assert result.language == "rows"


# -- a message form -------------------------------------------------------------------------------

MESSAGE = r"""
[[message]]
tool = 'Abacus'
kind = 'internal error'
pattern = '^abacus: internal trouble (?P<code>\w+) at \d+: (?P<message>.*)$'
form = '{code}: {message}'
example = 'abacus: internal trouble A7 at 1200: the beads are gone'
text = 'A7: the beads are gone'
"""


def test_a_message_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry is all: `tests/diagnostics` reads its example, and signatures have the message."""
    (entry,) = tomllib.loads(MESSAGE)["message"]
    monkeypatch.setitem(message_rules._TABLES, "message", [entry])
    (rule,) = message_rules._rules("message")
    monkeypatch.setattr(message_rules, "MESSAGES", (rule, *message_rules.MESSAGES))
    seen = Observation(1, b"", f"{rule.example}\n".encode())
    (message,) = report_of(seen, InputText(b"1 + 1", "input.abacus")).messages
    assert (message.text, message.kind) == (rule.text, "internal error")
    signature = infer_signature([seen], b"1 + 1", "input.abacus").best
    assert "the beads are gone" in signature.sentence


# -- a fact of triage -----------------------------------------------------------------------------


def same_silence(one: Case, other: Case) -> str:
    """Both exit with the same status, and say nothing."""
    here, there = one.found, other.found
    return "same" if not here.message and here.near == there.near else ""


def test_a_fact_of_triage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = tmp_path / "target.sh"
    target.write_text("#!/bin/sh\ngrep -q -e mute -e dumb $1 && exit 3\nexit 0\n")
    target.chmod(0o755)
    crashes = tmp_path / "crashes"
    crashes.mkdir()
    (crashes / "one").write_text("it is mute")
    (crashes / "two").write_text("so dumb")
    assert len(marrow.triage(crashes, command=[str(target), "{}"]).bugs) == 2
    monkeypatch.setitem(evidence.RESULT_FACTS, "silence", same_silence)
    about = {"same": {"words": "both say nothing", "weight": 3.0}}
    monkeypatch.setitem(evidence.weights()["fact"], "silence", about)
    (bug,) = marrow.triage(crashes, command=[str(target), "{}"]).bugs
    (link,) = bug.links
    assert link.rule == "silence"
    assert link.why.startswith("both say nothing")


# -- a binary format ------------------------------------------------------------------------------


def read_boxes(data: bytes) -> Block | None:
    """Return the boxes of a file: after `BOX0`, each has its length in two bytes before it."""
    if not data.startswith(b"BOX\0"):
        return None
    cursor = Cursor(data, 4)
    boxes = []
    while not cursor.ended:
        boxes.append(Block(_write_box, body=cursor.take(cursor.number(2))))
    return Block(lambda block: b"BOX\0" + plain(block), tuple(boxes))


def _write_box(box: Block) -> bytes:
    return len(box.body).to_bytes(2, "big") + box.body


def test_a_binary_format(monkeypatch: pytest.MonkeyPatch) -> None:
    formats = {"boxes": read_boxes, **reduce_blocks.FORMATS}
    monkeypatch.setattr(reduce_blocks, "FORMATS", formats)

    def boxes(*bodies: bytes) -> bytes:
        return b"BOX\0" + b"".join(len(one).to_bytes(2, "big") + one for one in bodies)

    def test(text: bytes) -> bool:
        found = reduce_blocks.blocks_of(read_boxes, text)
        return found is not None and any(b"keep" in one.body for one in found.parts)

    data = boxes(b"a" * 300, b"to keep it", b"", b"b" * 20)
    assert reduce_blocks.format_of(data) == ("boxes", read_boxes)
    assert marrow.reduce(data, test).text == boxes(b"keep")


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

    edition: Annotated[str | None, Option(TEXT, TESTS, SEARCH, identity="edition")]


EDITION_HELP = """
edition = "The edition of the program under test; verdicts on another one are not used."
"""


def test_a_run_option(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    declaration = EditionOptions.__annotations__["edition"]
    monkeypatch.setitem(ReduceOptions.__annotations__, "edition", declaration)
    for name, words in tomllib.loads(EDITION_HELP).items():
        monkeypatch.setitem(option.help_words()["all"], name, words)
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
    assert len(blocks) >= 13
    for block in blocks:
        assert " ".join(block.split()) in here, block
