"""The terminals that Lark grammars import from `common` and `unicode`, in Lark's notation."""

from __future__ import annotations

from typing import Final

#: Module name to text. The names are Lark's; the definitions say what Lark's documents promise.
COMMON: Final = {
    "common": r"""
        DIGIT: /[0-9]/
        HEXDIGIT: /[0-9a-fA-F]/
        INT: /[0-9]+/
        SIGNED_INT: /[+-]?[0-9]+/
        DECIMAL: /[0-9]+\.[0-9]*|\.[0-9]+/
        _EXP: /[eE][+-]?[0-9]+/
        FLOAT: INT _EXP | DECIMAL _EXP?
        SIGNED_FLOAT: /[+-]?/ FLOAT
        NUMBER: FLOAT | INT
        SIGNED_NUMBER: /[+-]?/ NUMBER
        _STRING_INNER: /[^\n]*?/
        _STRING_ESC_INNER: /(?:[^"\\\n]|\\[^\n])*/
        ESCAPED_STRING: "\"" _STRING_ESC_INNER "\""
        LCASE_LETTER: /[a-z]/
        UCASE_LETTER: /[A-Z]/
        LETTER: /[a-zA-Z]/
        WORD: /[a-zA-Z]+/
        CNAME: /[a-zA-Z_][a-zA-Z_0-9]*/
        WS_INLINE: /[ \t]+/
        WS: /[ \t\f\r\n]+/
        CR: /\r/
        LF: /\n/
        NEWLINE: /(?:\r?\n)+/
        SH_COMMENT: /#[^\n]*/
        CPP_COMMENT: /\/\/[^\n]*/
        C_COMMENT: /\/\*(?:[^*]|\*+[^*\/])*\*+\//
        SQL_COMMENT: /--[^\n]*/
    """,
    "unicode": r"""
        WS_INLINE: /[ \t\u00a0]+/
        WS: /[ \t\u00a0\f\r\n]+/
    """,
}
