"""The parser rules of an ANTLR v4 grammar, once its tokens are known.

`~` and `.` become choices of tokens, and predicates what they ask of their place: a reference to an
empty rule with a guard.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import Final

from marrow.grammar.model.expressions import fold
from marrow.grammar.model.rules import (
    EPSILON,
    NEVER,
    Action,
    Characters,
    Choice,
    Condition,
    Expression,
    Literal,
    Note,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
    parts,
    walk,
)
from marrow.grammar.model.transform import choice, map_leaves, rebuilt, without
from marrow.grammar.readers.g4_file import Excluded, G4File, G4Predicate
from marrow.grammar.readers.predicates import add_note, meaning

#: The most tokens that `~` or `.` in a parser rule is written out to in place: a choice that the
#: author could have written. Beyond that it can be all the tokens of a language, in many places.
_MOST_INLINE: Final = 8

#: A predicate that always holds; told from ε that an author wrote by identity.
_NOTHING: Final = Sequence(())


def linked_rules(file: G4File, tokens: dict[str, TokenRule], notes: list[Note]) -> dict[str, Rule]:
    """Return the parser rules of a file; what there is to say about them goes to `notes`."""
    return _RuleLinker(file, tokens, notes).linked()


class _RuleLinker:
    def __init__(self, file: G4File, tokens: dict[str, TokenRule], notes: list[Note]) -> None:
        self._file: Final = file
        self._tokens: Final = tokens
        self._notes: Final = notes
        self._holes: dict[str, Expression] = {}
        self._made: dict[str, Rule] = {}
        self._guards: dict[tuple[Condition, ...], str] = {}

    def linked(self) -> dict[str, Rule]:
        texts = self._token_texts()
        cases: dict[str, bool] = {}
        for literal in texts.values():
            cases.setdefault(literal.text, literal.ignore_case)
        rules = {
            name: Rule(name, self._filled(self._shortened(rule.body), texts, cases), rule.position)
            for name, rule in self._file.rules.items()
        }
        rules.update(self._made)
        return rules

    def _token_texts(self) -> dict[str, Literal]:
        """Return the text of every token that is just one fixed text."""
        return {
            token.name: token.body
            for token in self._tokens.values()
            if isinstance(token.body, Literal) and not token.fragment
        }

    def _shortened(self, body: Expression) -> Expression:
        """Let `.*?` end at the first token that may follow it, where that loses no text.

        In `'"' .*? '"' | .` whatever is left over after the first closing quote is matched by the
        other alternative. Without this, every opening quote is kept open to the end of the text.
        """
        every = {
            name for name, one in self._file.excluded.items() if not one.names and not one.texts
        }

        def combine(one: Expression, inner: tuple[Expression, ...]) -> Expression:
            catch_all = any(isinstance(each, Reference) and each.name in every for each in inner)
            if isinstance(one, Choice) and catch_all:
                inner = tuple(self._short_alternative(each, every) for each in inner)
            return rebuilt(one, inner) if parts(one) else one

        return fold(body, combine)

    def _short_alternative(self, one: Expression, every: set[str]) -> Expression:
        match one:
            case Sequence(
                items=(
                    *before,
                    Repeat(item=Reference(name=hole, position=position), greedy=False) as loop,
                    (Literal() | Reference()) as last,
                )
            ) if hole in every and not (
                isinstance(last, Reference) and last.name in self._file.rules
            ):
                name = f"{hole}~{len(self._file.excluded)}"
                names = (last.name,) if isinstance(last, Reference) else ()
                texts = (last.text,) if isinstance(last, Literal) else ()
                self._file.excluded[name] = Excluded(position, names, texts)
                shorter = replace(loop, item=Reference(name, position))
                return replace(one, items=(*before, shorter, last))
            case _:
                return one

    def _filled(
        self, body: Expression, texts: dict[str, Literal], cases: dict[str, bool]
    ) -> Expression:
        """Replace what stands for "any token but" by the tokens.

        A literal is the token of that text, whatever the token's rule says about case.
        """

        def change(leaf: Expression) -> Expression:
            match leaf:
                case Reference(name=name) if name in self._file.excluded:
                    return self._hole(self._file.excluded[name], texts)
                case Reference(name=name) if name in self._file.predicates:
                    return self._predicate(self._file.predicates[name])
                case Literal(text=text) if text in cases:
                    return replace(leaf, ignore_case=cases[text])
                case _:
                    return leaf

        return without(_NOTHING, map_leaves(body, change))

    def _hole(self, excluded: Excluded, texts: dict[str, Literal]) -> Expression:
        names = {*excluded.names}
        gone = {*excluded.texts, *(texts[name].text for name in names if name in texts)}
        key = "\0".join(sorted(names)) + "\1" + "\0".join(sorted(gone))
        if key not in self._holes:
            known = {literal.text for literal in texts.values()}
            found: list[Expression] = [
                Reference(token.name, excluded.position)
                for token in self._tokens.values()
                if _visible(token)
                and token.name not in names
                and (token.name not in texts or texts[token.name].text not in gone)
            ]
            found.extend(
                literal
                for text, literal in self._literals.items()
                if text not in known and text not in gone
            )
            self._holes[key] = self._shared(excluded, found)
        return self._holes[key]

    def _shared(self, excluded: Excluded, found: list[Expression]) -> Expression:
        """Return a choice of tokens; a large one as a rule of its own, so that it is there once."""
        if len(found) <= _MOST_INLINE:
            return choice(found) if found else Characters(())
        words = [re.sub(r"\W+", "_", one).strip("_") for one in (*excluded.names, *excluded.texts)]
        name = "not_" + "_or_".join(word or "sign" for word in words[:3]) if words else "any_token"
        while name in self._file.rules or name in self._made:
            name += "_"
        self._made[name] = Rule(name, choice(found), excluded.position, auxiliary=True)
        return Reference(name, excluded.position)

    # Predicates

    def _predicate(self, one: G4Predicate) -> Expression:
        """Return what a predicate leaves of its place."""
        found = meaning(one.text, self._file.assume)
        add_note(self._notes, found, one.text, one.rule, one.position)
        if found.ways == NEVER:
            return Characters((), one.position)
        if () in found.ways:
            return _NOTHING
        return choice([self._guard(way, one) for way in found.ways])

    def _guard(self, way: tuple[Condition, ...], one: G4Predicate) -> Expression:
        """Return a reference to an empty rule that stands only where the conditions hold."""
        if way not in self._guards:
            words = re.findall(r"\w+", "_".join(condition.call for condition in way))
            name = re.sub(r"^[^a-z]+", "", "_".join(words).replace("this_", "")) or "guard"
            while name in self._file.rules or name in self._made:
                name += "_"
            self._guards[way] = name
            self._made[name] = Rule(name, EPSILON, one.position, auxiliary=True, guard=way)
        return Reference(self._guards[way], one.position)

    # All tokens but some

    @cached_property
    def _literals(self) -> dict[str, Literal]:
        """Return the literals of the parser rules: each is a token, also one behind `~`."""
        found = {
            one.text: one
            for rule in self._file.rules.values()
            for one in walk(rule.body)
            if isinstance(one, Literal)
        }
        for excluded in self._file.excluded.values():
            for text in excluded.texts:
                found.setdefault(text, Literal(text, position=excluded.position))
        return found


def _visible(token: TokenRule) -> bool:
    """Whether the parser can meet a token of this name."""
    other_type = any(
        command.action is Action.MORE
        or (command.action is Action.TYPE and command.argument != token.name)
        for command in token.commands
    )
    return not token.fragment and not token.hidden and not other_type
