"""The pass `together`: edits that only make sense together.

It does what `names` cannot do by names alone, and what one node of a tree cannot hold. Most of it
is templates over tokens that the files of the languages have (`token_templates`). The rest needs
more: a parameter goes with its arguments, enumerators become their numbers, variables whose members
are used become numbers, a header goes with what mentions it, a function that has to return
something gets a body that returns nothing. The parser is asked before the test, and a larger
candidate is not tried.

Guarantee: none by itself. Worst case of a pass: three tests for each match of a template, one for
each parameter, enumerator and function, and those of an edit again after each success.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from marrow.languages.language_facts import LanguageFacts, facts_of
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
from marrow.tree.outline import without_parts

# What follows a variable that is declared with its enumeration.
_AFTER_VARIABLE: Final = frozenset({b";", b",", b"=", b"["})
_QUALIFIES: Final = frozenset({b"::", b"."})


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
        changes = {
            position: _mentions(text, element.start, value, names)
            for position, element, value in _enumerators(text, start, end)
        }
        every = {place: new for one in changes.values() for place, new in one.items()}
        yield {**every, **_whole(text, at, end, names, number)}
        for position in reversed(changes):
            gone = text.without_element(start, end, position)
            yield {**changes[position], **dict.fromkeys(gone, ())}


def _enumerators(text: TokenText, start: int, end: int) -> Iterator[tuple[int, range, int]]:
    """Yield the enumerators whose numbers are known: position, tokens, number."""
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
            yield position, element, value


def _mentions(text: TokenText, enumerator: int, value: int, names: set[bytes]) -> TokenChanges:
    """Return the change of all mentions of an enumerator into its number, without qualifiers."""
    changes: TokenChanges = {}
    for at in text.mentions.get(text.texts[enumerator], ()):
        if at != enumerator:
            changes[at] = (b"%d" % value,)
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


# -- Parameters -----------------------------------------------------------------------------------

_LISTS: Final = frozenset({b"<", b"("})
_BRACKETS: Final = _LISTS | {b"["}
# What follows the name of a template: `struct A {`, `struct A : B`, `f(`, `using A =`.
_AFTER_TEMPLATE: Final = frozenset({b"{", b":", b";", b"(", b"=", b"<"})

# An argument that is deduced and never written is a value if its parameter has a type like these.
_VALUE: Final = b"0"
_VALUE_PARAMETERS: Final = frozenset({b"bool", b"unsigned", b"long", b"char", b"size_t"})


class Parameters(NamedTuple):
    """A list of parameters, the name that it belongs to, and how far its parameters are known."""

    start: int
    end: int
    name: int
    scope: range
    template: bool = False


def without_parameters(text: TokenText, facts: LanguageFacts) -> Iterator[TokenChanges]:
    """Yield the text without each of its parameters, the last of a list first.

    Parameters are in a list after the name that they belong to (of a function, of a generic class)
    or in the head of a template before it. Arguments are in the lists after all other mentions of
    the name. The parameter at one position goes with all arguments at that position; the first of
    these replaces its mentions. A template without parameters is an ordinary declaration; all of
    its declarations lose the parameter.
    """
    template = facts.keywords.get("template", "").encode()
    for one in _parameter_lists(text, template):
        uses = _uses(text, one)
        elements = text.listed(one.start, one.end)
        for position in reversed(range(len(elements))):
            change = _without(text, one, elements, position, uses, facts.types.number.encode())
            if change is not None:
                yield change


def _parameter_lists(text: TokenText, template: bytes) -> Iterator[Parameters]:
    seen: set[bytes] = set()
    for at in range(len(text.texts)):
        if text.texts[at] == template:
            yield from _template_at(text, at)
        elif text.named[at] and text.texts[at] not in seen:
            seen.add(text.texts[at])  # what is mentioned first is the definition, as a rule
            for start, end in _lists_after(text, at):
                if end > start + 1 and text.texts[start] in _LISTS:
                    yield Parameters(start, end, at, range(end, _end(text, end)))


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


def _template_at(text: TokenText, at: int) -> Iterator[Parameters]:
    """Yield the parameters of a template, which precede its name, if it has both."""
    start = at + 1
    end = text.end_of(start) if text.text(start) == b"<" else None
    if end is None or end == start + 1:
        return
    here = end + 1
    name = None
    while here < len(text.texts):
        if text.texts[here] in (*ENDS, b"(", b":", b"=") or text.texts[here] == text.texts[at]:
            break
        if text.named[here] and text.text(here + 1) in _AFTER_TEMPLATE:
            name = here
            if text.text(here + 1) != b"<":
                break
            closed = text.end_of(here + 1)  # the arguments of a type or of a specialisation
            here = here if closed is None else closed
        here += 1
    if name is not None:
        yield Parameters(start, end, name, range(end, _end(text, end)), template=True)


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
    return [
        (start, end)
        for at in text.mentions.get(text.texts[one.name], ())
        for start, end in _lists_after(text, at)
        if text.texts[start] == opening and start != one.start
    ]


def _without(
    text: TokenText,
    one: Parameters,
    elements: list[range],
    position: int,
    uses: Iterable[tuple[int, int]],
    deduced: bytes,
) -> TokenChanges | None:
    """Return the change that takes a parameter away; None if nothing of it would change."""
    changes: TokenChanges = {}
    argument: tuple[bytes, ...] | None = None
    for start, end in uses:
        arguments = text.listed(start, end)
        if position >= len(arguments):
            continue
        if argument is None and start not in one.scope:
            argument = tuple(text.texts[at] for at in arguments[position])
        changes.update(dict.fromkeys(text.without_element(start, end, position), ()))
        if len(arguments) == 1 and text.texts[start] == b"<":
            changes.update(dict.fromkeys((start, end), ()))
    if argument is None:
        if not one.template:
            return None  # nobody calls it: others take such a parameter away
        words = {text.texts[at] for at in elements[position]}
        is_value = not words.isdisjoint(_VALUE_PARAMETERS | {deduced})
        argument = (_VALUE if is_value else deduced,)
    for other in (one, *_same(text, one, len(elements))):
        name = _name(text, other, text.listed(other.start, other.end)[position])
        for at in text.mentions.get(name, ()):
            if at in other.scope and at not in changes:
                changes[at] = argument
        changes.update(dict.fromkeys(text.without_element(other.start, other.end, position), ()))
        if len(elements) == 1 and text.texts[other.start] == b"<":
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
    templates = text.positions[text.texts[one.start - 1]] if one.template else ()
    for found in (found for at in templates for found in _template_at(text, at)):
        named = text.texts[found.name] == text.texts[one.name] and text.text(found.name + 1) != b"<"
        same = named and len(text.listed(found.start, found.end)) == count
        if same and found.start != one.start:
            yield found


# -- Headers --------------------------------------------------------------------------------------

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
    stub = facts_of(context.options.language).definitions.stub.encode()

    def stubs(tree: Tree) -> Iterator[Tree]:
        """Yield the text with stubs in functions that have to return something: all, then one."""
        parts = [part for part in context.parts(tree.text) if stub and part.form == stub]
        for some in (parts, *([part] for part in parts if len(parts) > 1)):
            if some:
                yield context.parse(without_parts(tree.text, some))

    edits = [stubs, *edits_of(context.options.language)]

    def run(tree: Tree, done: Done) -> Stream | None:
        parsed = context.reparsed(tree)
        phase = "deleting what goes together"
        return sweep(parsed, edits, candidates, done, phase, accepted=context.reparsed)

    def candidates(tree: Tree, edit: CoupledEdit) -> Iterator[Tree]:
        return (one for one in edit(tree) if one.token_count <= tree.token_count)

    return run
