"""Reads the bodies of rules: the groups, alternatives, quantifiers and texts of all notations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from marrow.grammar.model.expressions import choice, sequence
from marrow.grammar.model.rules import EPSILON, Characters, Expression, Quantifier, Repeat, Sequence
from marrow.grammar.readers.scan import Lexeme, Scanner, text_expression, unquoted

_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}

_QUANTIFIERS: Final = {one.value: one for one in Quantifier}


@dataclass(slots=True)
class _Group:
    """A group that is being read: what opened it, and what the reader wants back at its end."""

    start: Lexeme | None = None
    kept: Any = None
    done: list[Expression] = field(default_factory=list)
    items: list[Expression] = field(default_factory=list)
    right: bool = False


class BodyReader:
    """Builds an expression while its text is read; each notation adds its own signs and atoms.

    `where` names what is read in messages. `escaped` are the characters that need a backslash in
    texts.
    """

    escaped: str = "'\"\\"
    ranges: tuple[str, ...] = ("..",)

    def __init__(self, scanner: Scanner, where: str) -> None:
        self.scanner: Final = scanner
        self.where: Final = where
        self._groups: Final = [_Group()]

    # -- alternatives and groups --------------------------------------------------------------

    @property
    def depth(self) -> int:
        """The number of groups that are open."""
        return len(self._groups) - 1

    @property
    def kept(self) -> Any:
        """What is kept for the innermost group."""
        return self._groups[-1].kept

    @property
    def alternative(self) -> int:
        """The number of the alternative being read in the innermost group, from 0."""
        return len(self._groups[-1].done)

    def add(self, expression: Expression) -> None:
        """Add to the alternative that is being read."""
        self._groups[-1].items.append(expression)

    def associate_right(self) -> None:
        """Mark the outermost alternative being read as right-associative."""
        self._groups[0].right = True

    def next_alternative(self) -> None:
        """Begin the next alternative."""
        group = self._groups[-1]
        body = sequence(group.items)
        if group.right:
            body = Sequence(body.items if isinstance(body, Sequence) else (body,), right=True)
        group.done.append(body)
        group.items = []
        group.right = False

    def open(self, lexeme: Lexeme, kept: Any = None) -> None:
        """Begin a group."""
        self._groups.append(_Group(lexeme, kept))

    def close(self, lexeme: Lexeme) -> list[Expression]:
        """End the innermost group; return its alternatives."""
        opened = self._groups[-1].start
        if opened is None or _PAIRS[opened.text] != lexeme.text:
            advice = "Remove it, or add what opens it."
            if opened is not None:
                advice = f"Close {opened} in line {self.scanner.position(opened).line} first."
            self.scanner.fail(lexeme, f"this {lexeme} closes nothing. {advice}")
        self.next_alternative()
        return self._groups.pop().done

    def finish(self) -> list[Expression]:
        """Return the outermost alternatives; every group has to be closed."""
        opened = self._groups[-1].start
        if opened is not None:
            advice = f"Add {_PAIRS[opened.text]!r}."
            self.scanner.fail(opened, f"this {opened} in {self.where} is never closed. {advice}")
        self.next_alternative()
        return self._groups[0].done

    # -- signs --------------------------------------------------------------------------------

    def sign(self, lexeme: Lexeme) -> None:
        """Read what most notations write the same way."""
        match lexeme.text:
            case "|":
                self.next_alternative()
            case "(" | "[":
                self.open(lexeme)
            case ")":
                self.add(choice(self.close(lexeme)))
            case "]":
                self.add(Repeat(choice(self.close(lexeme)), Quantifier.OPTIONAL))
            case "*" | "+" | "?":
                self.quantify(lexeme, lexeme.text)
            case _:
                self.unexpected(lexeme)

    def unexpected(self, lexeme: Lexeme, advice: str = "Quote it if it is text.") -> NoReturn:
        """Say that a lexeme has no place here."""
        self.scanner.fail(lexeme, f"{lexeme} does not fit in {self.where}. {advice}")

    def last(self, lexeme: Lexeme) -> Expression:
        """Take back what was added last, for a sign that repeats it."""
        items = self._groups[-1].items
        if not items:
            advice = "Quote it if it is text."
            self.scanner.fail(lexeme, f"there is nothing that {lexeme} could repeat. {advice}")
        return items.pop()

    def quantify(self, lexeme: Lexeme, sign: str, greedy: bool = True) -> None:
        """Repeat what was added last."""
        self.add(Repeat(self.last(lexeme), _QUANTIFIERS[sign], greedy))

    # -- texts --------------------------------------------------------------------------------

    def text(self, lexeme: Lexeme, ignore_case: bool = False) -> Expression:
        """Return a text, or the range of characters that it begins: `'a'..'z'`."""
        text = self._unquoted(lexeme)
        position = self.scanner.position(lexeme)
        if not self.scanner.accept(*self.ranges):
            ignore_case = ignore_case or lexeme.text.endswith("i")
            return text_expression(text, ignore_case, position) if text else EPSILON
        last = self.scanner.expect_kind(lexeme.kind, "the end of the range, in quotes")
        end = self._unquoted(last)
        if len(text) != 1 or len(end) != 1 or text > end:
            advice = "Each end is one character, the lower one first."
            self.scanner.fail(lexeme, f"this is not a range of characters. {advice}")
        return Characters(((ord(text), ord(end)),), position)

    def _unquoted(self, lexeme: Lexeme) -> str:
        start, end = lexeme.start + 1, lexeme.end - 1 - lexeme.text.endswith("i")
        return unquoted(self.scanner.source, start, end, self.escaped)
