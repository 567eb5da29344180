"""The lexer: longest match, order, non-greedy quantifiers, recursion, modes, commands, errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import Action, Command, Expression, GrammarError, Literal, TokenRule
from marrow.tree import Glue
from tests.grammar.parsing import (
    ANY,
    NAME,
    NUMBER,
    SKIP,
    SPACE,
    alt,
    but,
    chars,
    lit,
    opt,
    parser,
    plus,
    ref,
    seq,
    star,
)


def tokens(
    text: str, *rules: TokenRule, body: Expression | str = "X", extra: tuple[str, ...] = ()
) -> list[tuple[str, str]]:
    """Lex a text with these token rules, and the literals in `body`."""
    made = parser({"s": star(alt(body, *extra))}, *rules)
    return [(one.symbol, one.text) for one in made.tokens(text.encode())]


def command(action: Action, argument: str = "") -> tuple[Command, ...]:
    return (Command(action, argument),)


def test_the_longest_match_wins_and_then_the_earlier_rule() -> None:
    word = TokenRule("IF", lit("if"))
    assert tokens("if iff i", word, NAME, SPACE) == [("IF", "if"), ("NAME", "iff"), ("NAME", "i")]
    assert tokens("if iff", NAME, word, SPACE) == [("NAME", "if"), ("NAME", "iff")]


def test_literals_of_rules_come_before_token_rules() -> None:
    assert tokens("else elsewhere", NAME, SPACE, body="'else'") == [
        ("'else'", "else"),
        ("NAME", "elsewhere"),
    ]


def test_a_literal_is_another_name_for_the_rule_that_matches_it() -> None:
    assert tokens("+", TokenRule("PLUS", lit("+")), body="'+'") == [("PLUS", "+")]


def test_a_match_may_have_to_be_given_back() -> None:
    # `1..2` reads up to the second dot before it knows that there is no fraction.
    number = TokenRule("N", seq(plus(chars("09")), opt(seq("'.'", plus(chars("09"))))))
    assert tokens("1..2.5", number, body="'..'") == [("N", "1"), ("'..'", ".."), ("N", "2.5")]


def test_guarded_rules_lose_ties() -> None:
    guarded = TokenRule("WORD", plus(chars("az")), guarded=True)
    assert tokens("ab", guarded, NAME) == [("NAME", "ab")]


def test_case_is_ignored_where_the_grammar_says_so() -> None:
    select = TokenRule("SELECT", Literal("select", ignore_case=True))
    assert tokens("SeLeCt x", select, NAME, SPACE) == [("SELECT", "SeLeCt"), ("NAME", "x")]


def test_non_greedy_quantifiers_stop_at_the_first_end() -> None:
    comment = TokenRule("C", seq("'/*'", star(ANY, greedy=False), "'*/'"))
    assert tokens("/* a */b/**/", comment, NAME) == [("C", "/* a */"), ("NAME", "b"), ("C", "/**/")]
    shortest = TokenRule("A", plus(lit("a"), greedy=False))
    assert tokens("aaa", shortest) == [("A", "a")] * 3
    maybe = TokenRule("B", seq("'b'", opt(lit("b"), greedy=False)))
    assert tokens("bb", maybe) == [("B", "b")] * 2


def test_a_non_greedy_rule_does_not_cut_other_rules_short() -> None:
    short = TokenRule("S", seq("'<'", star(ANY, greedy=False), "'>'"))
    long = TokenRule("L", seq("'<'", star(ANY, greedy=False), "'>>'"))
    assert tokens("<a>>", short, long) == [("L", "<a>>")]
    assert tokens("<a>b>>", short, long) == [("L", "<a>b>>")]


def test_rules_may_nest() -> None:
    nested = TokenRule("COMMENT", seq("'(*'", star(alt("COMMENT", but("(", "*"))), "'*)'"))
    assert tokens("(*a(*b*)c*)x", nested, NAME) == [("COMMENT", "(*a(*b*)c*)"), ("NAME", "x")]
    deep = "(*" * 3000 + "*)" * 3000
    assert tokens(deep + "x", nested, NAME) == [("COMMENT", deep), ("NAME", "x")]


def test_rules_may_be_recursive_at_the_right_end() -> None:
    ones = TokenRule("ONES", seq("'1'", opt("ONES")))
    assert tokens("1" * 5000, ones) == [("ONES", "1" * 5000)]


def test_a_rule_that_calls_itself_first_does_not_hang() -> None:
    loop = TokenRule("LOOP", alt(seq("LOOP", "'x'"), "'y'"))
    assert tokens("y", loop) == [("LOOP", "y")]


def test_the_end_of_the_input_is_a_character() -> None:
    comment = TokenRule("C", seq("'#'", star(but("\n")), alt("'\n'", "EOF")))
    assert tokens("#a\n#b", comment) == [("C", "#a\n"), ("C", "#b")]


def test_modes_are_a_stack() -> None:
    rules = (
        TokenRule("OPEN", lit("<"), commands=command(Action.PUSH_MODE, "TAG")),
        TokenRule("TEXT", plus(but("<"))),
        TokenRule("CLOSE", lit(">"), mode="TAG", commands=command(Action.POP_MODE)),
        TokenRule("INNER", lit("<"), mode="TAG", commands=command(Action.PUSH_MODE, "TAG")),
        TokenRule("ID", plus(chars("az")), mode="TAG"),
        TokenRule("WS", plus(chars(" ")), mode="TAG", commands=SKIP),
    )
    found = tokens("a <b <c> d> e", *rules)
    names = ["TEXT", "OPEN", "ID", "INNER", "ID", "CLOSE", "ID", "CLOSE", "TEXT"]
    assert [name for name, _ in found] == names
    assert found[-1] == ("TEXT", " e")


def test_white_space_is_inserted_only_where_it_is_no_token() -> None:
    rules = (
        TokenRule("OPEN", lit("<"), commands=command(Action.PUSH_MODE, "TAG")),
        TokenRule("TEXT", plus(but("<"))),
        TokenRule("CLOSE", lit(">"), mode="TAG", commands=command(Action.POP_MODE)),
        TokenRule("ID", plus(chars("az")), mode="TAG"),
        TokenRule("WS", plus(chars(" ")), mode="TAG", commands=SKIP),
    )
    made = parser({"s": star(alt("OPEN", "TEXT", "CLOSE", "ID"))}, *rules)
    glue = {token.symbol: token.glue for token in made.parse(b"a<b>").tokens()}
    assert glue == {
        "TEXT": Glue.BEFORE | Glue.AFTER,
        "OPEN": Glue.BEFORE,
        "ID": Glue.NONE,
        "CLOSE": Glue.AFTER,
    }


def test_a_mode_that_was_not_opened_cannot_be_closed() -> None:
    with pytest.raises(ParseError, match="closes a lexer mode that was not opened"):
        tokens(">", TokenRule("CLOSE", lit(">"), commands=command(Action.POP_MODE)))


def test_a_mode_without_rules_is_refused() -> None:
    with pytest.raises(GrammarError, match="'NOWHERE'"):
        tokens("x", TokenRule("A", lit("x"), commands=command(Action.MODE, "NOWHERE")))


def test_more_makes_one_token_of_several_matches() -> None:
    rules = (
        TokenRule("QUOTE", lit('"'), commands=(Command(Action.MORE), Command(Action.MODE, "STR"))),
        TokenRule("STRING", lit('"'), mode="STR", commands=command(Action.MODE, "DEFAULT_MODE")),
        TokenRule("CHAR", ANY, mode="STR", commands=command(Action.MORE)),
    )
    assert tokens('"ab""c"', *rules) == [("STRING", '"ab"'), ("STRING", '"c"')]
    with pytest.raises(ParseError, match="line 1, column 4: a token is not finished"):
        tokens('"ab', *rules)


def test_type_and_channel() -> None:
    hexadecimal = TokenRule(
        "HEX", seq("'0x'", plus(chars("09"))), commands=command(Action.TYPE, "NUMBER")
    )
    hidden = TokenRule("NOTE", seq("'#'", star(but("\n"))), commands=command(Action.CHANNEL, "H"))
    found = tokens("0x1 2 #c", hexadecimal, NUMBER, hidden, SPACE)
    assert found == [("NUMBER", "0x1"), ("NUMBER", "2")]


def test_empty_matches_count_only_if_they_change_the_mode() -> None:
    empty = TokenRule("EMPTY", star(lit("x")))
    with pytest.raises(ParseError, match="found 'y', with which no token starts"):
        tokens("xy", empty)
    leave = TokenRule("LEAVE", seq(), mode="M", commands=(*SKIP, Command(Action.POP_MODE)))
    enter = TokenRule("ENTER", lit("("), commands=command(Action.PUSH_MODE, "M"))
    digits = TokenRule("DIGITS", plus(chars("09")), mode="M")
    assert tokens("(12a", enter, NAME, digits, leave) == [
        ("ENTER", "("),
        ("DIGITS", "12"),
        ("NAME", "a"),
    ]


def test_modes_that_only_chase_each_other_are_an_error() -> None:
    here = TokenRule("HERE", seq(), commands=(*SKIP, Command(Action.MODE, "M")))
    there = TokenRule("THERE", seq(), mode="M", commands=(*SKIP, Command(Action.MODE, "N")))
    back = TokenRule("BACK", seq(), mode="N", commands=(*SKIP, Command(Action.MODE, "M")))
    with pytest.raises(ParseError, match="no token starts"):
        tokens("x", here, there, back)


def test_errors_say_where_and_what() -> None:
    with pytest.raises(ParseError) as caught:
        tokens("ab\n  cd ?", NAME, SPACE)
    error = caught.value
    assert (error.line, error.column, error.found) == (2, 6, "'?'")
    assert str(error) == "line 2, column 6: found '?', with which no token starts"


def test_undefined_fragments_are_reported() -> None:
    with pytest.raises(GrammarError, match="'DIGIT', which the token 'N' uses, is not defined"):
        tokens("1", TokenRule("N", plus(ref("DIGIT"))))


def test_bytes_that_are_no_characters_are_kept() -> None:
    made = parser({"s": star("STRING")}, TokenRule("STRING", seq("'<'", star(but(">")), "'>'")))
    text = b"<\xff\xc3\xa9\xed\xa0\x80><>"
    tree = made.parse(text)
    assert tree.text == text
    assert [token.text for token in tree.tokens()] == [text[:-2], b"<>"]


@given(st.binary(max_size=40))
def test_any_bytes_give_tokens_or_an_error(data: bytes) -> None:
    made = parser({"s": star(alt("NAME", "STRING"))}, NAME, SPACE, TokenRule("STRING", ANY))
    found = made.parse(data)
    if found.token_count:
        assert found.text == data
