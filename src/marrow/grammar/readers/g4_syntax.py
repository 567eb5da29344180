"""The lexemes of ANTLR v4 grammars; `g4.lark` says what they make."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from marrow.grammar.readers.scan import Source, Syntax

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
    "g4",
    _PATTERN,
    _UNCLOSED,
    {"RULE": "a name", "TOKEN": "a token", "STRING": "a text in single quotes"},
)
