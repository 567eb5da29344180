"""Flat grammars: every rule a list of alternatives, every alternative a sequence of atoms.

This is what normalisation works on. An *atom* is a literal, a character set, a reference, or a
quantified atom; everything else that the author nested has become an auxiliary rule with a readable
name. Quantified atoms get rules of their own (`stmt_star`) only at the end, when the flat grammar
is turned back into a grammar.

A quantified rule is named after what it repeats (`stmt_star`, `else_opt`), a group after the first
rule or word in it (`else_part`), a choice after the rule it was written in (`expr_choice`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, TypeAlias

from marrow.base.reachability import reached
from marrow.grammar.model.expressions import choice, fold, references
from marrow.grammar.model.rules import (
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
    TokenRule,
    walk,
)

Items: TypeAlias = tuple[Expression, ...]


class FlatGrammar:
    """A grammar under transformation: `rules` may be changed freely.

    Rules that say the same are made once: two places with the same group or the same quantified
    atom share the auxiliary rule, so that trees can be exchanged between them.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.name: Final = grammar.name
        self.start = grammar.start
        self.rules: dict[str, list[Sequence]] = {}
        self._tokens = dict(grammar.tokens)
        self._notes: Final[tuple[Note, ...]] = grammar.notes
        self._made: dict[str, Rule] = dict(grammar.rules)
        self._taken: Final = {*grammar.rules, *grammar.tokens}
        self._numbers: dict[str, int] = {}
        self._shared: dict[tuple[Sequence, ...], str] = {}
        for name, rule in grammar.rules.items():
            self.rules[name] = unique(self._flatten(name, rule.body))

    # -- asking -------------------------------------------------------------------------------

    def refers(self, atom: Expression) -> str | None:
        """Return the name of the rule that an atom refers to, if it is a plain reference to one."""
        return atom.name if isinstance(atom, Reference) and atom.name in self.rules else None

    def made(self, name: str) -> bool:
        """Whether a rule was made by a transformation."""
        return name in self._made and self._made[name].auxiliary

    def symbols(self) -> int:
        """Return the size: the number of atoms in all alternatives."""
        return sum(len(one.items) + 1 for options in self.rules.values() for one in options)

    # -- making rules -------------------------------------------------------------------------

    def fresh(self, wanted: str, origin: str) -> str:
        """Return an unused name for a rule made from the rule `origin`, and reserve it."""
        name = wanted
        while name in self._taken:
            self._numbers[wanted] = number = self._numbers.get(wanted, 1) + 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        source = self._made.get(origin)
        author = origin if source is None or not source.auxiliary else source.origin or origin
        place = self._made[origin].position
        self._made[name] = Rule(name, Sequence(()), place, auxiliary=True, origin=author)
        return name

    def auxiliary(self, options: Iterable[Sequence], wanted: str, origin: str) -> Reference:
        """Return a reference to an auxiliary rule with these alternatives, made if need be."""
        key = tuple(unique(options))
        name = self._shared.get(key)
        if name is None or name not in self.rules or tuple(self.rules[name]) != key:
            name = self.fresh(wanted, origin)
            self._shared[key] = name
            self.rules[name] = list(key)
        return Reference(name)

    def element(self, options: list[Sequence], origin: str, wanted: str = "") -> Expression:
        """Return one atom for alternatives: the only one there is, or an auxiliary rule's name.

        `wanted` is the name of that rule, which is otherwise made from its alternatives.
        """
        if len(options) == 1 and len(options[0].items) == 1:
            return options[0].items[0]
        return self.auxiliary(options, wanted or _element_name(options, origin), origin)

    # -- from and to grammars -----------------------------------------------------------------

    def _flatten(self, rule: str, body: Expression) -> list[Sequence]:
        """Return the alternatives of a body; what is nested in them becomes auxiliary rules."""

        def combine(one: Expression, inside: tuple[list[Sequence], ...]) -> list[Sequence]:
            match one:
                case Sequence(right=right):
                    items = [item for part in inside for item in self._spliced(part, rule)]
                    return [Sequence(tuple(items), right)]
                case Choice():
                    return [option for part in inside for option in part]
                case Repeat(quantifier=quantifier, greedy=greedy):
                    return [Sequence(self.repeated(inside[0], quantifier, rule, greedy=greedy))]
                case Literal(text=""):
                    return [Sequence(())]
                case _:
                    return [Sequence((one,))]

        return fold(body, combine)

    def _spliced(self, options: list[Sequence], rule: str) -> Items:
        """Return what represents alternatives inside a sequence."""
        options = unique(options)
        if len(options) == 1:
            return options[0].items
        if any(not one.items for one in options):
            return self.repeated(options, Quantifier.OPTIONAL, rule)
        return (self.element(options, rule),)

    def repeated(
        self,
        options: Iterable[Sequence],
        quantifier: Quantifier,
        rule: str,
        *,
        greedy: bool = True,
        wanted: str = "",
    ) -> Items:
        """Return alternatives, quantified: one atom, or none if they are all empty."""
        options = list(options)
        filled = unique(Sequence(one.items) for one in options if one.items)
        if not filled:
            return ()
        if quantifier is Quantifier.PLUS and any(not one.items for one in options):
            quantifier = Quantifier.STAR
        element = self.element(filled, rule, wanted)
        if isinstance(element, Repeat):
            return (combined(element, quantifier),)
        return (Repeat(element, quantifier, greedy),)

    def grammar(self) -> Grammar:
        """Return the grammar: quantified atoms inside longer alternatives become rules."""
        self._name_quantified()
        rules = {}
        # The author's rules come first, as readers look for the start there.
        for name in sorted(self.rules, key=lambda name: name != self.start and self.made(name)):
            # As an author would write it: no sequence around a quantified atom.
            bodies: list[Expression] = [
                one.items[0] if len(one.items) == 1 and isinstance(one.items[0], Repeat) else one
                for one in self.rules[name]
            ]
            rules[name] = replace(self._made[name], body=choice(bodies))
        return Grammar(self.name, self.start, rules, self._tokens, self._notes)

    def _name_quantified(self) -> None:
        known: dict[Repeat, Reference] = {}
        for name, options in list(self.rules.items()):
            match options:
                case [Sequence(items=(Repeat() as only,))] if self._made[name].auxiliary:
                    known.setdefault(only, Reference(name))
        for name, options in list(self.rules.items()):
            for index, option in enumerate(options):
                if len(option.items) > 1:
                    items = tuple(self._named(one, known, name) for one in option.items)
                    options[index] = replace(option, items=items)

    def _named(self, atom: Expression, known: dict[Repeat, Reference], rule: str) -> Expression:
        if not isinstance(atom, Repeat):
            return atom
        if atom not in known:
            name = self.fresh(_quantified_name(atom, rule), rule)
            self.rules[name] = [Sequence((atom,))]
            known[atom] = Reference(name)
        return known[atom]

    # -- tidying ------------------------------------------------------------------------------

    def drop_unreachable(self) -> None:
        """Remove the rules that the start rule does not lead to; their keywords stay keywords."""
        found = reached((self.start,), self._uses)
        every = self._literals()
        for name in [name for name in self.rules if name not in found]:
            del self.rules[name]
        lost = every - self._literals()
        if lost and self._tokens:
            self._keep_keywords(lost)

    def _uses(self, name: str) -> list[str]:
        found = (one.name for option in self.rules[name] for one in references(option))
        return [one for one in found if one in self.rules]

    def _literals(self) -> set[Literal]:
        options = (option for options in self.rules.values() for option in options)
        return {one for option in options for one in walk(option) if isinstance(one, Literal)}

    def _keep_keywords(self, lost: set[Literal]) -> None:
        """Add token rules for literals that no rule uses any more.

        The lexer would otherwise read them as names, and accept texts that it did not.
        """
        bodies = (rule.body for rule in self._tokens.values())
        # Other bodies may nest too deep to be hashed.
        written = {body for body in bodies if isinstance(body, Literal)}
        first: dict[str, TokenRule] = {}
        for literal in sorted(lost - written, key=lambda one: one.text):
            name = f"UNUSED_{len(first) + 1}"
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            first[name] = TokenRule(name, literal)
        self._tokens = first | self._tokens


