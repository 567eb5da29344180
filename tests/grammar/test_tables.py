"""LR tables: conflicts, and the states that a text needs."""

from __future__ import annotations

from marrow.grammar.parser.lr_tables import Tables
from tests.grammar.parsing import NAME, alt, conflicts, parser, seq, star

# Terminals 0 (the end) to 3, nonterminals from 4 on; 4 is the start symbol's stand-in.
END, A, B, C, START, S, T, U = range(8)


def test_conflicts_that_follow_sets_cannot_tell_apart() -> None:
    # S -> T = U | U, T -> * U | i, U -> T: the classic that needs more than FOLLOW sets.
    equals, times, name = A, B, C
    productions = [
        (START, (S,)),
        (S, (T, equals, U)),
        (S, (U,)),
        (T, (times, U)),
        (T, (name,)),
        (U, (T,)),
    ]
    assert conflicts(Tables(productions, {}, 4)) == 1


def test_precedence_leaves_no_conflicts() -> None:
    made = parser({"e": alt(seq("e", "'*'", "e"), seq("e", "'+'", "e"), "NAME")}, NAME)
    assert conflicts(made.tables) == 0


def test_leaving_things_out_avoids_conflicts() -> None:
    rules = {"s": seq(star("modifier"), "NAME"), "modifier": seq("NAME", "'!'")}
    assert conflicts(parser(dict(rules), NAME).tables) == 0


def test_states_are_made_when_they_are_needed() -> None:
    tables = parser({"s": seq("'('", star("NAME"), "')'")}, NAME).tables
    assert len(tables.actions) == 1
    assert tables.actions[0].get(0) is None
    assert len(tables.actions) > 1
