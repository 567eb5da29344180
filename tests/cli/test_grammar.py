"""`marrow grammar` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from marrow.base.errors import MarrowError
from marrow.cli.commands.grammar import grammar_command
from marrow.cli.exits import CliError, Exit, exit_of
from marrow.grammars import grammar_names, grammar_path

EXPR = """grammar Expr;
start : expr EOF ;
expr : expr '+' expr | NUM ;
NUM : [0-9]+ ;
WS : ' ' -> skip ;
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(grammar_command, arguments)


@pytest.fixture
def expr(tmp_path: Path) -> str:
    path = tmp_path / "Expr.g4"
    path.write_text(EXPR)
    return str(path)


def refused(*arguments: str) -> str:
    """Return the message of a run that ends with exit code 3."""
    error = run(*arguments).exception
    assert isinstance(error, CliError | MarrowError)
    assert exit_of(error) is Exit.INPUT
    return str(error)


def test_checks_and_prints(expr: str) -> None:
    result = run(expr)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [
        "<start> ::= <expr> <EOF>",
        '<expr> ::= <expr> "+" <expr> | <NUM>',
    ]
    assert result.stderr == ""


def test_only_checks(expr: str) -> None:
    result = run(expr, "--check")
    assert result.exit_code == 0
    assert result.stdout == "Expr: starts at start, 2 rules, 2 tokens, 0 notes, no errors.\n"


def test_normalizes(expr: str) -> None:
    result = run(expr, "--normalize")
    assert result.exit_code == 0
    assert "*" in result.stdout or "+" in result.stdout


def test_another_start_rule(expr: str) -> None:
    result = run(expr, "--start", "expr", "--check")
    assert result.stdout.startswith("Expr: starts at expr")
    assert "rule 'start' cannot be reached" in result.stderr
    assert "'nothing' is not defined" in refused(expr, "--start", "nothing")


def test_broken_grammars(tmp_path: Path) -> None:
    assert "there is no file nothing" in refused("nothing")
    assert "cannot read this file" in refused(str(tmp_path / "nothing.g4"))
    path = tmp_path / "Broken.g4"
    path.write_text("grammar Broken;\na : (b ;")
    assert refused(str(path)).startswith(f"{path}:2:5: this '('")
    path.write_text("grammar Broken;\na : b | c ;")
    assert refused(str(path)).partition("\n")[0].endswith("cannot be used, see the 2 errors above")
    assert f"{path}:2:5: error: 'b'" in run(str(path)).stderr


def test_lexer_modes_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "Modes.g4"
    path.write_text("grammar Modes;\na : T U ;\nT : 't' -> mode(M) ;\nmode M ;\nU : 'u' ;")
    assert run(str(path)).stdout == (
        '<a> ::= <T> <U>\n%token %mode(M) <T> ::= "t"\n%token %in(M) <U> ::= "u"\n'
    )


def test_grammars_that_ship_with_marrow() -> None:
    for name in grammar_names():
        assert grammar_path(name).is_file()
        assert run(name, "--check").exit_code == 0
    with pytest.raises(KeyError):
        grammar_path("nothing")


def test_help() -> None:
    assert "marrow grammar Expr.g4" in run("--help").output


def test_without_a_file_it_lists_those_that_ship() -> None:
    assert run().stdout.split() == grammar_names()


PLACES = """grammar P; tokens { INDENT, DEDENT }
    s: ({this.n()}? ID | {odd()}? X | block)+ EOF; block: ':' NL INDENT ID+ NL DEDENT;
    ID: [a-z]+; X: {rx()}? '/' ~[/]+ '/'; NL: '\\n'; WS: ' ' -> skip;"""


def test_how_a_grammar_is_read(tmp_path: Path) -> None:
    path = tmp_path / "P.g4"
    path.write_text(PLACES)
    assumed = ["--assume", "rx=true", "--assume", "odd=false"]
    done = run(str(path), *assumed, "--encoding", "latin-1")
    assert done.exit_code == 0
    assert "latin-1" in done.stdout
    assert "rx() (always)" in done.stderr
    assert "an alternative of s is left out: odd()" in done.stderr
    assert "a predicate in s is taken to be true: this.n()" in done.stderr
    assert "no text makes the token INDENT" in run(str(path), "--check").stderr


def test_assumptions_about_nothing_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "P.g4"
    path.write_text(PLACES)
    said = refused(str(path), "--assume", "nobody=true")
    assert "no predicate of the grammar calls 'nobody'" in said
