"""What a case is: an input, a strict reader, a right program and a wrong one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, Final


class InvalidError(Exception):
    """The input is malformed: a strict reader rejects it."""


def need(condition: object) -> None:
    """Reject the input unless a condition holds."""
    if not condition:
        raise InvalidError


class Reader:
    """Reads lines as the validators of contests do: single spaces, plain numbers, nothing extra."""

    def __init__(self, text: bytes) -> None:
        try:
            whole = text.decode("ascii")
        except UnicodeDecodeError:
            raise InvalidError from None
        self._lines: Final = whole.removesuffix("\n").split("\n")
        self._at = 0

    def line(self) -> str:
        """Return the next line."""
        need(self._at < len(self._lines))
        self._at += 1
        return self._lines[self._at - 1]

    def words(self, count: int | None = None) -> list[str]:
        """Return the words of the next line, of which there are so many."""
        words = self.line().split(" ")
        need(all(words) and count in (None, len(words)))
        return words

    def ints(self, count: int | None = None, low: int = -(10**18), high: int = 10**18) -> list[int]:
        """Return the numbers of the next line, all from `low` to `high`."""
        return [number(word, low, high) for word in self.words(count)]

    def string(self, length: int | None, letters: str) -> str:
        """Return the next line, which has some letters only."""
        line = self.line()
        need(line and length in (None, len(line)) and set(line) <= set(letters))
        return line

    def end(self) -> None:
        """Reject what follows."""
        need(self._at == len(self._lines))


def number(word: str, low: int = -(10**18), high: int = 10**18) -> int:
    """Return a plain number from `low` to `high`."""
    digits = word.removeprefix("-")
    need(digits.isdecimal() and (digits[0] != "0" or digits == "0") and word != "-0")
    need(len(digits) < 20 and low <= int(word) <= high)
    return int(word)


@dataclass(frozen=True, slots=True)
class Case:
    """An input, by its maker; `fails` says whether a text shows the failure, and is well-formed.

    `hand` is the best that a person found.
    """

    name: str
    make: Callable[[Random], str]
    fails: Callable[[bytes], bool]
    hand: str
    suffix: str = ".txt"

    @property
    def text(self) -> bytes:
        """The input."""
        return self.make(Random(self.name)).encode()


def contest(
    name: str,
    make: Callable[[Random], str],
    read: Callable[[Reader], Any],
    right: Callable[..., Any],
    wrong: Callable[..., Any],
    hand: str,
) -> Case:
    """Return the case of a wrong program beside a right one; its reader takes all of the input."""

    def fails(text: bytes) -> bool:
        try:
            reader = Reader(text)
            given = read(reader)
            reader.end()
        except InvalidError:
            return False
        given = given if isinstance(given, tuple) else (given,)
        return bool(right(*given) != wrong(*given))

    return Case(name, make, fails, hand)


def row(values: Iterable[object]) -> str:
    """Write values on a line."""
    return " ".join(map(str, values)) + "\n"


def rows(lists: Iterable[Iterable[object]]) -> str:
    """Write lists of values on lines."""
    return "".join(map(row, lists))
