"""Spellings: which contents of a word or a string make an input fail.

A few plain, near and odd texts are tried first. Then every simple statement about texts (it ends
with a digit, it has no `$`) that agrees with all answers has to survive texts on both sides, the
simplest first; what contradicts it also thins out the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Final

from marrow.abstraction.condition_samples import random_texts
from marrow.abstraction.conditions import Spelled, content_of
from marrow.tree import Node
from marrow.tree.name_spelling import quote_of
from marrow.tree.node import render

#: Texts on each side that have to agree, the least of them, and how often there is another try.
_EACH: Final = 6
_LEAST: Final = 3
_ROUNDS: Final = 8

#: How many random texts there are to choose from.
_DRAWN: Final = 400

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


def spellings(
    node: Node, ask: Callable[[Sequence[str]], list[bool | None]], label: str
) -> Spelled | None:
    """Return the simplest statement that says with which contents an input fails.

    `ask` says of each content whether it does, None if nothing is known.
    """
    text = render((node,)).strip()
    own = content_of(text).decode("utf-8", "replace")
    known: dict[str, bool] = {own: True}

    def learn(texts: Sequence[str]) -> dict[str, bool]:
        new = [one for one in dict.fromkeys(texts) if one not in known]
        answers = {one: said for one, said in zip(new, ask(new), strict=True) if said is not None}
        known.update(answers)
        return answers

    quoted = bool(quote_of(text)[0])
    learn(_tried(own, quoted=quoted))
    if sum(known.values()) < 2 or all(known.values()):
        return None
    odd = [one for one, fails in known.items() if not fails]
    candidates = list(_statements(own, odd if len(odd) < 4 else (), quoted=quoted))
    for number in range(_ROUNDS):
        candidates = [
            one for one in candidates if all(one.admits(t) == fails for t, fails in known.items())
        ]
        if not candidates:
            return None
        best = candidates[0]
        near = [*known]
        drawn = [*islice(random_texts(node, Random(f"{label}/{number}"), near), _DRAWN)]
        fresh = [one for one in dict.fromkeys(drawn) if one not in known]
        sides = [[one for one in fresh if best.admits(one) is side] for side in (True, False)]
        answers = learn([text for side in sides for text in side[:_EACH]])
        if all(best.admits(one) == fails for one, fails in answers.items()):
            failing = sum(fails for fails in known.values())
            passing = len(known) - failing
            if failing < _LEAST or not passing:
                return None
            return replace(best, failing=failing, passing=passing)
    return None
