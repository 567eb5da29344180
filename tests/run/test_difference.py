"""`--diff`: the smallest set of changes that fails."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.cli.exits import Exit
from marrow.run.difference import applied, changes_between, lines, tokens
from marrow.run.shrunk_command import shrunk_words
from marrow.syntax.bundle import BundleEntry
from tests.cli.running import executable, marrow

FILES = st.dictionaries(
    st.sampled_from("abc"), st.text("xy\n ", max_size=12).map(str.encode), max_size=3
).map(lambda found: {name: BundleEntry(name, text) for name, text in found.items()})


@settings(max_examples=40)
@given(FILES, FILES, st.sampled_from([lines, tokens]), st.data())
def test_all_changes_make_the_bad_one_and_none_the_good_one(
    good: dict[str, BundleEntry], bad: dict[str, BundleEntry], pieces: object, data: st.DataObject
) -> None:
    cut = lines if pieces is lines else tokens
    changes = changes_between(good, bad, cut)
    assert applied(good, bad, changes) == bad
    assert applied(good, bad, []) == good
    some = data.draw(st.lists(st.sampled_from(changes), unique=True)) if changes else []
    applied(good, bad, some)


def test_two_files_and_two_commits(tmp_path: Path) -> None:
    good = "".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(8))
    bad = good.replace("return 1;", "return 11 + 4;").replace("return 5;", "return 6;")
    (tmp_path / "good.c").write_text(good)
    (tmp_path / "bad.c").write_text(bad)
    test = executable(tmp_path / "test.sh", 'grep -q "return 11" "$1"/*.c "$1" 2>/dev/null')
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
        repository = tmp_path / "repository"
        repository.mkdir()
        git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(repository))
        subprocess.run([*git, "init", "-q"], check=True)
        for text in (good, bad):
            (repository / "a.c").write_text(text)
            subprocess.run([*git, "add", "."], check=True)
            subprocess.run([*git, "commit", "-qm", "x"], check=True)
    with contextlib.chdir(repository):
        words = ("HEAD~1", "HEAD", test, "-o", tmp_path / "small", "-q")
        ended = marrow("reduce", "--diff", *words)
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
    ended = marrow("reduce", tmp_path / "a.json", "--shrink-command", "--shell", "x")
    assert ended.code == Exit.USAGE


def test_words_of_a_command_that_are_not_needed_go() -> None:
    def fails(words: tuple[str, ...]) -> bool:
        return "-O3" in words and "{}" in words and (("-o" in words) == ("out" in words))

    words = ("gcc", "-Wall", "-o", "out", "-O3", "-g", "-c", "{}")
    assert shrunk_words(words, fails) == ("gcc", "-O3", "{}")
    assert shrunk_words(("gcc", "{}"), fails) == ("gcc", "{}")
