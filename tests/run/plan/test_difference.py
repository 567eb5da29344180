"""`--diff`: the smallest set of changes that fails."""

from __future__ import annotations

import contextlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marrow as marrow_library
from marrow.base.errors import UsageError
from marrow.cli.exits import Exit
from marrow.run.plan.difference import (
    FileChange,
    applied,
    changes_between,
    grouped,
    node_places,
)
from marrow.run.test.shrunk_command import shrunk_words
from marrow.run.test.unfit_test import UnfitTestError
from marrow.syntax.bundle import BundleEntry
from tests.cli.running import executable, marrow

FILES = st.dictionaries(
    st.sampled_from("abc"), st.text("xy\n ", max_size=12).map(str.encode), max_size=3
).map(lambda found: {name: BundleEntry(name, text) for name, text in found.items()})


PIECES = ["f(x);", "g();\n", "if (a) {", "}", " ", "\n", "// c\n", "int b = 1;", "2", "("]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map(lambda one: "".join(one).encode())


@settings(max_examples=60)
@given(FILES, FILES, st.data())
def test_all_changes_make_the_bad_one_and_none_the_good_one(
    good: dict[str, BundleEntry], bad: dict[str, BundleEntry], data: st.DataObject
) -> None:
    changes = changes_between(good, bad)
    assert applied(good, bad, changes) == bad
    assert applied(good, bad, []) == good
    some = data.draw(st.sets(st.sampled_from(range(len(changes))))) if changes else set()
    applied(good, bad, [changes[number] for number in sorted(some)])


@settings(max_examples=60)
@given(TEXTS, TEXTS, st.integers(1, 9))
def test_groups_along_the_tree_are_all_that_differs(old: bytes, new: bytes, depth: int) -> None:
    good, bad = {"": BundleEntry("", old)}, {"": BundleEntry("", new)}
    changes = changes_between(good, bad)
    assert applied(good, bad, changes) == bad
    places = [(one.at, one.at + len(one.old or b"")) for one in changes]
    assert all(one[1] <= two[0] for one, two in pairwise(places))
    assert sorted(change.at for group in at_depth(good, bad, depth) for change in group) == [
        one.at for one in changes
    ]


def at_depth(
    good: dict[str, BundleEntry], bad: dict[str, BundleEntry], depth: int, language: str = "c"
) -> list[tuple[FileChange, ...]]:
    changes = changes_between(good, bad)
    places = node_places(good, bad, changes, language)
    return grouped(changes, [tuple(path[:depth][-1:] for path in both) for both in places])


def test_groups_follow_the_tree() -> None:
    good = b"int f(void) { { a(); b(1); } }\nint g(void) { c(); }\n"
    bad = b"int f(void) { { a(); n(); b(2 + 3); } }\nint h(void) { c(); }\n"
    found = []
    for depth in range(1, 7):
        groups = at_depth({"": BundleEntry("", good)}, {"": BundleEntry("", bad)}, depth)
        found.append([b"".join(one.new or b"" for one in group) for group in groups])
    # Everything, whole functions, then statements that came and those that differ.
    assert len(found[0]) == 1
    assert found[1] == [b" n();2 + 3", b" h"]
    assert found[4] == [b" n();", b"2 + 3", b" h"]


def test_differences_from_a_program() -> None:
    good = "int f(void) { return 1; }\nint g(void) { return 2; }\n"
    bad = "int f(void) { x(); return 3; }\nint g(void) { y(); return 2; }\n"
    result = marrow_library.reduce(bad, lambda text: b"y()" in text, diff=good, name="a.c")
    assert result.text.decode() == good.replace("return 2", "y(); return 2")
    assert result.patch is not None
    assert "+int g(void) { y(); return 2; }" in result.patch
    kept = marrow_library.reduce(
        {"a.c": bad, "b.c": "int b;"}, lambda text: b"x()" in text, diff={"a.c": good}
    )
    assert kept.files == {"a.c": good.replace("return 1", "x(); return 1").encode()}
    with pytest.raises(UnfitTestError, match="interesting on the good input too"):
        marrow_library.reduce(bad, lambda _: True, diff=good, name="a.c")
    with pytest.raises(UsageError, match="two of a kind"):
        marrow_library.reduce({"a.c": bad}, lambda _: True, diff=good)


