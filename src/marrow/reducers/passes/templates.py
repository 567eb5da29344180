"""Templates of rewrites: text of the language itself with holes, matched on trees.

A template is a text such as `while ($a) $b`. A hole, `$` and a name, matches one node of any kind;
`$$` and a name match any number of neighbouring list elements. White space does not count, and
semicolons may be missing in the text. A hole that occurs twice must have the same text. A template
matches a node if it uses up all of its tokens, so templates need no parser of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from marrow.base.errors import MarrowError
from marrow.tree import SEPARATOR, Node, Token
from marrow.tree.node import tokens_of

_HOLE: Final = re.compile(rb"(\$\$?[A-Za-z_]\w*)")


class TemplateError(MarrowError, ValueError):
    """A file of rewrites that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class TemplateHole:
    """A hole of a template; `several` takes a run of list elements."""

    name: str
    several: bool = False


TemplatePart: TypeAlias = bytes | TemplateHole
Template: TypeAlias = tuple[TemplatePart, ...]

#: The nodes that fill each hole of a match.
Bindings: TypeAlias = Mapping[str, tuple[Node, ...]]


@dataclass(frozen=True, slots=True)
class RewriteRule:
    """A template, and what takes the place of a match; nothing deletes the match."""

    match: Template
    replace: Template


