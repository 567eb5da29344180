"""Long loops look at the clock, so that a time limit ends them. No time is measured here."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import tree_sitter

import marrow
from marrow.base.deadline import Deadline, OutOfTimeError, current, look, within
from marrow.cli.messages import reduction_summary
from marrow.engine.process.command import TestCommand
from marrow.engine.search.dispatcher import Limits
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.algorithms.hoist import compatible_below
from marrow.reducers.binary.chunks import chunks_by_trial
from marrow.run.output.result import Ending
from marrow.run.plan.input import text_input
from marrow.run.plan.plan import Plan
from marrow.run.run import Run
from marrow.syntax import parsers, text_front_end
from marrow.syntax.coarse_front_end import CoarseFrontEnd
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.syntax.parsers import load_language, parse_text
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Tree

DEEP = b"[" * 3000 + b"1" + b"]" * 3000
WIDE = b"[" + b"1, " * 3000 + b"1]"
WORDS = b"ab cd\n" * 3000

PARSES: dict[str, tuple[Callable[[bytes], Tree], bytes]] = {
    "tree-sitter, deep": (lambda text: TreeSitterFrontEnd("json").parse(text), DEEP),
    "tree-sitter, wide": (lambda text: TreeSitterFrontEnd("json").parse(text), WIDE),
    "pieces": (lambda text: CoarseFrontEnd("json", 1000, 100).parse(text), WIDE),
    "words": (lambda text: TextFrontEnd("words").parse(text), WORDS),
    "bytes": (lambda text: TextFrontEnd("bytes").parse(text), WORDS),
    "lines": (lambda text: TextFrontEnd("lines").parse(text), WORDS),
    "blocks": (lambda text: TextFrontEnd("blocks").parse(text), WORDS),
    "a grammar": (
        lambda text: GrammarFrontEnd(Language.from_file(grammar_path("json"))).parse(text),
        WIDE,
    ),
}


def ticking(looks: int) -> Deadline:
    """Return a deadline whose time is up after so many looks at the clock."""
    ticks = itertools.count()
    return Deadline(looks, clock=lambda: float(next(ticks)))


def test_no_limit() -> None:
    look()
    deadline = Deadline(None)
    with within(deadline):
        look()
    assert (deadline.looks, deadline.left) == (1, None)


def test_the_end_of_the_time() -> None:
    deadline = ticking(3)
    with within(deadline):
        for _ in range(3):
            look()
        with pytest.raises(OutOfTimeError, match="time limit"):
            look()
    assert deadline.looks == 4
    deadline.extend(100.0)
    deadline.look()


@pytest.mark.parametrize("name", PARSES)
def test_parsing_looks_at_the_clock(name: str) -> None:
    parse, text = PARSES[name]
    counted = Deadline(None)
    with within(counted):
        tokens = parse(text).token_count
    # At least once for a thousand tokens; more often where that costs nothing.
    assert counted.looks >= tokens // 1024
    with within(ticking(counted.looks // 2)), pytest.raises(OutOfTimeError):
        parse(text)


def test_walking_and_rendering_look_at_the_clock() -> None:
    tree = TreeSitterFrontEnd("json").parse(DEEP)
    for walk in (
        lambda: list(tree.walk()),
        lambda: list(tree.nodes()),
        lambda: Tree(tree.root).text,
        lambda: [compatible_below(node, lambda _: True) for node in tree.nodes()],
    ):
        counted = Deadline(None)
        with within(counted):
            walk()
        assert counted.looks >= 2


class TestTreeSitter:
    """A large text is handed over in pieces, and watched while it is parsed."""

    @pytest.fixture(autouse=True)
    def small_pieces(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parsers, "_LARGE", 10)
        monkeypatch.setattr(parsers, "_PIECE", 64)

    def test_the_tree_is_the_same(self) -> None:
        parser = tree_sitter.Parser(load_language("json"))
        for text in (DEEP, WIDE, WORDS, "é".encode() * 500, b'["' + b"x" * 500):
            whole = parser.parse(text).root_node
            counted = Deadline(None)
            with within(counted):
                assert str(parse_text(parser, text).root_node) == str(whole)
            assert counted.looks >= parser.parse(text).root_node.descendant_count // 1024
        old = parser.parse(WIDE)
        old.edit(1, 1, 4, (0, 1), (0, 1), (0, 4))
        again = parse_text(parser, WIDE[:1] + b"2, " + WIDE[1:], old)
        assert again.root_node.descendant_count == old.root_node.descendant_count + 2

    @pytest.mark.parametrize("reason", [OutOfTimeError, KeyboardInterrupt])
    def test_it_is_stopped(
        self, monkeypatch: pytest.MonkeyPatch, reason: type[BaseException]
    ) -> None:
        looks: list[int] = []

        def impatient() -> None:
            looks.append(1)
            if len(looks) > 5:
                raise reason

        monkeypatch.setattr(parsers, "look", impatient)
        parser = tree_sitter.Parser(load_language("json"))
        with pytest.raises(reason):
            parse_text(parser, WIDE)
        assert len(looks) == 6
        # What comes next is parsed from its beginning.
        assert str(parser.parse(b"[1]").root_node) == "(document (array (number)))"

    def test_ctrl_c_between_two_lines(self) -> None:
        """It may come where no `try` of Python's catches it, before the first line of a call."""
        parser = tree_sitter.Parser(load_language("json"))
        calls: list[str] = []

        def interrupt(frame: FrameType, event: str, _: object) -> None:
            if frame.f_code.co_name == "read":
                calls.append(event)
                if len(calls) == 3:
                    raise KeyboardInterrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            with pytest.raises(KeyboardInterrupt):
                parse_text(parser, WIDE)
        finally:
            sys.settrace(before)
        assert len(calls) == 3
        assert str(parser.parse(b"[1]").root_node) == "(document (array (number)))"


