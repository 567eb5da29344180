"""Rows of the table of `bench.ddset`: plain values that are kept in a file, one line a search.

A table of dozens of failures takes hours: what was measured is kept with the version of the code
that it was measured with, for each failure and seed, so that the table goes on where it was
stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import marrow
from bench.ddset_measure import Found, Measured, form_of, lower_bound, remaining, shown
from marrow.abstraction.pattern import Mark

#: The packages that patterns depend on: a row of other code is not taken for one of this.
_PACKAGES: Final = ("abstraction", "grammar", "grammars", "syntax", "tree")


@dataclass(frozen=True, slots=True)
class PrintedRun:
    """The procedure as printed: its tests, and whether it was stopped."""

    name: str
    tests: int
    stopped: bool
    pattern: str = ""

    @classmethod
    def of(cls, name: str, found: Found) -> PrintedRun:
        """Return what was measured of a failure."""
        return cls(name, found.tests, bool(found.pattern.stopped), shown(found.pattern))


@dataclass(frozen=True, slots=True)
class SeedRun:
    """The search with one more seed: its tests, and the pattern without names."""

    name: str
    seed: int
    tests: int
    form: str
    version: str

    @classmethod
    def of(cls, name: str, seed: int, found: Found, version: str) -> SeedRun:
        """Return what was measured of a failure."""
        return cls(name, seed, found.tests, form_of(found.pattern), version)


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured of a failure: the pattern of the first seed, and what others gave.

    `failing` of `valid` of `produced` inputs failed, and `near_failing` of `near_valid` near
    samples. `others` are the searches with other seeds.
    """

    name: str
    chars: int
    visible: int
    invisible: int
    groups: int
    remaining: int
    tests: int
    form: str
    produced: int
    valid: int
    failing: int
    near_valid: int
    near_failing: int
    pattern: str
    version: str
    others: tuple[SeedRun, ...] = ()
    printed: PrintedRun | None = None

    @property
    def seeds(self) -> int:
        """How many seeds were tried."""
        return 1 + len(self.others)

    @property
    def steady(self) -> int:
        """How many seeds gave the pattern that most of them gave, up to names."""
        forms = Counter([self.form, *(one.form for one in self.others)])
        return forms.most_common(1)[0][1]

    @property
    def valid_share(self) -> float:
        """The share of produced inputs that are valid."""
        return self.valid / max(1, self.produced)

    @property
    def failing_share(self) -> float:
        """The share of valid inputs that fail."""
        return self.failing / max(1, self.valid)

    @property
    def near_share(self) -> float:
        """The share of valid near samples that fail."""
        return self.near_failing / max(1, self.near_valid)

    @classmethod
    def of(cls, one: Measured, version: str) -> Row:
        """Return the row of what was measured."""
        marks = [hole.marked.mark for hole in one.pattern.holes()]
        return cls(
            name=one.failure.name,
            chars=len(one.pattern.tree.text.strip()),
            visible=marks.count(Mark.ABSTRACT),
            invisible=marks.count(Mark.INVISIBLE),
            groups=marks.count(Mark.CONTEXT_SENSITIVE),
            remaining=remaining(one.pattern),
            tests=one.found.tests,
            form=form_of(one.pattern),
            produced=len(one.produced.verdicts),
            valid=one.produced.valid,
            failing=one.produced.failing,
            near_valid=one.near.valid,
            near_failing=one.near.failing,
            pattern=shown(one.pattern),
            version=version,
        )

    def cells(self) -> list[str]:
        """Return what is printed of the failure."""
        printed = "-"
        if self.printed is not None:
            printed = f"{self.printed.tests:,}{'+' if self.printed.stopped else ''}"
        return [
            self.name,
            str(self.chars),
            f"{self.visible}/{self.invisible}",
            str(self.groups),
            str(self.remaining),
            f"{self.tests:,}",
            printed,
            f"{self.valid_share:.0%} of {self.produced}" if self.produced else "-",
            f"{self.failing} of {self.valid}" if self.valid else "-",
            f"{lower_bound(self.failing, self.valid):.1%}" if self.valid else "-",
            f"{self.near_failing} of {self.near_valid}" if self.near_valid else "-",
            f"{self.steady} of {self.seeds}",
            self.pattern,
        ]


def code_version() -> str:
    """Return a name for the code that patterns depend on."""
    top = Path(marrow.__file__).parent
    files = (path for one in _PACKAGES for path in (top / one).rglob("*"))
    said = hashlib.sha256()
    for path in sorted(path for path in files if path.suffix in (".py", ".g4")):
        said.update(str(path.relative_to(top)).encode() + path.read_bytes())
    return said.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Rows:
    """What was measured so far, by the names of failures, and the file that it is kept in.

    Without a file nothing is kept.
    """

    path: Path | None = None
    first: dict[str, Row] = field(default_factory=dict)
    others: dict[tuple[str, int], SeedRun] = field(default_factory=dict)
    printed: dict[str, PrintedRun] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path | None) -> Rows:
        """Read a file: of several lines of one search the last counts."""
        found = cls(path)
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                data: dict[str, Any] = json.loads(line)
                if "stopped" in data:
                    found._take(PrintedRun(**data))
                elif "seed" in data:
                    found._take(SeedRun(**data))
                else:
                    found._take(Row(**data))
        return found

    def keep(self, one: Row | SeedRun | PrintedRun) -> None:
        """Add what was measured."""
        self._take(one)
        if self.path is not None:
            data = asdict(one)
            data.pop("printed", None)
            data.pop("others", None)
            with self.path.open("a") as file:
                file.write(json.dumps(data) + "\n")

    def row(self, name: str) -> Row | None:
        """Return the row of a failure, with other seeds and the procedure as printed beside it."""
        row = self.first.get(name)
        if row is None:
            return None
        seeds = (one for (other, _), one in sorted(self.others.items()) if other == name)
        same = tuple(one for one in seeds if one.version == row.version)
        return replace(row, others=same, printed=self.printed.get(name))

    def _take(self, one: Row | SeedRun | PrintedRun) -> None:
        match one:
            case Row():
                self.first[one.name] = one
            case SeedRun():
                self.others[one.name, one.seed] = one
            case PrintedRun():
                self.printed[one.name] = one
