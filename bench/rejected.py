"""How many candidates the validity check rejects before a test: how good the slots are.

    python -m bench.rejected [--algorithm 'perses*'] [--tests 300] [--show]

Reduces the samples of the test suite to what a few of their words need. With `--show` the
places where rejected candidates were made are listed, the most frequent first.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field

from tests.reducers.test_no_syntax_errors import SAMPLES, TESTS, kept_words

from marrow.engine.events import Answer, Event, Tried
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import StopReductionError
from marrow.engine.search.limits import Limits
from marrow.engine.search.scheduler import Scheduler
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd


@dataclass(slots=True)
class Rejected:
    """What was asked in one language, and where the rejected candidates came from."""

    tests: int = 0
    invalid: int = 0
    phases: Counter[str] = field(default_factory=Counter)

    def listen(self, event: Event) -> None:
        """Note where a rejected candidate was made."""
        if isinstance(event, Tried) and event.answer is Answer.INVALID:
            self.phases[event.attempt.phase] += 1


def main() -> None:
    """Print a line for each language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--algorithm", default="perses*")
    parser.add_argument("--tests", type=int, default=300)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    print("| language | tests | rejected before a test | % |\n| --- | ---: | ---: | ---: |")
    for language, paths in SAMPLES.items():
        found = Rejected()
        for path in paths:
            _reduce(language, path, arguments.algorithm, arguments.tests, found)
        share = 100 * found.invalid / (found.tests + found.invalid)
        print(f"| {language} | {found.tests:,} | {found.invalid:,} | {share:.1f} |", flush=True)
        if arguments.show:
            for phase, count in found.phases.most_common(8):
                print(f"    {count:4} {phase}")


def _reduce(language: str, path: str, algorithm: str, tests: int, found: Rejected) -> None:
    text = (TESTS / path).read_bytes()
    front = TreeSitterFrontEnd(language)

    words = kept_words(text, 0)
    executor = CallableExecutor(lambda candidate: all(word in candidate for word in words), 1)
    journal = Journal.in_memory()
    scheduler = Scheduler(executor, journal, found.listen, Limits(tests=tests))
    tree = front.parse(text)
    stream = algorithm_of(algorithm).reducer(front, front.parse)(tree, finish)
    try:
        for _ in scheduler.run(tree, stream, front.validity()):
            pass
    except StopReductionError:
        pass
    finally:
        executor.close()
    found.tests += scheduler.counts.needed
    found.invalid += scheduler.counts.invalid


if __name__ == "__main__":
    main()
