"""The tokens that literals in rules are other names for."""

from __future__ import annotations

from marrow.grammar.model.rules import Action, Grammar, Literal, Sequence


def literal_tokens(grammar: Grammar) -> dict[tuple[str, bool], str]:
    """Return the token of each text that a token rule matches alone, by text and case.

    Where several do, a rule without a predicate is meant, as in ANTLR; then the first. The name is
    the token's type, which a command may have changed.
    """
    found: dict[tuple[str, bool], str] = {}
    for token in sorted(grammar.tokens.values(), key=lambda one: one.guarded):
        body = token.body
        while isinstance(body, Sequence) and len(body.items) == 1:
            body = body.items[0]
        if isinstance(body, Literal) and not token.fragment and not token.hidden:
            name = token.name
            for command in token.commands:
                if command.action is Action.TYPE:
                    name = command.argument
            found.setdefault((body.text, body.ignore_case), name)
    return found
