"""The schedule of stages: which come, in which order, on which part of the input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.pipeline.large_inputs import (
    EVERYTHING,
    MARKERS,
    ROUND,
    STATEMENTS,
    Schedule,
)
from marrow.reducers.streams.stream import finish
from marrow.syntax.portion import Portion
from marrow.syntax.treesitter import TreeSitterFrontEnd
from tests.reducers.running import run

if TYPE_CHECKING:
    from marrow.reducers.pipeline.pipeline import Strategy
    from marrow.syntax.file_set import FileSetView
    from marrow.syntax.views import FileView

HEAD = b"# 1 x.h\n" + b"int a;\n" * 20
PAGE = b"int main() { f(); g(); h(); return 0; }\n"


@dataclass
class FakeText:
    """A text whose last lines are its page; it says in which order parts of it are asked for."""

    large: bool = True
    marked: bool = False
    points: bool = True
    asked: list[str] = field(default_factory=list)

    page_length = len(PAGE)

    def is_large(self, _: bytes) -> bool:
        return self.large

    def has_markers(self, text: bytes) -> bool:
        return self.marked and text.startswith(b"#")

    def page_start(self, text: bytes, length: int) -> int:
        return max(0, len(text) - length)

    def _portion(self, name: str, text: bytes) -> Portion:
        self.asked.append(name)
        return Portion(text, ())

    def whole(self, text: bytes) -> Portion:
        return self._portion("whole", text)

    def one_piece(self, text: bytes) -> Portion:
        return self._portion("one piece", text)

    def outlined(self, text: bytes, page: int) -> Portion:
        return self._portion(f"outline {page}", text)

    def page(self, text: bytes, start: int) -> Portion:
        return self._portion("page", text[start:])

    def page_outlined(self, text: bytes, start: int) -> Portion | None:
        return self._portion("statements", text[start:]) if self.points else None


@dataclass
class Best:
    """The best text so far."""

    text: bytes = HEAD + PAGE

    def __call__(self) -> bytes:
        return self.text


def stages(
    view: FakeText, reduce: Callable[[str, bytes], bytes] = lambda _, text: text, **options: Any
) -> list[str]:
    """Return the names of the stages of a text that each of them reduces."""
    best, names = Best(), []
    for stage, _ in Schedule(**options).of_text(cast("FileView", view), best):
        names.append(stage.name)
        best.text = reduce(stage.name, best.text)
    return names


@pytest.mark.parametrize("view", [FakeText(large=False), FakeText()])
def test_a_small_text_and_an_algorithm_alone_have_one_stage(view: FakeText) -> None:
    assert stages(view, coarse_first=view.large is False) == [EVERYTHING.name]
    assert view.asked == ["whole"]


def test_the_stages_of_a_large_text() -> None:
    view = FakeText(marked=True)

    def reduce(name: str, text: bytes) -> bytes:
        return text.replace(HEAD, b"") if name == "slices" else text

    assert stages(view, reduce)[:7] == [
        *(one.name for one in (MARKERS, STATEMENTS)),
        *(one.name for one in ROUND if one is not ROUND[4]),  # the page is as long as it was
    ]
    page = f"outline {len(PAGE)}"
    assert view.asked[:7] == ["one piece", "statements", page, page, "page", "page", page]


def test_the_page_waits_for_the_outline_while_nothing_of_note_is_deleted() -> None:
    names = stages(FakeText(points=False))
    assert names == ["slices", "coupled edits", "outline", "cuts", "page", EVERYTHING.name]


@pytest.mark.parametrize(("length", "few"), [(600_000, True), (1_000, False)])
def test_a_page_has_few_tests_while_much_is_left(length: int, *, few: bool) -> None:
    """Its stages took fifty tests in a row for nothing, with 0.8 MB of headers left."""
    text = bytes(length) + b"int main(void) { int a, b, c; " + b"a + b * c; " * 20 + b"}"
    best, tried = Best(text), 0
    syntax, strategy = TreeSitterFrontEnd("c"), SimpleNamespace(settings=Settings())
    for stage, _ in Schedule().of_text(cast("FileView", FakeText(points=False)), best):
        if stage.name == "page":
            _, reducer = stage.make(syntax, cast("Strategy", strategy))
            tree = syntax.parse(text[length:])
            tried = len(run(tree, reducer(tree, finish), lambda _: False).tried)
    assert tried
    assert (tried <= 7) is few


def test_once_the_statements_are_known_the_page_waits() -> None:
    view = FakeText()

    def reduce(name: str, text: bytes) -> bytes:
        return text.replace(b"f(); ", b"") if name == "statements" else text

    assert stages(view, reduce) == [
        "statements",
        "slices",
        "coupled edits",
        "outline",
        "everything",
    ]
    assert f"outline {len(PAGE) - 5}" in view.asked


def test_a_shorter_page_is_a_reason_to_slice_again() -> None:
    def reduce(name: str, text: bytes) -> bytes:
        part = {"page": b"f(); g(); ", "slices": HEAD}.get(name)
        return text if part is None else text.replace(part, b"")

    expected = ["slices", "cuts", "page", "coupled edits", "slices", "outline"]
    assert stages(FakeText(points=False), reduce)[: len(expected)] == expected


def test_rounds_repeat_as_long_as_they_pay() -> None:
    halves = iter([True, True, False])

    def reduce(name: str, text: bytes) -> bytes:
        halve = name == "outline" and next(halves)
        return text[len(text) // 2 :] if halve else text

    assert stages(FakeText(points=False), reduce).count("outline") == 3


def test_cuts_in_the_page_do_not_lose_where_it_starts() -> None:
    view = FakeText(points=False)
    best, seen = Best(), set()
    for stage, portion in Schedule().of_text(cast("FileView", view), best):
        if stage.name == "cuts":
            best.text = best.text.replace(b"int a;\n", b"").replace(b"g(); ", b"")
        if stage.name == "page":
            seen.add(portion.text)
    assert seen == {PAGE.replace(b"g(); ", b"")}


@dataclass
class FakeFiles:
    """A set of files, one a line, of which each is its own name."""

    def names(self, text: bytes) -> Sequence[str]:
        return sorted(text.decode().split(), key=lambda one: (-len(one), one))

    def directories(self, text: bytes) -> Portion:
        return Portion(text, ())

    def mentions(self, text: bytes) -> Portion:
        return Portion(text, ())

    def file(self, text: bytes, name: str, *, coarse: bool = False) -> Portion | None:
        kind = "coarse" if coarse else "to the end"
        return Portion(name.encode(), (), name=kind) if name in self.names(text) else None


@given(st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, unique=True), st.booleans())
def test_every_file_is_reduced_to_the_end_and_it_ends(files: list[str], coarse: bool) -> None:
    best = Best("\n".join(files).encode())
    finished: set[bytes] = set()
    names: list[str] = []
    for stage, portion in Schedule(coarse).of_files(cast("FileSetView", FakeFiles()), best):
        names.append(stage.name)
        if portion.name == "to the end":
            assert stage is EVERYTHING
            finished.add(portion.text)
            others = best.text.split()
            if portion.text[:1] not in others:
                others[others.index(portion.text)] = portion.text[:1]
                best.text = b"\n".join(others)
                finished.clear()
    assert finished >= set(best.text.split())
    assert coarse or set(names) == {"everything"}
    if coarse:
        assert ("trees" in names) == (len(files) > 1)
        assert names.index("files") < names.index("one file") < names.index("mentions")
