"""Runs for the tables: each is made once for a version of the code, and kept.

A run is known by the digest of the algorithms, the case, the algorithm and the setting. So a table
that was stopped continues, tables share runs, and a change of the code makes all of them anew.
Verdicts of tests that are commands are kept as well (`bench.verdicts`).
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import marrow
from bench.cases import CannotMakeError, prepare, select
from bench.cases.case import CACHE
from bench.papers.multidelta import multidelta
from bench.papers.small_cases import SMALL, SmallCase, tall_cases
from bench.papers.watch import Watcher
from bench.verdicts import RememberingTest, remembering
from marrow.grammars import grammar_names, grammar_path
from marrow.reducers.algorithms.settings import PRESETS, Settings
from marrow.syntax.views import UnknownLanguageError, view_of

#: The name of MultiDelta's way among the algorithms.
MULTIDELTA: Final = "multidelta"

_RUNS: Final = CACHE / "papers" / "runs.jsonl"

#: The pages of the papers, and a table on them.
PAGES: Final = Path(__file__).resolve().parents[2] / "docs" / "papers"
BLOCK: Final = re.compile(r"(<!-- paper: (\S+) -->)(.*?)(<!-- end of paper -->)", re.S)


@dataclass(frozen=True, slots=True)
class Subject:
    """An input with its test, and the grammar that describes it, if one ships."""

    name: str
    file: str
    language: str
    grammar: str | None
    text: bytes
    test: Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run made of a case."""

    case: str
    tokens_before: int
    tokens_after: int
    before: int
    after: int
    tests: int
    seconds: float
    stopped: bool = False
    #: After how many tests 50, 20, 10 and 5% of the tokens were left, as far as that was reached.
    milestones: Mapping[str, int] = field(default_factory=dict)
    #: How many batches of nodes of one type there were, and how many nodes went together how often.
    batches: int = 0
    chunks: Mapping[str, int] = field(default_factory=dict)

    @property
    def speed(self) -> float:
        """Tokens removed a second."""
        return (self.tokens_before - self.tokens_after) / max(self.seconds, 0.001)


#: The modules of each paper's algorithms; what they import of these packages counts too.
MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "perses": ("reducers.algorithms.perses", "reducers.algorithms.hdd"),
    "hoisting": ("reducers.algorithms.published", "reducers.algorithms.hdd_variants"),
    "type-batched": ("reducers.algorithms.type_batching", "reducers.algorithms.pardis"),
    "ddset": ("reducers.algorithms.ddset_reduction", "abstraction.ddset"),
}
_PACKAGES: Final = ("reducers.algorithms.", "learn.", "abstraction.")

#: It names the settings of all algorithms: of these, only the presets of a paper matter to it.
_SETTINGS: Final = "reducers.algorithms.settings"
_PRESETS: Final = {
    "perses": ("perses",),
    "hoisting": ("published", "picireny"),
    "type-batched": ("type-batched",),
}


def modules_of(paper: str) -> list[str]:
    """Return the modules that decide what the tables of a paper show."""
    found: list[str] = []
    pending = list(MODULES[paper])
    while pending:
        name = pending.pop()
        if name in found or name == _SETTINGS:
            continue
        found.append(name)
        for node in ast.walk(_code_of(name)):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                imported = node.module.removeprefix("marrow.")
                if imported.startswith(_PACKAGES):
                    pending.append(imported)
    return sorted(found)


def _code_of(module: str) -> ast.Module:
    path = Path(marrow.__file__).parent / f"{module.replace('.', '/')}.py"
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def modules_digest(*papers: str) -> str:
    """Return a digest of the modules and presets of papers; docstrings do not count."""
    digest = hashlib.blake2b(digest_size=5)
    for name in sorted({name for paper in papers for name in modules_of(paper)}):
        code = _code_of(name)
        for node in ast.walk(code):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
                body[:1] = []
        digest.update(ast.dump(code).encode())
    usual = Settings()
    for preset in (name for paper in papers for name in _PRESETS.get(paper, ())):
        chosen = PRESETS[preset].settings
        for one in fields(Settings):
            value = getattr(chosen, one.name)
            if value != getattr(usual, one.name):
                digest.update(f"{preset} {one.name} {value}".encode())
    return digest.hexdigest()


@cache
def commit() -> str:
    """Return the commit that the code is based on; `modules_digest` says if it was changed."""
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def _interesting(test: Callable[[str], bool], text: bytes) -> bool:
    return test(text.decode("utf-8", "replace"))


def _subject(one: SmallCase) -> Subject:
    test = partial(_interesting, one.test)
    return Subject(
        one.name, f"input.{one.grammar}", one.grammar, one.grammar, one.text.encode(), test
    )


def real_subject(name: str, work: Path) -> Subject:
    """Return a case of `bench.cases`; raise `CannotMakeError` if this machine lacks something."""
    made = prepare(select([name])[0])
    language = made.case.language
    grammar = language if language in grammar_names() else None
    text = made.input.read_bytes()
    return Subject(name, made.case.file, language, grammar, text, remembering(made, work))


