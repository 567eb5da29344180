"""The syntax of ANTLR v4 grammars: lexemes, and a grammar of Lark for what they make."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from marrow.grammar.readers.scan import Source, Syntax

_GRAMMAR: Final = r"""
start: action* head item*
!head: ("lexer" | "parser")? "grammar" name ";"
?item: OPTIONS -> options
    | NAMES -> names
    | "import" imported ("," imported)* ";"
    | "mode" name ";" -> mode
    | action
    | rule
    | token
    | ";"
imported: (name "=")? name
action: "@" (name "::")? name ACTION
?name: TOKEN | RULE
modifier: FRAGMENT | "public" | "private" | "protected"
FRAGMENT: "fragment"
NOT: "~"
DOT: "."

rule: rule_head prequel* ":" body ";" handler*
rule_head: modifier* RULE
?prequel: OPTIONS -> rule_options
    | action
    | ARGUMENTS -> arguments
    | ("returns" | "locals") ARGUMENTS -> action
    | "throws" name (("," | DOT) name)* -> action
handler: "catch" ARGUMENTS ACTION | "finally" ACTION
body: alternative ("|" alternative)*
alternative: (element | predicate | MARK)* label?
label: "#" name
element: named? atom SUFFIX?
named: name ("=" | "+=")
?atom: STRING (".." STRING)? -> text
    | DOT -> any_token
    | name ARGUMENTS? -> reference
    | NOT atom -> other_tokens
    | "(" opening? body ")" -> group
opening: (OPTIONS action* | action+) ":"
predicate: ACTION SUFFIX?

token: token_head ":" token_body ";"
token_head: modifier* TOKEN OPTIONS?
token_body: token_alternative ("|" token_alternative)* -> body
token_alternative: (token_element | predicate | MARK)* commands? -> alternative
commands: "->" command ("," command)*
command: name ("(" name? ")")?
token_element: named? token_atom SUFFIX? -> element
?token_atom: STRING (".." STRING)? -> text
    | SET -> set
    | DOT -> any_character
    | (TOKEN | RULE) -> reference
    | NOT token_atom -> other_characters
    | "(" opening? token_body ")" -> group

%declare OPTIONS NAMES TOKEN RULE STRING MARK SUFFIX SET ARGUMENTS ACTION
"""

#: Braces with what is in them; comments may hold braces.
_BLOCK: Final = (
    r"\s*\{(?:[^{}/]|//[^\r\n]*(?![^\r\n])|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|/(?![/*])|\{[^{}]*\})*\}"
)

_PATTERN: Final = re.compile(
    rf"""
    (?P<blank> [\s\ufeff]+ | //[^\r\n]* | /\*.*?\*/ )
  | (?P<options> options{_BLOCK} )
  | (?P<names> (?:tokens|channels){_BLOCK} )
  | (?P<name> \w+ )
  | (?P<string> '(?:[^'\\\r\n]|\\.)*' )
  | (?P<mark> <[^<>;]*> )
  | (?P<suffix> (?:[*?]|\+(?!=))\?? )
  | (?P<open> [\[{{] )
  | (?P<sign> -> | \.\. | \+= | :: | [](){{}}|:;,.=~@\#] )
    """,
    re.VERBOSE | re.DOTALL,
)

_UNCLOSED: Final = {
    "/*": "this comment is never closed. Add `*/`.",
    "'": "this text is never closed. Add a `'` on the same line.",
    '"': "texts have single quotes. Write '...'.",
}

#: What has a meaning of its own inside an action: texts and comments may hold braces. A quote
#: that is not closed on its line is an apostrophe.
_IN_ACTION: Final = re.compile(
    r"""
    \\. | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*' | //[^\r\n]* | /\*.*?\*/ | [][{}]
    """,
    re.VERBOSE | re.DOTALL,
)

_SET: Final = re.compile(r"\[(?:\\.|[^\]\\\r\n])*\]", re.DOTALL)


def refine(source: Source, found: re.Match[str], fitting: Container[str]) -> tuple[str, int]:
    """Tell the names of tokens from those of rules, and sets of characters from arguments."""
    kind = found.lastgroup or ""
    if kind == "name":
        return "token" if found[0][0].isupper() else "rule", found.end()
    if kind != "open":
        return kind, found.end()
    if found[0] == "[" and "SET" in fitting:
        whole = _SET.match(source.text, found.start())
        if whole is None:
            source.fail(found.start(), "this character set is never closed. Add `]`.")
        return "set", whole.end()
    opening, closing = found[0], "]" if found[0] == "[" else "}"
    depth, offset = 1, found.end()
    while depth:
        inside = _IN_ACTION.search(source.text, offset)
        if inside is None:
            source.fail(found.start(), f"this {opening!r} is never closed. Add {closing!r}.")
        depth += (inside[0] == opening) - (inside[0] == closing)
        offset = inside.end()
    return "arguments" if opening == "[" else "action", offset


#: The syntax of `.g4` files.
G4_SYNTAX: Final = Syntax(
    _GRAMMAR,
    _PATTERN,
    _UNCLOSED,
    {"RULE": "a name", "TOKEN": "a token", "STRING": "a text in single quotes"},
)
