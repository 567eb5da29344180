"""A parameter is deleted with its arguments, and an argument takes its place.

Parameters are in a list after the name that they belong to (of a function, of a generic class) or
in the head of a template before it. Arguments are in the lists after all other mentions of the
name. The parameter at one position goes with all arguments at that position; the first of these
replaces its mentions. A template without parameters is an ordinary declaration; all of its
declarations lose the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from marrow.languages.language_facts import LanguageFacts
from marrow.reducers.coupled.token_templates import ENDS, TokenChanges, TokenText

_LISTS: Final = frozenset({b"<", b"("})
_BRACKETS: Final = _LISTS | {b"["}
# What follows the name of a template: `struct A {`, `struct A : B`, `f(`, `using A =`.
_AFTER_NAME: Final = frozenset({b"{", b":", b";", b"(", b"=", b"<"})

# An argument that is deduced and never written is a value if its parameter has a type like these.
_VALUE: Final = b"0"
_VALUE_PARAMETERS: Final = frozenset({b"bool", b"unsigned", b"long", b"char", b"size_t"})


class Parameters(NamedTuple):
    """A list of parameters, the name that it belongs to, and how far its parameters are known."""

    start: int
    end: int
    name: int
    scope: range
    template: bool


def without_parameters(text: TokenText, facts: LanguageFacts) -> Iterator[TokenChanges]:
    """Yield the text without each of its parameters, the last of a list first."""
    template = facts.keywords.get("template", "").encode()
    deduced = facts.types.number.encode()
    for one in _parameter_lists(text, template):
        uses = _uses(text, one)
        elements = text.listed(one.start, one.end)
        for position in reversed(range(len(elements))):
            change = _without(text, one, elements[position], position, len(elements), uses, deduced)
            if change is not None:
                yield change


def _parameter_lists(text: TokenText, template: bytes) -> Iterator[Parameters]:
    seen: set[bytes] = set()
    for at in range(len(text.texts)):
        if text.texts[at] == template:
            found = _template_at(text, at)
            if found is not None:
                yield found
        elif text.named[at] and text.texts[at] not in seen:
            seen.add(text.texts[at])  # what is mentioned first is the definition, as a rule
            for start, end in _lists_after(text, at):
                if end > start + 1 and text.texts[start] in _LISTS:
                    yield Parameters(start, end, at, range(end, _end(text, end)), template=False)


def _lists_after(text: TokenText, at: int) -> Iterator[tuple[int, int]]:
    """Yield the lists after a name, which may have one of types before that of values."""
    start = at + 1
    while text.text(start) in _BRACKETS:
        end = text.end_of(start)
        if end is None:
            return
        yield start, end
        if text.texts[start] == b"(":
            return
        start = end + 1


def _template_at(text: TokenText, at: int) -> Parameters | None:
    """Return the parameters of a template, which precede its name."""
    start = at + 1
    end = text.end_of(start) if text.text(start) == b"<" else None
    if end is None or end == start + 1:
        return None
    here = end + 1
    name = None
    while here < len(text.texts):
        if text.texts[here] in (*ENDS, b"(", b":", b"=") or text.texts[here] == text.texts[at]:
            break
        if text.named[here] and text.text(here + 1) in _AFTER_NAME:
            name = here
            if text.text(here + 1) != b"<":
                break
            closed = text.end_of(here + 1)  # the arguments of a type or of a specialisation
            here = here if closed is None else closed
        here += 1
    if name is None:
        return None
    return Parameters(start, end, name, range(end, _end(text, end)), template=True)


def _end(text: TokenText, at: int) -> int:
    """Return where the declaration ends that a token is part of."""
    indent = len(text.tokens[at].indent)
    while at < len(text.texts):
        block = text.texts[at - 1] == b":" and b"\n" in text.tokens[at].before
        if block:
            while at < len(text.texts) and len(text.tokens[at].indent) > indent:
                at += 1
            return at
        if text.texts[at] == b"{" and at in text.partners:
            return text.partners[at] + 1
        if text.texts[at] in ENDS:
            return at
        at += 1
    return at


def _uses(text: TokenText, one: Parameters) -> list[tuple[int, int]]:
    """Return the lists of arguments: those after other mentions of the name."""
    opening = b"<" if one.template else text.texts[one.start]
    found: list[tuple[int, int]] = []
    for at in text.mentions.get(text.texts[one.name], ()):
        lists = dict(_lists_after(text, at))
        found += [(start, lists[start]) for start in lists
                  if text.texts[start] == opening and start != one.start]  # fmt: skip
    return found


def _without(
    text: TokenText,
    one: Parameters,
    element: range,
    position: int,
    count: int,
    uses: Sequence[tuple[int, int]],
    deduced: bytes,
) -> TokenChanges | None:
    """Return the change that takes a parameter away; None if nothing of it would change."""
    changes: TokenChanges = {}
    argument: tuple[bytes, ...] | None = None
    for start, end in uses:
        elements = text.listed(start, end)
        if position >= len(elements):
            continue
        if argument is None and not one.scope.start <= start < one.scope.stop:
            argument = tuple(text.texts[at] for at in elements[position])
        gone = text.without_element(start, end, position)
        changes.update(dict.fromkeys(gone, ()))
        if len(elements) == 1 and text.texts[start] == b"<":
            changes.update(dict.fromkeys((start, end), ()))
    if argument is None:
        if not one.template:
            return None  # nobody calls it: others take such a parameter away
        is_value = not (_VALUE_PARAMETERS | {deduced}).isdisjoint(text.texts[at] for at in element)
        argument = (_VALUE if is_value else deduced,)
    for other in (one, *_same(text, one, count)):
        name = _name(text, other, text.listed(other.start, other.end)[position])
        for at in text.mentions.get(name, ()):
            if at in other.scope and at not in changes:
                changes[at] = argument
        changes.update(dict.fromkeys(text.without_element(other.start, other.end, position), ()))
        if count == 1 and text.texts[other.start] == b"<":
            word = (other.start - 1,) if other.template else ()
            changes.update(dict.fromkeys((*word, other.start, other.end), ()))
    return changes


def _name(text: TokenText, one: Parameters, element: range) -> bytes:
    """Return the name of a parameter: the one that is used, else the last."""
    names = [at for at in element if text.named[at]]
    inside = {text.texts[at] for at in one.scope if text.named[at]}
    used = [at for at in names if text.texts[at] in inside]
    return text.texts[used[-1] if used else names[-1]] if names else b""


def _same(text: TokenText, one: Parameters, count: int) -> Iterator[Parameters]:
    """Yield the other declarations of a template: those of its name with as many parameters."""
    for at in text.positions[text.texts[one.start - 1]] if one.template else ():
        found = _template_at(text, at)
        if found is None or found.start == one.start:
            continue
        named = text.texts[found.name] == text.texts[one.name] and text.text(found.name + 1) != b"<"
        if named and len(text.listed(found.start, found.end)) == count:
            yield found
