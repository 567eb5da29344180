"""Choosing what to keep of a failure, on a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable

from marrow.report.plain import printable
from marrow.signature.signature import Signature


def chosen(
    signatures: tuple[Signature, ...],
    say: Callable[[str], None],
    ask: Callable[[str], str] = input,
) -> Signature:
    """Show the signatures with numbers, and return the one that the user wants.

    The return key takes the first. `r` asks for a regular expression in its place.
    """
    say("which failure is to be kept?")
    for number, one in enumerate(signatures, start=1):
        say(f"  {number}  {_plain(one.sentence)}")
    say("  r  a line that matches a regular expression of your own")
    while True:
        try:
            answer = ask("number or r [1]: ").strip().lower()
        except EOFError:
            return signatures[0]
        if answer in ("", "1"):
            return signatures[0]
        if answer.isdecimal() and 1 <= int(answer) <= len(signatures):
            return signatures[int(answer) - 1]
        if answer == "r" and (own := _own(signatures[0], say, ask)) is not None:
            return own


def _own(
    first: Signature, say: Callable[[str], None], ask: Callable[[str], str]
) -> Signature | None:
    """Ask for a regular expression; None to choose again."""
    stream = "stdout" if any(fact.stream == "stdout" for fact in first.facts) else "stderr"
    name = "error" if stream == "stderr" else "output"
    try:
        expression = ask(f"a line on standard {name} matches: ")
        re.compile(expression)
    except EOFError:
        return None
    except re.error as error:
        say(f"this is no regular expression: {error}")
        return None
    if not expression:
        return None
    lines = {stream: (expression,)}
    return Signature.of_expressions(
        status=first.status, ends=first.ends, forbidden=first.forbidden, **lines
    )


def _plain(words: str) -> str:
    return printable(words.encode("utf-8", "surrogateescape"))
