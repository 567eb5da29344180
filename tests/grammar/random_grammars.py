"""Random grammars with all that the model has, and how to compare grammars."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from marrow.grammar.model.rules import (
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
    alternatives,
)

RULES = ("start", "expr list", "B-c", "if")
TOKENS = ("NAME", "number", "_X", "options")

texts = st.sampled_from(["a", "b", "ab", "<b>", "'", '"', "\\", "a\nb", "é😀", "]-^", "if"])
literals = st.builds(Literal, texts, st.booleans())
plain_sets = st.sampled_from([((97, 98),), ((98, 100),), ((97, 97), (99, 99)), ((60, 62),)])
sets = st.one_of(
    plain_sets,
    st.sampled_from([
        ((0, 96), (98, 0x10FFFF)), ((0, 0x10FFFF),), ((45, 45), (91, 94)), ((0x1F600, 0x1F64F),),
        ((9, 10), (32, 32)), ((0xD800, 0xDFFF),), (),
    ]),
)  # fmt: skip


def around(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.lists(inner, max_size=3).map(lambda items: Sequence(tuple(items))),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: Choice(tuple(items))),
        st.builds(Repeat, inner, st.sampled_from(list(Quantifier))),
    )


def bodies(*atoms: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.recursive(st.one_of(*atoms), around, max_leaves=6)


def references(*names: str) -> st.SearchStrategy[Expression]:
    return st.sampled_from([Reference(name) for name in names])


@st.composite
def scannerless(draw: st.DrawFn) -> Grammar:
    """Draw a grammar without tokens, over few characters."""
    names = RULES[: draw(st.integers(1, len(RULES)))]
    small = st.builds(Literal, st.sampled_from(["a", "b", "ab", "<b>"]), st.booleans())
    body = bodies(references(*names), small, st.builds(Characters, plain_sets))
    rules = {name: Rule(name, draw(body)) for name in names}
    return Grammar("random", draw(st.sampled_from(names)), rules)


@st.composite
def with_tokens(draw: st.DrawFn, modes: bool = False) -> Grammar:
    """Draw a grammar with tokens, fragments and layout; with lexer modes if asked."""
    names = RULES[: draw(st.integers(1, len(RULES)))]
    tokens = TOKENS[: draw(st.integers(1, len(TOKENS)))]
    body = bodies(references(*names, *tokens, "EOF"), literals)
    lexical = bodies(references(*tokens), literals, st.builds(Characters, sets))
    rules = {name: Rule(name, _associating(draw, draw(body))) for name in names}
    found = {}
    for name in tokens:
        fragment = draw(st.booleans())
        commands: tuple[Command, ...] = () if fragment else draw(st.sampled_from(COMMANDS[modes]))
        mode = draw(st.sampled_from(["DEFAULT_MODE", "INSIDE"])) if modes else "DEFAULT_MODE"
        guarded = modes and draw(st.booleans())
        found[name] = TokenRule(name, draw(lexical), fragment, mode, commands, guarded)
    return Grammar("random", draw(st.sampled_from(names)), rules, found)


COMMANDS: dict[bool, list[tuple[Command, ...]]] = {
    False: [(), (Command(Action.SKIP),)],
    True: [
        (),
        (Command(Action.SKIP),),
        (Command(Action.CHANNEL, "HIDDEN"), Command(Action.POP_MODE)),
        (Command(Action.MORE), Command(Action.PUSH_MODE, "INSIDE")),
        (Command(Action.TYPE, "NAME"), Command(Action.MODE, "DEFAULT_MODE")),
    ],
}


def _associating(draw: st.DrawFn, body: Expression) -> Expression:
    """Mark some alternatives as right-associative, or none."""
    if not isinstance(body, Choice) or not draw(st.booleans()):
        return body
    return Choice(tuple(
        replace(one, right=draw(st.booleans())) if isinstance(one, Sequence) else one
        for one in body.alternatives
    ))  # fmt: skip


def flat(expression: Expression, names: dict[str, str]) -> object:
    """Return an expression as nested tuples, without what the notations cannot tell apart."""
    match expression:
        case Literal(text=text, ignore_case=ignore_case):
            return ("literal", text, ignore_case and text.lower() != text.upper())
        case Characters(ranges=ranges):
            return ("characters", ranges)
        case Reference(name=name):
            return ("reference", names.get(name, name))
        case Repeat(item=item, quantifier=quantifier, greedy=greedy):
            return ("repeat", flat(item, names), quantifier, greedy)
        case Choice(alternatives=options):
            found = [flat(one, names) for one in options]
            return found[0] if len(found) == 1 else ("choice", *found)
        case Sequence(items=items):
            pieces: list[object] = []
            for item in items:
                one = flat(item, names)
                if isinstance(one, tuple) and one[0] == "sequence":
                    pieces.extend(one[1:])
                else:
                    pieces.append(one)
            return pieces[0] if len(pieces) == 1 else ("sequence", *pieces)


def shape(grammar: Grammar) -> list[object]:
    """Return a grammar without names and positions: two grammars of one shape are the same."""
    names = {name: f"rule {number}" for number, name in enumerate(grammar.rules)}
    names |= {name: f"token {number}" for number, name in enumerate(grammar.tokens)}
    found: list[object] = [names[grammar.start]]
    for rule in grammar.rules.values():
        right = [one for one in alternatives(rule.body) if isinstance(one, Sequence) and one.right]
        found.append((flat(rule.body, names), [flat(one, names) for one in right]))
    for token in grammar.tokens.values():
        commands = [
            (Action.SKIP, "") if one.action is Action.CHANNEL  # layout, either way
            else (one.action, names.get(one.argument, one.argument))
            for one in token.commands
        ]  # fmt: skip
        found.append((flat(token.body, names), token.fragment, token.mode, commands, token.guarded))
    return found


def derived(grammar: Grammar, longest: int) -> frozenset[str]:
    """Return all texts over `abcdAB<=>` up to a length that a grammar derives, by brute force."""
    bodies_of = {name: rule.body for name, rule in grammar.rules.items()}
    bodies_of |= {name: token.body for name, token in grammar.tokens.items()}
    known: dict[str, frozenset[str]] = {name: frozenset() for name in bodies_of}

    def joined(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
        return frozenset(a + b for a in left for b in right if len(a) + len(b) <= longest)

    def words(expression: Expression) -> frozenset[str]:
        match expression:
            case Choice(alternatives=options):
                return frozenset().union(*map(words, options))
            case Sequence(items=items):
                result = frozenset({""})
                for item in items:
                    result = joined(result, words(item))
                return result
            case Repeat(item=item, quantifier=quantifier):
                once = words(item)
                if quantifier is Quantifier.OPTIONAL:
                    return once | {""}
                result = once | {""} if quantifier is Quantifier.STAR else once
                while (more := result | joined(result, once)) != result:
                    result = more
                return result
            case Reference(name=name):
                return known.get(name, frozenset({""}))
            case Characters(ranges=ranges):
                return frozenset(
                    one
                    for one in "abcdAB<=>"
                    if any(low <= ord(one) <= high for low, high in ranges)
                )
            case Literal(text=text, ignore_case=ignore_case):
                result = frozenset({""})
                for one in text:
                    cases = {one.lower(), one.upper()} if ignore_case else {one}
                    result = joined(result, frozenset(cases))
                return result

    changed = True
    while changed:
        changed = False
        for name, body in bodies_of.items():
            now = words(body)
            if now != known[name]:
                known[name] = now
                changed = True
    return known[grammar.start]
