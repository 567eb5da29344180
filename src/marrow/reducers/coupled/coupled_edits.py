"""The pass `together`: edits that only make sense together.

It does what `names` cannot do by names alone, and what one node of a tree cannot hold. Most of it
is templates over tokens that the files of the languages have (`token_templates`): neighbouring
namespaces are joined, a namespace or a class is unwrapped and its qualifiers go, the type of a
function's result goes with its returns, access specifiers go with friends. The rest needs more than
a template: a parameter goes with its arguments, enumerators become their numbers, variables whose
members are used become numbers, a header goes with what mentions it. The parser is asked before the
test, and a larger candidate is not tried.

Guarantee: none by itself. Worst case of a pass: three tests for each match of a template, one for
each parameter and enumerator, and those of an edit again after each success.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from marrow.languages.language_facts import LanguageFacts, facts_of
from marrow.reducers.coupled.parameters import without_parameters
from marrow.reducers.coupled.token_templates import (
    ENDS,
    TokenChanges,
    TokenTemplate,
    TokenText,
    changed,
    token_templates,
    tokens_in,
)
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.elements import delete_all, elements_above, ladder
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Place, Token, Tree
from marrow.tree.names import names_of

# What follows a variable that is declared with its enumeration.
_AFTER_VARIABLE: Final = frozenset({b";", b",", b"=", b"["})
_QUALIFIES: Final = frozenset({b"::", b"."})


class _Enumerator(NamedTuple):
    name: bytes
    at: int
    position: int
    value: int


def by_numbers(text: TokenText, facts: LanguageFacts) -> Iterator[TokenChanges]:
    """Yield the text without an enumeration, or without one of its names."""
    word = facts.keywords.get("enumeration", "").encode()
    number = facts.types.number.encode()
    for at in text.positions.get(word, ()):
        start = next((one for one in range(at, len(text.texts)) if text.texts[one] in b"{;"), at)
        end = text.partners.get(start)
        if end is None or text.texts[start] != b"{":
            continue
        names = {text.texts[one] for one in range(at, start) if text.named[one]}
        found = list(_enumerators(text, start, end))
        every = _mentions(text, found, names)
        yield {**every, **_whole(text, at, end, names, number)}
        for one in reversed(found):
            gone = text.without_element(start, end, one.position)
            yield {**_mentions(text, [one], names), **dict.fromkeys(gone, ())}


def _enumerators(text: TokenText, start: int, end: int) -> Iterator[_Enumerator]:
    """Yield the enumerators whose numbers are known."""
    value: int | None = -1
    for position, element in enumerate(text.listed(start, end)):
        if not element or not text.named[element.start]:
            continue
        given = text.texts[element.start + 1 : element.stop]
        if given[:1] == [b"="]:
            try:
                value = int(b"".join(given[1:]), 0)
            except ValueError:
                value = None
        elif value is not None:
            value += 1
        if value is not None:
            yield _Enumerator(text.texts[element.start], element.start, position, value)


def _mentions(text: TokenText, some: list[_Enumerator], names: set[bytes]) -> TokenChanges:
    """Return the change of all mentions into numbers, with what qualifies them."""
    changes: TokenChanges = {}
    for one in some:
        for at in text.mentions.get(one.name, ()):
            if at == one.at:
                continue
            changes[at] = (b"%d" % one.value,)
            if text.text(at - 1) in _QUALIFIES and text.text(at - 2) in names:
                changes.update({at - 1: (), at - 2: ()})
    return changes


def _whole(text: TokenText, at: int, end: int, names: set[bytes], number: bytes) -> TokenChanges:
    """Return the change without the enumeration, whose name becomes a number's type."""
    changes: TokenChanges
    if text.text(end + 2) in _AFTER_VARIABLE and text.named[end + 1]:  # `enum { a, b } x;`
        changes = {**dict.fromkeys(range(at, end + 1), ()), at: (number,)}
    else:
        last = end + 1 if text.text(end + 1) == b";" else end
        changes = dict.fromkeys(range(text.head(at), last + 1), ())
    for name in sorted(names):
        for one in text.mentions.get(name, ()):
            # `enum e x` loses both words.
            if one not in changes and text.text(one + 1) not in _QUALIFIES:
                changes[one] = (number,)
                if text.text(one - 1) == text.texts[at]:
                    changes[one - 1] = ()
    return changes


_MEMBER: Final = frozenset({b".", b"->"})

_IN_TYPES: Final = frozenset({b"*", b"&", b"&&", b"::", b"<", b">", b".", b"?", b":", b"'", b","})
_AFTER_NAME: Final = frozenset({b";", b",", b")", b"=", b"[", b":"})
# What precedes a type before its name, and what follows one after it.
_BEFORE_TYPE: Final = ENDS | {b"(", b","}
_AFTER_TYPE: Final = ENDS | {b")", b",", b"="}


