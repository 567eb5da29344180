"""Options of runs that were declared in one place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from marrow import ReduceOptions, reduce
from marrow.cli.exits import Exit
from marrow.engine.search.dispatcher import Goal
from tests.cli.running import executable, marrow

LIST = "[" + ", ".join(map(str, range(100, 200))) + "]"


@pytest.fixture
def numbers(work: Path) -> Path:
    (work / "list.json").write_text(LIST)
    executable(work / "has.sh", 'grep -q 177 "$1"')
    return work


class TestStopAt:
    @pytest.mark.parametrize("jobs", ["1", "3"])
    @pytest.mark.parametrize(
        ("size", "tokens", "length"),
        [("100 tokens", 100, 10**6), ("0.2kB", 10**6, 200), ("25%", 50, 10**6)],
    )
    def test_good_enough(
        self, numbers: Path, jobs: str, size: str, tokens: int, length: int
    ) -> None:
        words = ("list.json", "has.sh", "--stop-at", size, "-j", jobs, "--json")
        ended = marrow("reduce", *words, "--algorithm", "hddr*")
        assert ended.code == Exit.DONE
        found = json.loads(ended.out)
        assert found["stopped"] == f"the result is small enough ({size})"
        assert found["tokens_after"] <= tokens
        assert found["bytes_after"] <= length
        assert found["tokens_after"] > 1
        assert found["verified"]

    def test_there_is_nothing_to_go_on_with(self, numbers: Path) -> None:
        words = ("list.json", "has.sh", "--stop-at", "50%", "--algorithm", "hddr*")
        assert "continue with" not in marrow("reduce", *words).out

    def test_the_same_for_any_number_of_workers(self, numbers: Path) -> None:
        def test(text: bytes) -> bool:
            return b"177" in text

        texts = {
            reduce(LIST, test, language="json", stop_at="60 tokens", jobs=jobs).text
            for jobs in (1, 2, 7)
        }
        assert len(texts) == 1

    @pytest.mark.parametrize("size", ["small", "-3", "5 %%", "3 trees", ""])
    def test_what_is_not_a_size(self, numbers: Path, size: str) -> None:
        ended = marrow("reduce", "list.json", "has.sh", "--stop-at", size)
        assert ended.code == Exit.USAGE
        assert "is not a size" in ended.err

    def test_sizes(self) -> None:
        assert Goal.parse("2kB").length == 2000
        assert Goal.parse("1.5 MB").length == 1_500_000
        assert Goal.parse("12 bytes").length == 12
        assert Goal.parse("7").length == 7
        assert Goal.parse("1 token").tokens == 1
        assert Goal.parse("12.5%").share == 0.125


class TestNoJournal:
    def test_nothing_but_the_result(self, numbers: Path) -> None:
        before = {path.name for path in numbers.iterdir()}
        assert marrow("reduce", "list.json", "has.sh", "--no-journal").code == Exit.DONE
        after = {path.name for path in numbers.iterdir()}
        assert after - before == {"list.reduced.json"}

    def test_a_journal_that_exists_stays(self, numbers: Path) -> None:
        assert marrow("reduce", "list.json", "has.sh").code == Exit.DONE
        content = (numbers / "list.reduced.json.marrow").read_bytes()
        assert marrow("reduce", "list.json", "has.sh", "--no-journal").code == Exit.DONE
        assert (numbers / "list.reduced.json.marrow").read_bytes() == content

    def test_a_report_all_the_same(self, numbers: Path) -> None:
        words = ("list.json", "has.sh", "--no-journal", "--report", "page.html")
        assert marrow("reduce", *words).code == Exit.DONE
        assert "177" in (numbers / "page.html").read_text()

    def test_a_journal_is_a_regular_file(self, numbers: Path) -> None:
        os.mkfifo(numbers / "pipe")
        for place in ("pipe", "."):
            ended = marrow("reduce", "list.json", "has.sh", "--journal", place)
            assert ended.code == Exit.JOURNAL
            assert "not a regular file" in ended.err
        assert (numbers / "pipe").is_fifo()

    def test_resuming_needs_one(self, numbers: Path) -> None:
        ended = marrow("reduce", "list.json", "has.sh", "--no-journal", "--resume")
        assert ended.code == Exit.USAGE
        assert "--resume" in ended.err


PROGRAM = b"""\
int first(void) { return 1; }

