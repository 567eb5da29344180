"""What public grammars do that textbooks do not: snippets of them, and the general case behind."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import marrow
from marrow.cli.tree import tree_command
from marrow.errors import InputError, UsageError
from marrow.grammar.language import Language
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.notations import read_grammar_text, write_grammar
from marrow.syntax.grammar_front_end import GrammarFrontEnd


def language(text: str, notation: str = "g4", start: str | None = None) -> Language:
    return Language(read_grammar_text(text, notation, "test", start), cache=None)


def symbols(one: Language, text: bytes) -> list[str]:
    return [token.symbol for token in one.parser.tokens(text)]


# -- start rules of grammars in two files


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    (tmp_path / "L.g4").write_text("lexer grammar L; A:'a'; B:'b';")
    parser = tmp_path / "P.g4"
    parser.write_text(
        "parser grammar P; options{tokenVocab=L;} item: A; file: B item* EOF; other: B EOF;"
    )
    return parser


@pytest.mark.parametrize("start", [None, "file", "item", "other"])
def test_a_grammar_in_two_files_keeps_its_start_rule_in_one(
    two_files: Path, start: str | None
) -> None:
    whole = Language.from_file(two_files, start)
    alone = whole.self_contained
    assert alone.start == whole.start == alone.grammar.start
    for text in (b"baa", b"b", b"a", b"ab"):
        assert alone.matches(text) is whole.matches(text)


# -- case


def test_a_literal_takes_the_case_of_the_token_it_names() -> None:
    text = """grammar I; options { caseInsensitive=true; } s: 'let' ID EOF;
        LET options { caseInsensitive=false; } : 'let';
        ID : [a-z]+; WS: ' ' -> skip;"""
    one = language(text)
    again = language(write_grammar(one.grammar, "g4").text)
    for each in (one, again):
        assert symbols(each, b"let x") == ["LET", "ID"]
        assert symbols(each, b"LET x") == ["ID", "ID"]
        assert each.matches(b"let LET")
        assert not each.matches(b"LET x")


def test_a_literal_of_any_case_is_not_written_as_a_second_token() -> None:
    text = """grammar I; s: LET 'b' EOF;
        LET options { caseInsensitive=true; } : 'let'; B: 'b'; s2: 'let'; WS: ' ' -> skip;"""
    one = language(text)
    again = language(write_grammar(one.grammar, "g4").text)
    assert again.matches(b"lEt b")
    assert not again.matches(b"let B")


# -- literals and predicates


def test_a_literal_is_the_token_without_a_predicate() -> None:
    one = language(
        "grammar T; s: '{' '}' EOF; Open: '{';TClose: {p()}? '}' -> popMode; Close: '}' {a();};"
    )
    assert symbols(one, b"{}") == ["Open", "Close"]
    assert one.matches(b"{}")


# -- the end of the input


@pytest.mark.parametrize(
    "text",
    [
        "grammar E; file: line+; line: A (NL | EOF); A: 'a'+; NL: '\\n';",
        "grammar E; file: (x end)*; x: 'x' '=' e; end: ';' | EOF;"
        " e: A | '{' (x end)+ '}'; A: 'a'+;",
        "grammar E; s: a b | EOF; a: A | EOF A? ; b: A* EOF; A: 'a';",
    ],
)
def test_a_generated_text_ends_where_the_input_ends(text: str) -> None:
    one = language(text)
    drawn = [one.generator().tree(seed, size=30) for seed in range(60)]
    assert all(one.matches(tree.text) for tree in drawn)
    assert max(tree.token_count for tree in drawn) > 1


def test_the_start_rule_may_end_with_a_rule_that_ends_the_input() -> None:
    assert language("grammar E; line: A (NL | EOF); file: line+; A: 'a'; NL: 'n';").start == "file"


# -- start rules that do not ask for the end


PREFIX = "grammar S; s: A '=' A (';' A '=' A)*; A: [a-z]+; WS: [ \\n]+ -> skip;"


@pytest.mark.parametrize(
    ("text", "tokens", "rest"),
    [
        (b"a = b; c = d\n rest ### x", 7, (1, 13)),
        (b"a = b ;", 3, (1, 6)),
        (b"a = b # \xff", 3, (1, 6)),
    ],
)
def test_a_start_rule_without_eof_takes_the_longest_beginning(
    text: bytes, tokens: int, rest: tuple[int, int]
) -> None:
    one = language(PREFIX)
    assert not one.matches(text)
    found = one.parser.read_prefix(text)
    assert found is not None
    assert (found.tree().token_count, found.rest) == (tokens, rest)
    assert found.tree().text == text
    assert GrammarFrontEnd(one).parse(text).token_count == tokens


def test_a_text_is_whole_where_the_rule_asks_for_it_or_the_notation_means_it() -> None:
    assert language(PREFIX.replace(")*;", ")* EOF;")).parser.read_prefix(b"a = b ;") is None
    assert language(PREFIX).parser.read_prefix(b"= b") is None
    assert language('<s> ::= "a" | "a" <s>', "bnf").parser.read_prefix(b"ab") is None


# -- words of the notations


def test_a_lexer_command_with_a_capital() -> None:
    one = language("grammar C; s: A+ EOF; A: 'a'; W: ' ' -> Channel(HIDDEN);")
    assert one.matches(b"a a")


def test_an_imported_grammar_may_be_without_rules(tmp_path: Path) -> None:
    (tmp_path / "Empty.g4").write_text("grammar Empty; @members { int x; }")
    (tmp_path / "M.g4").write_text("grammar M; import Empty; s: 'a' EOF;")
    assert Language.from_file(tmp_path / "M.g4").matches(b"a")


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("Block=Latin_1_Supplement", "\u00e9", "e"),
        ("Blk=Latin_1_Sup", "\u00e9", "e"),
        ("InGreek_And_Coptic", "\u03b1", "a"),
        ("Extended_Pictographic", "\u2764", "1"),
        ("Emoji=No", "a", "\u2764"),
        ("Emoji=Yes", "1", "a"),
        ("EmojiPresentation=TextDefault", "\u2764", "\U0001f600"),
        ("East_Asian_Width=W", "\u4e00", "a"),
        ("Bidi_Class=AL", "\u0627", "a"),
        ("Alphabetic=Yes", "a", "1"),
        ("General_Category=Lu", "A", "a"),
        ("Script=Greek", "\u03b1", "a"),
    ],
)
def test_properties_with_values(name: str, inside: str, outside: str) -> None:
    one = language(f"grammar U; s: A EOF; A: [\\p{{{name}}}]; B: .;")
    assert one.matches(inside.encode())
    assert not one.matches(outside.encode())


# -- the other notations


def test_abnf_has_core_rules_and_ignores_case() -> None:
    one = language(
        """; as in an RFC
          Greeting = "hello" 1*WSP name [ "!" ]
                   / %s"Hi" 2*3DIGIT
          name     = 1*ALPHA ; letters
          NAME     =/ %d65.66 / "(" <any text> ")" / %x30-32
          """,
        "abnf",
    )
    assert one.start == "Greeting"
    for text in (b"HELLO  x", b"hello AB!", b"Hi12", b"Hi123", b"hello (!)", b"hello 1"):
        assert one.matches(text), text
    for text in (b"hello", b"hi12", b"Hi1", b"Hi1234", b"hello 9"):
        assert not one.matches(text), text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a = ", ""),
        ('a = ( "x"', "never closed"),
        ('a = "x" )', "closes nothing"),
        ("a = 3*", "repetition of nothing"),
        ('a = "x"\na = "y"', "already defined"),
        ("a = %x41-40", "backwards"),
        ("= 1", "name of a rule"),
        ("a = %x110000", "no character"),
        ("a = {b}", "does not belong"),
    ],
)
def test_what_is_wrong_in_abnf_is_said(text: str, what: str) -> None:
    if not what:
        assert language(text, "abnf").matches(b"")
        return
    with pytest.raises(GrammarError, match=what):
        language(text, "abnf")


def test_ebnf_of_the_w3c() -> None:
    one = language(
        """[1] doc ::= (Comment | PI | Data)*
           [2] Char ::= #x9 | #xA | [#x20-#xD7FF]
           [15] Comment ::= '<!--' ((Char - '-') | ('-' (Char - '-')))* '-->'
           [16] PI ::= '<?' Name (' ' (Char* - (Char* '?>' Char*)))? '?>' [ VC: a rule ]
           [5] Name ::= [A-Za-z_:] [-'()+,./:=?;!*#@$_%A-Za-z\\]*
           [14] Data ::= [^<&]+ /* text */""",
        "w3c",
    )
    for text in (b"<!-- a - b -->", b"<?a b? c?>x > \\", b"<?a ??>", b"<?a\\b?>"):
        assert one.matches(text), text
    for text in (b"<!-- -- -->", b"<?a <", b"a & b"):
        assert not one.matches(text), text


def test_a_backslash_in_quotes_is_a_backslash_where_nothing_else_makes_sense() -> None:
    one = language(
        '''<s> ::= <c> <EOL> | <c> <s>
        <c> ::= "a" | "[" | "\\" | "]" | "^"''',
        "bnf",
    )
    assert one.matches(b"a\\]^\n")


TREE_SITTER = {
    "name": "tiny",
    "word": "identifier",
    "rules": {
        "document": {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "_value"}},
        "_value": {
            "type": "CHOICE",
            "members": [
                {"type": "SYMBOL", "name": "list"},
                {"type": "SYMBOL", "name": "string"},
                {"type": "SYMBOL", "name": "identifier"},
            ],
        },
        "list": {
            "type": "PREC_LEFT",
            "value": 1,
            "content": {
                "type": "SEQ",
                "members": [
                    {"type": "STRING", "value": "("},
                    {
                        "type": "REPEAT",
                        "content": {
                            "type": "FIELD",
                            "name": "item",
                            "content": {"type": "SYMBOL", "name": "_value"},
                        },
                    },
                    {"type": "STRING", "value": ")"},
                    {
                        "type": "CHOICE",
                        "members": [
                            {"type": "SYMBOL", "name": "_automatic_semicolon"},
                            {"type": "STRING", "value": ";"},
                        ],
                    },
                ],
            },
        },
        "string": {
            "type": "SEQ",
            "members": [
                {"type": "STRING", "value": '"'},
                {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "content"}},
                {"type": "STRING", "value": '"'},
            ],
        },
        "content": {
            "type": "IMMEDIATE_TOKEN",
            "content": {"type": "PATTERN", "value": '[^"]+'},
        },
        "identifier": {"type": "PATTERN", "value": "\\p{L}[a-z0-9]*"},
        "comment": {"type": "TOKEN", "content": {"type": "PATTERN", "value": "#.*"}},
    },
    "extras": [{"type": "PATTERN", "value": "\\s"}, {"type": "SYMBOL", "name": "comment"}],
    "externals": [{"type": "SYMBOL", "name": "_automatic_semicolon"}],
}


def test_the_grammar_json_of_tree_sitter(tmp_path: Path) -> None:
    file = tmp_path / "grammar.json"
    file.write_text(json.dumps(TREE_SITTER))
    one = Language.from_file(file)
    assert one.name == "tiny"
    assert one.matches(b'(a (b) "x y # (") ; # comment\n c')
    assert not one.matches(b"(a")
    assert [token.symbol for token in one.parser.tokens(b'"x y"')] == ["string"]


def test_a_json_file_that_only_looks_like_one_of_tree_sitter() -> None:
    with pytest.raises(GrammarError, match="not a grammar"):
        read_grammar_text('{"rules": {"a": {"type": "SEQ", "members": [1]}}}', "treesitter")
    with pytest.raises(GrammarError, match="no rules"):
        read_grammar_text("[]", "treesitter")


# -- Lark


def test_an_imported_name_that_is_overridden_is_seen_by_what_came_with_it(tmp_path: Path) -> None:
    (tmp_path / "m.lark").write_text('list: item+\nitem: WORD | "(" list ")"\nWORD: /[a-z]/\n')
    main = tmp_path / "g.lark"
    for change, right, wrong in (
        ('%override item: "1" WORD', b"1a1b", b"a"),
        ('%extend item: "2"', b"a2(a2)", b"3"),
        ("%extend WORD: /[A-Z]/", b"aB(C)", b"3"),
    ):
        main.write_text(f"%import .m (list, item, WORD)\nstart: list\n{change}\n")
        one = Language.from_file(main)
        assert one.matches(right)
        assert not one.matches(wrong)


def test_a_template_may_be_an_argument_of_a_template() -> None:
    one = language(
        'start: twice{many, "a"} twice{pair, "b"}\ntwice{t, x}: t{x} "-" t{x}\n'
        "many{x}: x+\npair{x}: x x\n",
        "lark",
    )
    assert one.matches(b"aa-abb-bb")
    assert not one.matches(b"a-ab-bb")


def test_an_unknown_escape_keeps_its_backslash_in_lark() -> None:
    one = language('start: "\\ " "\\d" "\\n" "\\\\" "\\""\n', "lark")
    assert one.matches(b'\\ \\d\n\\"')


def test_tree_says_where_a_text_does_not_match(tmp_path: Path) -> None:
    (tmp_path / "s.g4").write_text("grammar s; s: 'a' 'b' EOF; W: [ \\n] -> skip;")
    (tmp_path / "x").write_text("a\n c")
    done = CliRunner().invoke(
        tree_command, [str(tmp_path / "x"), "--grammar", str(tmp_path / "s.g4")]
    )
    assert isinstance(done.exception, InputError)
    assert "line 2, column 2" in str(done.exception)
    (tmp_path / "x").write_text("a\n b")
    done = CliRunner().invoke(
        tree_command, [str(tmp_path / "x"), "--grammar", str(tmp_path / "s.g4")]
    )
    assert done.exit_code == 0


# -- predicates


def test_a_keyword_with_a_predicate_wins_over_the_names_behind_it() -> None:
    one = language(
        "grammar K; s: (LET | ID | NUM)+ EOF; LET: 'let' {p()}?; NUM: {q()}? [0-9a]+;"
        " ID: [a-z]+; WS: ' ' -> skip;"
    )
    assert symbols(one, b"let lets a") == ["LET", "ID", "ID"]  # NUM loses the tie


def test_a_message_names_the_predicates(tmp_path: Path) -> None:
    (tmp_path / "p.g4").write_text("grammar p; s: A B EOF; A: 'a' {p()}?; B: {q()}? 'b'+;")
    (tmp_path / "x").write_text("aa")
    front = GrammarFrontEnd(Language.from_file(tmp_path / "p.g4"))
    error = front.error(b"aa")
    assert error is not None
    assert "those in B, A" in front.blame(error)
    done = CliRunner().invoke(
        tree_command, [str(tmp_path / "x"), "--grammar", str(tmp_path / "p.g4")]
    )
    assert "predicates are taken to be true" in str(done.exception)
    assert GrammarFrontEnd(language(PREFIX)).blame(error) == ""


ASSUMED = """grammar J; s: (StrictLet | NonStrictLet | ID | e)+ EOF;
    e: {a()}? 'x' | {!b() && this.c()}? 'y' | {q.a() == false || c()}? 'z';
    StrictLet: 'let' {this.IsStrictMode()}?; NonStrictLet: 'let' {!this.IsStrictMode()}?;
    ID: [a-w]+; WS: ' ' -> skip;"""


def test_predicates_are_assumed(tmp_path: Path) -> None:
    file = tmp_path / "J.g4"
    file.write_text(ASSUMED)
    plain = Language.from_file(file)
    assert symbols(plain, b"let") == ["NonStrictLet"]
    assert plain.matches(b"x y z")
    strict = Language.from_file(file, assume={"IsStrictMode": True}).self_contained
    assert symbols(strict, b"let") == ["StrictLet"]
    for assume, right, wrong in (
        ({"a": False}, b"y z", b"x"),
        ({"a": True, "c": False}, b"x", b"z"),
        ({"b": True}, b"x z", b"y"),
        ({"c": False}, b"x", b"y"),
    ):
        one = Language.from_file(file, assume=assume).self_contained
        assert one.matches(right), assume
        assert not one.matches(wrong), assume


def test_wrong_assumptions_are_refused(tmp_path: Path) -> None:
    (tmp_path / "J.g4").write_text(ASSUMED)
    (tmp_path / "b.bnf").write_text('<s> ::= "x"')
    (tmp_path / "x").write_text("x")
    for given in (["--grammar", "J.g4", "--assume", "a"], ["--assume", "a=true"]):
        given = [str(tmp_path / one) if one == "J.g4" else one for one in given]
        done = CliRunner().invoke(tree_command, [str(tmp_path / "x"), *given])
        assert isinstance(done.exception, UsageError)
    with pytest.raises(GrammarError, match="has none"):
        Language.from_file(tmp_path / "b.bnf", assume={"a": True})


# -- indentation and encodings


BLOCKS = """grammar B; tokens { INDENT, DEDENT } file: stmt* EOF;
    stmt: ID '(' (ID (',' ID)*)? ')' NEWLINE | 'if' ID ':' block;
    block: NEWLINE INDENT stmt+ DEDENT;
    ID: [a-z]+; NEWLINE: '\\r'? '\\n'; WS: [ \\t]+ -> skip; C: '#' ~[\\n]* -> skip;"""

BLOCKS_TEXT = b"""
f(a,

  b)
if x:   # why
    g()

    if y:
        h(
a)
  # less
    i()
j()"""


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    file = tmp_path / "B.g4"
    file.write_text(BLOCKS)
    return file


def test_indentation_makes_tokens(blocks: Path) -> None:
    one = Language.from_file(blocks, indentation=True)
    for each in (one, one.self_contained):
        assert each.matches(BLOCKS_TEXT)
        assert each.parse(BLOCKS_TEXT).text == BLOCKS_TEXT
        assert not each.matches(b"if x:\nf()\n")
        assert not each.matches(b"f()\n  g()\n")
        assert each.matches(b"if x:\n\tif y:\n\t f()\n")
    assert not Language.from_file(blocks).matches(BLOCKS_TEXT)
    with pytest.raises(GrammarError, match="INDENT"):
        Language(replace(language(PREFIX).grammar, indentation=True)).parser  # noqa: B018


def test_blocks_are_reduced_to_texts_that_match(blocks: Path) -> None:
    one = Language.from_file(blocks, indentation=True)
    seen: list[bytes] = []

    def test(text: bytes) -> bool:
        seen.append(text)
        return b"h(" in text

    found = marrow.reduce(
        BLOCKS_TEXT, test, grammar=blocks, indentation=True, passes="none", allow_empty=False
    )
    assert all(one.matches(text) for text in seen if text)
    assert found.text.split() == [b"h(", b")"] or found.text.strip() == b"h()"


def test_texts_in_other_encodings(tmp_path: Path) -> None:
    file = tmp_path / "L.g4"
    file.write_text("grammar L; s: W+ EOF; W: [a-z\\u00e9]+; WS: ' ' -> skip;")
    text = "été é".replace("t", "t").encode("latin-1")
    one = Language.from_file(file, encoding="latin-1")
    for each in (one, one.self_contained):
        assert each.matches(text)
        assert each.parse(text).text == text
        drawn = [each.generator().tree(seed, size=20).text for seed in range(10)]
        assert all(each.matches(one) for one in drawn)
    assert not Language.from_file(file).matches(text)
    wide = Language.from_file(file, encoding="shift_jis")
    assert wide.parse(b"a b").text == b"a b"
    (tmp_path / "x").write_bytes(text)
    for name in ("utf-16", "nonsense"):
        done = CliRunner().invoke(
            tree_command, [str(tmp_path / "x"), "--grammar", str(file), "--encoding", name]
        )
        assert isinstance(done.exception, UsageError)


def test_indentation_of_lark_grammars_and_of_spaces_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "b.lark").write_text(
        'start: (_NL | stmt)*\nstmt: NAME _NL | NAME ":" _NL _INDENT stmt+ _DEDENT\n'
        "NAME: /[a-z]+/\n_NL: /(\\r?\\n[\\t ]*)+/\n%declare _INDENT _DEDENT\n%ignore /[ ]+/\n"
    )
    (tmp_path / "S.g4").write_text(
        "grammar S; tokens { INDENT, DEDENT } s: t* EOF;"
        " t: ID+ NEWLINE | ID ':' NEWLINE INDENT t+ DEDENT; ID: [a-z]+;"
        " NEWLINE: ({this.atStartOfInput()}? SP | '\\n' SP?) {more();}; SKIP_: SP -> skip;"
        " fragment SP: [ \\t]+;"
    )
    for name in ("b.lark", "S.g4"):
        one = Language.from_file(tmp_path / name, indentation=True).self_contained
        assert one.matches(b"a:\n  b\n  c:\n    d\n\ne\n"), name
        assert not one.matches(b"a:\nb\n"), name
