"""LALR(1) tables, and how they are kept on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from marrow.grammar.model.rules import Grammar
from marrow.grammar.parser.cache import default_cache, load_tables, save_tables
from marrow.grammar.parser.lalr import Tables, build_tables
from marrow.grammar.parser.parser import compile_grammar
from tests.grammar.parsing import NAME, SPACE, alt, conflicts, grammar, parser, seq, star

# Terminals 0 (the end) to 3, nonterminals from 4 on; 4 is the start symbol's stand-in.
END, A, B, C, START, S, T, U = range(8)


def test_lookaheads_are_those_of_lalr() -> None:
    # S -> T a | b T c | U c | b U a, T -> d, U -> d (with d = 3): LR(1) and not LALR(1).
    d = C
    productions = [
        (START, (S,)),
        (S, (T, A)),
        (S, (B, T, END)),
        (S, (U, END)),
        (S, (B, U, A)),
        (T, (d,)),
        (U, (d,)),
    ]
    tables = build_tables(productions, {}, 4)
    assert conflicts(tables) == 2  # merging the two states after `d` mixes up their lookaheads


def test_no_conflicts_where_slr_has_them() -> None:
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
    assert conflicts(build_tables(productions, {}, 4)) == 0


def test_precedence_leaves_no_conflicts() -> None:
    made = parser({"e": alt(seq("e", "'*'", "e"), seq("e", "'+'", "e"), "NAME")}, NAME)
    assert conflicts(made.tables) == 0


def test_leaving_things_out_avoids_conflicts() -> None:
    rules = {"s": seq(star("modifier"), "NAME"), "modifier": seq("NAME", "'!'")}
    assert conflicts(parser(dict(rules), NAME).tables) == 0


SMALL = {"s": seq("'('", star("NAME"), "')'")}


def small() -> Grammar:
    return grammar(dict(SMALL), NAME, SPACE)


def test_tables_are_read_back(tmp_path: Path) -> None:
    first = compile_grammar(small(), tmp_path).tables
    (file,) = tmp_path.iterdir()
    again = compile_grammar(small(), tmp_path)
    assert again.tables == first
    assert again.matches(b"(a b)")
    assert list(tmp_path.iterdir()) == [file]


def test_conflicts_survive_the_cache(tmp_path: Path) -> None:
    ambiguous = grammar({"s": seq(star("NAME"), star("NAME"))}, NAME, SPACE)
    first = compile_grammar(ambiguous, tmp_path).tables
    assert conflicts(first)
    assert compile_grammar(ambiguous, tmp_path).tables == first


@pytest.mark.parametrize("damage", [b"", b"\x00\xff", b"marrow-tables 1\n{}", None])
def test_damaged_caches_are_replaced(tmp_path: Path, damage: bytes | None) -> None:
    expected = compile_grammar(small(), tmp_path).tables
    (file,) = tmp_path.iterdir()
    good = file.read_bytes()
    file.write_bytes(good[:-5] if damage is None else damage)
    assert compile_grammar(small(), tmp_path).tables == expected
    assert file.read_bytes() == good


def test_caches_of_other_grammars_are_not_taken(tmp_path: Path) -> None:
    tables = Tables([{0: 1, 2: (3, -1)}], [{4: 0}])
    save_tables(tmp_path, "one", tables)
    assert load_tables(tmp_path, "one") == tables
    os.rename(tmp_path / "one.tables", tmp_path / "two.tables")
    assert load_tables(tmp_path, "two") is None


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert compile_grammar(small(), blocked / "below").matches(b"()")


def test_caches_are_where_the_system_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_cache() == Path("/somewhere/marrow")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert default_cache() == Path("~/.cache/marrow").expanduser()