def as_numbers(text: TokenText, facts: LanguageFacts) -> Iterator[TokenChanges]:
    """Yield the text with a variable as a number, in the place of all its members.

    `f(struct s *p) { return p->n; }` becomes `f(int p) { return p; }`. Then the structure may go,
    or the header that declares it.
    """
    number = facts.types.number.encode()
    others = {one.encode() for one in facts.types.others}
    find = _type_before if facts.types.precedes else _type_after
    for mentions in text.mentions.values() if number else ():
        members: TokenChanges = {}
        for at in mentions:
            members.update(dict.fromkeys(_members(text, at), ()))
        for at in mentions if members else ():
            found = find(text, at)
            if _is_type([text.texts[one] for one in found], others):
                yield {**members, **dict.fromkeys(found, ()), found[0]: (number,)}


def _members(text: TokenText, at: int) -> range:
    """Return the tokens after a name that select its members, and call them."""
    here = at + 1
    while text.text(here) in _MEMBER and text.named[here + 1 : here + 2] == [True]:
        here += 2
        if text.text(here) == b"(":
            here = text.partners.get(here, here - 1) + 1
    return range(at + 1, here)


def _type_before(text: TokenText, at: int) -> range:
    """Return what may be the type before a name that is declared there."""
    start, angles = at, 0
    while start > 0 and (angles > 0 or text.texts[start - 1] not in _BEFORE_TYPE):
        start -= 1
        angles += (text.texts[start] == b">") - (text.texts[start] == b"<")
    return range(start, at if text.text(at + 1) in _AFTER_NAME else start)


def _type_after(text: TokenText, at: int) -> range:
    """Return what may be the type after a name that is declared there, without a colon."""
    start = at + 2 if text.text(at + 1) == b":" else at + 1
    end = start
    while end < len(text.texts) and text.texts[end] not in _AFTER_TYPE:
        if b"\n" in text.tokens[end].before:
            break
        end += 1
    return range(start, end)


def _is_type(words: list[bytes], others: set[bytes]) -> bool:
    """Whether tokens may be a type: words, and signs that occur in types."""
    spelt = [word for word in words if word[:1].isalpha() or word[:1] == b"_"]
    return (
        bool(spelt)
        and others.isdisjoint(words)
        and all(word in _IN_TYPES for word in words if word not in spelt)
    )


# Which elements around a mention are deleted: an operand, its statement, what contains that.
_LEVELS: Final = 3

_HEADER: Final = re.compile(rb'^\s*[<"]([\w/.+-]+)[>"]\s*$')


def without_includes(tree: Tree, facts: LanguageFacts) -> Iterator[Tree]:
    """Yield the text without a header and all that mentions what it declares."""
    names = names_of(tree)
    for place, node in tree.walk() if facts.headers else ():
        found = _HEADER.match(node.text) if isinstance(node, Token) else None
        above = ladder(tree, place) if found is not None else []
        if found is None or not above:
            continue
        stem = found[1].rpartition(b"/")[2].partition(b".")[0]
        declared = {stem}
        for one in (stem, stem.removeprefix(b"c")):
            declared.update(facts.headers.get(one.decode(), "").encode().split())
        mentions = [at for name in sorted(declared) for at in names.places.get(name, ())]
        seen: set[frozenset[Place]] = set()
        for level in range(_LEVELS if mentions else 0):
            doomed = elements_above(tree, mentions, level)
            candidate = delete_all(tree, {*doomed, above[0]}) if doomed not in seen else None
            seen.add(doomed)
            if candidate is not None:
                yield candidate


#: The candidates of one edit.
CoupledEdit: TypeAlias = Callable[[Tree], Iterator[Tree]]


def edits_of(language: str) -> list[CoupledEdit]:
    """Return the edits for a language, in the order in which they are tried."""
    facts = facts_of(language)

    def on_tokens(
        make: Callable[[TokenText, LanguageFacts], Iterator[TokenChanges]],
    ) -> CoupledEdit:
        return lambda tree: (changed(tree, one) for one in make(tokens_in(tree), facts))

    def by_template(template: TokenTemplate) -> CoupledEdit:
        return on_tokens(lambda text, _: template.changes(text))

    return [
        lambda tree: without_includes(tree, facts),
        *map(by_template, token_templates(language)),
        *map(on_tokens, (without_parameters, by_numbers, as_numbers)),
    ]


def coupled_edits(context: PassContext) -> Reducer:
    """Return the pass that makes edits that only make sense together."""
    edits = edits_of(context.options.language)

    def run(tree: Tree, done: Done) -> Stream | None:
        parsed = context.reparsed(tree)
        phase = "deleting what goes together"
        return sweep(parsed, edits, candidates, done, phase, accepted=context.reparsed)

    def candidates(tree: Tree, edit: CoupledEdit) -> Iterator[Tree]:
        return (one for one in edit(tree) if one.token_count <= tree.token_count)

    return run
