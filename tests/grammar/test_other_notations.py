"""ABNF, the EBNF of the W3C, Wikipedia's BNF, and tree-sitter's grammar.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import marrow
from marrow.grammar.language import Language
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.notations import read_grammar_text, write_grammar
from tests.grammar.snippets import language


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
    assert one.matches(b'(a (b); (b)\n "x y # (") ; # comment\n c')
    assert not one.matches(b"(a")
    assert [token.symbol for token in one.parser.tokens(b'"x y"')] == ["string"]


def test_a_json_file_that_only_looks_like_one_of_tree_sitter() -> None:
    with pytest.raises(GrammarError, match="not a grammar"):
        read_grammar_text('{"rules": {"a": {"type": "SEQ", "members": [1]}}}', "treesitter")
    with pytest.raises(GrammarError, match="no rules"):
        read_grammar_text("[]", "treesitter")


def scanned() -> str:
    """A grammar as tree-sitter's for Python and JavaScript are: with an external scanner."""

    def symbol(name: str) -> dict[str, object]:
        return {"type": "SYMBOL", "name": name}

    def text(value: str) -> dict[str, object]:
        return {"type": "STRING", "value": value}

    def seq(*members: object) -> dict[str, object]:
        return {"type": "SEQ", "members": list(members)}

    def choice(*members: object) -> dict[str, object]:
        return {"type": "CHOICE", "members": list(members)}

    def repeat(content: object) -> dict[str, object]:
        return {"type": "REPEAT", "content": content}

    immediate = {"type": "IMMEDIATE_TOKEN", "content": {"type": "PATTERN", "value": "[^{}]+"}}
    rules = {
        "file": repeat(symbol("line")),
        "line": choice(
            seq(choice(symbol("call"), symbol("string")), symbol("_newline")),
            seq(text("match"), symbol("name"), text(":"), symbol("_indent"), symbol("block")),
        ),
        "block": seq(repeat(symbol("line")), symbol("_dedent")),
        "call": seq(symbol("name"), repeat(seq(text("."), symbol("name"))), symbol("arguments")),
        "arguments": seq(text("("), repeat(choice(symbol("name"), symbol("string"))), text(")")),
        "string": seq(
            symbol("string_start"),
            repeat(choice(symbol("hole"), symbol("string_content"))),
            symbol("string_end"),
        ),
        "string_content": choice(symbol("_string_content"), immediate),
        "hole": seq(text("{"), immediate, text("}")),
        "name": {"type": "PATTERN", "value": "[a-z]+"},
    }
    names = ["_newline", "_indent", "_dedent", "string_start", "_string_content", "string_end"]
    return json.dumps(
        {
            "name": "scanned",
            "word": "name",
            "rules": rules,
            "extras": [{"type": "PATTERN", "value": "\\s"}, symbol("block_comment")],
            "externals": [symbol(one) for one in [*names, "block_comment", "error_sentinel"]],
        }
    )


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (b"a(b\n c)\n", 1),
        (b"a('(')\nb()", 1),
        (b'f"{x} \\" y"\n' + b"'''a\n 'b\n'''\n", 1),
        (b"match x:\n  a()\n  match y:\n    /* c */ b()\nc()\n", 1),
        (b"a.match(match)\n", 1),  # a keyword is a name where only a name fits
        (b"match match:\n a()\n", 1),
        (b"match x:\na()\n", 0),
        (b"a() b()\n", 0),
        (b"'a\n", 0),
    ],
)
def test_tokens_of_external_scanners(text: bytes, right: int) -> None:
    one = language(scanned(), "treesitter")
    assert one.grammar.indentation
    for each in (one, language(write_grammar(one.grammar, "g4").text)):
        assert each.matches(text) == bool(right)
        if right:
            assert each.parse(text).text == text
    (note,) = (note for note in one.grammar.notes if "external scanner" in note.message)
    assert "error_sentinel" in note.message


