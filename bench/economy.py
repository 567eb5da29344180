"""Tests and tokens of the default strategy on benchmark cases, against another marrow's.

    python -m bench.economy --cases js-mujs-33,java                with this marrow
    python -m bench.economy --cases go --against DIR               and with that of a checkout
    python -m bench.economy --cases go --passes                    and what each pass cost

Tests are those in stream order that no earlier verdict answered: what a run with one worker makes.
A checkout has its environment in `.venv`. A row is kept in bench/results/economy when it is done,
by the code of the marrow that made it, and not made again; verdicts are shared by all runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

from bench.cases import CannotMakeError, Case, prepare, select
from bench.compare import geometric_mean
from bench.runs import code_version
from bench.verdicts import remembering

ROOT: Final = Path(__file__).resolve().parent.parent
_RESULTS: Final = ROOT / "bench" / "results" / "economy"

#: What a run has to say: the text that is left, tests, and tests and tokens by pass.
Figures = dict[str, Any]


class _Trace:
    def __init__(self, case: Case, text: bytes) -> None:
        self.tests: Final[Counter[str]] = Counter()
        self.successes: Final[Counter[str]] = Counter()
        self.removed: Final[Counter[str]] = Counter()
        self.after_last = 0
        self._case: Final = case
        self._left = case.tokens
        self._last = text

    def listen(self, event: Any) -> None:
        from marrow import Verdict
        from marrow.engine.events import Accepted, Answer, Tried

        if isinstance(event, Tried):
            text = event.attempt.tree.text
            kept = event.verdict is Verdict.INTERESTING
            if event.answer is Answer.TEST:
                name = kind(event.attempt.pass_name, event.attempt.phase)
                self.tests[name] += 1
                self.after_last += 1
            if kept:
                self._last = text
        elif isinstance(event, Accepted):
            name = kind(event.pass_name, event.phase)
            # The trees of declarations say roughly how many tokens they have.
            rough = event.pass_name == "declarations"
            now = _measured(self._case, self._last) if rough else event.tokens
            self.successes[name] += 1
            self.removed[name] += self._left - now
            self._left, self.after_last = now, 0


def kind(name: str, phase: str) -> str:
    """Return the name of a pass; the phase of a detour says which kind it is."""
    return phase if phase.startswith("detour") else name or "first"


def tokens_of(case: Case, figures: Figures) -> int:
    """Return how many tokens the result of a case has."""
    return _measured(case, figures["text"].encode("latin-1"))


def _measured(case: Case, text: bytes) -> int:
    from bench.cases.measure import measure  # not in every marrow: this one alone counts

    return measure(text, case.file, case.language).tokens


def main() -> int:
    """Print a row for each case, then the geometric means; exit with 1 if one cannot be made."""
    parser = argparse.ArgumentParser(prog="python -m bench.economy", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--cases", default="all", help="names and languages, with commas")
    parser.add_argument("--against", type=Path, metavar="DIR")
    parser.add_argument("--passes", action="store_true")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        print(json.dumps(_run(select([arguments.run])[0])))
        return 0
    ratios: list[tuple[float, float, float]] = []
    failed = False
    for case in select(arguments.cases.split(",")):
        try:
            prepare(case)
        except CannotMakeError as error:
            print(error, file=sys.stderr)
            failed = True
            continue
        now = _figures(case, ROOT)
        row = [case.name, *_columns(case, now)]
        if arguments.against:
            before = _figures(case, arguments.against.resolve())
            ratios.append(_ratios(case, now, before))
            row += _columns(case, before) + [f"{one:.2f}" for one in ratios[-1]]
        print("|", " | ".join(row), "|", flush=True)
        if arguments.passes:
            for name, tests in sorted(now["by_pass"].items(), key=lambda pair: -pair[1]):
                print(f"    {name:30} {tests:5} tests {now['removed'].get(name, 0):6} tokens")
    for name, column in zip(
        ("tokens", "tests", "own time"), zip(*ratios, strict=True), strict=False
    ):
        mean = geometric_mean(column)
        print(f"{name}: geometric mean {mean:.3f} of {len(column)}, worst {max(column):.2f}")
    return 1 if failed else 0


def _columns(case: Case, figures: Figures) -> list[str]:
    """Return tokens, tests, those after the last success, and marrow's share of the processor."""
    share = figures["own"] / max(0.001, figures["own"] + figures["processor"])
    counts = tokens_of(case, figures), figures["tests"], figures["after_last"]
    return [*map(str, counts), f"{share:.0%}"]


def _ratios(case: Case, now: Figures, before: Figures) -> tuple[float, float, float]:
    tokens = max(1, tokens_of(case, now)) / max(1, tokens_of(case, before))
    return tokens, now["tests"] / before["tests"], now["own"] / before["own"]


def _figures(case: Case, checkout: Path) -> Figures:
    """Return the figures of a case by the marrow of a checkout, from an earlier run if there is."""
    kept = _RESULTS / code_version(checkout / "src" / "marrow")[:16] / f"{case.name}.json"
    if not kept.exists():
        python = checkout / ".venv" / "bin" / "python"
        done = subprocess.run(
            [python, "-m", "bench.economy", "--run", case.name],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{case.name}: {done.stderr[-2000:]}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(done.stdout)
    figures: Figures = json.loads(kept.read_text())
    return figures


def _run(case: Case) -> Figures:
    """Reduce a case with the marrow of this process."""
    from marrow import reduce

    made = prepare(case)
    text = made.input.read_bytes()
    trace = _Trace(case, text)
    with tempfile.TemporaryDirectory(prefix="economy-") as place:
        test = remembering(made, Path(place))
        began = time.process_time()
        result = reduce(text, test, name=case.file, language=case.language, on_event=trace.listen)
        own = time.process_time() - began
    return {
        "text": result.text.decode("latin-1"),
        "tests": sum(trace.tests.values()),
        "after_last": trace.after_last,
        "own": own,
        "processor": test.processor,
        "by_pass": dict(trace.tests),
        "successes": dict(trace.successes),
        "removed": dict(trace.removed),
    }


if __name__ == "__main__":
    sys.exit(main())