#: What a quantifier around a quantifier amounts to, apart from the star, which most pairs are.
_SAME: Final = frozenset({Quantifier.PLUS, Quantifier.OPTIONAL})


def combined(inner: Repeat, outer: Quantifier) -> Repeat:
    """Return what a quantified atom, quantified again, amounts to: `(x?)+` is `x*`."""
    if inner.quantifier is outer and outer in _SAME:
        return inner
    return Repeat(inner.item, Quantifier.STAR, inner.greedy)


def unique(options: Iterable[Sequence]) -> list[Sequence]:
    """Return alternatives without those that say the same as an earlier one."""
    found: dict[Items, Sequence] = {}
    for option in options:
        found.setdefault(option.items, option)
    return list(found.values())


_SUFFIX: Final = {
    Quantifier.STAR: "_star",
    Quantifier.PLUS: "_plus",
    Quantifier.OPTIONAL: "_opt",
}


def _word(atom: Expression) -> str:
    """Return a word for an atom, or nothing if none is good."""
    match atom:
        case Reference(name=name):
            return name
        case Literal(text=text):
            return text.lower() if text.isidentifier() else ""
        case Repeat(item=item):
            return _word(item)
        case _:
            return ""


def _element_name(options: list[Sequence], rule: str) -> str:
    """Return a name for a group, given its alternatives and the rule around it."""
    if len(options) > 1:
        return f"{rule}_choice"
    words = filter(None, map(_word, options[0].items))
    return f"{next(words, rule)}_part"


def _quantified_name(atom: Repeat, rule: str) -> str:
    """Return a name for the rule of a quantified atom."""
    return (_word(atom.item) or rule).removesuffix("_part") + _SUFFIX[atom.quantifier]