def test_an_automatic_semicolon_needs_the_end_of_a_line_or_block() -> None:
    def member(*members: object) -> dict[str, object]:
        return {"type": "SEQ", "members": list(members)}

    name = {"type": "SYMBOL", "name": "name"}
    semicolons = [
        {"type": "STRING", "value": ";"},
        {"type": "SYMBOL", "name": "_automatic_semicolon"},
    ]
    end = {"type": "CHOICE", "members": semicolons}
    block = member(
        {"type": "STRING", "value": "{"},
        {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "statement"}},
        {"type": "STRING", "value": "}"},
    )
    rules = {
        "file": {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "statement"}},
        "statement": {"type": "CHOICE", "members": [member(name, end), block]},
        "name": {"type": "PATTERN", "value": "[a-z]+"},
    }
    one = language(
        json.dumps(
            {
                "name": "semi",
                "rules": rules,
                "externals": [{"type": "SYMBOL", "name": "_automatic_semicolon"}],
            }
        ),
        "treesitter",
    )
    for text, right in ((b"a;b", 1), (b"a\nb", 1), (b"{a}", 1), (b"a b", 0), (b"{a b}", 0)):
        assert one.matches(text) == bool(right), text


def templates() -> str:
    """A grammar as tree-sitter's for JavaScript is, with template strings and regexes."""

    def one(name: str) -> dict[str, object]:
        return {"type": "SYMBOL", "name": name}

    def text(value: str) -> dict[str, object]:
        return {"type": "STRING", "value": value}

    def seq(*members: object) -> dict[str, object]:
        return {"type": "SEQ", "members": list(members)}

    def either(*members: object) -> dict[str, object]:
        return {"type": "CHOICE", "members": list(members)}

    def immediate(value: str, weight: int = 0) -> dict[str, object]:
        inside = {"type": "PREC", "value": weight, "content": {"type": "PATTERN", "value": value}}
        return {"type": "IMMEDIATE_TOKEN", "content": inside}

    name = {"type": "PATTERN", "value": "[a-z]+"}
    inside = either(one("_chars"), one("escape"), one("hole"))
    body = {"type": "REPEAT", "content": inside}
    fragment = {"type": "REPEAT", "content": immediate('[^"]+')}
    rules = {
        "file": {"type": "REPEAT", "content": seq(one("value"), text(";"))},
        "value": either(
            seq(one("value"), either(text("/"), text("+")), one("value")),
            one("template"), one("regex"), one("string"), one("_marked"), one("name"), one("block"),
            one("bytes"),
        ),
        "bytes": seq(
            {"type": "PATTERN", "value": "b?~"}, {"type": "REPEAT", "content": one("_content")},
            text("~"),
        ),
        "block": seq(text("{"), {"type": "REPEAT", "content": one("value")}, text("}")),
        "template": seq(text("`"), body, text("`")),
        "hole": seq(text("${"), one("value"), text("}")),
        "escape": immediate(r"\\."),
        "regex": seq(text("/"), one("inside"), immediate("/")),
        "inside": immediate(r"[^/\n]+", -1),
        "_marked": seq(text("@"), one("_variant")),
        "_variant": seq(text('"'), fragment, text('"')),
        "string": seq(text('"'), fragment, text('"')),
        "name": name,
    }  # fmt: skip
    comment = {"type": "PATTERN", "value": r"/\*[^*]*\*/"}
    return json.dumps(
        {
            "name": "templates",
            "word": "name",
            "rules": rules,
            "extras": [{"type": "PATTERN", "value": r"\s"}, comment],
            "externals": [one("_chars"), one("_content"), one("escape")],
        }
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b"`a $ b \\` ${c} {`;", 12),
        (b"`${ {`x${y}`} }`;", 13),
        (b"~a;~; b~ ~; ~~;", 11),
        (b"a / b / c;", 6),
        (b"/a b/ / c + /d/;", 6),
        (b"{ /x/ };/* b / c */", 4),
        (b'@"x"; "y";', 5),
        (b"`${a`;", 0),
        (b"`a`} ;", 0),
    ],
)
def test_strings_with_code_in_them_and_regular_expressions(text: bytes, count: int) -> None:
    one = language(templates(), "treesitter")
    assert one.matches(text) == bool(count)
    if count:
        assert one.parse(text).token_count == count
        assert one.parse(text).text == text
    again = language(write_grammar(one.grammar, "g4").text)
    assert again.matches(text) == bool(count)
    assert "external scanner" not in " ".join(note.message for note in one.grammar.notes)
    generator = one.generator()
    assert all(one.matches(generator.tree(seed, size=30).text) for seed in range(10))