@dataclass(frozen=True, slots=True)
class CallForm:
    """How a function is called, for functions to be inlined.

    `call` may say where `$$arguments` are, and the `$object` that the function is called on, which
    takes the place of `$self` in its head, or of `this`; without it the function is called where it
    is defined. `result` is a statement that returns `$value`; without it the value is the last
    statement. `local` declares `$variable`, the name of a `$parameter`, with the value of an
    `$argument`; `cast` converts an argument to the `$type` of its parameter.
    """

    call: Template = ()
    result: Template = ()
    local: Template = ()
    cast: Template = ()


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rule, and the rules that are applied everywhere else with the same holes.

    One that `grows` the text is a detour. With a form of calls, the rule matches a function with
    the holes `$name` and `$$body`, and perhaps `$$parameters`, to be inlined where it is called; or
    one that is called at once, with `$$arguments` in the place of a name.
    """

    name: str
    rule: RewriteRule
    everywhere: tuple[RewriteRule, ...] = ()
    grows: bool = False
    calls: CallForm | None = None


def read_rewrites(text: str, source: str = "rewrites") -> tuple[Rewrite, ...]:
    """Read a file of rewrites; raise `TemplateError` if it is not one."""
    import tomllib  # which only those languages need that have rewrites

    try:
        data = tomllib.loads(text)
        entries = data.pop("rewrite", [])
        if data or not isinstance(entries, list):
            raise TemplateError(f"{source}: only ⟦rewrite⟧ tables are allowed")
        return rewrites_from(entries, source)
    except tomllib.TOMLDecodeError as error:
        raise TemplateError(f"{source}: {error}") from error
    except RecursionError:
        raise TemplateError(f"{source}: tables or lists are nested too deep") from None


def rewrites_from(entries: Sequence[object], source: str) -> tuple[Rewrite, ...]:
    """Return the rewrites in the tables of a file; raise `TemplateError` if they are not right."""
    return tuple(
        _rewrite(one, f"{source}, rewrite {at}")
        for at, entry in enumerate(entries, 1)
        for one in _variants(entry)
    )


def _variants(entry: object) -> list[object]:
    """Return a table once for each text of `each`, in the place of `@`."""
    if not isinstance(entry, dict) or not isinstance(entry.get("each"), list):
        return [entry]
    rest = json.dumps({key: value for key, value in entry.items() if key != "each"}, default=str)
    return [json.loads(rest.replace("@", json.dumps(str(one))[1:-1])) for one in entry["each"]]


_KEYS: Final = "name, match, replace, everywhere, grows, call, result, local, cast"


def _rewrite(entry: object, source: str) -> Rewrite:
    if not isinstance(entry, dict) or not set(entry) <= set(_KEYS.split(", ")):
        raise TemplateError(f"{source}: the keys are {_KEYS}")
    everywhere = entry.get("everywhere", [])
    if not isinstance(everywhere, list):
        raise TemplateError(f"{source}: everywhere is a list of tables with match and replace")
    rule = _rule(entry, (), source)
    known = _holes(rule.match)
    rest = tuple(_rule(one, known, source) for one in everywhere)
    grows = entry.get("grows", False)
    if not isinstance(grows, bool):
        raise TemplateError(f"{source}: grows is true or false")
    calls = _calls(entry, known, source)
    return Rewrite(str(entry.get("name", "rewriting")), rule, rest, grows, calls)


def _calls(entry: Mapping[str, object], known: Sequence[str], source: str) -> CallForm | None:
    """Return how a function is called, where a rewrite says so."""
    texts = {key: entry[key] for key in ("call", "result", "local", "cast") if key in entry}
    here = "call" not in entry and {"arguments", "body"} <= set(known) and "replace" not in entry
    if not texts and not here:
        return None
    made: dict[str, Template] = {}
    for key, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise TemplateError(f"{source}: {key} is a text that is not empty")
        made[key] = _template(text)
    if not here and ("call" not in made or not {"name", "body"} <= set(known)):
        raise TemplateError(f"{source}: a function has call, and $name and $$body in match")
    if not here and "name" not in _holes(made["call"]):
        raise TemplateError(f"{source}: $name is in call")
    if "result" in made and _holes(made["result"]) != ["value"]:
        raise TemplateError(f"{source}: $value is in result")
    known_here = {"parameter", "variable", "argument", "type"}
    if not {*_holes(made.get("local", ())), *_holes(made.get("cast", ()))} <= known_here:
        raise TemplateError(f"{source}: local has $parameter, $variable and $argument only")
    return CallForm(**made)


def _rule(entry: object, known: Sequence[str], source: str) -> RewriteRule:
    if not isinstance(entry, dict):
        raise TemplateError(f"{source}: a rule is a table with match and replace")
    match, replace = entry.get("match"), entry.get("replace", "")
    if not isinstance(match, str) or not isinstance(replace, str) or not match.strip():
        raise TemplateError(f"{source}: match and replace are texts, and match is not empty")
    rule = RewriteRule(_template(match), _template(replace))
    unknown = set(_holes(rule.replace)) - set(_holes(rule.match)) - set(known)
    if unknown:
        raise TemplateError(f"{source}: ${min(unknown)} is in replace but not in match")
    return rule


def _template(text: str) -> Template:
    return tuple(
        TemplateHole(piece.lstrip(b"$").decode(), piece.startswith(b"$$"))
        if _HOLE.fullmatch(piece)
        else piece.strip()
        for piece in _HOLE.split(text.encode())
        if piece.strip()
    )


def _holes(template: Template) -> list[str]:
    return [part.name for part in template if isinstance(part, TemplateHole)]


_PIECE: Final = re.compile(rb"\w+|[^\w\s]")
_ONE_TOKEN: Final = re.compile(rb"\w+|[\[\](){};,]")


def may_match(template: Template, text: bytes) -> bool:
    """Whether all words and signs of a template occur in a text; otherwise it cannot match."""
    literals = [part for part in template if isinstance(part, bytes)]
    pieces = [piece for part in literals for piece in _PIECE.findall(part)]
    return all(piece in text for piece in pieces if piece != b";")


def is_counted(template: Template) -> bool:
    """Whether every literal of a template is one token in any language."""
    return all(isinstance(part, TemplateHole) or _ONE_TOKEN.fullmatch(part) for part in template)


#: A hole that is bound if a semicolon of the template is missing in the text.
OMITTED: Final = ";"

# A template that could match in more ways than this on one node is given up for that node.
_MOST_STEPS: Final = 2_000

#: Nodes in order: the first one, and the rest.
_Chain = tuple[Node, "_Chain | None"]


#: The rest of a match: the nodes, a part of the template, an offset in it, the holes so far.
_State = tuple["_Chain | None", int, int, "dict[str, tuple[Node, ...]]"]


def match(template: Template, node: Node, known: Bindings | None = None) -> Bindings | None:
    """Match a template against all of a node; `known` are holes that are bound already.

    Only if it does not match as it is, semicolons inside of it may be missing.
    """
    literal = next(iter(template))
    first = node.first
    if first is None or (isinstance(literal, bytes) and not literal.startswith(first.text[:1])):
        return None
    found = _matched(template, node, known, omits=False)
    if found is None and _has_inner_semicolon(template):
        found = _matched(template, node, known, omits=True)
    return found


@cache
def _has_inner_semicolon(template: Template) -> bool:
    literals = [part for part in template if isinstance(part, bytes)]
    return b";" in b" ".join(literals).rstrip(b"; ")


def _matched(
    template: Template, node: Node, known: Bindings | None, *, omits: bool
) -> Bindings | None:
    # The ways to go on from each state, none of them made before it is tried.
    ways: list[Iterator[_State]] = [iter((((node, None), 0, 0, dict(known or {})),))]
    for _ in range(_MOST_STEPS):
        while ways and (state := next(ways[-1], None)) is None:
            ways.pop()
        if not ways or state is None:
            return None
        chain, at, offset, holes = state
        if at == len(template):
            if _without_tokens(chain):
                return holes
            continue
        part = template[at]
        if isinstance(part, TemplateHole):
            ways.append(_hole_steps(part, chain, at, holes))
            continue
        if at + 1 == len(template) and part[offset:].strip() == b";" and _without_tokens(chain):
            return {**holes, OMITTED: ()}
        step = _literal_step(part, offset, chain)
        if step is None and omits and part[offset:].lstrip().startswith(b";"):
            step = chain, part.index(b";", offset) + 1
            holes = {**holes, OMITTED: ()}
        if step is not None:
            rest, used = step
            end = not part[used:].strip()
            ways.append(iter(((rest, at + end, 0 if end else used, holes),)))
    return None


def _without_tokens(chain: _Chain | None) -> bool:
    while chain is not None:
        node, chain = chain
        if node.token_count:
            return False
    return True


def _opened(chain: _Chain) -> _Chain | None:
    """Put the children of the first node in its place."""
    node, rest = chain
    for child in reversed(node.children):
        rest = (child, rest)
    return rest


def _literal_step(
    part: bytes, offset: int, chain: _Chain | None
) -> tuple[_Chain | None, int] | None:
    """Match the next token with what is left of a literal."""
    while chain is not None and not isinstance(chain[0], Token):
        chain = _opened(chain)
    if chain is None:
        return None
    token = chain[0]
    left = part[offset:]
    blanks = len(left) - len(left.lstrip())
    text = token.text
    if not text or not left[blanks:].startswith(text):
        return None
    return chain[1], offset + blanks + len(text)


def _hole_steps(
    hole: TemplateHole, chain: _Chain | None, at: int, holes: dict[str, tuple[Node, ...]]
) -> Iterator[_State]:
    """Yield how a hole can be filled from here, in the order to try: the most comes first."""
    while chain is not None and not chain[0].token_count:
        chain = chain[1]
    bound = holes.get(hole.name)
    for nodes, rest in _neighbours(chain) if hole.several else _single(chain):
        if bound is None:
            yield rest, at + 1, 0, {**holes, hole.name: nodes}
        elif _same(bound, nodes):
            yield rest, at + 1, 0, holes
    if hole.several and chain is not None and chain[0].children:
        yield _opened(chain), at, 0, holes


def _single(chain: _Chain | None) -> Iterator[tuple[tuple[Node, ...], _Chain | None]]:
    """Yield the nodes that begin where a chain does, from the largest down, with the rest.

    What the parser could not read is none of them.
    """
    while chain is not None and chain[0].slot != SEPARATOR and chain[0].symbol != "ERROR":
        yield (chain[0],), chain[1]
        if not chain[0].children:
            return
        chain = _opened(chain)
        while chain is not None and not chain[0].token_count:
            chain = chain[1]


def _neighbours(chain: _Chain | None) -> Iterator[tuple[tuple[Node, ...], _Chain | None]]:
    """Yield runs of the first nodes of a chain, from all of them down to none, with the rest."""
    rests = [chain]
    while (rest := rests[-1]) is not None:
        rests.append(rest[1])
    run = [rest[0] for rest in rests if rest is not None]
    for count in range(len(run), -1, -1):
        yield tuple(run[:count]), rests[count]


def _same(some: Sequence[Node], others: Sequence[Node]) -> bool:
    """Whether nodes have the same tokens; most differ in their number already."""
    if sum(node.token_count for node in some) != sum(node.token_count for node in others):
        return False
    pairs = zip(tokens_of(some), tokens_of(others), strict=True)
    return all(one.text == other.text for one, other in pairs)
