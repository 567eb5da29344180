"""Grammars out of generated parsers: ANTLR's automaton (ATN) back to rules in its notation.

    python -m bench.grammars_atn PARSER LEXER OUT.g4

No package brings the source of the grammars of PL/SQL, T-SQL and PostgreSQL, but some bring parsers
that ANTLR made from them: `dt-sql-parser` on npm (modules for antlr4ts, with the automaton as text)
and `antlr-plsql` and `antlr-tsql` on PyPI (`.interp` files). An automaton keeps the blocks, loops
and references of a rule; a left-recursive rule is a loop with precedences. What comes back is the
author's grammar but for names of labels, the code in it, and the order of a few alternatives.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

#: Types of states and edges, as in ANTLR's `ATNState` and `Transition`.
_BLOCKS: Final = (3, 4, 5)
_PLUS_BLOCK, _RULE_STOP, _STAR_ENTRY, _LOOP_END = 4, 7, 10, 12
_RANGE, _RULE, _PREDICATE, _ATOM, _ACTION, _SET, _NOT_SET, _ANY, _PRECEDENCE = range(2, 11)

#: What lexer actions are called in grammars, by their numbers.
_COMMANDS: Final = {
    0: "channel", 2: "mode", 3: "more", 4: "popMode", 5: "pushMode", 6: "skip", 7: "type",
}  # fmt: skip


class Edge(NamedTuple):
    """A transition."""

    target: int
    kind: int
    first: int
    second: int
    third: int


@dataclass
class Automaton:
    """An ATN, with the names of what its numbers mean."""

    lexer: bool
    types: list[int] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=dict)
    lazy: set[int] = field(default_factory=set)
    starts: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    sets: list[list[tuple[int, int]]] = field(default_factory=list)
    edges: dict[int, list[Edge]] = field(default_factory=dict)
    actions: list[tuple[int, int, int]] = field(default_factory=list)


def decode(numbers: list[int], *, shifted: bool, fork: bool) -> Automaton:
    """Read a serialised ATN of version 3; `fork` is antlr4ts, which has a few numbers more."""
    data = [numbers[0], *((one - 2) & 0xFFFF for one in numbers[1:])] if shifted else numbers
    at = 9  # behind the version and the UUID

    def take() -> int:
        nonlocal at
        at += 1
        return data[at - 1]

    found = Automaton(lexer=take() == 0)
    take()
    for state in range(take()):
        kind = take()
        found.types.append(kind)
        if kind:
            take()
            if kind in (*_BLOCKS, _LOOP_END):
                found.ends[state] = take()
    found.lazy = {take() for _ in range(take())}
    for _ in range(2 if fork else 1):
        for _ in range(take()):
            take()
    for _ in range(take()):
        found.starts.append(take())
        if fork:
            take()
        if found.lexer:
            found.kinds.append(take())
    for _ in range(take()):
        take()
    for wide in (False, True):
        for _ in range(take()):
            count, end = take(), take()
            pairs = [(-1, -1)] if end else []
            for _ in range(count):
                low = take() | (take() << 16 if wide else 0)
                pairs.append((low, take() | (take() << 16 if wide else 0)))
            found.sets.append(pairs)
    for _ in range(take()):
        source, *rest = (take() for _ in range(6))
        found.edges.setdefault(source, []).append(Edge(*rest))
    for _ in range(take()):
        take()
    if found.lexer:
        found.actions = [(take(), take(), take()) for _ in range(take())]
    if at != len(data):
        raise ValueError(f"{len(data) - at} numbers are left")
    return found


class Rules:
    """Writes the rules of an ATN."""

    def __init__(self, atn: Automaton, rules: list[str], tokens: list[str]) -> None:
        self._atn: Final = atn
        self._rules: Final = rules
        self._tokens: Final = tokens

    def rule(self, number: int) -> str:
        """Return a rule as text."""
        atn = self._atn
        start = atn.starts[number]
        name = self._rules[number]
        (edge,) = atn.edges[start]
        levels: list[tuple[int, str]] = []
        body = self._run(edge.target, -1, name, levels)
        if levels:
            # A loop of operators with precedences: the higher, the earlier.
            parts = [body, *(text for _, text in sorted(levels, key=lambda one: -one[0]))]
            body = "\n    | ".join(part for part in parts if part.strip())
        return f"{name}\n    : {body}\n    ;\n"

    def _run(self, state: int, end: int, name: str, levels: list[tuple[int, str]]) -> str:
        """Return what stands between two states; it is nested no deeper than a rule is."""
        atn = self._atn
        parts: list[str] = []
        commands: list[str] = []
        while state != end and atn.types[state] != _RULE_STOP:
            kind = atn.types[state]
            if kind == _STAR_ENTRY:
                block = next(e.target for e in atn.edges[state] if atn.types[e.target] in _BLOCKS)
                after = next(e.target for e in atn.edges[state] if atn.types[e.target] == _LOOP_END)
                options = self._options(block, atn.ends[block], name, levels)
                if options:
                    lazy = "?" if state in atn.lazy else ""
                    parts.append(f"({options})*{lazy}")
                state = after
            elif kind in _BLOCKS:
                stop = atn.ends[state]
                options = self._options(state, stop, name, levels)
                (leave,) = atn.edges[stop]
                mark = ""
                if kind == _PLUS_BLOCK:
                    back = leave.target
                    mark = "+?" if back in atn.lazy else "+"
                    leave = next(e for e in atn.edges[back] if atn.types[e.target] == _LOOP_END)
                elif options.endswith(" | "):
                    options, mark = options.removesuffix(" | "), "?"
                elif options.startswith(" | "):
                    options, mark = options.removeprefix(" | "), "??"
                parts.append(f"({options}){mark}")
                state = leave.target
            else:
                (edge,) = atn.edges[state]
                part = self._edge(edge)
                (commands if edge.kind == _ACTION else parts).append(part)
                state = edge.target
        written = [one for one in commands if one]
        text = " ".join(part for part in parts if part)
        return f"{text} -> {', '.join(written)}" if written else text

    def _options(self, block: int, end: int, name: str, levels: list[tuple[int, str]]) -> str:
        found = []
        for edge in self._atn.edges[block]:
            state = edge.target
            while self._atn.types[state] == 1 and self._atn.edges[state][0].kind == 1:
                state = self._atn.edges[state][0].target
                if state == end:
                    break
            first = self._atn.edges[state][0]
            text = self._run(edge.target, end, name, levels)
            if state != end and first.kind == _PRECEDENCE:
                levels.append((first.first, f"{name} {text}"))
            else:
                found.append(text)
        return " | ".join(found)

    def _edge(self, edge: Edge) -> str:
        atn = self._atn
        match edge.kind:
            case 3:
                return self._rules[edge.second]
            case 5 if atn.lexer:
                return "EOF" if edge.third else _set([(edge.first, edge.first)])
            case 5:
                return "EOF" if edge.third else self._tokens[edge.first]
            case 2 if atn.lexer:
                return _set([(edge.first, edge.second)])
            case 7 | 8 if atn.lexer:
                return ("~" if edge.kind == _NOT_SET else "") + _set(atn.sets[edge.first])
            case 2 | 7 | 8:
                pairs = atn.sets[edge.first] if edge.kind != _RANGE else [edge[2:4]]
                names = [self._token(one) for low, high in pairs for one in range(low, high + 1)]
                return ("~" if edge.kind == _NOT_SET else "") + f"({' | '.join(names)})"
            case 9:
                return "."
            case 6 if atn.lexer and edge.second < len(atn.actions):
                kind, data, _ = atn.actions[edge.second]
                name = _COMMANDS.get(kind, "")
                value = {"channel": "HIDDEN", "type": self._tokens[data] if kind == 7 else ""}
                return f"{name}({value[name]})" if name in value else name
            case _:
                return ""

    def _token(self, number: int) -> str:
        return "EOF" if number < 0 else self._tokens[number]


def _set(pairs: list[tuple[int, int]]) -> str:
    def shown(code: int) -> str:
        return f"\\u{{{code:X}}}"

    if any(low < 0 for low, _ in pairs):
        rest = [pair for pair in pairs if pair[0] >= 0]
        return f"({_set(rest)} | EOF)"
    return "[" + "".join(shown(a) if a == b else f"{shown(a)}-{shown(b)}" for a, b in pairs) + "]"


def grammar(parser: Path, lexer: Path, name: str) -> str:
    """Return the grammar of a generated parser and its lexer."""
    rules, literals, tokens, numbers, fork = _loaded(parser)
    lexer_rules, _, lexer_tokens, lexer_numbers, _ = _loaded(lexer)
    shown = [tokens[n] or literals[n] or "EOF" for n in range(len(tokens))]
    atn = decode(numbers, shifted=True, fork=fork)
    lex = decode(lexer_numbers, shifted=True, fork=fork)
    lines = [f"grammar {name};\n"]
    writer = Rules(atn, rules, shown)
    lines += [writer.rule(number) for number in range(len(rules))]
    tokens_of = Rules(lex, lexer_rules, lexer_tokens)
    for number, rule in enumerate(lexer_rules):
        kind = lex.kinds[number]
        fragment = "" if kind < len(lexer_tokens) and lexer_tokens[kind] == rule else "fragment "
        if not re.fullmatch(r"T__\d+", rule):
            lines.append(fragment + tokens_of.rule(number))
    return "\n".join(lines)


def _loaded(path: Path) -> tuple[list[str], list[str], list[str], list[int], bool]:
    """Return names of rules, literals, names of tokens, numbers; and whether it is antlr4ts."""
    text = path.read_text("utf-8")
    if path.suffix == ".interp":
        blocks = dict(re.findall(r"^([a-z ]+):\n(.*?)(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL))

        def names(block: str) -> list[str]:
            return ["" if one == "null" else one for one in blocks[block].split("\n")]

        numbers = [int(one) for one in re.findall(r"\d+", blocks["atn"])]
        tokens = names("token symbolic names")
        return names("rule names"), names("token literal names"), tokens, numbers, False

    def array(name: str) -> list[str]:
        body = re.search(rf"\.{name} = \[(.*?)\n\];", text, re.DOTALL)
        found = re.findall(r'"((?:[^"\\]|\\.)*)"|(undefined)', body[1] if body else "")
        return [_unescaped(one) for one, _ in found]

    segments = re.findall(
        r'^\w+\._serializedATNSegment\d+ = ((?:"(?:[^"\\]|\\.)*"[ +\n]*)+);', text, re.MULTILINE
    )
    pieces = [_unescaped(p) for s in segments for p in re.findall(r'"((?:[^"\\]|\\.)*)"', s)]
    literals, tokens = array("_LITERAL_NAMES"), array("_SYMBOLIC_NAMES")
    literals += [""] * (len(tokens) - len(literals))
    return array("ruleNames"), literals, tokens, [ord(c) for c in "".join(pieces)], True


def _unescaped(text: str) -> str:
    plain = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}

    def one(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else plain.get(match[3], match[3])

    return re.sub(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", one, text, flags=re.DOTALL)


if __name__ == "__main__":
    first, second, out = map(Path, sys.argv[1:])
    out.write_text(grammar(first, second, out.stem), "utf-8")