def subjects(names: str, work: Path) -> list[Subject]:
    """Return cases by name; `small` and `tall` stand for those whose tests are functions."""
    groups = {"small": list(SMALL), "tall": tall_cases()}
    found: list[Subject] = []
    for name in names.split(","):
        own = [one for one in (*SMALL, *groups["tall"]) if name in (one.name, one.grammar)]
        own = groups.get(name) or own
        found += map(_subject, own)
        if not own:
            for case in select([name]):
                try:
                    found.append(real_subject(case.name, work))
                except CannotMakeError as error:
                    print(f"left out: {error}")
    return found


def measured(subject: Subject, algorithm: str, *, by_grammar: bool, **options: Any) -> Measured:
    """Return what an algorithm makes of a case; the run is made unless it is known."""
    words = ",".join(f"{name}={value}" for name, value in sorted(options.items()))
    code = modules_digest(*(paper for paper in MODULES if paper != "ddset"))
    key = f"{code} {subject.name} {algorithm} {words} grammar={by_grammar}"
    known = _known()
    if key not in known:
        known[key] = asdict(_run(subject, algorithm, by_grammar, options))
        _RUNS.parent.mkdir(parents=True, exist_ok=True)
        with _RUNS.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **known[key]}) + "\n")
    return Measured(**known[key])


@cache
def _known() -> dict[str, dict[str, Any]]:
    if not _RUNS.exists():
        return {}
    rows = [json.loads(line) for line in _RUNS.read_text(encoding="utf-8").splitlines()]
    return {row.pop("key"): row for row in rows}


def _run(
    subject: Subject, algorithm: str, by_grammar: bool, options: Mapping[str, Any]
) -> Measured:
    if algorithm == MULTIDELTA:
        saved = _saved(subject)
        done = multidelta(subject.text, subject.test)
        saved = _saved(subject) - saved
        sizes = characters(subject, subject.text), characters(subject, done.text)
        tokens = _tokens(subject, subject.text), _tokens(subject, done.text)
        return Measured(subject.name, *tokens, *sizes, done.tests, done.seconds + saved)
    watcher, saved = Watcher(), _saved(subject)
    result = marrow.reduce(
        subject.text,
        subject.test,
        name=subject.file,
        algorithm=algorithm,
        workers=1,
        on_event=watcher,
        **_where(subject, by_grammar),
        **options,
    )
    return Measured(
        subject.name,
        result.tokens_before,
        result.tokens_after,
        characters(subject, subject.text),
        characters(subject, result.text),
        result.asked,
        result.seconds + _saved(subject) - saved,
        result.stopped is not None,
        watcher.milestones(result.tokens_before),
        watcher.batches,
        {str(size): count for size, count in sorted(watcher.chunks.items())},
    )


def _saved(subject: Subject) -> float:
    """Return the seconds of tests that were answered from memory so far."""
    return subject.test.saved if isinstance(subject.test, RememberingTest) else 0.0


def _where(subject: Subject, by_grammar: bool) -> dict[str, Any]:
    """Return how the input is seen: by the grammar that ships, or by the parser of its language."""
    if by_grammar and subject.grammar is not None:
        return {"grammar": str(grammar_path(subject.grammar))}
    return {"language": subject.language}


def _tokens(subject: Subject, text: bytes) -> int:
    """Return the tokens of a text."""
    return marrow.reduce(
        text, lambda candidate: candidate == text, name=subject.file, algorithm="pardis*",
        once=True, max_tests=1, **_where(subject, by_grammar=True),
    ).tokens_before  # fmt: skip


def characters(subject: Subject, text: bytes) -> int:
    """Return the number of characters that are neither white space nor in comments."""
    try:
        tree = view_of(subject.file, text, subject.language).counter.parse(text)
        text = b"".join(token.text for token in tree.tokens())
    except UnknownLanguageError:
        pass  # a small case by a grammar of its own; these have no comments
    return sum(not one.isspace() for one in text.decode("utf-8", "replace"))


def with_cases(names: str, make: Callable[[list[Subject]], str]) -> str:
    """Return what is made of cases, with a directory for their tests."""
    with tempfile.TemporaryDirectory(prefix="papers-") as work:
        return make(subjects(names, Path(work)))


def rows(head: list[str], body: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in body)])


def rows_of(table: str) -> list[dict[str, str]]:
    """Return the rows of a Markdown table by its head; an empty first cell is the one above."""
    lines = [line for line in table.split("\n") if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    found: list[dict[str, str]] = []
    for row in cells[2:]:
        row[0] = row[0] or next(iter(found[-1].values()))
        found.append(dict(zip(cells[0], row, strict=True)))
    return found


def tables_of(page: str) -> dict[str, str]:
    """Return the blocks of a page, by the names of their tables."""
    return {name: block for _, name, block, _ in BLOCK.findall(page)}


def rows_of_page(paper: str, table: str) -> list[dict[str, str]]:
    """Return the rows of a table that a page has."""
    return rows_of(tables_of((PAGES / f"{paper}.md").read_text(encoding="utf-8"))[table])
