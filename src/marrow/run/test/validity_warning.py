"""Tests that never say that a sample is not a valid input.

Where nothing varies, that is often why: each sample that a tool refuses counts as one that passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from marrow.abstraction.pattern import Pattern
from marrow.engine.executors.executor import Executor
from marrow.engine.verdict import Verdict
from marrow.signature.observation import Observation
from marrow.signature.validity import is_syntax_error

#: How many examples are shown, and how many samples are run again to find some: a test that says
#: nothing about the first few says nothing about others.
_EXAMPLES: Final = 2
_MOST_RUNS: Final = 6


@dataclass(frozen=True, slots=True)
class UnvaryingSamples:
    """Samples that passed under a test that never called one invalid.

    `refused` says that the tool behind the test calls these samples syntax errors.
    """

    examples: tuple[bytes, ...]
    refused: bool


def validity_warning(pattern: Pattern, executor: Executor, name: str) -> UnvaryingSamples | None:
    """Return examples, if nothing varies and the test never said that a sample is not valid."""
    evidence = [marked.evidence for marked in pattern.marks.values()]
    if pattern.holes() or pattern.stopped or any(one.unresolved for one in evidence):
        return None
    passing = [one.counterexample for one in evidence if one.counterexample is not None]
    # What is empty, or blank, is not an example of anything.
    texts = sorted({text for text in passing if text.strip()}, key=lambda text: (len(text), text))
    if not texts:
        return None
    refused = tuple(_refused(texts[:_MOST_RUNS], executor, name))[:_EXAMPLES]
    return UnvaryingSamples(refused or tuple(texts[:_EXAMPLES]), bool(refused))


def _refused(texts: list[bytes], executor: Executor, name: str) -> Iterator[bytes]:
    """Yield the texts about which the test prints a syntax error."""
    for text in texts:
        ended = executor.submit(text, capture=True).future.result()
        seen = Observation(1, stderr=ended.output)
        if ended.verdict is Verdict.NOT_INTERESTING and is_syntax_error(seen, text, name):
            yield text
