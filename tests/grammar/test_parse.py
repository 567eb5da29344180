"""The parser: shapes of trees, precedence, ambiguity, errors, deep and odd inputs."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import Expression, GrammarError, Literal, Rule
from marrow.grammar.parser.parser import compile_grammar
from marrow.tree import SEPARATOR, Branch, Kind, Token
from tests.grammar.parsing import (
    NAME,
    NUMBER,
    SPACE,
    alt,
    chars,
    grammar,
    opt,
    parser,
    plus,
    right,
    seq,
    show,
    star,
)

# -- shapes -----------------------------------------------------------------------------------


def tree_of(rules: dict[str, Expression | str], text: str) -> str:
    return show(parser(rules, NAME, NUMBER, SPACE).parse(text.encode()).root)


def test_every_quantifier_is_a_node() -> None:
    rules: dict[str, Expression | str] = {
        "s": seq(star("x"), plus("y"), opt("z"), "'.'"),
        "x": "'x'",
        "y": "'y'",
        "z": "'z'",
    }
    assert tree_of(rules, "x x y z .") == "s(*[x(x) x(x)] +[y(y)] ?[z(z)] .)"
    assert tree_of(rules, "y.") == "s(*[] +[y(y)] ?[] .)"


def test_quantified_sequences_are_nodes_of_their_own() -> None:
    made = parser({"s": seq(star("NAME", "'='", "NUMBER"), opt("'!'", "'!'"))}, NAME, NUMBER, SPACE)
    tree = made.parse(b"a=1 b=2 !!")
    assert show(tree.root) == "s(*[s_item(a = 1) s_item(b = 2)] ?[s_item2(! !)])"
    assert [child.kind for child in tree.root.children] == [Kind.STAR, Kind.OPTIONAL]


def test_empty_rules_show_what_is_empty() -> None:
    rules: dict[str, Expression | str] = {"s": seq("a", "'.'", "a"), "a": seq(opt("NAME"), "b")}
    rules["b"] = star("NUMBER")
    assert tree_of(rules, ".") == "s(a(?[] b(*[])) . a(?[] b(*[])))"
    assert tree_of(rules, ". x") == "s(a(?[] b(*[])) . a(?[x] b(*[])))"
    assert tree_of({"s": star("NAME")}, "") == "s(*[])"


def test_a_plus_of_something_empty_keeps_an_element() -> None:
    assert tree_of({"s": seq(plus("a"), "'.'"), "a": opt("NAME")}, ".") == "s(+[a(?[])] .)"


def test_an_empty_alternative_is_an_optional() -> None:
    assert tree_of({"s": seq("a", "'.'"), "a": alt("NAME", seq())}, "x.") == "s(a(?[x]) .)"
    assert tree_of({"s": seq(alt("NAME", seq()), "'.'")}, ".") == "s(?[] .)"


def test_lists_hold_their_separators() -> None:
    rules: dict[str, Expression | str] = {
        "s": seq("'('", opt(seq("NAME", star("','", "NAME"))), "')'", "t"),
        "t": seq(star("NUMBER", alt("'+'", "'-'")), "NUMBER"),
    }
    made = parser(rules, NAME, NUMBER, SPACE)
    tree = made.parse(b"(a, b) 1 + 2 - 3")
    assert show(tree.root) == "s(( *[a , b] ) t(+[1 + 2 - 3]))"
    separators = [node for _, node in tree.walk() if node.slot == SEPARATOR]
    assert [node.symbol for node in separators] == ["','", "'+'", "'-'"]
    assert show(made.parse(b"() 1").root) == "s(( *[] ) t(+[1]))"


@pytest.mark.parametrize(
    ("body", "text", "expected"),
    [
        (alt(seq("s", "NAME"), "NAME"), "a b c", "s(+[a b c])"),
        (alt(seq("NAME", "s"), "NAME"), "a b c", "s(+[a b c])"),
        (alt(seq("s", "NAME"), seq()), "a b c", "s(*[a b c])"),
        (alt("NAME", seq("s", "','", "NAME")), "a , b", "s(+[a , b])"),
        (alt("NAME", seq("NAME", "','", "s")), "a , b", "s(+[a , b])"),
        (alt("NAME", seq("s", "'+'", "NAME"), seq("s", "'-'", "NAME")), "a+b-c", "s(+[a + b - c])"),
    ],
)
def test_rules_that_spell_lists_are_lists(body: Expression, text: str, expected: str) -> None:
    assert tree_of({"s": body}, text) == expected


def test_auxiliary_rules_give_quantifiers_their_names() -> None:
    one = grammar({"s": seq("'['", "some", "']'"), "some": opt("items"), "more": star("next")})
    rules = dict(one.rules)
    rules["items"] = Rule("items", seq("'x'", "more"), auxiliary=True)
    rules["next"] = Rule("next", seq("','", "'x'"), auxiliary=True)
    for name in ("some", "more"):
        rules[name] = replace(rules[name], auxiliary=True)
    made = compile_grammar(replace(one, rules=rules))
    tree = made.parse(b"[x,x]")
    assert show(tree.root) == "s([ *[x , x] ])"
    assert [child.symbol for child in tree.root.children] == ["'['", "some", "']'"]


def test_slots_say_what_the_grammar_expects() -> None:
    rules: dict[str, Expression | str] = {
        "s": seq("e", alt("'!'", "NUMBER"), alt("e", seq("'('", "')'"))),
        "e": "NAME",
    }
    tree = parser(rules, NAME, NUMBER, SPACE).parse(b"a ! ( )")
    assert [child.slot for child in tree.root.children] == ["e", "s_choice", "s_choice2"]
    assert [child.symbol for child in tree.root.children] == ["e", "'!'", "s_choice2"]


def test_what_may_stand_in_a_slot() -> None:
    made = parser(
        {"s": seq("e"), "e": alt("t", seq("e", "'+'", "t")), "t": alt("NAME", "p"), "p": "NUMBER"},
        NAME,
        NUMBER,
    )
    assert made.accepts("e", "t")
    assert made.accepts("s", "NUMBER")
    assert made.accepts("t", "t")
    assert not made.accepts("p", "t")
    assert not made.accepts("t", "e")


def test_chains_of_rules_can_be_left_out() -> None:
    rules: dict[str, Expression | str] = {
        "s": seq("e", "';'"),
        "e": alt("t", seq("'-'", "t")),
        "t": alt("p", seq("'+'", "p")),
        "p": alt("NAME", seq("'('", "e", "')'")),
    }
    made = parser(rules, NAME, SPACE)
    assert show(made.parse(b"a ;").root) == "s(e(t(p(a))) ;)"
    tree = made.parse(b"(a) ;", chains=False)
    assert show(tree.root) == "s(p(( a )) ;)"
    assert [child.slot for child in tree.root.children] == ["e", "';'"]


def test_scannerless_literals_are_single_tokens() -> None:
    rules: dict[str, Expression | str] = {
        "s": alt("'true'", plus("digit"), Literal("nULl", ignore_case=True)),
        "digit": chars("09"),
    }
    made = parser(rules)
    assert show(made.parse(b"true").root) == "s(true)"
    assert show(made.parse(b"42").root) == "s(+[digit(4) digit(2)])"
    assert show(made.parse(b"NuLL").root) == "s(NuLL)"
    tree = made.parse(b"42")
    assert {token.glue for token in tree.tokens()} == {3}


def test_layout_of_tokens() -> None:
    made = parser({"s": star("NAME")}, NAME, SPACE)
    tree = made.parse(b" a\n  b c\n")
    assert (tree.head, tree.tail) == (b" ", b"\n")
    assert [(t.before, t.after, t.indent, t.serial) for t in tree.tokens()] == [
        (b" ", b"\n  ", b" ", 0),
        (b"\n  ", b" ", b"  ", 1),
        (b" ", b"\n", b"  ", 2),
    ]


# -- precedence and ambiguity -----------------------------------------------------------------


def grouped(text: str, *alternatives: Expression) -> str:
    """Parse an expression; return it with all brackets."""
    made = parser({"e": alt(*alternatives, "NAME")}, NAME, SPACE)
    shown = show(made.parse(text.encode(), chains=False).root)
    return shown.replace("e(", "(").replace(" ", "")


TIMES, ADD = seq("e", "'*'", "e"), seq("e", "'+'", "e")
POWER = right("e", "'^'", "e")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a+b*c", "(a+(b*c))"),
        ("a*b+c", "((a*b)+c)"),
        ("a+b+c", "((a+b)+c)"),
        ("a^b^c", "(a^(b^c))"),
        ("a^b*c", "((a^b)*c)"),
        ("a*b^c+d", "((a*(b^c))+d)"),
    ],
)
def test_earlier_alternatives_bind_tighter(text: str, expected: str) -> None:
    assert grouped(text, POWER, TIMES, ADD) == expected


def test_prefixes_and_suffixes() -> None:
    minus, fact = seq("'-'", "e"), seq("e", "'!'")
    assert grouped("-a*b", TIMES, minus) == "(-(a*b))"
    assert grouped("-a*b", minus, TIMES) == "((-a)*b)"
    assert grouped("a*-b+c", TIMES, minus, ADD) == "((a*(-b))+c)"
    # As in ANTLR, a prefix operator takes all that binds tighter than itself.
    assert grouped("a*-b+c", TIMES, ADD, minus) == "(a*(-(b+c)))"
    assert grouped("a+b!", fact, ADD) == "(a+(b!))"
    assert grouped("a+b!", ADD, fact) == "((a+b)!)"


def test_ternaries() -> None:
    ternary = right("e", "'?'", "e", "':'", "e")
    assert grouped("a?b:c?d:f", ADD, ternary) == "(a?b:(c?d:f))"
    assert grouped("a+b?c:d+f", ADD, ternary) == "((a+b)?c:(d+f))"


def test_operators_may_be_rules() -> None:
    made = parser(
        {"e": alt(seq("e", "mul", "e"), seq("e", "add", "e"), "NAME"), "mul": "'*'", "add": "'+'"},
        NAME,
    )
    shown = show(made.parse(b"a+b*c").root)
    assert shown == "e(e(a) add(+) e(e(b) mul(*) e(c)))"


def test_the_earlier_alternative_is_preferred() -> None:
    rules: dict[str, Expression | str] = {
        "s": seq(alt("declaration", "statement"), "';'"),
        "declaration": seq("NAME", plus("pointer"), "NAME"),
        "pointer": "'*'",
        "statement": seq("NAME", "'*'", "NAME"),
    }
    assert tree_of(rules, "a * b;") == "s(declaration(a +[pointer(*)] b) ;)"
    rules["s"] = seq(alt("statement", "declaration"), "';'")
    assert tree_of(rules, "a * b;") == "s(statement(a * b) ;)"


def test_an_else_belongs_to_the_nearest_if() -> None:
    rules: dict[str, Expression | str] = {
        "s": alt(seq("'if'", "s", opt("'else'", "s")), "NAME"),
    }
    expected = "s(if s(if s(a) ?[s_item(else s(b))]) ?[])"
    assert tree_of(rules, "if if a else b") == expected


def test_earlier_parts_take_more() -> None:
    assert tree_of({"s": seq(star("NAME"), star("NAME"))}, "a b") == "s(*[a b] *[])"


def test_cyclic_grammars_end() -> None:
    rules: dict[str, Expression | str] = {
        "s": alt("t", "NAME", seq("s", "s")),
        "t": alt("s", seq("t", "'!'")),
    }
    assert parser(rules, NAME, SPACE).parse(b"a b ! c").text == b"a b ! c"


def test_many_derivations_are_no_trouble() -> None:
    made = parser({"s": alt(seq("s", "s", "s"), seq("s", "s"), "'a'")})
    assert made.parse(b"a" * 25).token_count == 25


# -- the end of the input -----------------------------------------------------------------------


def test_the_end_may_be_asked_for() -> None:
    rules: dict[str, Expression | str] = {
        "s": seq(star("line"), "EOF"),
        "line": seq("NAME", "end"),
        "end": alt("';'", "EOF"),
    }
    assert tree_of(rules, "a; b;") == "s(*[line(a end(;)) line(b end(;))])"
    assert tree_of(rules, "a; b") == "s(*[line(a end(;)) line(b end())])"
    with pytest.raises(ParseError):
        tree_of(rules, "a b;")


def test_all_of_the_input_must_match() -> None:
    with pytest.raises(ParseError, match="line 1, column 3: found 'b', expected the end"):
        tree_of({"s": "NAME"}, "a b")


# -- errors -------------------------------------------------------------------------------------


def test_errors_name_what_was_expected() -> None:
    rules: dict[str, Expression | str] = {
        "s": star("e", "';'"),
        "e": alt(seq("e", "'*'", "e"), seq("e", "'+'", "e"), seq("'('", "e", "')'"), "NAME"),
    }
    made = parser(rules, NAME, NUMBER, SPACE)
    with pytest.raises(ParseError) as caught:
        made.parse(b"a;\n(a + b;")
    error = caught.value
    assert (error.line, error.column, error.found) == (2, 7, "';'")
    assert set(error.expected) == {"'*'", "'+'", "')'"}
    with pytest.raises(ParseError, match="column 3: found the end of the input, expected"):
        made.parse(b"a+")


def test_long_lists_of_expectations_are_cut() -> None:
    words = [f"'w{chr(97 + index)}'" for index in range(20)]
    made = parser({"s": seq("'start'", alt(*words))}, NAME, SPACE)
    with pytest.raises(ParseError, match=r", 'wj' or 10 more$") as caught:
        made.parse(b"start x")
    assert len(caught.value.expected) == 20


def test_undefined_rules_and_starts_are_reported() -> None:
    with pytest.raises(GrammarError, match="'t', which rule 's' uses, is not defined"):
        parser({"s": "t"}, NAME)
    with pytest.raises(GrammarError, match="'nothing' is not defined"):
        compile_grammar(grammar({"s": "NAME"}, NAME, start="nothing"))
    with pytest.raises(GrammarError, match="derives no text"):
        parser({"s": seq("'a'", "s")}).parse(b"a")


def test_tokens_that_only_actions_make_are_never_found() -> None:
    made = parser({"s": seq("NAME", opt("INDENT"))}, NAME, SPACE)
    assert made.matches(b"a")


def test_any_rule_may_be_the_start() -> None:
    rules: dict[str, Expression | str] = {"s": seq("t", "';'"), "t": alt("NAME", "NUMBER")}
    made = compile_grammar(grammar(rules, NAME, NUMBER, start="t"))
    assert made.parse(b"12").root.symbol == "t"
    assert not made.matches(b"12;")


# -- large and deep -----------------------------------------------------------------------------


def test_deep_nesting_needs_no_recursion() -> None:
    made = parser({"e": alt(seq("'('", "e", "')'"), seq("'-'", "e"), "NAME")}, NAME)
    text = b"(" * 20_000 + b"-" * 20_000 + b"a" + b")" * 20_000
    tree = made.parse(text)
    assert tree.text == text
    assert tree.token_count == 60_001


def test_deep_nesting_with_conflicts_needs_no_recursion() -> None:
    # `x` may be a or b until the bracket after it, so every level is a conflict.
    rules: dict[str, Expression | str] = {
        "e": alt(seq("'('", "a", "e", "')'"), seq("'('", "b", "e", "']'"), "NAME"),
        "a": "NUMBER",
        "b": "NUMBER",
    }
    made = parser(rules, NAME, NUMBER)
    text = b"(1" * 3000 + b"x" + b")]" * 1500
    assert made.parse(text).text == text


def test_long_lists_are_flat() -> None:
    made = parser({"s": alt(seq("s", "NAME"), "NAME")}, NAME, SPACE)
    tree = made.parse(b"a " * 30_000)
    assert len(tree.root.children[0].children) == 30_000


def test_garbage_collection_is_switched_back_on() -> None:
    made = parser({"s": "NAME"}, NAME)
    for text in (b"a", b"?"):
        try:
            made.parse(text)
        except ParseError:
            assert text == b"?"
        assert gc.isenabled()


def test_nodes_are_what_their_constructors_make() -> None:
    rules: dict[str, Expression | str] = {
        "s": seq(star("NAME"), opt("';'"), "t"),
        "t": star("NUMBER"),
    }
    tree = parser(rules, NAME, NUMBER, SPACE).parse(b" a  b\n\t; ")
    for _, node in tree.walk():
        made: Token | Branch
        if isinstance(node, Token):
            made = node.changed()
            names: tuple[str, ...] = Token.__slots__
        else:
            made = node.with_children(node.children)
            names = Branch.__slots__
        assert [getattr(node, name) for name in names] == [getattr(made, name) for name in names]
