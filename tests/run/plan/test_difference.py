"""`--diff`: the smallest set of changes that fails."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marrow as marrow_library
from marrow.base.errors import UsageError
from marrow.cli.exits import Exit
from marrow.run.plan.difference import applied, changes_between
from marrow.run.test.unfit_test import UnfitTestError
from marrow.syntax.bundle import BundleEntry
from tests.cli.running import executable, marrow

FILES = st.dictionaries(
    st.sampled_from("abc"), st.text("xy\n ", max_size=12).map(str.encode), max_size=3
).map(lambda found: {name: BundleEntry(name, text) for name, text in found.items()})


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


def test_differences_from_a_program() -> None:
    good = "int f(void) {\n  return 1;\n}\nint g(void) {\n  return 2;\n}\n"
    bad = "int f(void) {\n  x();\n  return 3;\n}\nint g(void) {\n  y();\n  return 2;\n}\n"
    result = marrow_library.reduce(bad, lambda text: b"y()" in text, diff=good, name="a.c")
    assert result.text.decode() == good.replace("  return 2", "  y();\n  return 2")
    assert result.patch is not None
    assert "+  y();" in result.patch
    kept = marrow_library.reduce(
        {"a.c": bad, "b.c": "int b;"}, lambda text: b"x()" in text, diff={"a.c": good}
    )
    assert kept.files == {"a.c": good.replace("  return 1", "  x();\n  return 1").encode()}
    with pytest.raises(UnfitTestError, match="interesting on the good input too"):
        marrow_library.reduce(bad, lambda _: True, diff=good, name="a.c")
    with pytest.raises(UsageError, match="two of a kind"):
        marrow_library.reduce({"a.c": bad}, lambda _: True, diff=good)


def test_two_files(tmp_path: Path) -> None:
    good = "".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(8))
    bad = good.replace("return 1;", "return 11;").replace("return 5;", "return 6;")
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
