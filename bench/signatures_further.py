"""Sixty further failures of tools that are not in the golden corpus; see docs/lab/signatures.md.

    python -m bench.signatures_further check [TOOL...]   whether the tools print what the cases say
    python -m bench.signatures_further [TOOL...]         what the inference keeps of the failures

A case of `bench/further/*.toml` has a command, an input, expressions for what the tool must print
(`shown`), changes of the input that show the same failure (`same`) and neighbours that do not
(`others`), each as replacements. `fill` replaces the line `LOG` by many lines. Two harmless changes
are made for every case: comment lines after line `insert`, and another directory and file name.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.signature.golden import DIRECTORY, ELSEWHERE, RUNS, Seen, Tool, Variant
from tests.signature.rates import observation_of

from bench.signatures_run import SCRATCH, run
from marrow.languages.recognition import language_of
from marrow.signature.controls import ControlRun, control_texts, trivial_text
from marrow.signature.inference import infer_signature

CASES: Final = Path(__file__).parent / "further"

# Comment lines that a moved input begins with: enough for line numbers to gain a digit.
_MOVED: Final = 11


@dataclass(frozen=True, slots=True)
class Case:
    """A failure, what it prints, and its neighbours."""

    group: str
    tool: str
    package: str
    command: tuple[str, ...]
    file: str
    comment: str
    text: str
    shown: tuple[str, ...]
    same: tuple[Mapping[str, str], ...]
    others: tuple[Mapping[str, str], ...]
    insert: int = 0
    elsewhere: str = ""
    fill: Mapping[str, Any] = field(default_factory=dict)
    build: str = ""
    compile: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()

    def variants(self) -> Iterator[tuple[Variant, bool]]:
        """Yield the harmless changes and the neighbours, with whether the failure is the same."""
        lines = self.text.splitlines(keepends=True)
        lines[self.insert : self.insert] = [f"{self.comment}\n"] * _MOVED
        if "moved" not in self.leave_out:
            yield self.variant("moved", "".join(lines)), True
        name = self.elsewhere or f"other{Path(self.file).suffix}"
        yield self.variant("elsewhere", self.text, name, ELSEWHERE), True
        for right, changes in ((True, self.same), (False, self.others)):
            for number, change in enumerate(changes, 1):
                text = self.text
                for old, new in change.items():
                    assert old in text, f"{self.tool}: there is no {old!r}"
                    text = text.replace(old, new)
                yield self.variant(f"{'same' if right else 'other'} {number}", text), right

    def variant(self, what: str, text: str, file: str = "", directory: str = DIRECTORY) -> Variant:
        """Return an input to run the tool on."""
        count, line = self.fill.get("count", 0), self.fill.get("line", "")
        filled = "\n".join(line.replace("{n}", str(n)) for n in range(count))
        text = text.replace("LOG\n", f"{filled}\n", 1)
        built = str(SCRATCH / "built" / "further")
        words = tuple(word.replace("BUILT", built) for word in self.command)
        return Variant("harmless", what, text.encode(), file or self.file, words, directory)

    def run(self, variant: Variant) -> Seen:
        """Run the tool."""
        tool = Tool(self.tool, self.package, (), self.command, self.file, self.comment, b"")
        return run(tool, variant)

    def is_shown(self, seen: Seen) -> bool:
        """Return whether an output has all that this failure prints."""
        printed = (seen.stdout + seen.stderr).decode("utf-8", "replace")
        return seen.status != 0 and all(re.search(one, printed, re.M) for one in self.shown)


def cases(names: Sequence[str] = ()) -> list[Case]:
    """Return the cases, of some tools or of all."""
    found = []
    for path in sorted(CASES.glob("*.toml")):
        for one in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            known: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value
                for key, value in one.items()
            }
            found.append(Case(group=path.stem, **known))
    return [one for one in found if not names or one.tool in names]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.signatures_further")
    parser.add_argument("words", nargs="*", help="check, and names of tools")
    words = parser.parse_args(arguments).words
    checking = words[:1] == ["check"]
    chosen = cases(words[checking:])
    for case in chosen:
        _build(case)
    return sum(_check(case) for case in chosen) if checking else _report(chosen)


def _build(case: Case) -> None:
    if case.build:
        place = SCRATCH / "built" / "further"
        place.mkdir(parents=True, exist_ok=True)
        (place / "build.c").write_text(case.build, encoding="utf-8")
        subprocess.run(case.compile, cwd=place, check=True)


def _check(case: Case) -> bool:
    """Say where a tool does not print what its case says."""
    seen = case.run(case.variant("input", case.text))
    wrong = [] if case.is_shown(seen) else [("input", seen)]
    for variant, right in case.variants():
        seen = case.run(variant)
        if case.is_shown(seen) != right:
            wrong.append((variant.what, seen))
    for what, one in wrong:
        said = (one.stdout + one.stderr).decode("utf-8", "replace").splitlines()
        print(f"{case.tool}: {what}: {one.ended}\n    " + "\n    ".join(said[:4] + said[-12:]))
    return bool(wrong)


def judged(case: Case) -> tuple[str, list[str]]:
    """Return what the inference keeps of a case, and which verdicts are wrong."""
    source = case.variant("input", case.text)
    runs = [observation_of(case.run(source)) for _ in range(RUNS)]
    language = language_of(case.file, source.text)
    controls = []
    for what, text in control_texts(source.text, trivial_text(language or "")):
        seen = case.run(case.variant(what, text.decode("utf-8", "replace")))
        controls.append(ControlRun(what, text, observation_of(seen)))
    found = infer_signature(runs, source.text, case.file, controls=controls, command=source.command)
    if found.refusal:
        return found.refusal, ["refused"]
    wrong = []
    for variant, right in case.variants():
        said = found.best.judge(observation_of(case.run(variant)), variant.text, variant.file)
        if said.matches != right:
            wrong.append(f"{'lost' if right else 'taken'}: {variant.what}: {said.why}")
    return found.best.sentence, wrong


def _report(chosen: Sequence[Case]) -> int:
    groups: dict[str, list[list[str]]] = {}
    for case in chosen:
        sentence, wrong = judged(case)
        groups.setdefault(case.group, []).append(wrong)
        print(f"{case.tool}: {'right' if not wrong else 'WRONG'}: {sentence}", flush=True)
        print("".join(f"    {line}\n" for line in wrong), end="")
    rows = [*groups.items(), ("all", [one for group in groups.values() for one in group])]
    print(f"{'group':16} {'cases':>5} {'right':>5} {'lost':>5} {'taken':>5} {'refused':>7}")
    for name, found in rows:
        figures = [
            sum(any(line.startswith(word) for line in wrong) for wrong in found)
            for word in ("lost", "taken", "refused")
        ]
        right = sum(not wrong for wrong in found)
        print(f"{name:16} {len(found):5} {right:5} " + "{:5} {:5} {:7}".format(*figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