class TestReductions:
    @pytest.mark.parametrize("allowed", [True, False])
    def test_the_input_is_tested_once_where_the_time_is_up(
        self, monkeypatch: pytest.MonkeyPatch, allowed: bool
    ) -> None:
        def slow(*_: object) -> None:
            raise OutOfTimeError("now")

        monkeypatch.setattr("marrow.run.plan.plan.chosen_view", slow)
        asked: list[bytes] = []

        def interesting(text: bytes) -> bool:
            asked.append(text)
            return allowed

        if allowed:
            result = marrow.reduce(WIDE, interesting, max_time=3600)
            assert (result.ending, result.verified) == (Ending.LIMIT, True)
            assert (result.text, result.tests) == (WIDE, 1)
        else:
            with pytest.raises(marrow.NotInterestingError):
                marrow.reduce(WIDE, interesting, max_time=3600)
        # A test that says no is asked again, as it may waver.
        assert set(asked) == {WIDE}
        assert len(asked) == 1 or not allowed

    def test_without_time_the_input_is_the_result(self) -> None:
        result = marrow.reduce(WIDE, lambda text: b"1" in text, language="json", max_time=1e-6)
        assert (result.ending, result.text) == (Ending.LIMIT, WIDE)
        assert result.tokens_before == result.tokens_after == 0
        source = text_input(WIDE, "a.json")
        run = Run(Plan(source=source, test=TestCommand.shell("true"), output=Path("b")))
        run.test = TestCommand.shell("true")
        words = reduction_summary(run, result, "")
        assert "no time to count its tokens" in words

    def test_what_is_counted_stays_right_after_other_limits(self) -> None:
        result = marrow.reduce(WIDE, lambda text: b"1" in text, language="json", max_tests=3)
        parsed = TreeSitterFrontEnd("json").parse(result.text)
        assert result.tokens_after == parsed.token_count

    @pytest.mark.parametrize("what", ["a text", "files"])
    def test_an_input_that_takes_too_long_to_plan(
        self, monkeypatch: pytest.MonkeyPatch, what: str
    ) -> None:
        def slow(*_: object) -> None:
            raise OutOfTimeError("now")

        monkeypatch.setattr("marrow.run.plan.plan.chosen_view", slow)
        given: Any = WIDE if what == "a text" else {"a.json": WIDE, "b.json": b"[1]"}
        result = marrow.reduce(given, lambda _: True, max_time=1e-6, allow_empty=True)
        assert (result.ending, result.verified) == (Ending.LIMIT, True)
        assert (result.text if what == "a text" else result.files) == given

    def test_a_pattern_of_an_input_that_takes_too_long(self) -> None:
        with pytest.raises(marrow.InputError, match="before the input was parsed"):
            marrow.abstract(WIDE, lambda _: True, grammar="json", max_time=1e-6)

    @pytest.mark.parametrize("reducer", [None, "perses*"])
    @pytest.mark.parametrize("in_time", [0, 1, 99])
    def test_every_parse_of_a_search_for_a_pattern(
        self, monkeypatch: pytest.MonkeyPatch, reducer: str | None, in_time: int
    ) -> None:
        real, calls = Language.parse, itertools.count()

        def parse(self: Language, text: bytes, **more: Any) -> Any:
            deadline = current()
            assert deadline is not None, "a parse that no time limit ends"
            if next(calls) >= in_time:
                deadline.end = -1.0
                deadline.look()
            return real(self, text, **more)

        monkeypatch.setattr(Language, "parse", parse)
        search = partial(
            marrow.abstract,
            b"1 + ((2))",
            lambda text: b"((" in text,
            grammar="calculator",
            reducer=reducer,
            max_time=3600,
        )
        if in_time == 99:
            assert not search().stopped
        else:
            with pytest.raises(marrow.InputError, match="time limit is reached before"):
                search()

    def test_a_pattern_that_is_stopped_is_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def stopped(*_: object) -> None:
            deadline = current()
            assert deadline is not None
            deadline.end = -1.0
            look()

        monkeypatch.setattr("marrow.abstraction.ddset.Isolation.run", stopped)
        pattern = marrow.abstract(
            b"1 + ((2))", lambda text: b"((" in text, grammar="calculator", max_time=3600
        )
        assert "time limit" in pattern.stopped

    def test_the_limit_is_one(self) -> None:
        assert Limits(seconds=2.0).seconds == 2.0


