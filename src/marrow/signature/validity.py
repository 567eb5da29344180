"""Whether a tool understood its input: a file with a syntax error is not a valid input.

Only what tools say when their parser gives up counts, and only about the input. A type error or an
exception while a program runs shows that it was parsed.
"""

from __future__ import annotations

import enum
import re
from typing import Final

from marrow.diagnostics import message_rules as rules
from marrow.diagnostics.observation import Observation, signal_of
from marrow.diagnostics.report import Message, report_of
from marrow.diagnostics.texts import InputText


class InputValidity(enum.Enum):
    """What a run tells about its input."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"


# Sentences of parsers and lexers. Names of languages' own errors first.
_SYNTAX: Final = re.compile(
    r"""(?ix)
    \b(?:SyntaxError|IndentationError|TabError|ParseException|ParseError|JSONDecodeError|TokenMgrError|TokenError|LexError
      |ParserError|ScannerError|YAMLException|SyntaxException|SAXParseException|XMLSyntaxError|TOMLDecodeError|MismatchedTokenException)\b
    | \b(?:syntax|parse|parsing|parser|lexical|lexer|lexing|scanner|tokenizer|tokenization|grammar)[ ]?(?:error|failure|exception)s?\b
    | \b(?:could|can|did|do)(?:[ ]not|n't|not)[ ](?:be[ ])?(?:parsed?|lex|tokeni[sz]e|scan)\b | \bunable[ ]to[ ]parse\b | \bfailed[ ]to[ ]parse\b | \bparse[ ]failed\b
    | \b(?:unexpected|premature|unterminated)[ ](?:end[ ]of[ ](?:file|input|line|stream|document|data|template|text|string|json)|eof|eoi|newline|indent|dedent|token|symbol|character|identifier
      |keyword|operator|string|number|')
    | \b(?:unterminated|unclosed|unbalanced|unmatched|mismatched|missing[ ](?:closing|terminating|end)|unmatched)\b.{0,40}?(?:string|comment|quote|bracket|brace|paren|delimiter|block|literal|tag|character|element
      |'[^']{1,3}'|[()\[\]{}])
    | \bwas[ ]never[ ]closed\b | \bexpected[ ].{0,60}?\b(?:but[ ])?(?:found|got|before|after|near|at[ ]end)\b | \b(?:found|got)[ ].{0,40}\bexpected\b
    | \bexpected[ ](?:an?[ ])?(?:'[^']{1,3}'|expression|statement|declaration|identifier|token|semicolon|end[ ]of|instruction[ ]opcode|top-level|item|unqualified-id|primary-expression|value[ ]at)
    | \b(?:expecting|expected)[ ]'[^']+' | '[^']{1,12}'[ ]expected\b | \bmissing[ ](?:'[^']{1,4}'|semicolon|comma|parenthesis|brace|bracket|close-brace|closing)
    | \b(?:illegal|invalid|unknown|unrecogni[sz]ed|stray|bad)[ ](?:character|token|escape|syntax|start[ ]of|input[ ]character|byte|utf-8|numeric[ ]literal|symbol[ ]in|preprocessing)
    | \bunclassifiable[ ]statement\b | \bmalformed\b | \bnot[ ]well-formed\b | \bstart[ ]tag[ ]expected\b | \bopening[ ]and[ ]ending[ ]tag\b | \bextra[ ]content\b
    | \bno[ ]viable[ ]alternative\b | \bmismatched[ ]input\b | \bextraneous[ ]input\b | \binvalid[ ](?:json|xml|yaml|toml|html|css|sql|regular[ ]expression[ ]literal)\b
    | \bend[ ]of[ ]file[ ](?:on|in|while|reached|before|unexpected)\b | \boperator[ ]expected\b | \bEOF[ ](?:in|while|inside)\b | \bnear[ ]'.*':?[ ]syntax[ ]error\b
    | \brunaway[ ]argument\b | \bparenthesis[ ](?:mismatch|not[ ]closed)\b | \bthis[ ]'[^']+'[ ]might[ ]be[ ]unmatched\b | \bcould[ ]not[ ]decode\b | \bnot[ ]valid[ ](?:json|xml|utf-8|yaml|toml)\b
    | \bYou[ ]have[ ]an[ ]error[ ]in[ ]your[ ]SQL[ ]syntax\b | \bincomplete[ ](?:input|statement|command|universal)\b
    """
)


def validity_of(seen: Observation, text: bytes, name: str = "") -> InputValidity:
    """Return what a run on a text tells about it."""
    if seen.status is None:
        return InputValidity.UNKNOWN
    source = InputText(text, name)
    report = report_of(seen, source)
    errors = [one for one in report.messages if one.level in ("error", "summary")]
    if signal_of(seen.status) or any(one.kind in _UNDERSTOOD for one in errors):
        return InputValidity.VALID
    if any(_is_syntax(one) for one in errors):
        return InputValidity.INVALID if seen.status != 0 else InputValidity.UNKNOWN
    if seen.status == 0:
        return InputValidity.VALID
    return InputValidity.VALID if any(one.sure for one in errors) else InputValidity.UNKNOWN


def is_syntax_error(seen: Observation, text: bytes, name: str = "") -> bool:
    """Return whether the tool refuses the text because it cannot be parsed."""
    return validity_of(seen, text, name) is InputValidity.INVALID


_UNDERSTOOD: Final = frozenset(
    {rules.SANITIZER, rules.INTERNAL, rules.ASSERTION, rules.PANIC, rules.ABORT}
)


def _is_syntax(message: Message) -> bool:
    return bool(_SYNTAX.search(message.line) or _SYNTAX.search(message.text))
