"""Proposals: candidates that a program of the user's own makes (`--propose`).

The program sees the text and what it proposed for it before, in vain, and answers with other texts.
They are tested like any others: in order, only if they are smaller, and whatever the parser says of
them. Guarantee: none. Worst case: a test for each proposal, and some rounds for each text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.tree import Tree

# How often a program is asked about the same text: once more with what failed, and once more.
_ROUNDS: Final = 3


class Proposer(Protocol):
    """Proposes texts; its answer to a question is always the same."""

    def propose(self, text: bytes, failed: Sequence[bytes]) -> Sequence[bytes]:
        """Return texts to try in place of one; `failed` are those that were tried."""


def proposals(context: PassContext) -> Reducer:
    """Return the pass that tries what a program proposes."""

    def run(tree: Tree, done: Done) -> Stream | None:
        proposer = context.options.propose
        return done(tree) if proposer is None else tried(proposer, tree, done)

    def tried(proposer: Proposer, tree: Tree, done: Done) -> Stream:
        failed: list[bytes] = []
        for _ in range(_ROUNDS):
            fresh = [one for one in proposer.propose(tree.text, failed) if one not in failed]
            if not fresh:
                break
            for text in fresh:
                candidate = context.parse(text)
                yield replace(attempt(candidate, "proposals", run, candidate, done), unparsed=True)
            failed += fresh
        return done(tree)

    return run