int   kept( int a )   // as it is
{
    return a   +   2;  /* spaces */
}
int last(void) { return kept(3); }
"""
REGION = b"int   kept( int a )   // as it is\n{\n    return a   +   2;  /* spaces */\n}"


class TestKeepLines:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"effort": "max"},
            {"algorithm": "hddr*"},
            {"algorithm": "batched"},
            {"algorithm": "ddmin"},
            {"language": "lines"},
            {"language": "bytes"},
        ],
    )
    def test_the_bytes_stay(self, options: ReduceOptions) -> None:
        options = {"language": "c", "keep_lines": ["3-6"], "allow_empty": True, **options}
        result = reduce(PROGRAM, lambda _: True, **options)
        assert result.text.rstrip(b"\n") == REGION

    def test_lines_that_stand_twice_keep_their_order(self) -> None:
        text = b"a\nb\na\nc\nb\n"
        result = reduce(
            text, lambda _: True, language="lines", keep_lines=["3", "5"], allow_empty=True
        )
        assert result.text.split() == [b"a", b"b"]

    def test_only_whole_lines_count(self) -> None:
        text = b"xab\nab\nabx\n"
        result = reduce(text, lambda _: True, language="bytes", keep_lines="2", allow_empty=True)
        assert result.text.strip(b"\n") == b"ab"

    def test_of_several_files(self) -> None:
        files = {"a.c": PROGRAM, "b.c": PROGRAM}
        result = reduce(files, lambda _: True, keep_lines="b.c:3-6", allow_empty=True)
        assert {name: text.rstrip() for name, text in result.files.items()} == {"b.c": REGION}

    @pytest.mark.parametrize("words", ["7-3", "0", "x", "3-", "a.c:2"])
    def test_what_makes_no_sense(self, numbers: Path, words: str) -> None:
        ended = marrow("reduce", "list.json", "has.sh", "--keep-lines", words)
        assert ended.code == Exit.USAGE
        assert "lines" in ended.err

    def test_lines_that_are_not_there(self, numbers: Path) -> None:
        ended = marrow("reduce", "list.json", "has.sh", "--keep-lines", "4-5")
        assert ended.code == Exit.USAGE
        assert "--keep-lines: there are only 1 lines, not 5" in ended.err


class TestStandardInput:
    def piped(self, work: Path, *words: str, text: bytes = LIST.encode()) -> tuple[int, str]:
        ended = subprocess.run(
            [sys.executable, "-m", "marrow", "reduce", "-", *words],
            cwd=work,
            input=text,
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in ended.stderr
        return ended.returncode, (ended.stdout + ended.stderr).decode()

    def test_by_language(self, numbers: Path) -> None:
        code, _ = self.piped(numbers, "./has.sh", "--language", "json")
        assert code == Exit.DONE
        assert (numbers / "input.reduced.json").read_bytes() == b"177"

    def test_by_name(self, numbers: Path) -> None:
        executable(numbers / "named.sh", 'grep -q 177 crash.json && test "$1" -ef crash.json')
        code, said = self.piped(numbers, "./named.sh", "--name", "some/crash.json", "-o", "x")
        assert code == Exit.DONE, said
        assert (numbers / "x").read_bytes() == b"177"

    def test_with_a_command(self, numbers: Path) -> None:
        code, said = self.piped(
            numbers, "--language", "python", "--", "python3", "{}", text=b"x = 1\nprint([][3])\n"
        )
        assert code == Exit.DONE, said
        assert b"[][" in (numbers / "input.reduced.py").read_bytes()

    def test_what_is_missing(self, numbers: Path) -> None:
        code, said = self.piped(numbers, "./has.sh")
        assert (code, "--language" in said, "--name" in said) == (Exit.USAGE, True, True)
        code, said = self.piped(numbers, "./has.sh", "-l", "json", text=b"")
        assert (code, "standard input is empty" in said) == (Exit.INPUT, True)
        code, said = self.piped(numbers, "./has.sh", "-l", "json", "--in-place")
        assert code == Exit.USAGE
