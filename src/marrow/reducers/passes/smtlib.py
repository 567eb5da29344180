"""SMT-LIB: what a script can do without, though no part of it can just go.

- a variable that equals something (`(assert (= x t))`) gives way to it everywhere, and the
  assertion and the declaration go; so does a variable to a constant of its sort;
- a `let`, a quantifier and a definition give way to what is inside, with values for variables;
- a function loses an argument wherever it is used; a definition becomes a declaration;
- a term becomes a constant or a variable of its sort; a declared sort becomes a known one;
- bit vectors become narrower, reals integers; pairs of `push` and `pop` go.

These are what the mutators of ddSMT do (Niemetz, Biere: "ddSMT: A Delta Debugger for the SMT-LIB v2
Format", SMT 2013; Kremer, Niemetz, Preiner: "ddSMT 2.0", CAV 2021), as far as deletion and hoisting
do not do it. Candidates are made as texts. Where many things of one sort can change, all at once is
tried first. Guarantee: none by itself. Worst case of a round: a test for each constant and variable
that fits a term, and a few for each declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.smt_script import Expression, Script, bits_of, values
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Splice, Tree
from marrow.tree.tree import apply_splices
from marrow.tree.tree_cache import kept

#: The language whose scripts these are.
LANGUAGE: Final = "smtlib"

#: Changes to a text, in any order; those inside another change have no effect.
_Changes: TypeAlias = list[Splice]


class _Mutator(NamedTuple):
    """What can change: the targets in a script, and the changes for one of them."""

    targets: Callable[[Script], list[Expression]]
    changes: Callable[[Script, Expression], Iterator[_Changes]]
    #: Whether to try all targets at once first, each by its first change.
    together: bool = False


def smtlib(context: PassContext) -> Reducer:
    """Return the pass for scripts of SMT-LIB; it does nothing to other languages."""

    def run(tree: Tree, done: Done) -> Stream | None:
        if context.options.language != LANGUAGE:
            return done(tree)
        script = _script(tree)
        items: list[tuple[_Mutator, int]] = []
        for mutator in _MUTATORS:
            count = len(mutator.targets(script))
            items += [(mutator, _ALL)] if mutator.together and count > 1 else []
            # From the last one: what goes does not change the numbers of those before it.
            items += [(mutator, number) for number in reversed(range(count))]
        return sweep(tree, items, candidates, done, "rewriting a script", sort=_sort)

    def candidates(tree: Tree, item: tuple[_Mutator, int]) -> Iterator[Tree]:
        mutator, number = item
        script = _script(tree)
        targets = mutator.targets(script)
        if number == _ALL:
            chosen: Iterable[_Changes] = _together(script, mutator, targets)
        else:
            chosen = mutator.changes(script, targets[number]) if number < len(targets) else ()
        for changes in chosen:
            text = _changed(script.text, changes)
            if text != script.text:
                yield context.parse(text)

    return run


# In the place of a target's number: all of them together.
_ALL: Final = -1


def _sort(item: tuple[_Mutator, int]) -> tuple[_Mutator, int]:
    """Targets of about the same rank fail alike: of terms, those of about the same size."""
    return item[0], item[1].bit_length()


@kept
def _script(tree: Tree) -> Script:
    return Script(tree.text)


def _together(script: Script, mutator: _Mutator, targets: list[Expression]) -> Iterator[_Changes]:
    """Yield the first changes of all targets at once."""
    whole: _Changes = []
    for target in targets:
        whole += next(mutator.changes(script, target), [])
    if whole:
        yield whole


def _changed(text: bytes, changes: _Changes) -> bytes:
    """Return a text with changes made; of two that overlap the outer one counts."""
    chosen: list[Splice] = []
    for one in sorted(changes, key=lambda one: (one.start, -one.end)):
        if not chosen or one.start >= chosen[-1].end:
            chosen.append(one)
    return apply_splices(text, chosen)


def _gone(*some: Expression) -> _Changes:
    return [Splice(one.start, one.end, b"") for one in some]


def _replaced(one: Expression, text: bytes) -> _Changes:
    return [Splice(one.start, one.end, text)]


def _mentions(inside: Expression, name: bytes) -> Iterator[Expression]:
    return (one for one in inside.walk() if one.text == name)


def _substituted(script: Script, inside: Expression, by: dict[bytes, bytes]) -> bytes:
    """Return the text of an expression with symbols exchanged."""
    changes = [
        Splice(one.start - inside.start, one.end - inside.start, by[one.text])
        for one in inside.walk()
        if one.text in by
    ]
    return apply_splices(script.source(inside), changes)


# -- Variables ------------------------------------------------------------------------------------


def _stated(script: Script) -> Iterator[tuple[Expression, Expression]]:
    """Yield each asserted term with what asserts it: the command, or an operand."""
    for command in script.commands:
        if command.head != b"assert" or len(command.items) != 2:
            continue
        term = command.items[1]
        while term.head == b"!" and len(term.items) > 1:
            term = term.items[1]
        yield term, command
        if term.head == b"and":
            for operand in term.items[1:]:
                yield operand, operand


def _solved(script: Script) -> dict[Expression, tuple[bytes, bytes, Expression]]:
    """Return the asserted terms that say what a variable is: its name, its value, what goes."""
    variables = dict(script.constants())
    found = {}
    for term, doomed in _stated(script):
        named, value, words = term, b"true", [b""]
        if term.head == b"not" and len(term.items) == 2:
            named, value = term.items[1], b"false"
        elif term.head == b"=" and len(term.items) == 3:
            first, second = term.items[1:]
            if first.text not in variables or first.text in second.words():
                first, second = second, first
            named, value, words = first, script.source(second), second.words()
        if named.text in variables and named.text not in words:
            found[term] = named.text, value, doomed
    return found


def _equalities(script: Script) -> list[Expression]:
    return list(_solved(script))


def _solve(script: Script, term: Expression) -> Iterator[_Changes]:
    """Put what a variable equals in its place, without its declaration and the assertion."""
    name, value, doomed = _solved(script)[term]
    yield _without(script, name, value) + _gone(doomed)


def _without(script: Script, name: bytes, value: bytes) -> _Changes:
    """Return the changes that put a value in the place of a name that is declared."""
    command = script.declared[name]
    uses = [Splice(one.start, one.end, value) for one in _mentions(script.whole, name)]
    return _gone(command) + uses


def _variables(script: Script) -> list[Expression]:
    return [script.declared[name] for name, _ in script.constants()]


def _valued(script: Script, command: Expression) -> Iterator[_Changes]:
    """Put a constant of its sort in the place of a variable."""
    sort = script.constant_sort(command)
    for value in () if sort is None else values(sort):
        yield _without(script, command.items[1].text, value)


# -- What binds variables -------------------------------------------------------------------------


def _lets(script: Script) -> list[Expression]:
    return [one for one in script.whole.walk() if one.head == b"let" and _binds(one)]


def _quantifiers(script: Script) -> list[Expression]:
    kinds = (b"forall", b"exists")
    return [one for one in script.whole.walk() if one.head in kinds and _binds(one)]


def _binds(one: Expression) -> bool:
    bindings = one.items[1].items if len(one.items) == 3 else []
    return bool(bindings) and all(len(each.items) == 2 for each in bindings)


def _unbound(script: Script, one: Expression) -> Iterator[_Changes]:
    """Inline the bindings of a `let`, all of them, then each."""
    terms = {each.items[0].text: script.source(each.items[1]) for each in one.items[1].items}
    yield from _reduced(script, one, terms)


def _instantiated(script: Script, one: Expression) -> Iterator[_Changes]:
    """Put constants in the place of the variables of a quantifier, all of them, then each."""
    for number in (0, 1):
        terms: dict[bytes, bytes] = {}
        for each in one.items[1].items:
            found = values(script.sort_text(each.items[1]))
            if len(found) > number:
                terms[each.items[0].text] = found[number]
        if terms:
            yield from _reduced(script, one, terms)


def _reduced(script: Script, one: Expression, terms: dict[bytes, bytes]) -> Iterator[_Changes]:
    bindings, body = one.items[1].items, one.items[2]
    if len(terms) == len(bindings):
        yield _replaced(one, _substituted(script, body, terms))
    for each in bindings if len(bindings) > 1 else ():
        name = each.items[0].text
        if name in terms:
            yield _gone(each) + _replaced(body, _substituted(script, body, {name: terms[name]}))


# -- Functions ------------------------------------------------------------------------------------


def _definitions(script: Script) -> list[Expression]:
    return [one for one in script.declared.values() if one.head == b"define-fun"]


def _inlined(script: Script, command: Expression) -> Iterator[_Changes]:
    """Put what a function is defined to be where it is used; or declare it only."""
    if len(command.items) != 5:
        return
    name, parameters, sort, body = command.items[1:]
    known = [one.items[0].text for one in parameters.items if len(one.items) == 2]
    if not known:
        yield _without(script, name.text, script.source(body))
    else:
        uses = [one for one in script.whole.walk() if one.head == name.text]
        if all(len(one.items) == len(known) + 1 for one in uses):
            changes = _gone(command)
            for one in uses:
                given = dict(zip(known, map(script.source, one.items[1:]), strict=True))
                changes += _replaced(one, _substituted(script, body, given))
            yield changes
    sorts = b" ".join(
        script.source(one.items[1]) for one in parameters.items if len(one.items) == 2
    )
    parts = (b"(declare-fun", name.text, b"(" + sorts + b")", script.source(sort) + b")")
    yield _replaced(command, b" ".join(parts))


def _functions(script: Script) -> list[Expression]:
    kinds = (b"declare-fun", b"define-fun")
    return [
        one
        for one in script.declared.values()
        if one.head in kinds and len(one.items) > 3 and one.items[2].items
    ]


def _narrowed(script: Script, command: Expression) -> Iterator[_Changes]:
    """Take arguments away from a function, where it is declared and where it is used."""
    name, parameters = command.items[1].text, command.items[2].items
    uses = [
        one
        for one in script.whole.walk()
        if one.head == name and one.items[0] is not command.items[1]
    ]
    everything = _gone(*parameters)
    for one in uses:
        everything += _replaced(one, name)
    yield everything
    for position in reversed(range(len(parameters))) if len(parameters) > 1 else ():
        changes = _gone(parameters[position])
        for one in uses:
            if position + 1 < len(one.items):
                changes += _gone(one.items[position + 1])
        yield changes


# -- Terms and sorts ------------------------------------------------------------------------------


def _terms(script: Script) -> list[Expression]:
    """Return the terms of more than one token, the outermost last: they are tried first."""
    found: list[Expression] = []
    for command in script.commands:
        if command.head in _WITH_TERMS:
            found += [one for one in command.items[-1].walk() if one.items and _is_term(one)]
    return sorted(found, key=lambda one: one.end - one.start)


_WITH_TERMS: Final = (b"assert", b"define-fun", b"assert-soft", b"minimize", b"maximize")


def _is_term(one: Expression) -> bool:
    """Whether a list is a term: not a binding, an index or a list of bindings."""
    above = one.parent
    return one.head != b"_" and (above is None or above.head not in (b"", b"_") or above.atom)


def _constant(script: Script, term: Expression) -> Iterator[_Changes]:
    """Put a constant or a variable of its sort in the place of a term."""
    sort = script.sort_of(term)
    if sort is None:
        return
    for value in values(sort):
        yield _replaced(term, value)
    for name, other in script.constants():
        if other == sort:
            yield _replaced(term, name)
            return


def _sorts(script: Script) -> list[Expression]:
    return [one for one in script.declared.values() if one.head == b"declare-sort"]


def _known_sort(script: Script, command: Expression) -> Iterator[_Changes]:
    for sort in (b"Int", b"Bool"):
        yield _without(script, command.items[1].text, sort)


def _reals(script: Script) -> list[Expression]:
    return [one for one in script.whole.walk() if one.text == b"Real"][:1]


def _integers(script: Script, _: Expression) -> Iterator[_Changes]:
    """Make integers of all reals."""
    changes: _Changes = []
    for one in script.whole.walk():
        if one.text == b"Real":
            changes += _replaced(one, b"Int")
        elif one.atom and (match := re.fullmatch(rb"(\d+)\.\d+", one.text)):
            changes += _replaced(one, match[1])
        elif one.head in (b"to_real", b"to_int") and len(one.items) == 2 and one.items[1].atom:
            changes += _replaced(one, one.items[1].text)
    yield changes


# -- Bit vectors ----------------------------------------------------------------------------------


def _width_sorts(script: Script) -> list[Expression]:
    """Return a sort of each width of bit vectors."""
    found: dict[bytes, Expression] = {}
    for one in script.whole.walk():
        if one.head == b"_" and len(one.items) == 3 and one.items[1].text == b"BitVec":
            found.setdefault(one.items[2].text, one)
    return [one for width, one in found.items() if width.isdigit() and width != b"1"]


def _narrower(script: Script, sort: Expression) -> Iterator[_Changes]:
    """Make all bit vectors of a width narrower: one bit, then half as many."""
    width = int(sort.items[2].text)
    for bits in dict.fromkeys((1, 2, width // 2, width - 1)):
        if not 0 < bits < width:
            continue
        changes: _Changes = []
        for one in script.whole.walk():
            found = _bits(one)
            if found is not None and found[1] == width:
                changes += _replaced(one, bits_of(found[0], bits))
            elif one.head == b"_" and script.sort_text(one) == b"(_ BitVec %d)" % width:
                changes += _replaced(one, b"(_ BitVec %d)" % bits)
        yield changes


def _bits(one: Expression) -> tuple[int, int] | None:
    """Return the value and the width of a constant bit vector."""
    text = one.text
    if re.fullmatch(rb"#b[01]+", text):
        return int(text[2:], 2), len(text) - 2
    if re.fullmatch(rb"#x[0-9a-fA-F]+", text):
        return int(text[2:], 16), 4 * (len(text) - 2)
    if one.head == b"_" and len(one.items) == 3:
        value = re.fullmatch(rb"bv(\d+)", one.items[1].text)
        if value and one.items[2].text.isdigit():
            return int(value[1]), int(one.items[2].text)
    return None


def _bit_constants(script: Script) -> list[Expression]:
    return [one for one in script.whole.walk() if _bits(one) is not None]


def _least_bits(_: Script, one: Expression) -> Iterator[_Changes]:
    """Make a constant bit vector zero, one, or just shorter to write."""
    found = _bits(one)
    if found is None or found[1] <= 0:
        return
    for value in dict.fromkeys((0, 1, found[0])):
        yield _replaced(one, bits_of(value, found[1]))


# -- Commands -------------------------------------------------------------------------------------


def _levels(script: Script) -> list[Expression]:
    return [one for one in script.commands if one.head == b"push"]


def _level(script: Script, push: Expression) -> Iterator[_Changes]:
    """Take a `push` away with its `pop`."""
    depth = 0
    for command in script.commands[script.commands.index(push) :]:
        depth += (command.head == b"push") - (command.head == b"pop")
        if depth == 0:
            yield _gone(push, command)
            return
    yield _gone(push)


#: In the order in which they are tried: what removes most for a test comes first.
_MUTATORS: Final = (
    _Mutator(_levels, _level, together=True),
    _Mutator(_equalities, _solve, together=True),
    _Mutator(_definitions, _inlined, together=True),
    _Mutator(_lets, _unbound, together=True),
    _Mutator(_variables, _valued),
    _Mutator(_quantifiers, _instantiated),
    _Mutator(_functions, _narrowed),
    _Mutator(_terms, _constant),
    _Mutator(_sorts, _known_sort),
    _Mutator(_width_sorts, _narrower),
    _Mutator(_bit_constants, _least_bits),
    _Mutator(_reals, _integers),
)
