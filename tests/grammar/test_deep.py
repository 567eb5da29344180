"""Nothing is recursive over what people nest: grammars and inputs 1,200 levels deep."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.abstraction.pattern_language import GrammarVisibility
from marrow.grammar.check import check
from marrow.grammar.language import GrammarSource, Language
from marrow.grammar.model.analysis import shortest
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.notations import read_grammar_text
from marrow.grammar.writer import write_bnf
from tests.cli.running import marrow as run

#: Python gives up at 1,000 levels of calls, so that anything recursive fails here.
DEEP = 1_200


def nested(before: str, core: str, after: str) -> str:
    return before * DEEP + core + after * DEEP


#: What can be nested in an expression: before, inside, behind.
SHAPES = {
    "groups": ("(", "'a'", ")"),
    "optionals": ("('b' ", "'a'", ")?"),
    "choices": ("('b' | 'c' ", "'a'", ")"),
    "stars": ("('b' ", "'a'", ")*"),
}


def texts() -> dict[str, tuple[str, str]]:
    """Grammars with deep rules and with deep tokens, in all notations that have groups."""
    found: dict[str, tuple[str, str]] = {}
    for shape, (before, core, after) in SHAPES.items():
        body = nested(before, core, after)
        double = body.replace("'", '"')
        found[f"g4 {shape}"] = "g4", f"grammar G; s : {body} ;"
        found[f"g4 token {shape}"] = "g4", f"grammar G; s : T ; T : 'x' {body} ; u : 'lost' ;"
        found[f"bnf {shape}"] = "bnf", f"<s> ::= {double}"
        found[f"bnf token {shape}"] = "bnf", f'<s> ::= <t>\n%token <t> ::= "x" {double}'
    found["bnf brackets"] = "bnf", "<s> ::= " + nested('[ "b" ', '"a"', " ]")
    found["bnf braces"] = "bnf", "<s> ::= " + nested('{ "b" ', '"a"', " }")
    return found


TEXTS = texts()


def test_a_regular_expression_that_python_cannot_read_is_refused() -> None:
    text = "start: T\nT: /x" + nested("(b", "a", ")?") + "/"
    with pytest.raises(GrammarError, match="too large for Python"):
        read_grammar_text(text, "lark", "deep")


@pytest.mark.parametrize("case", TEXTS)
def test_deep_expressions_are_read(case: str) -> None:
    notation, text = TEXTS[case]
    grammar = read_grammar_text(text, notation, "deep")
    assert not any(note.error for note in check(grammar))
    assert grammar.start in shortest(grammar)
    assert GrammarVisibility(grammar)


@pytest.mark.parametrize("case", ["g4 optionals", "g4 choices", "g4 token stars"])
def test_deep_expressions_are_written(case: str) -> None:
    grammar = read_grammar_text(TEXTS[case][1], "g4", "deep")
    assert read_grammar_text(write_bnf(grammar)[0], "bnf", "again").rules


@pytest.mark.parametrize("case", ["g4 optionals", "g4 choices", "g4 stars", "g4 token choices"])
def test_deep_expressions_are_compiled(case: str) -> None:
    language = Language(read_grammar_text(TEXTS[case][1], "g4", "deep"))
    assert language.normalized().grammar.rules
    tree = language.generator().tree(1)
    assert language.parse(tree.text).text == tree.text


#: Grammars whose rules or tokens lead to one another, each to the next.
CHAINS = {
    "rules": ("r{} : '(' r{} ')' | 'x' ; ", "r{} : 'a' ;"),
    "units": ("r{} : r{} | 'x' ; ", "r{} : 'a' ;"),
    "empty": ("r{} : r{} ; ", "r{} : 'a'? ;"),
    "tokens": ("fragment T{} : 'x' T{} ; ", "T{} : 'a' ; s : T0 EOF ;"),
}


@pytest.mark.parametrize("case", CHAINS)
def test_chains_of_rules(case: str) -> None:
    step, last = CHAINS[case]
    rules = "".join(step.format(number, number + 1) for number in range(DEEP))
    text = f"grammar Chain; {rules}{last.format(DEEP)}".replace("fragment T0", "T0")
    language = Language(read_grammar_text(text, "g4", "chain"))
    assert not any(note.error for note in language.notes)
    assert language.normalized().grammar.rules
    assert GrammarVisibility(language.grammar)
    tree = language.generator().minimal(language.start)
    assert language.parse(tree.text).text == tree.text


@pytest.mark.parametrize("text", ['{"<start>": ' + nested("[", '"a"', "]") + "}",
                                  '{"<start>": ' + nested('{"a": ', '"a"', "}") + "}"])  # fmt: skip
def test_json_that_nests_too_deep_for_a_grammar(text: str) -> None:
    with pytest.raises(GrammarError, match="nests too deep"):
        read_grammar_text(text, "json", "deep")


@pytest.mark.parametrize("body", [nested("w{", "x", "}"), nested("(", "x", ")*")])
def test_lark_that_nests_too_deep(body: str) -> None:
    with pytest.raises(GrammarError, match="nests too deep"):
        read_grammar_text(f'start: {body}\nx: "a"\nw{{y}}: "(" y ")"', "lark", "deep")


@pytest.mark.parametrize("options", [("--check",), ("--normalize",)])
def test_the_command(tmp_path: Path, options: tuple[str, ...]) -> None:
    file = tmp_path / "Deep.g4"
    file.write_text(TEXTS["g4 optionals"][1])
    assert run("grammar", file, *options).code == 0


def test_deep_inputs() -> None:
    language = Language(GrammarSource("g", "s", "g4", "grammar g; s : '(' s ')' | 'a' ;"))
    text = nested("(", "a", ")").encode()
    assert language.parse(text).text == text
    assert language.parse(text, chains=False).token_count == 2 * DEEP + 1
    assert language.matches(text)
