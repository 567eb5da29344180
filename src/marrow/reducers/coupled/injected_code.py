"""Code in other code: a query in a string, a script in a page, a fence of a document.

The tables `[[injection]]` of a language say which nodes hold what. Such a node is parsed as what it
is, and perses runs on that tree; each candidate is the whole text with the smaller code in it. Code
that does not parse is left to the passes for strings. A table has these keys, all but `node` and
`language` optional:

- `node`: a regular expression for the symbol of the node.
- `code`: a regular expression for its text, whose group `code` is the code.
- `below`: the symbol of a node around it; `by`: a regular expression for the text with which that
  one begins, whose group `language` may name the language.
- `language`: the language, or how else to see it (`lines`).
- `escapes`: the characters that may follow a backslash in the code; of them, `n`, `r` and `t` mean
  white space, any other means itself. Code with other escapes is taken as it is written.
- `joint`: a regular expression for what separates the lines of the code: two quotes and a comma.
- `end`: what the code ends with for its parser, and may do without in its place.

Guarantee: no element of a list in the code can be deleted. Worst case: that of perses for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from marrow.languages.language_facts import facts_of
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.prepare import flatten
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.spans import NodeSpan, indentation, spans
from marrow.reducers.streams.stream import Done, End, Reducer, Stream, lifted
from marrow.tree import Place, Tree

# As for comments: larger texts have other things to lose first.
_LARGEST: Final = 5_000

# Code of fewer bytes is as small as its parts.
_LEAST: Final = 8

# What these characters mean after a backslash.
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class InjectionRule:
    """A table `[[injection]]`."""

    node: str
    language: str = "{language}"
    code: str = r"(?P<code>[\s\S]*)"
    below: str = ""
    by: str = ""
    escapes: str = ""
    joint: str = "(?!)"
    end: str = ""


class _Code(NamedTuple):
    """A piece of code in a text: where it is, its language, and how to write other code there."""

    start: int
    end: int
    language: str
    code: bytes
    written: Callable[[bytes], bytes]


@cache
def injection_rules(language: str) -> tuple[InjectionRule, ...]:
    """Return the rules of a language."""
    return tuple(InjectionRule(**one) for one in facts_of(language).injections)


def injected_code(context: PassContext) -> Reducer:
    """Return the pass that reduces code in other code."""
    rules = injection_rules(context.options.language)

    def run(tree: Tree, done: Done) -> Stream | None:
        if not rules or tree.token_count > _LARGEST:
            return done(tree)
        return _from(context, rules, context.reparsed(tree), 0, done)

    return run


def _from(
    context: PassContext, rules: Sequence[InjectionRule], tree: Tree, number: int, done: Done
) -> Stream | None:
    """Reduce one piece of code after the other, from some number on."""
    for at, one in enumerate(_found(tree, rules)):
        front = context.injected(one.language, one.code) if at >= number else None
        if front is None:
            continue

        def whole(inside: Tree, one: _Code = one) -> Tree:
            written = one.written(inside.text)
            return context.parse(tree.text[: one.start] + written + tree.text[one.end :])

        def ended(inside: Tree, at: int = at, code: bytes = one.code) -> Stream | None:
            after = tree if inside.text == code else whole(inside)
            return _from(context, rules, after, at + 1, done)

        settings = context.settings
        reducer = perses(front, bound=settings.bound, minimize=settings.minimize)
        return lifted(reducer(flatten(front.parse(one.code)), End), whole, ended)
    return done(tree)


def _found(tree: Tree, rules: Sequence[InjectionRule]) -> Iterator[_Code]:
    """Yield the code in a text, in its order; of code in code the outer one."""
    end = 0
    by_place = {one.place: one for one in spans(tree)}
    for span in spans(tree):
        for rule in rules if span.start >= end else ():
            if not re.fullmatch(rule.node, span.node.symbol):
                continue
            found = re.fullmatch(rule.code.encode(), span.node.text)
            if found is None:
                continue
            language = _language(span, rule, by_place)
            start, stop = span.start + found.start("code"), span.start + found.end("code")
            if language and stop - start >= _LEAST:
                yield _Code(start, stop, language, *_read(tree.text, start, stop, rule))
                end = span.end
                break


def _read(
    text: bytes, start: int, stop: int, rule: InjectionRule
) -> tuple[bytes, Callable[[bytes], bytes]]:
    """Return the code in a part of a text, and what writes other code in its place."""
    part = text[start:stop]
    indent = indentation(text, stop - len(part.lstrip())) if b"\n" in part else b""
    head = indent if part.startswith(indent) else b""
    outdented = b"\n".join(line.removeprefix(indent) for line in part.split(b"\n"))
    code, signs, joint = _unescaped(outdented.decode("latin-1"), rule)
    if not code.rstrip().endswith(rule.end):
        code += rule.end

    def written(other: bytes) -> bytes:
        escaped = other.decode("latin-1").removesuffix(rule.end).translate(signs)
        whole = escaped.removesuffix(joint).encode("latin-1")
        return head + whole.replace(b"\n", b"\n" + indent)

    return code.encode("latin-1"), written


def _unescaped(text: str, rule: InjectionRule) -> tuple[str, dict[int, str], str]:
    """Return the code that a text is written for, how to escape it, and what is between its lines.

    Characters that the text has without a backslash need none.
    """
    meanings = {"\\" + one: _ESCAPED.get(one, one) for one in rule.escapes}
    pieces: list[str] = re.findall(rf"\\[\s\S]|{rule.joint}|[\s\S]", text)
    if any(one[0] == "\\" and one not in meanings for one in pieces):
        return text, {}, ""
    joints = [one for one in pieces if len(one) > 1 and one not in meanings]
    code = "".join(meanings.get(one, one) for one in pieces if one not in joints)
    joint = joints[0] if joints else ""
    signs = {ord(one): sign for sign, one in meanings.items() if one not in pieces}
    return code, signs | {ord("\n"): signs.get(ord("\n"), "\n") + joint}, joint


def _language(span: NodeSpan, rule: InjectionRule, by_place: Mapping[Place, NodeSpan]) -> str:
    """Return the language of the code in a node; empty if the rule does not hold for it."""
    language = rule.language
    if rule.below:
        above = (by_place[place] for place in span.place.upwards() if place in by_place)
        outer = next((one for one in above if one.node.symbol == rule.below), None)
        begins = None if outer is None else re.match(rule.by.encode(), outer.node.text)
        if begins is None:
            return ""
        named = begins.groupdict().get("language") or b""
        language = language.replace("{language}", named.decode("latin-1"))
    return language