class TestLargeTexts:
    """A line of megabytes is cut into runs of words first."""

    LINE = b"  " + b"one, two\tthree " * 3000 + b"\n\nnext needle line\n"

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(text_front_end, "_MANY_WORDS", 1000)
        monkeypatch.setattr(text_front_end, "_MOST_PIECES", 100)

    def test_pieces(self) -> None:
        tree = TextFrontEnd("words").parse(self.LINE)
        assert tree.text == self.LINE
        assert len(list(tree.tokens())) < 120
        # What is counted are words and signs, as in a small text.
        assert tree.token_count == 4 * 3000 + 3

    def test_a_piece_ends_where_a_word_does(self) -> None:
        (long,) = TextFrontEnd("words").parse(b"x" * 5000).tokens()
        assert long.text == b"x" * 5000
        pieces = [token.text for token in TextFrontEnd("words").parse(self.LINE).tokens()]
        words = [word for piece in pieces for word in piece.split()]
        assert words == self.LINE.split()

    def test_it_is_reduced_to_the_word(self) -> None:
        result = marrow.reduce(self.LINE, lambda text: b"needle" in text, name="a.unknown")
        assert result.text == b"needle"
        assert result.tokens_before == 4 * 3000 + 3


def test_every_loop_of_the_front_ends_is_known() -> None:
    """A new module that walks trees of tree-sitter looks at the clock too."""
    folder = Path(marrow.__file__).parent / "syntax"
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if re.search(r"goto_next_sibling", text):
            assert "look()" in text, path


def test_chunks_are_looked_for_within_the_time() -> None:
    """A file of zeros is a chain of empty chunks by every trial."""
    with within(Deadline(0.0)), pytest.raises(OutOfTimeError):
        chunks_by_trial(bytes(100_000))
