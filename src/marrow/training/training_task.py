"""The training task: keep one token of a file, drop what can be dropped, and log every outcome.

"Type Batched Program Reduction", section 3.1, on synthetic training data: normal code is reduced
while it passes a check (it compiles) and holds a token that was drawn by lot. Real failures are not
needed: what depends on what is the same.

The reducer is one pass of Pardis, which removes one node at a time. What is logged of each removal
is the type of the node, the size of the input before it over the size at the start, in tokens, and
whether it succeeded. Departures from the paper: size is in tokens, not in nodes of the tree, as
everywhere in marrow; a list that goes as a whole counts as the success of each of its elements,
and says nothing if it has to stay; what the syntax forbids is not logged, as it costs no test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from marrow.engine.events import Answer, Event, Tried
from marrow.engine.verdict import Verdict
from marrow.learn.types import node_type
from marrow.reducers.streams.stream import Stream, filtered
from marrow.tree import Delete, Node, Token, Tree
from marrow.tree.node import spans_serial


@dataclass(frozen=True, slots=True)
class Removal:
    """A removal that was tried: the type of the node, the ratio of sizes, and how it went."""

    type_name: str
    ratio: float
    removed: bool


def keeping(stream: Stream | None, serial: int) -> Stream:
    """Pass on the attempts of a stream that keep the token with a serial number.

    The others fail without a test; they are reported with the next attempt that needs one.
    """
    return filtered(stream, lambda one: holds(one.tree, serial))


def holds(tree: Tree, serial: int) -> bool:
    """Whether the token with a serial number is in a tree.

    Looked for in the tree itself: an edit does not tell which separators go with what it deletes.
    """
    node: Node | None = tree.root
    while node is not None and node.children:
        node = next((child for child in node.children if spans_serial(child, serial)), None)
    return isinstance(node, Token) and node.serial == serial


class TrainingLog:
    """A listener that logs the outcome of every removal of a task, in stream order."""

    def __init__(self, tokens: int, observations: list[Removal]) -> None:
        """`tokens` is the size of the input at the start; what is observed is appended."""
        self.observations: Final = observations
        self._tokens: Final = tokens

    def __call__(self, event: Event) -> None:
        """Take an event."""
        if not isinstance(event, Tried):
            return
        for tree in event.attempt.left_out:
            self._log(tree, removed=False)
        if event.answer is Answer.TEST:
            self._log(event.attempt.tree, removed=event.verdict is Verdict.INTERESTING)

    def _log(self, tree: Tree, *, removed: bool) -> None:
        before = tree.origin
        if before is None or (len(tree.edits) > 1 and not removed):
            return
        ratio = before.token_count / self._tokens
        for edit in tree.edits:
            name = node_type(before, edit.place)
            if name is not None and isinstance(edit, Delete):
                self.observations.append(Removal(name, ratio, removed))
