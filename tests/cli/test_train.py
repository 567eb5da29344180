"""`marrow train` on the command line, with a check that is a few characters of shell."""

from __future__ import annotations

import csv
import signal
from pathlib import Path

import pytest

from marrow.cli.commands import train as training
from marrow.cli.exits import Exit
from marrow.learn.model import Model
from marrow.learn.types import whole_type
from marrow.training.fit import can_fit
from tests.cli.running import Ended, end, marrow, start
from tests.training.corpus import PROGRAMS, write

needs_fitting = pytest.mark.skipif(not can_fit(), reason="needs scikit-learn (marrow[train])")

#: Passes as long as what is printed was assigned: quick, and fails now and then.
CHECK = "! grep -q print {} || grep -q = {}"


def train(work: Path, *more: str, check: str = CHECK, out: str = "model.json") -> Ended:
    corpus = write(work / "corpus")
    options = ("--corpus", corpus, "--check", check, "-o", out, "--tokens", "1", "-j", "2")
    return marrow("train", "-l", "python", *options, *more)


@needs_fitting
def test_a_model_and_its_record(work: Path) -> None:
    ended = train(work, "--log", "log.csv", "--note", "three programs", "--seed", "3")
    assert ended.code == 0, ended.err
    model = Model.from_json((work / "model.json").read_text())
    facts = model.provenance
    assert (model.language, facts["corpus"], facts["files"], facts["seed"]) == (
        "python",
        "three programs",
        3,
        3,
    )
    assert facts["check"] == CHECK
    assert facts["command"].startswith("marrow train")
    with (work / "log.csv").open() as file:
        rows = list(csv.DictReader(file))
    whole = [one for name, one in model.curves.items() if name == whole_type(name)]
    halves = [one for name, one in model.curves.items() if name != whole_type(name)]
    for curves in whole, halves:
        assert len(rows) == facts["removals"] == sum(one.observations for one in curves)
    assert sum(int(row["removed"]) for row in rows) == facts["removed"]
    assert {row["file"] for row in rows} == set(PROGRAMS)
    assert "on files held out: log-loss" in ended.out
    assert f"{facts['removals']:,} removals" in ended.out


@needs_fitting
def test_the_same_for_a_seed_and_when_resumed(work: Path) -> None:
    assert train(work).code == 0
    whole = Model.from_json((work / "model.json").read_text())
    stopped = train(work, "--max-tests", "12", out="part.json")
    assert stopped.code == 0
    assert "12 tests is reached; --resume with a higher --max-tests continues" in stopped.out
    assert Model.from_json((work / "part.json").read_text()).curves != whole.curves
    assert train(work, "--resume", out="part.json").code == 0
    rest = Model.from_json((work / "part.json").read_text())
    assert (rest.curves, rest.prior) == (whole.curves, whole.prior)
    assert rest.provenance["tests"] == whole.provenance["tests"]


@needs_fitting
def test_by_a_grammar(work: Path) -> None:
    corpus = work / "json"
    corpus.mkdir()
    for number in range(3):
        (corpus / f"{number}.json").write_text(f'{{"a": [{number}, true, {{"b": null}}], "c": ""}}')
    (corpus / "odd.json").write_text("[,]")
    words = ("--corpus", "json", "--check", "grep -q . {}", "-o", "model.json", "--tokens", "1")
    ended = marrow("train", "-l", "json", "--grammar", "json", *words)
    assert ended.code == 0, ended.err
    model = Model.from_json((work / "model.json").read_text())
    assert (model.language, model.provenance["files"]) == ("grammar-json", 3)
    by_grammar = {name for name in model.curves if name == whole_type(name)}
    assert marrow("train", "-l", "json", *words, "--force").code == 0
    by_parser = Model.from_json((work / "model.json").read_text())
    assert by_parser.language == "json"
    assert by_grammar.isdisjoint(by_parser.curves)


@needs_fitting
def test_a_signal_keeps_what_there_is(work: Path) -> None:
    corpus = write(work / "corpus")
    check = "sleep 0.05 && " + CHECK
    words = ("--corpus", str(corpus), "--check", check, "-o", "model.json", "--tokens", "50")
    process = start("train", "-l", "python", *words, cwd=work)
    assert process.stderr is not None
    while "removals" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGTERM)
    ended = end(process)
    assert ended.code == Exit.TERMINATED
    assert "stopped: interrupted; --resume with the same options continues" in ended.out
    assert Model.from_json((work / "model.json").read_text()).curves


def test_without_scikit_learn(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "can_fit", lambda: False)
    ended = train(work)
    assert ended.code == Exit.USAGE
    assert "pip install 'marrow[train]'" in ended.err


@needs_fitting
@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("-l", "klingon"), Exit.USAGE, "marrow knows no language called 'klingon'"),
        (("-l", "go"), Exit.INPUT, "marrow found no go files of at most 65,536 bytes"),
        (("--start", "value"), Exit.USAGE, "--start names a rule of a grammar"),
        (("--grammar", "no.g4"), Exit.INPUT, "no.g4"),
        (("-l", "klingon", "--grammar", "json"), Exit.USAGE, "marrow knows no language called"),
        (("--corpus", "nowhere"), Exit.INPUT, "the corpus nowhere does not exist"),
        (("--check", "true"), Exit.USAGE, "the check does not name the file: true"),
        (("--max-file-size", "1"), Exit.INPUT, "--max-file-size sets the size"),
        (("-o", "no/model.json"), Exit.OUTPUT, "there is no directory"),
        (("-o", "corpus"), Exit.OUTPUT, "to corpus: it is a directory"),
        (("--log", "corpus"), Exit.OUTPUT, "to corpus: it is a directory"),
        (("--resume", "-o", "new.json"), Exit.JOURNAL, "there is nothing to resume"),
    ],
)
def test_bad_cases(work: Path, options: tuple[str, ...], code: Exit, words: str) -> None:
    ended = train(work, *options)
    assert (ended.code, ended.out) == (code, "")
    assert words in ended.err
    assert not (work / "model.json").exists()


@needs_fitting
def test_no_file_passes_the_check(work: Path) -> None:
    ended = train(work, check="echo no such compiler; test {} = 1")
    assert ended.code == Exit.INPUT
    assert "none of the 3 files can be trained on" in ended.err
    assert ended.err.count("does not pass the check") == 2 * 3
    assert "| no such compiler" in ended.err
    assert "exit code 1" in ended.err
    assert not (work / "model.json").exists()


@needs_fitting
def test_the_journal_of_another_check_is_refused(work: Path) -> None:
    assert train(work, "--max-tests", "5").code == 0
    ended = train(work, "--resume", check="true {}")
    assert ended.code == Exit.JOURNAL
    assert "the check is not the one" in ended.err
    fresh = train(work, "--max-tests", "5", "-q")
    assert (fresh.code, fresh.out, fresh.err) == (0, "", "")
    assert (work / "model.json.marrow~").exists()


def test_help_has_an_example(work: Path) -> None:
    ended = marrow("train", "--help")
    assert ended.code == 0
    assert "marrow train -l c --corpus programs/ --check 'gcc -fsyntax-only -w {}'" in ended.out
