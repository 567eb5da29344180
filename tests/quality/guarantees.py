"""Check what a run claims of its result, for any algorithm, list minimiser, language and property.

The result is reduced again by the same algorithm: nothing may change. Where the result is said to
be 1-tree-minimal, each list element and optional part of it, parsed anew, is deleted by itself:
none of these texts may be valid and interesting. For ddmin on lines, each line is.

`python -m tests.quality.guarantees 300` makes 300 runs and lists the claims that were false.
"""

from __future__ import annotations

import random
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import marrow
from marrow.reducers.algorithms.list_minimizers import LIST_MINIMIZERS
from marrow.reducers.pipeline.algorithm_table import ALGORITHMS, algorithm_of
from marrow.run.output.result import Result
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.syntax.views import view_of
from marrow.tree import deletable, minimum, size, smaller
from tests.syntax.cases import DIRECTORY

#: A sample for each of ten languages.
SAMPLES = {
    "c": "ring.c",
    "cpp": "shapes.cpp",
    "go": "queue.go",
    "java": "Bank.java",
    "javascript": "cart.js",
    "lua": "stack.lua",
    "python": "walk.pyw",
    "ruby": "report.rb",
    "rust": "parse.rs",
    "typescript": "store.ts",
}

#: All algorithms, and the pipeline.
NAMES = (None, *(one.name for one in ALGORITHMS if not one.needs_grammar))


@dataclass(frozen=True, slots=True)
class Trial:
    """An algorithm, a list minimiser, and a language with a property drawn from a seed."""

    algorithm: str | None
    minimizer: str
    language: str
    seed: int

    @property
    def text(self) -> bytes:
        """The input."""
        return (DIRECTORY / SAMPLES[self.language]).read_bytes()

    def reduced(self, text: bytes) -> tuple[Result, list[bytes]]:
        """Return what the algorithm makes of a text, and all interesting texts on its way."""
        uses = {"minimize"} if self.algorithm is None else algorithm_of(self.algorithm).uses
        interesting: list[bytes] = []
        holds = self.test

        def test(candidate: bytes) -> bool:
            if holds(candidate):
                interesting.append(candidate)
                return True
            return False

        result = marrow.reduce(
            text,
            test,
            language=self.language,
            algorithm=self.algorithm,
            list_minimizer=self.minimizer if "minimize" in uses else None,
            allow_empty=True,
        )
        return result, interesting

    @property
    def test(self) -> Callable[[bytes], bool]:
        """Some words in their order; of other texts with these, one in four fails by lot."""
        chance = random.Random(self.seed)
        words = _words(self.text)
        kept = sorted(chance.sample(range(len(words)), chance.randint(1, 5)))
        needed = [words[at] for at in kept]
        fails, by_layout = chance.choice([0, 4]), chance.random() < 0.5
        original = words

        def test(text: bytes) -> bool:
            found = _words(text)
            if not _is_subsequence(needed, found):
                return False
            lot = zlib.crc32(text if by_layout else b" ".join(found), self.seed)
            return found == original or not fails or lot % fails != 0

        return test


def _words(text: bytes) -> list[bytes]:
    return re.findall(rb"\w+|[^\w\s]", text)


def _is_subsequence(needed: list[bytes], found: list[bytes]) -> bool:
    rest = iter(found)
    return all(word in rest for word in needed)


def trials(seed: int) -> Iterator[Trial]:
    """Yield trials that go through all algorithms, with the rest drawn by lot."""
    chance = random.Random(seed)
    while True:
        for name in NAMES:
            yield Trial(
                name,
                chance.choice([*LIST_MINIMIZERS]),
                chance.choice([*SAMPLES]),
                chance.randrange(10_000),
            )


def false_claims(trial: Trial) -> list[str]:
    """Return what was claimed of a result, and is not so."""
    result, interesting = trial.reduced(trial.text)
    front = view_of("input", result.text, trial.language).counter
    left = front.parse(result.text)
    found = [
        f"interesting and smaller than the result: {text!r}"
        for text in interesting
        if smaller(front.parse(text), left)
    ]
    if result.guarantee.startswith("none"):
        return found
    again, _ = trial.reduced(result.text)
    # After a canonical form, the pipeline claims no more than that nothing can be deleted.
    closed = trial.algorithm is None and "no pass finds anything" not in result.guarantee
    if again.text != result.text and not closed:
        found.append(f"reduced again, {result.tokens_after} tokens became {again.tokens_after}")
    minimal = result.guarantee.startswith("1-")
    shorter = next(_deletions(trial, result), None) if minimal else None
    if shorter is not None:
        found.append(f"a deletion leaves {shorter!r} of {result.text!r}")
    return found


def _deletions(trial: Trial, result: Result) -> Iterator[bytes]:
    """Yield interesting texts that are the result without a line, element or optional part."""
    test = trial.test
    by_lines = result.guarantee.startswith("1-minimal")
    front = TextFrontEnd("lines") if by_lines else TreeSitterFrontEnd(trial.language)
    tree = front.parse(result.text)
    validity = front.validity()
    if validity is not None:
        validity.rebase(tree)
    for place, node in tree.walk():
        elements = deletable(node)
        if len(elements) <= minimum(node):
            continue
        for element in elements:
            candidate = tree.delete([place.child(element.key)])
            valid = validity is None or validity.valid(candidate)
            if valid and size(candidate) < size(tree) and test(candidate.text):
                yield candidate.text


def main() -> None:
    """Make as many runs as asked for, and count the false claims by algorithm."""
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    wrong: Counter[str | None] = Counter()
    for _, trial in zip(range(count), trials(seed), strict=False):
        claims = false_claims(trial)
        if claims:
            wrong[trial.algorithm] += 1
            print(trial, *claims, sep="\n  ", flush=True)
    print(f"{sum(wrong.values())} of {count} runs with a false claim", dict(wrong))


if __name__ == "__main__":
    main()
