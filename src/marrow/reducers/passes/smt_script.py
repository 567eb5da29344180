"""An SMT-LIB script as S-expressions with their ranges in the text, and the sorts of its terms.

Only brackets, strings, quoted symbols and comments are read, so any script has this form, whatever
a solver adds to the language. Sorts are texts without blanks that do not matter; those of theories
are known as far as the operators of the standard's theories go (https://smt-lib.org/theories.shtml),
which are in the file of the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from marrow.languages.language_facts import facts_of

_TOKEN: Final = re.compile(rb'[()]|"(?:[^"]|"")*"|\|[^|]*\||;[^\n]*|[^\s()";|]+')


@cache
def _table(name: str) -> dict[bytes, bytes]:
    """Return a table of the language: what each operator has, sorts or positions of operands."""
    entries = facts_of("smtlib").sorts[name].items()
    return {word.encode(): key.encode() for key, words in entries for word in words}


#: A term is asked for its sort through so many operands at most.
_MOST_STEPS: Final = 200


@dataclass(slots=True, eq=False)
class Expression:
    """A symbol, a constant or a list, with its range in the text."""

    start: int
    end: int
    text: bytes = b""
    items: list[Expression] = field(default_factory=list)
    parent: Expression | None = None

    @property
    def atom(self) -> bool:
        """Whether it is a symbol or a constant, not a list."""
        return bool(self.text)

    @property
    def head(self) -> bytes:
        """The first symbol of a list; nothing if there is none."""
        return self.items[0].text if self.items else b""

    def walk(self) -> Iterator[Expression]:
        """Walk this and everything inside, from left to right."""
        stack = [self]
        while stack:
            one = stack.pop()
            yield one
            stack.extend(reversed(one.items))

    def words(self) -> list[bytes]:
        """Return the symbols and constants inside, in order."""
        return [one.text for one in self.walk() if one.atom]


class Script:
    """A script: its commands, and what they declare."""

    def __init__(self, text: bytes) -> None:
        self.text: Final = text
        self.commands: Final = _read(text)
        self.whole: Final = Expression(0, len(text), items=self.commands)
        #: The command that declares each symbol, if there is only one.
        self.declared: Final = self._declarations()

    def source(self, one: Expression) -> bytes:
        """Return the text of an expression."""
        return self.text[one.start : one.end]

    def _declarations(self) -> dict[bytes, Expression]:
        found: dict[bytes, Expression] = {}
        twice: set[bytes] = set()
        for command in self.commands:
            kind = command.head
            if kind in _DECLARING and len(command.items) > 1 and command.items[1].atom:
                name = command.items[1].text
                if name in found:
                    twice.add(name)
                found[name] = command
        return {name: command for name, command in found.items() if name not in twice}

    def constants(self) -> list[tuple[bytes, bytes]]:
        """Return the constants that are declared, with their sorts."""
        return [
            (name, sort)
            for name, command in self.declared.items()
            if (sort := self.constant_sort(command)) is not None
        ]

    def constant_sort(self, command: Expression) -> bytes | None:
        """Return the sort that a command declares for a constant; None if it declares none."""
        items = command.items
        if command.head == b"declare-const" and len(items) == 3:
            return self.sort_text(items[2])
        plain = command.head == b"declare-fun" and len(items) == 4 and not items[2].items
        return self.sort_text(items[3]) if plain else None

    def sort_text(self, sort: Expression) -> bytes:
        """Return a sort in one spelling."""
        return b" ".join(self.source(sort).split()).replace(b"( ", b"(").replace(b" )", b")")

    def sort_of(self, term: Expression) -> bytes | None:
        """Return the sort of a term, as far as it can be told."""
        one: Expression | bytes | None = term
        for _ in range(_MOST_STEPS):
            if one is None or isinstance(one, bytes):
                return one
            one = self._symbol(one) if one.atom else self._application(one)
        return None

    def _application(self, term: Expression) -> Expression | bytes | None:
        """Return the sort of a list, or the term whose sort it has."""
        head, items = term.head, term.items
        if (sort := _table("operators").get(head)) is not None:
            return sort
        if head == b"let" and len(items) == 3:
            return items[2]
        if head == b"_":
            sized = len(items) == 3 and items[1].text[:2] == b"bv" and items[2].text.isdigit()
            return b"(_ BitVec %s)" % items[2].text if sized else None
        if head == b"as" and len(items) == 3:
            return self.sort_text(items[2])
        if (operand := _table("like_operand").get(head)) is not None:
            return items[int(operand)] if int(operand) < len(items) else None
        if items and items[0].head == b"_":
            return self._indexed(items)
        command = self.declared.get(head)
        if command is not None and command.head in _FUNCTIONS and len(command.items) >= 4:
            return self.sort_text(command.items[3])
        return self._selected(term) if head == b"select" else None

    def _selected(self, term: Expression) -> bytes | None:
        """Return the sort of an element of an array that is a symbol."""
        array = term.items[1] if len(term.items) == 3 and term.items[1].atom else None
        command = None if array is None else self.declared.get(array.text)
        sort = None if command is None else command.items[-1]
        found = sort is not None and sort.head == b"Array" and len(sort.items) == 3
        return self.sort_text(sort.items[2]) if found and sort is not None else None

    def _indexed(self, items: list[Expression]) -> bytes | None:
        """Return the sort of `((_ extract 3 0) x)` and the like."""
        index = [one.text for one in items[0].items]
        numbers = [int(one) for one in index[2:] if one.isdigit()]
        if index[1:2] == [b"extract"] and len(numbers) == 2:
            return b"(_ BitVec %d)" % (numbers[0] - numbers[1] + 1)
        return None

    def _symbol(self, one: Expression) -> Expression | bytes | None:
        """Return the sort of a symbol or constant, or the term that it is bound to."""
        text = one.text
        if text in (b"true", b"false"):
            return b"Bool"
        if text[:1].isdigit():
            return b"Real" if b"." in text else b"Int"
        if text[:1] == b'"':
            return b"String"
        if text[:2] == b"#b":
            return b"(_ BitVec %d)" % (len(text) - 2)
        if text[:2] == b"#x":
            return b"(_ BitVec %d)" % (4 * (len(text) - 2))
        bound = self._bound(one)
        if bound is not None:
            return bound
        command = self.declared.get(text)
        if command is None:
            return None
        if command.head in (b"define-fun", b"define-const"):
            return self.sort_text(command.items[-2]) if len(command.items) > 3 else None
        return self.constant_sort(command)

    def _bound(self, one: Expression) -> Expression | bytes | None:
        """Return what binds a symbol: the sort of a variable, or the term of a `let`."""
        inner, outer = one, one.parent
        while outer is not None:
            at = 2 if outer.head == b"define-fun" else 1
            if outer.head in _BINDING and len(outer.items) > at and inner is not outer.items[at]:
                for binding in outer.items[at].items:
                    if len(binding.items) == 2 and binding.items[0].text == one.text:
                        term = binding.items[1]
                        return term if outer.head == b"let" else self.sort_text(term)
            inner, outer = outer, outer.parent
        return None


_FUNCTIONS: Final = (b"declare-fun", b"define-fun", b"define-fun-rec")
_DECLARING: Final = (*_FUNCTIONS, b"declare-const", b"define-const", b"declare-sort")
_BINDING: Final = (b"let", b"forall", b"exists", b"lambda", b"define-fun")


def _read(text: bytes) -> list[Expression]:
    """Read the S-expressions of a text; brackets too many or too few are closed where it ends."""
    commands: list[Expression] = []
    opened: list[Expression] = []
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token[:1] == b";":
            continue
        if token == b")":
            if opened:
                opened.pop().end = found.end()
            continue
        parent = opened[-1] if opened else None
        one = Expression(found.start(), found.end(), b"" if token == b"(" else token, [], parent)
        (commands if parent is None else parent.items).append(one)
        if token == b"(":
            opened.append(one)
    for one in opened:
        one.end = len(text)
    return commands


#: The largest bit vectors whose constants are written.
_MOST_BITS: Final = 4_096


def values(sort: bytes) -> tuple[bytes, ...]:
    """Return the smallest constants of a sort."""
    match = re.fullmatch(rb"\(_ BitVec (\d{1,4})\)", sort)
    if match is not None and 0 < int(match[1]) <= _MOST_BITS:
        bits = int(match[1])
        return bits_of(0, bits), bits_of(1, bits)
    found = facts_of("smtlib").sorts["values"].get(sort.decode("utf-8", "replace"), ())
    return tuple(map(str.encode, found))


def bits_of(value: int, bits: int) -> bytes:
    """Return a bit vector as one token, the shortest."""
    value %= 1 << bits
    if bits % 4 == 0:
        return b"#x%0*x" % (bits // 4, value)
    return b"#b" + format(value, f"0{bits}b").encode()
