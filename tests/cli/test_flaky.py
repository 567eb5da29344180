"""`--flaky K/N`: tests that fail only now and then. The lots are in a file, so that runs are alike.

Every run of a test takes the next lot; which candidate gets it does not matter here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import marrow as library
from marrow.run.test import check_test
from marrow.run.test.unfit_test import FlakyTestError
from tests.cli.running import ALGORITHM, executable, marrow

REDUCE = ("reduce", "input.c", "./test.sh", "-j", "1", *ALGORITHM)

#: What is left of the input by a test that looks for the word.
MINIMUM = "int needle() {\n}"

#: A test that sees the word in two of three runs. Nothing but the shell, which is quick.
TWO_OF_THREE = """\
cd "${0%/*}"
read -r number 2>/dev/null < runs
echo $((number + 1)) 1<> runs
[ $((number % 3)) != 2 ] || exit 1
case $(cat "$1") in *needle*) exit 0;; esac
exit 1
"""


def flaky(work: Path, body: str = TWO_OF_THREE) -> None:
    executable(work / "test.sh", body)


def test_a_test_that_wavers_is_reduced_without_an_option(work: Path) -> None:
    flaky(work)
    ended = marrow(*REDUCE, "--report", "out.html", "--json")
    assert ended.code == 0, ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM
    assert "the test wavers: it is interesting in 1" in ended.err
    data = json.loads(ended.out)
    assert data["runs"] == int((work / "runs").read_text())
    assert data["reliability"]["lowest"] <= 2 / 3 <= data["reliability"]["highest"]
    assert data["reliability_before"]["interesting"] >= 16
    assert "the input was interesting in" in (work / "out.html").read_text()
    before = data["text"]
    (work / "runs").unlink()
    again = marrow(*REDUCE, "--resume", "--json")
    assert json.loads(again.out)["text"] == before
    assert int((work / "runs").read_text()) == json.loads(again.out)["reliability"]["runs"]


def test_a_run_that_was_stopped_continues_with_the_same_rate(work: Path) -> None:
    flaky(work)
    assert marrow(*REDUCE, "--max-tests", "5").code == 0
    ended = marrow(*REDUCE, "--resume")
    assert ended.code == 0, ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM


def test_a_failure_that_shows_after_unlucky_runs_is_found(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_test, "MOST_NEVER", 300)
    flaky(work, TWO_OF_THREE.replace("$((number % 3)) != 2", "$((number % 7)) -ge 3"))
    ended = marrow(*REDUCE)
    assert ended.code == 0, ended.err
    assert "the test wavers" in ended.err


def test_a_test_that_is_never_interesting_says_how_rare_a_failure_was_missed(work: Path) -> None:
    executable(work / "test.sh", "exit 1")
    ended = marrow(*REDUCE)
    assert ended.code == 5
    assert "in any of 3 runs" in ended.err
    assert "--flaky 1/30" in ended.err


def test_a_failure_that_is_too_rare_is_refused(work: Path) -> None:
    flaky(work, TWO_OF_THREE.replace("% 3", "% 400").replace("!= 2", "= 2"))
    ended = marrow(*REDUCE)
    assert ended.code == 6
    assert "the test is too flaky: interesting in" in ended.err


def test_a_test_that_stops_failing_is_refused_as_one_that_changes(work: Path) -> None:
    flaky(work, TWO_OF_THREE.replace("$((number % 3)) != 2", "0$number -lt 2"))
    ended = marrow(*REDUCE)
    assert ended.code == 6
    assert "changes over time, or with the number of runs: interesting in 2 of 2" in ended.err


def test_a_test_that_alternates_is_said_to_keep_something(work: Path) -> None:
    flaky(work, TWO_OF_THREE.replace("% 3)) != 2", "% 2)) != 1"))
    ended = marrow(*REDUCE)
    assert ended.code == 0, ended.err
    assert "the verdict depends on the run before" in ended.err


def test_tests_that_disturb_each_other_run_one_at_a_time(work: Path) -> None:
    executable(
        work / "test.sh",
        f'cd "{work}" && mkdir busy 2>/dev/null || exit 1\nsleep 0.05; rmdir busy\n'
        'grep -q needle "$1"',
    )
    ended = marrow("reduce", "input.c", "./test.sh", "-j", "3", *ALGORITHM)
    assert ended.code == 0, ended.err
    assert "tests that run at once disturb each other" in ended.err
    assert "the test wavers" not in ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM


#: Without the semicolon the word is seen in one run of nine, not in two of three.
WEAKER_ALONE = TWO_OF_THREE.replace(
    "*needle*) exit 0;;", "*needle*';'*) exit 0;; *needle*) [ $((number / 3 % 6)) = 0 ]; exit;;"
)


def test_a_weaker_result_is_left_for_one_that_fails_as_often(work: Path) -> None:
    flaky(work, WEAKER_ALONE)
    ended = marrow(*REDUCE, "--json")
    assert ended.code == 0, ended.err
    data = json.loads(ended.out)
    assert ";" in data["text"]
    assert data["verified"]


def test_with_a_quorum_it_is_reduced_and_the_reliability_said(work: Path) -> None:
    flaky(work)
    ended = marrow(*REDUCE, "--flaky", "2/4", "--report", "out.html")
    assert ended.code == 0, ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM
    assert "--flaky 2/4: the test is interesting in" in ended.err
    assert (
        "reliability of the result: interesting in 13 of 20 runs; in 44% to 82% of all" in ended.out
    )
    runs = int((work / "runs").read_text())
    said = re.search(r"  (\d+) tests run to reduce, (\d+) on the input and the result", ended.out)
    assert said is not None
    assert int(said[1]) + int(said[2]) <= runs
    page = (work / "out.html").read_text()
    assert "2/4 runs must be interesting" in page
    assert "the result is interesting in 13 of 20 runs; in" in page


def test_a_resumed_run_asks_nothing_twice_and_wants_the_same_quorum(work: Path) -> None:
    flaky(work)
    assert marrow(*REDUCE, "--flaky", "2/4", "--max-tests", "5").code == 0
    other = marrow(*REDUCE, "--flaky", "2/5", "--resume")
    assert (other.code, "the quorum (--flaky) is not the one" in other.err) == (9, True)
    assert marrow(*REDUCE, "--resume").code == 9
    assert marrow(*REDUCE, "--flaky", "2/4", "--resume").code == 0
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM
    (work / "runs").unlink()
    ended = marrow(*REDUCE, "--flaky", "2/4", "--resume", "-q", "--json")
    assert json.loads(ended.out)["reliability"] == {
        "interesting": 14,
        "runs": 20,
        "lowest": pytest.approx(0.492, abs=0.001),
        "highest": pytest.approx(0.860, abs=0.001),
        "confidence": 0.95,
    }
    assert (work / "runs").read_text() == "20\n", "only the last check"


def test_a_test_that_is_too_flaky_is_refused(work: Path) -> None:
    flaky(work, TWO_OF_THREE.replace("!= 2", "= 2"))
    ended = marrow(*REDUCE, "--flaky", "3/4")
    assert ended.code == 6
    assert "too flaky for 3/4: interesting in 20 of 60 runs" in ended.err
    assert "--flaky 2/13" in ended.err


def test_a_test_that_never_fails_is_found_out(work: Path) -> None:
    flaky(work, TWO_OF_THREE.replace("needle", "another"))
    assert marrow(*REDUCE, "--flaky", "1/2").code == 5
    assert (work / "runs").read_text() == "20\n"


def test_a_result_that_was_accepted_by_luck_is_told(work: Path) -> None:
    # When nothing else can go, the test says yes twice and then no more.
    flaky(
        work,
        'text=$(cat "$1"); cd "${0%/*}"\n'
        'case $text in "int needle() {"*) echo x >> alone; [ "$(wc -l < alone)" -le 2 ];; '
        "*needle*) exit 0;; *) exit 1;; esac",
    )
    ended = marrow(*REDUCE, "--flaky", "2/4")
    assert ended.code == 6
    assert "less often than --flaky 2/4 asks for: it is interesting in 0 of 20 runs" in ended.err
    assert "--flaky 4/8" in ended.err


#: Interesting with a needle; of small inputs only twice, and then no more.
FADING = """\
text=$(cat "$1"); cd "${0%/*}"
case $text in
*needle*";"*) exit 0;;
*needle*) echo x >> alone; [ "$(wc -l < alone)" -le 1 ];;
*) exit 1;;
esac
"""


def test_a_run_ends_with_what_holds_and_says_so(work: Path) -> None:
    executable(work / "test.sh", FADING)
    words = ("reduce", "input.c", "./test.sh", "-j1", *ALGORITHM)
    ended = marrow(*words, "--report", "out.html")
    assert ended.code == 0, ended.err
    result = (work / "input.reduced.c").read_text()
    assert "needle" in result
    assert ";" in result
    assert "not the smallest: that was interesting in 0 of" in ended.out
    assert "verified: the test is interesting on the result" in ended.out
    assert "guarantee: none: what is smaller" in ended.out
    assert "a smaller one was so in" in (work / "out.html").read_text()
    again = marrow(*words, "--resume", "-q", "--json")
    assert again.code == 0, again.err
    data = json.loads(again.out)
    assert (data["verified"], data["smallest"]) == (True, None), "it is not accepted again"
    assert len((work / "input.reduced.c").read_text()) <= len(result)


def test_a_command_that_fails_now_and_then_is_kept_by_its_failures(work: Path) -> None:
    options = ("reduce", "input.c", "-j", "1", *ALGORITHM)
    counted = TWO_OF_THREE.replace('cd "${0%/*}"', "").replace("runs", f"{work}/runs")
    executable(
        work / "program",
        # In its mirror a command finds a copy of itself: the runs are counted elsewhere.
        f"( {counted}) && {{ echo 'fatal: a needle' >&2; exit 3; }}\nexit 0",
    )
    found = marrow(*options, "--", "./program", "{}")
    assert found.code == 0, found.err
    assert "note: the command exits with 3 in" in found.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM
    (work / "input.reduced.c").unlink()
    ended = marrow(*options, "--flaky", "2/5", "--", "./program", "{}")
    assert ended.code == 0, ended.err
    assert "kept: the command exits with 3, says “a …”" in ended.err
    assert (work / "input.reduced.c").read_text().strip() == MINIMUM


def test_abstract_takes_votes_too(work: Path) -> None:
    (work / "calc.txt").write_text("1 + ((2))")
    flaky(work, TWO_OF_THREE.replace("needle", "'(('"))
    words = ("abstract", "calc.txt", "./test.sh", "--grammar", "calculator", "-j", "1", "-q")
    assert (marrow(*words).code, marrow(*words).out) == (0, "((<expr>))\n")
    ended = marrow(*words, "--flaky", "2/5", "--checks", "5")
    assert (ended.code, ended.out) == (0, "((<expr>))\n")


@pytest.mark.parametrize("text", ["5/2", "x", "0/1"])
def test_what_is_no_quorum_is_wrong_use(work: Path, text: str) -> None:
    ended = marrow(*REDUCE, "--flaky", text)
    assert (ended.code, "--flaky" in ended.err) == (2, True)


class Lots:
    """A test that says yes in two of three runs."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, text: bytes) -> bool:
        self.runs += 1
        return self.runs % 3 != 0 and b"3" in text


def test_the_library_takes_votes(tmp_path: Path) -> None:
    source = "[1, [2, 3], 4]"
    found = library.reduce(source, Lots(), language="json")
    assert (found.text, found.verified) == (b"3", True)
    assert found.reliability is not None
    with pytest.raises(FlakyTestError, match="too flaky for 5/5"):
        library.reduce(source, Lots(), language="json", flaky="5/5")
    test = Lots()
    journal = tmp_path / "journal"
    result = library.reduce(source, test, language="json", flaky="2/5", journal=journal)
    assert (result.text, result.verified, result.tests) == (b"3", True, test.runs)
    assert result.reliability is not None
    assert result.reliability.runs == 20
    again = library.reduce(source, Lots(), language="json", flaky="2/5", journal=journal)
    assert (again.text, again.tests) == (b"3", 20)
    with pytest.raises(library.JournalError, match="quorum"):
        library.reduce(source, Lots(), language="json", flaky="3/5", journal=journal)
    pattern = library.abstract("1 + ((2))", _doubled, grammar="calculator", flaky="1/2", seed=1)
    assert pattern.joint.failing == 100


def _doubled(text: bytes) -> bool:
    return b"((" in text
