"""Spellings: which contents of a word or a string make an input fail.

A few plain, near and odd texts are tried first. Then every simple statement about texts (it ends
with a digit, it has no `$`) that agrees with all answers has to survive texts on both sides, the
simplest first; what contradicts it also thins out the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from random import Random
from typing import Final, TypeAlias

from marrow.abstraction.condition_samples import random_texts
from marrow.abstraction.conditions import Spelled, content_of
from marrow.tree import Node
from marrow.tree.name_spelling import quote_of
from marrow.tree.node import render

#: Texts on each side that have to agree, the least of them inside and outside (only one text is
#: empty), and how often there is another try.
_EACH: Final = 6
_LEAST: Final = 3
_LEAST_OUTSIDE: Final = 2
_ROUNDS: Final = 8

#: How many random texts there are to choose from.
_DRAWN: Final = 400

#: Statements that hold together.
Statements: TypeAlias = tuple[Spelled, ...]

#: Kinds of characters, and what they are called.
_KINDS: Final = {
    "[0-9]": "a digit",
    "[A-Z]": "a capital letter",
    "[a-z]": "a small letter",
    "_": "_",
    r"\$": "$",
    " ": "a space",
    r"[^\x00-\x7f]": "a character beyond ASCII",
    r"[^\w\s]": "a sign",
}

_PLACES: Final = {"{}": "has {}", "^{}": "begins with {}", "{}$": "ends with {}"}


def _statements(own: str, texts: Sequence[str], *, quoted: bool) -> Iterator[Spelled]:
    """Yield statements about texts, simple ones first.

    That a name has all of another name in it is true of tests that search in the text, and says
    nothing about names.
    """
    literals = [*dict.fromkeys(c for text in (own, *texts) for c in text[:1] + text[-1:])]
    pieces = [own[start:end] for start in range(len(own)) for end in range(start + 2, len(own) + 1)]
    pieces = sorted(set(pieces), key=lambda one: (len(one), own.find(one))) if len(own) < 30 else []
    kinds = [*_KINDS.items()]
    given = (one for one in (*literals, *own, *pieces) if quoted or one != own)
    kinds += [(re.escape(one), repr(one)) for one in given]
    for negated in (False, True):
        yield Spelled("^$", "empty", negated)
    for regex, said in dict.fromkeys(kinds):
        for form, words in _PLACES.items():
            for negated in (False, True):
                yield Spelled(form.format(regex), words.format(said), negated)
        yield Spelled(f"^(?:{regex})+$", f"all of it {said}")


def _tried(own: str, *, quoted: bool) -> list[str]:
    """Return the first texts to try: plain, near and odd ones."""
    changed = [own + "a", "a" + own, own[:-1], own[1:], own.swapcase(), own[::-1]]
    plain = ["a", "foo", "x1", "Foo", "FOO", "_x", "x_", "x$", "$x", "b" * 30, "c" * len(own)]
    if quoted:
        plain = ["", "a", "0", "A b", "!", "é", "b" * 40, "x-y", "c" * len(own)]
    return [one for one in dict.fromkeys((*plain, *changed)) if one != own]


#: Runs of characters of a kind.
_RUNS: Final = re.compile(r"[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]")

#: What a run may be made of, with characters to try: the first that the run does not begin with.
_ALPHABETS: Final = {"a-z": "qj", "A-Z": "QJ", "0-9": "73", "_": "_", "$": "$"}

#: A text of more runs than these is looked at as its first character and the rest only.
_MOST_RUNS: Final = 6

#: Longer runs are tried with so many characters more.
_LONGER: Final = 3

_Learn: TypeAlias = Callable[[Sequence[str]], dict[str, bool]]


def _forms(own: str, learn: _Learn) -> Iterator[Statements]:
    """Yield forms of a text, each part of it as general as it may be alone."""
    runs = [one[0] for one in _RUNS.finditer(own)]
    for parts in (runs, [own[:1], own[1:]]):
        if 1 < len(parts) <= _MOST_RUNS and all(parts):
            regex = "".join(_form(parts, at, learn) for at in range(len(parts)))
            if regex != "".join(map(re.escape, parts)):
                yield (Spelled(f"^{regex}$", f"like {regex}"),)


def _form(parts: Sequence[str], at: int, learn: _Learn) -> str:
    """Return what a part of a text may be, as a regular expression."""
    part, size = parts[at], len(parts[at])

    def fails(*others: str) -> list[bool]:
        texts = ["".join((*parts[:at], one, *parts[at + 1 :])) for one in others]
        said = learn(texts)
        return [said.get(text, False) for text in texts]

    fills = [(chars.replace(part[0], "") or chars)[0] for chars in _ALPHABETS.values()]
    whole = fails(*(fill * size for fill in fills))
    found = [kind for kind, held in zip(_ALPHABETS, whole, strict=True) if held]
    fill = next((one for one, held in zip(fills, whole, strict=True) if held), part[0])
    own = next((kind for kind in _ALPHABETS if re.match(f"[{kind}]", part)), "")
    if own and own not in found:
        if size > 1 or len(own) < 3:
            return re.escape(part)
        low, high = (_reach(part, end, fails) for end in (own[0], own[-1]))
        fill = part
        found.append(low if low == high else f"{low}-{high}")
    elif not own and found:
        found.append(re.escape(part))
    if not found or found == [part]:
        return re.escape(part)
    least = _least(fill, size, fails)
    longer = fails(fill * (size + _LONGER))[0]
    regex = f"[{''.join(sorted(found))}]"
    if least == 0 or not longer:
        times = "*" if longer else f"{{{least},{size}}}"
    else:
        times = "+" if least == 1 else f"{{{least},}}"
    return regex + {"{1,1}": "", "{0,1}": "?"}.get(times, times)


def _reach(char: str, end: str, fails: Callable[..., list[bool]]) -> str:
    """Return the last character on the way to an end with which the input fails."""
    good, bad = ord(char), ord(end)
    if good == bad or fails(end)[0]:
        return end
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fails(chr(middle))[0] else (good, middle)
    return chr(good)


def _least(fill: str, size: int, fails: Callable[..., list[bool]]) -> int:
    """Return the least number of characters with which the input fails, by bisection."""
    low, high = -1, size
    for first in (0, 1):
        if high > first and fails(fill * first)[0]:
            return first
        low = first
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fails(fill * middle)[0] else (middle, high)
    return high


def _admits(statements: Statements, text: str) -> bool:
    return all(one.admits(text) for one in statements)


def spellings(
    node: Node,
    ask: Callable[[Sequence[str]], list[bool | None]],
    label: str,
    known: dict[str, bool],
) -> Statements:
    """Return the simplest statements that say with which contents an input fails.

    `ask` says of each content whether it does, None if nothing is known; `known` is what has been
    answered before.
    """
    text = render((node,)).strip()
    own = content_of(text).decode("utf-8", "replace")
    known[own] = True

    def learn(texts: Sequence[str]) -> dict[str, bool]:
        new = [one for one in dict.fromkeys(texts) if one not in known]
        answers = {one: said for one, said in zip(new, ask(new), strict=True) if said is not None}
        known.update(answers)
        return {one: known[one] for one in texts if one in known}

    quoted = bool(quote_of(text)[0])
    learn(_tried(own, quoted=quoted))
    if sum(known.values()) < 2 or all(known.values()):
        return ()
    odd = [one for one, fails in known.items() if not fails]
    statements = _statements(own, odd if len(odd) < 4 else (), quoted=quoted)

    def pairs() -> Iterator[Statements]:
        failing = [one for one, fails in known.items() if fails]
        kinds = _statements("", odd if len(odd) < 4 else (), quoted=quoted)
        fitting = [one for one in kinds if one.regex != "^$" and all(map(one.admits, failing))]
        return combinations(fitting, 2)

    def search(given: Iterable[Statements]) -> Statements:
        return _surviving(given, node, known, learn, label)

    return search((one,) for one in statements) or search(pairs()) or search(_forms(own, learn))


def _surviving(
    given: Iterable[Statements],
    node: Node,
    known: dict[str, bool],
    learn: Callable[[Sequence[str]], dict[str, bool]],
    label: str,
) -> Statements:
    """Return the first statements that agree with texts on both sides."""
    candidates = list(given)
    for number in range(_ROUNDS):
        candidates = [
            one
            for one in candidates
            if all(_admits(one, text) == fails for text, fails in known.items())
        ]
        if not candidates:
            return ()
        best = candidates[0]
        drawn = islice(random_texts(node, Random(f"{label}/{number}"), [*known]), _DRAWN)
        fresh = [one for one in dict.fromkeys(drawn) if one not in known]
        sides = [[one for one in fresh if _admits(best, one) is side] for side in (True, False)]
        answers = learn([text for side in sides for text in side[:_EACH]])
        failing = sum(known.values())
        passing = len(known) - failing
        enough = failing >= _LEAST and passing >= (1 if best[0].regex == "^$" else _LEAST_OUTSIDE)
        if enough and all(_admits(best, one) == fails for one, fails in answers.items()):
            return tuple(replace(one, failing=failing, passing=passing) for one in best)
    return ()
