"""Reads tree-sitter's `grammar.json`, which every tree-sitter parser is generated from.

What stands in `token(...)`, and patterns, become tokens. tree-sitter's lexer knows what the parser
expects; marrow's does not. So a rule that uses `token.immediate` (the inside of strings) becomes
one token. The usual tokens of external scanners are known by their names; others have no text,
with a note. Precedences order tokens, not rules.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from marrow.grammar.model.charset import size
from marrow.grammar.model.expressions import references
from marrow.grammar.model.rules import (
    EPSILON,
    EXPECTED_MODE,
    Action,
    Characters,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
    alternatives,
    walk,
)
from marrow.grammar.model.transform import choice, joined, map_leaves, sequence
from marrow.grammar.readers.loader import Loader
from marrow.grammar.readers.regex import read_regex
from marrow.grammar.readers.scan import Source, stem
from marrow.grammar.readers.treesitter_externals import Externals, externals, with_whole_strings
from marrow.grammar.readers.treesitter_modes import (
    in_places,
    inside_of_string,
    literals,
    read_as_operands,
    same_string,
    with_string_modes,
)

#: Forms that only say something about the one part inside them.
_AROUND: Final = (
    "PREC", "PREC_LEFT", "PREC_RIGHT", "PREC_DYNAMIC", "FIELD", "ALIAS", "RESERVED",
)  # fmt: skip

#: A set with more characters excludes some, as in `[^"]`: no alphabet has as many letters.
_MANY: Final = 1_000_000

_TOKENS: Final = ("TOKEN", "IMMEDIATE_TOKEN")


def read_treesitter(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at the first rule."""
    position = Position(name, 1, 1)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GrammarError(f"this is not JSON: {error}.", position) from error
    rules = content.get("rules") if isinstance(content, dict) else None
    if not isinstance(rules, dict) or not rules:
        raise GrammarError("the grammar has no rules. Is this a grammar.json?", position)
    try:
        return _Reader(content, name).grammar(start)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        message = f"this is not a grammar.json of tree-sitter: {error!r}"
        raise GrammarError(message, position) from error


