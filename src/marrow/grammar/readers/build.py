"""Builds an expression while its text is read: groups, alternatives and quantifiers, on a stack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from marrow.grammar.model.expressions import choice, sequence
from marrow.grammar.model.rules import Expression, Quantifier, Repeat, Sequence

T = TypeVar("T")

QUANTIFIERS: Final = {one.value: one for one in Quantifier}


@dataclass(slots=True)
class _Frame(Generic[T]):
    """A group that is being read; `mark` is what the reader wants back when it closes."""

    mark: T
    done: list[Expression] = field(default_factory=list)
    items: list[Expression] = field(default_factory=list)
    label: str = ""
    right: bool = False


class Builder(Generic[T]):
    """The groups around the place that is read, the innermost last."""

    def __init__(self, mark: T) -> None:
        self._frames: list[_Frame[T]] = [_Frame(mark)]

    @property
    def depth(self) -> int:
        """The number of groups that are open."""
        return len(self._frames) - 1

    @property
    def mark(self) -> T:
        """The mark of the innermost group."""
        return self._frames[-1].mark

    @property
    def fresh(self) -> bool:
        """Whether the alternative being read has nothing in it yet."""
        return not self._frames[-1].items

    @property
    def alternative(self) -> int:
        """The number of the alternative being read in the innermost group, from 0."""
        return len(self._frames[-1].done)

    def add(self, expression: Expression) -> None:
        """Add to the alternative that is being read."""
        self._frames[-1].items.append(expression)

    def pop(self) -> Expression | None:
        """Take back what was added last; None if the alternative is empty."""
        items = self._frames[-1].items
        return items.pop() if items else None

    def quantify(self, quantifier: Quantifier, greedy: bool = True) -> bool:
        """Repeat what was added last; false if there is nothing to repeat."""
        item = self.pop()
        if item is None:
            return False
        self.add(Repeat(item, quantifier, greedy))
        return True

    def label(self, text: str) -> None:
        """Name the alternative that is being read."""
        self._frames[-1].label = text

    def associate_right(self) -> None:
        """Mark the outermost alternative being read as right-associative."""
        self._frames[0].right = True

    def next_alternative(self) -> None:
        """Begin the next alternative."""
        frame = self._frames[-1]
        body = sequence(frame.items)
        if frame.right or frame.label:
            items = body.items if isinstance(body, Sequence) and not body.label else (body,)
            body = Sequence(items, frame.right, frame.label)
        frame.done.append(body)
        frame.items = []
        frame.label, frame.right = "", False

    def open(self, mark: T) -> None:
        """Begin a group."""
        self._frames.append(_Frame(mark))

    def close(self) -> tuple[Expression, T]:
        """End the innermost group and return it with its mark."""
        self.next_alternative()
        frame = self._frames.pop()
        return choice(frame.done), frame.mark

    def close_alternatives(self) -> tuple[list[Expression], T]:
        """End the innermost group and return its alternatives one by one, with its mark."""
        self.next_alternative()
        frame = self._frames.pop()
        return frame.done, frame.mark

    def finish(self) -> Expression:
        """Return all that was built; every group has to be closed."""
        self.next_alternative()
        return choice(self._frames[0].done)

    def finish_alternatives(self) -> list[Expression]:
        """Return the outermost alternatives, one by one."""
        self.next_alternative()
        return self._frames[0].done
