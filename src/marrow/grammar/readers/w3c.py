"""Reads EBNF as the specifications of the W3C write it (XML 1.0, section 6).

    [15] Comment ::= '<!--' ((Char - '-') | ('-' (Char - '-')))* '-->'

Numbers in front of rules and constraints behind them (`[VC: ...]`) are passed over. Square brackets
are sets of characters, and a backslash is a character. An exception between sets is a set; one of
the form `X* - (X* 'text' X*)` is written out, as rules that know how much of the text stands there;
of any other only the first part is taken, with a note.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from marrow.grammar.model.charset import Ranges, complement, intersection, normalised
from marrow.grammar.model.expressions import fold
from marrow.grammar.model.rules import (
    EPSILON,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Note,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    parts,
)
from marrow.grammar.model.transform import choice, rebuilt, sequence
from marrow.grammar.readers.bnf_read import EXCEPT, GROUPED, BnfReader
from marrow.grammar.readers.bnf_scan import Dialect
from marrow.grammar.readers.loader import Loader
from marrow.grammar.readers.scan import Source

#: Numbers of rules, constraints, and what divides a file into parts.
_MARKS: Final = re.compile(
    r"^[ \t]*\[\d+\w*\](?=\s+[\w.-]+\s*::=)"
    r"|\[[ \t]*(?:VC|WFC|vc|wfc|NSC|gn|xgc|gc|ws)[ \t]*:[^\]]*\]"
    r"|<\?[A-Z_]+\?>",
    re.MULTILINE,
)

#: How many rules deep a name may be that stands for a set of characters: `Char`, `NameChar`.
_DEEPEST: Final = 20


def read_w3c(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at the first rule."""
    plain = _MARKS.sub(lambda found: re.sub(r"[^\r\n]", " ", found.group()), text)
    dialect = Dialect(raw=True, sets=True)
    return _Exceptions(BnfReader(Source(plain, name), dialect).read(start)).grammar()


class _Exceptions:
    """Writes out the exceptions of a grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._read = grammar
        self._notes = list(grammar.notes)
        self._made: dict[str, Rule] = {}
        self._rule = ""

    def grammar(self) -> Grammar:
        """Return the grammar without exceptions."""
        rules: dict[str, Rule] = {}
        for name, rule in self._read.rules.items():
            self._rule = name
            rules[name] = replace(rule, body=_open(fold(rule.body, self._combine)))
        return replace(self._read, rules={**rules, **self._made}, notes=tuple(self._notes))

    def _combine(self, one: Expression, inner: tuple[Expression, ...]) -> Expression:
        if not parts(one):
            return one
        inner = tuple(map(_open, inner)) if EXCEPT not in inner else inner
        if not isinstance(one, Sequence):
            return rebuilt(one, inner)
        if EXCEPT not in inner:
            return replace(one, items=inner) if one.label else sequence(inner)
        items: list[Expression] = []
        at = 0
        while at < len(inner):
            if inner[at] == EXCEPT and items and at + 1 < len(inner):
                items.append(self._without(items.pop(), _open(inner[at + 1])))
                at += 2
            else:
                items.append(_open(inner[at]))
                at += 1
        return sequence(items)

    def _without(self, taken: Expression, excluded: Expression) -> Expression:
        """Return what matches the one and not the other."""
        these, those = self._set(taken), self._set(excluded)
        if these is not None and those is not None:
            return Characters(intersection(these, complement(those)))
        if isinstance(taken, Repeat) and taken.quantifier is not Quantifier.OPTIONAL:
            inside = self._set(taken.item)
            text = _contained(taken, excluded)
            if inside is not None and text:
                return self._never(inside, text, taken.quantifier)
        message = f"in {self._rule}, an exception is passed over: what it excludes is taken too."
        position = self._read.rules[self._rule].position
        self._notes.append(Note(position, message, "Write out what remains."))
        return taken

    def _set(self, one: Expression, depth: int = 0) -> Ranges | None:
        """Return the characters that an expression is one of; None if it is something else."""
        work = [(one, depth)]
        found: list[tuple[int, int]] = []
        while work:
            one, depth = work.pop()
            match one:
                case Characters(ranges=ranges):
                    found.extend(ranges)
                case Literal(text=text, ignore_case=False) if len(text) == 1:
                    found.append((ord(text), ord(text)))
                case Choice(alternatives=several):
                    work.extend((each, depth) for each in several)
                case Sequence(items=(single,)):
                    work.append((single, depth))
                case Reference(name=name) if name in self._read.rules and depth < _DEEPEST:
                    body = fold(self._read.rules[name].body, self._combine)
                    work.append((body, depth + 1))
                case _:
                    return None
        return normalised(found)

    def _never(self, inside: Ranges, text: str, quantifier: Quantifier) -> Expression:
        """Return any number of characters in which a text does not occur.

        A rule for every beginning of the text that may just have been read (Knuth, Morris, Pratt).
        """
        base = f"{self._rule}_without"
        number = 1
        while f"{base}{number}_0" in self._made:
            number += 1
        names = [f"{base}{number}_{at}" for at in range(len(text))]
        for at, name in enumerate(names):
            targets: dict[int, list[tuple[int, int]]] = {}
            for character in dict.fromkeys(text):
                after = _longest(text, text[:at] + character)
                targets.setdefault(after, []).append((ord(character), ord(character)))
            known = [one for ranges in targets.values() for one in ranges]
            options: list[Expression] = []
            for after, ranges in {**targets, 0: []}.items():
                some = list(ranges) if after else [*targets.get(0, ()), *complement(known)]
                chosen = intersection(normalised(some), inside)
                if after < len(text) and chosen:
                    options.append(Sequence((Characters(chosen), Reference(names[after]))))
            self._made[name] = Rule(name, choice([*options, EPSILON]), auxiliary=True)
        first = Reference(names[0])
        if quantifier is Quantifier.STAR:
            return first
        body = self._made[names[0]].body
        return choice([one for one in parts(body) if one != EPSILON])


def _open(one: Expression) -> Expression:
    """Return a group without its mark."""
    if isinstance(one, Sequence) and one.label == GROUPED:
        return replace(one, label="")
    return one


def _contained(taken: Repeat, excluded: Expression) -> str:
    """Return the text if what is excluded is `X* 'text' X*`, else nothing."""
    match excluded:
        case Sequence(items=(Repeat(item=before), Literal(text=text), Repeat(item=after))) if (
            before == after == taken.item
        ):
            return text
        case _:
            return ""


def _longest(text: str, read: str) -> int:
    """Return how long the beginning of a text is that what was read ends with."""
    return next(
        size for size in range(min(len(text), len(read)), -1, -1) if read.endswith(text[:size])
    )