def _string(value: object) -> str:
    """Return a value that must be a string; raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} stands where a string is expected")
    return value


class _Reader:
    """Turns rules into the model: first their bodies, then which of them are tokens."""

    def __init__(self, content: dict[str, Any], name: str) -> None:
        self._content = content
        self._position = Position(name, 1, 1)
        self._source = name
        self._notes: list[Note] = []
        self._made: dict[str, TokenRule] = {}
        self._priorities: dict[str, float] = {}
        self._patterns: dict[Expression, str] = {}
        self._current = ""
        self._wide: set[str] = set()

    def grammar(self, start: str | None) -> Grammar:
        """Return the grammar."""
        rules = self._content["rules"]
        external = {one["name"] for one in self._content.get("externals", []) if "name" in one}
        bodies: dict[str, Expression] = {}
        lexical: dict[str, Expression] = {}
        for name, body in rules.items():
            self._current = name
            own = self._lexical_body(body)
            if own is not None:
                lexical[name] = own
            else:
                bodies[name] = self._body(body)
        found = externals(external - lexical.keys() - bodies.keys(), bodies, self._position)
        made = {name: token.body for name, token in self._made.items()}
        modes = with_string_modes(bodies, {**made, **lexical}, found.lost, self._position)
        found.lost = [name for name in found.lost if name not in modes.known]
        self._tell_lost(found.lost)
        bodies = with_whole_strings(modes.bodies, found, self._position)
        found.tokens.update(modes.tokens)
        strings = self._strings(bodies, lexical)
        for name, whole in strings.items():
            del bodies[name]
            same = same_string(name, whole, strings)
            if same is None:
                lexical[name] = whole
            else:
                found.stand_ins[name] = Reference(same, self._position)
        signs = {one.text for one in literals(bodies.values())}
        hidden = self._extras(bodies, lexical)
        places = {**modes.places, **read_as_operands(strings, lexical, hidden.values(), signs)}
        return in_places(self._linked(start, bodies, lexical, hidden, found), places)

    # Bodies

    def _lexical_body(self, body: dict[str, Any]) -> Expression | None:
        """Return the characters of a rule that is one token; None if it is not."""
        one = body
        while one["type"] in (*_AROUND, *_TOKENS):
            if one["type"] in _TOKENS:
                self._priorities[self._current] = _priority(one["content"])
                found = self._characters(one["content"])
                if one["type"] == "IMMEDIATE_TOKEN" and _takes_nearly_all(found):
                    self._wide.add(self._current)
                return found
            one = one["content"]
        return self._characters(one) if one["type"] == "PATTERN" else None

    def _body(self, body: dict[str, Any]) -> Expression:
        """Return the expression of a rule's body; tokens in it become rules of their own."""
        return self._folded(body, in_token=False)

    def _characters(self, body: dict[str, Any]) -> Expression:
        """Return the expression of what stands in a token."""
        return joined(self._folded(body, in_token=True))

    def _folded(self, body: dict[str, Any], *, in_token: bool) -> Expression:
        results: list[Expression] = []
        work: list[tuple[dict[str, Any], bool]] = [(body, False)]
        while work:
            one, done = work.pop()
            kind = one["type"]
            if kind in _TOKENS and not in_token:
                results.append(self._token(one))
                continue
            inside = one.get("members") or ([one["content"]] if "content" in one else [])
            if inside and not done:
                work.append((one, True))
                work.extend((part, False) for part in reversed(inside))
                continue
            parts = results[len(results) - len(inside) :]
            del results[len(results) - len(inside) :]
            results.append(self._made_of(one, parts, in_token))
        return results[0]

    def _made_of(self, one: dict[str, Any], parts: list[Expression], in_token: bool) -> Expression:
        match one["type"]:
            case "BLANK":
                return EPSILON
            case "STRING":
                value = _string(one["value"])
                return Literal(value, position=self._position) if value else EPSILON
            case "PATTERN":
                body = self._pattern(one)
                return body if in_token else self._anonymous(body, 0.0)
            case "SYMBOL":
                return Reference(_string(one["name"]), self._position)
            case "SEQ":
                return sequence(parts)
            case "CHOICE":
                if not parts:
                    where = f"a CHOICE in the rule {self._current} has no members"
                    raise GrammarError(f"{where}, so that nothing matches it.", self._position)
                return choice(parts)
            case "REPEAT":
                return Repeat(parts[0], Quantifier.STAR)
            case "REPEAT1":
                return Repeat(parts[0], Quantifier.PLUS)
            case _:
                return parts[0]

    def _pattern(self, one: dict[str, Any]) -> Expression:
        value = _string(one["value"])
        flags = "".join(flag for flag in one.get("flags") or "" if flag in "imsx")
        source = Source(value, f"{self._source}: the pattern {value!r} in {self._current}")
        found = read_regex(source, 0, len(value), flags)
        self._notes.extend(
            Note(self._position, f"in {self._current}, {remark}") for remark in found.remarks
        )
        return found.body

    def _token(self, one: dict[str, Any]) -> Expression:
        """Return what stands for a token inside a rule."""
        body = self._characters(one["content"])
        if isinstance(body, Literal):
            return body
        token = self._anonymous(body, _priority(one["content"]))
        if one["type"] == "IMMEDIATE_TOKEN" and _takes_nearly_all(body):
            self._wide.add(token.name)
        return token

    def _anonymous(self, body: Expression, priority: float) -> Reference:
        if body not in self._patterns:
            number = 1
            taken = {*self._content["rules"], *self._made}
            while f"{self._current}_token{number}" in taken:
                number += 1
            self._patterns[body] = name = f"{self._current}_token{number}"
            self._priorities[name] = priority
            self._made[name] = TokenRule(name, joined(body), position=self._position)
        return Reference(self._patterns[body], self._position)

    # Tokens

    def _strings(
        self, bodies: dict[str, Expression], lexical: dict[str, Expression]
    ) -> dict[str, Expression]:
        """Return the rules that are strings and their like, as tokens, with the parts they use.

        Such a rule takes nearly any character where it stands (`token.immediate`), which a lexer
        that does not know the place would take everywhere. What is no token itself (interpolation)
        cannot be told from the rest and is left out.
        """
        plain = {*lexical, *self._made}
        waiting = dict(bodies)
        found = True
        while found:
            found = False
            for name, body in list(waiting.items()):
                if all(one.name in plain for one in references(body)):
                    plain.add(name)
                    del waiting[name]
                    found = True
        strings: dict[str, Expression] = {}
        known = {**lexical, **{name: token.body for name, token in self._made.items()}}
        around = {name: {one.name for one in references(body)} for name, body in bodies.items()}
        open_ended = set(self._wide)
        while new := [
            name
            for name, uses in around.items()
            if name not in open_ended
            and not uses.isdisjoint(open_ended)
            and name[:1] == "_"
            and not _delimited(bodies[name])
        ]:
            open_ended.update(new)
        wanted = [name for name, uses in around.items() if not uses.isdisjoint(open_ended)]
        wanted = [name for name in wanted if name not in open_ended] or wanted
        while wanted:
            name = wanted.pop()
            if name in strings or name not in bodies:
                continue
            inside = inside_of_string(bodies[name], plain | open_ended, known)
            strings[name] = joined(inside)
            wanted.extend(one.name for one in references(inside))
        return strings

    def _extras(
        self, bodies: dict[str, Expression], lexical: dict[str, Expression]
    ) -> dict[str, Expression]:
        """Return what may stand between any two tokens."""
        hidden: dict[str, Expression] = {}
        self._current = "extras"
        for number, one in enumerate(
            self._content.get("extras") or [{"type": "PATTERN", "value": r"\s"}]
        ):
            if one["type"] != "SYMBOL":
                hidden[f"extra_{number + 1}"] = self._characters(one)
            elif one["name"] in lexical:
                hidden[one["name"]] = lexical[one["name"]]
            elif one["name"] in bodies:
                name = one["name"]
                if not set(self._uses(bodies[name])) - set(lexical) - set(self._made):
                    hidden[name] = self._inlined(
                        self._characters(self._content["rules"][name]), lexical
                    )
                    continue
                message = f"{name} may stand anywhere, but is a rule: it is not passed over."
                self._notes.append(Note(self._position, message))
        return hidden

    @staticmethod
    def _uses(body: Expression) -> list[str]:
        return [one.name for one in references(body)]

    def _inlined(self, body: Expression, lexical: dict[str, Expression]) -> Expression:
        return map_leaves(
            body,
            lambda leaf: lexical.get(leaf.name, leaf) if isinstance(leaf, Reference) else leaf,
        )

    def _tell_lost(self, lost: list[str]) -> None:
        """Say which tokens only the external scanner makes."""
        if lost:
            shown = ", ".join(lost[:8]) + (", ..." if len(lost) > 8 else "")
            message = f"no text makes the tokens of the external scanner: {shown}."
            self._notes.append(Note(self._position, message, "Write rules for those you need."))

    def _linked(
        self,
        start: str | None,
        bodies: dict[str, Expression],
        lexical: dict[str, Expression],
        hidden: dict[str, Expression],
        external: Externals,
    ) -> Grammar:
        def change(leaf: Expression) -> Expression:
            known = external.stand_ins.get(leaf.name) if isinstance(leaf, Reference) else None
            return leaf if known is None else known

        rules = {
            name: Rule(name, map_leaves(body, change), self._position)
            for name, body in bodies.items()
            if name not in hidden
        }
        used = {one.name for rule in rules.values() for one in references(rule.body)}
        rules.update(external.rules)
        tokens = {
            name: token
            for name, token in external.tokens.items()
            if used & {name, *(one.argument for one in token.commands)}
        }
        order = {**{name: self._made[name].body for name in self._made}, **lexical}
        wanted = sorted(order, key=lambda name: -self._priorities.get(name, 0.0))
        for name in wanted:
            weak = self._priorities.get(name, 0.0) < 0
            if weak and name in used and _takes_nearly_all(order[name]):
                # It takes what no other token does, where it may stand.
                tokens[name] = TokenRule(
                    name, order[name], mode=EXPECTED_MODE, position=self._position
                )
                continue
            if name not in hidden:
                fragment = name not in used
                tokens[name] = TokenRule(
                    name, order[name], fragment=fragment, position=self._position
                )
        skip = (Command(Action.SKIP),)
        for one in self._content.get("extras") or []:
            token = external.tokens.get(one.get("name", ""))
            if token is not None:
                tokens[token.name] = replace(token, commands=skip)
        for name, body in hidden.items():
            tokens[name] = TokenRule(name, body, commands=skip, position=self._position)
        for name in sorted(used & set(external.lost)):
            tokens[name] = TokenRule(name, Characters(()), position=self._position)
        chosen = start if start is not None else next(iter(rules), "")
        name = str(self._content.get("name") or stem(self._source))
        return Grammar(
            name,
            chosen,
            rules,
            tokens,
            tuple(self._notes),
            indentation=external.indentation,
            word=str(self._content.get("word") or ""),
            contextual=True,
        )


def _priority(body: dict[str, Any]) -> float:
    """Return the precedence of a token over others."""
    while body["type"] in _AROUND:
        value = body.get("value")
        if body["type"].startswith("PREC") and isinstance(value, int | float):
            return float(value)
        body = body["content"]
    return 0.0


def _delimited(body: Expression) -> bool:
    """Whether all alternatives of a rule begin and end with a fixed text."""
    return all(
        isinstance(one, Sequence)
        and isinstance(one.items[0], Literal)
        and isinstance(one.items[-1], Literal)
        for one in alternatives(body)
    )


def _takes_nearly_all(body: Expression) -> bool:
    """Whether a token is made of nearly any characters, as the inside of a string is."""
    return any(isinstance(one, Characters) and size(one.ranges) > _MANY for one in walk(body))