def test_two_files_and_two_directories(tmp_path: Path) -> None:
    good = "".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(8))
    bad = good.replace("return 1;", "return 11 + 4;").replace("return 5;", "return 6;")
    (tmp_path / "good.c").write_text(good)
    (tmp_path / "bad.c").write_text(bad)
    executable(tmp_path / "test.sh", 'grep -q "return 11" "$1"/*.c "$1" 2>/dev/null')
    with contextlib.chdir(tmp_path):
        ended = marrow("reduce", "--diff", "good.c", "bad.c", "test.sh")
        assert ended.code == 0, ended.err
        assert (tmp_path / "bad.reduced.c").read_text() == good.replace("return 1;", "return 11;")
        patch = (tmp_path / "bad.reduced.c.patch").read_text()
        assert patch.count("\n-") == 1
        assert "    +int f1(void) { return 11; }" in ended.out
        assert marrow("reduce", "--diff", "bad.c", "bad.c", "test.sh").code == Exit.INPUT
        (tmp_path / "too.c").write_text(bad + "\n")
        ended = marrow("reduce", "--diff", "too.c", "bad.c", "test.sh")
        assert ended.code == Exit.EMPTY_INTERESTING
        assert "the test is interesting on the good input too" in ended.err
        assert marrow("reduce", "--diff", "no", "such", "test.sh").code == Exit.INPUT
        for name, text in (("good", good), ("bad", bad)):
            (tmp_path / name).mkdir()
            (tmp_path / name / "a.c").write_text(text)
        ended = marrow("reduce", "--diff", "good", "bad", "test.sh", "-o", "small", "-q")
        assert ended.code == 0, ended.err
        kept = (tmp_path / "small" / "a.c").read_text()
        assert kept == good.replace("return 1;", "return 11;")


def test_a_command_with_words_that_are_not_needed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('["x", "needle"]')
    (tmp_path / "tool").write_text(
        'for word; do [ "$word" = -b ] && seen=1; file=$word; done\n'
        '[ "$seen" ] && grep -q needle "$file" || exit 0\n'
        'echo "error: needle in it" >&2; exit 3\n'
    )
    with contextlib.chdir(tmp_path):
        command = ("--", "sh", "tool", "-a", "-b", "--level", "3", "{}")
        ended = marrow("reduce", "a.json", "--shrink-command", "--passes", "none", *command)
    assert ended.code == 0, ended.err
    assert "the command needs no more than: sh tool -b {}" in ended.out
    with contextlib.chdir(tmp_path):
        # Of two commands that disagree, both lose what they can.
        other = ("---", "cat", "-u", "--", "{}")
        words = ("-o", "b.json", "--passes", "none", "--differ", *command, *other)
        ended = marrow("reduce", "a.json", "--shrink-command", *words)
    assert ended.code == 0, ended.err
    assert "the command needs no more than: sh tool -b {}; cat {}" in ended.out
    ended = marrow("reduce", tmp_path / "a.json", "--shrink-command", "--shell", "x")
    assert ended.code == Exit.USAGE


def test_words_of_a_command_that_are_not_needed_go() -> None:
    tried: list[tuple[str, ...]] = []

    def fails(words: tuple[str, ...]) -> bool:
        tried.append(words)
        return "-O3" in words and "{}" in words and (("-o" in words) == ("out" in words))

    words = ("gcc", "-Wall", "-o", "out", "-O3", "-g", "-c", "{}")
    assert shrunk_words(words, fails) == ("gcc", "-O3", "{}")
    assert len(tried) == len(set(tried)), "each command is run once"
    assert shrunk_words(("gcc", "{}"), fails) == ("gcc", "{}")


def test_options_go_with_their_values_wherever_they_stand() -> None:
    def fails(words: tuple[str, ...]) -> bool:
        options = words[1 : words.index("lint.py")] if "lint.py" in words else ("?",)
        return words[-1] == "{}" and options in (
            ("-X", "utf8", "-W", "ignore"),
            ("-X", "utf8"),
            ("-W", "ignore"),
            (),
        )

    whole = ("python3", "-X", "utf8", "-W", "ignore", "lint.py", "{}")
    assert shrunk_words(whole, fails) == ("python3", "lint.py", "{}")


@given(st.lists(st.sampled_from("abcd"), max_size=9), st.sets(st.sampled_from("abcd")))
def test_no_word_and_no_two_neighbours_can_be_left_out(given: list[str], needed: set[str]) -> None:
    def fails(words: tuple[str, ...]) -> bool:
        return needed & set(given) <= set(words) and words.count("a") % 2 == given.count("a") % 2

    words = shrunk_words(("tool", *given, "{}"), fails)
    assert fails(words)
    for size in (1, 2):
        for at in range(1, len(words) - size):
            assert not fails(words[:at] + words[at + size :])