def contextual() -> str:
    """A grammar as tree-sitter's for C is: what a text is depends on what the parser expects."""

    def one(name: str) -> dict[str, object]:
        return {"type": "SYMBOL", "name": name}

    def text(value: str) -> dict[str, object]:
        return {"type": "STRING", "value": value}

    def seq(*members: object) -> dict[str, object]:
        return {"type": "SEQ", "members": list(members)}

    def either(*members: object) -> dict[str, object]:
        return {"type": "CHOICE", "members": list(members)}

    def pattern(value: str) -> dict[str, object]:
        return {"type": "PATTERN", "value": value}

    weak = {"type": "PREC", "value": -1, "content": pattern(r"\S[^\n]*")}
    blank = {"type": "BLANK"}
    rules = {
        "file": {"type": "REPEAT", "content": either(one("define"), one("statement"))},
        "define": seq(text("#define"), one("name"), either(one("rest"), blank), pattern(r"\n")),
        "rest": {"type": "TOKEN", "content": weak},
        "statement": seq(either(one("type"), one("shift"), one("character")), text(";")),
        "type": seq(one("name"), either(seq(text("<"), one("type"), text(">")), blank)),
        "shift": seq(one("name"), text(">>"), one("name")),
        "character": seq(
            text("'"),
            either(
                {"type": "IMMEDIATE_TOKEN", "content": pattern(r"\\.")},
                {"type": "IMMEDIATE_TOKEN", "content": pattern(r"[^\n']")},
            ),
            text("'"),
        ),
        "name": pattern("[a-z]+"),
    }
    extras = [pattern(r"\s")]
    return json.dumps({"name": "contextual", "word": "name", "rules": rules, "extras": extras})


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (b"a >> b;\n\na<b<c>>;", "a >> b ; a < b < c > > ;"),
        (b"#define x\na;\n", "#define x \n a ;"),
        (b"#define x y >> @ 1 <\na\n;\n#define y\n", "#define x y >> @ 1 < \n a ; #define y \n"),
        (b"'\\\\'; '\\''; 'a';", "'\\\\' ; '\\'' ; 'a' ;"),
        (b"a<b>>;", ""),
        (b"a @ b;", ""),
        (b"#define x", ""),
    ],
)
def test_a_token_that_does_not_fit_is_read_again(text: bytes, tokens: str) -> None:
    one = language(contextual(), "treesitter")
    for each in (one, language(write_grammar(one.grammar, "g4").text)):
        assert each.matches(text) == bool(tokens)
        if tokens:
            tree = each.parse(text)
            assert tree.text == text
            shown = [token.text.decode() for token in tree.tokens()]
            assert " ".join(shown) == tokens
            starts = each.parser.starts(text)
            assert len(starts) == len(shown)
        else:
            with pytest.raises(ParseError):
                each.parse(text)


def test_what_is_read_by_its_place_is_reduced() -> None:
    grammar = language(contextual(), "treesitter").grammar
    seen: list[bytes] = []

    def test(text: bytes) -> bool:
        seen.append(text)
        return b"x" in text

    source = b"#define y >> 1\na<b<x>>;\nc >> d;\n"
    found = marrow.reduce(source, test, grammar=grammar, passes="none")
    assert found.text.split() == [b"x;"] or found.text.split() == [b"x", b";"]
    one = Language(grammar, cache=None)
    assert all(one.matches(text) for text in seen if text)
