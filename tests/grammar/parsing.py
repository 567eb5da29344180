"""For tests of the parser: short ways to write grammars, random ones, and a reference for them."""

from __future__ import annotations

from collections.abc import Sequence as Symbols

from hypothesis import strategies as st

from marrow.grammar.model.rules import (
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
)
from marrow.grammar.parser.lr_tables import Tables
from marrow.grammar.parser.parser import Parser, compile_grammar
from marrow.tree import QUANTIFIED, SEPARATOR, Kind, Node, Place, Tree

SKIP = (Command(Action.SKIP),)


def ref(name: str) -> Reference:
    return Reference(name)


def lit(text: str) -> Literal:
    return Literal(text)


def _made(part: Expression | str) -> Expression:
    """Read a part: `'x'` in quotes is a literal, a bare name a reference."""
    if not isinstance(part, str):
        return part
    if len(part) > 1 and part[0] == part[-1] == "'":
        return Literal(part[1:-1])
    return Reference(part)


def seq(*parts: Expression | str) -> Sequence:
    return Sequence(tuple(_made(part) for part in parts))


def right(*parts: Expression | str) -> Sequence:
    return Sequence(tuple(_made(part) for part in parts), right=True)


def alt(*parts: Expression | str) -> Choice:
    return Choice(tuple(_made(part) for part in parts))


def star(*parts: Expression | str, greedy: bool = True) -> Repeat:
    return Repeat(_one(parts), Quantifier.STAR, greedy)


def plus(*parts: Expression | str, greedy: bool = True) -> Repeat:
    return Repeat(_one(parts), Quantifier.PLUS, greedy)


def opt(*parts: Expression | str, greedy: bool = True) -> Repeat:
    return Repeat(_one(parts), Quantifier.OPTIONAL, greedy)


def _one(parts: Symbols[Expression | str]) -> Expression:
    return _made(parts[0]) if len(parts) == 1 else seq(*parts)


def chars(*ranges: str) -> Characters:
    """Return the characters in ranges such as `az`; a single character stands for itself."""
    return Characters(tuple(sorted((ord(one[0]), ord(one[-1])) for one in ranges)))


def but(*characters: str) -> Characters:
    """Return all characters but some."""
    ranges = []
    low = 0
    for code in sorted(map(ord, characters)):
        if low < code:
            ranges.append((low, code - 1))
        low = code + 1
    return Characters((*ranges, (low, 0x10FFFF)))


ANY = but()

SPACE = TokenRule("SPACE", plus(chars(" ", "\n", "\t")), commands=SKIP)
NAME = TokenRule("NAME", plus(chars("az", "AZ", "__")))
NUMBER = TokenRule("NUMBER", plus(chars("09")))


def grammar(
    rules: dict[str, Expression | str], *tokens: TokenRule, start: str | None = None
) -> Grammar:
    made = {name: Rule(name, _made(body)) for name, body in rules.items()}
    return Grammar("test", start or next(iter(made)), made, {one.name: one for one in tokens})


def parser(rules: dict[str, Expression | str], *tokens: TokenRule) -> Parser:
    return compile_grammar(grammar(rules, *tokens))


def show(node: Node) -> str:
    """Write a tree on one line: `rule(...)`, `*[...]`, `+[...]`, `?[...]`, texts of tokens."""
    if node.kind is Kind.TOKEN:
        return "".join(token.text.decode() for token in [node.first] if token is not None)
    inside = " ".join(show(child) for child in node.children)
    marks = {Kind.STAR: "*", Kind.PLUS: "+", Kind.OPTIONAL: "?"}
    if node.kind in marks:
        return f"{marks[node.kind]}[{inside}]"
    return f"{node.symbol}({inside})"


# -- random grammars --------------------------------------------------------------------------

NAMES = ("S", "T", "U")


def _expressions(names: Symbols[str], terminals: list[Expression]) -> st.SearchStrategy[Expression]:
    atoms: st.SearchStrategy[Expression] = st.one_of(
        st.sampled_from([Reference(name) for name in names]), st.sampled_from(terminals)
    )

    def around(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        sequences = st.lists(inner, max_size=4).map(lambda items: Sequence(tuple(items)))
        return st.one_of(
            sequences,
            sequences,
            st.lists(inner, min_size=1, max_size=3).map(lambda items: Choice(tuple(items))),
            st.builds(Repeat, inner, st.sampled_from(list(Quantifier))),
        )

    return st.recursive(atoms, around, max_leaves=6)


def _operators(name: str, terminals: list[Expression]) -> st.SearchStrategy[Expression]:
    """Alternatives of an operator rule: binary, prefix, suffix, in both directions."""
    itself = Reference(name)
    operator = st.sampled_from(terminals[1:])
    return st.one_of(
        st.builds(lambda o, r: Sequence((itself, o, itself), right=r), operator, st.booleans()),
        st.builds(lambda o: Sequence((o, itself)), operator),
        st.builds(lambda o: Sequence((itself, o)), operator),
        st.builds(lambda o: Sequence((itself, o, itself, o, itself)), operator),
        st.just(Sequence((itself, itself))),
        st.just(Literal("a")),
    )


@st.composite
def grammars(draw: st.DrawFn) -> Grammar:
    """Draw a small grammar of any kind: ambiguous, recursive at either end, nullable, cyclic."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    rules = {}
    terminals: list[Expression] = [Literal("a"), Literal("b"), Literal("c")]
    scannerless = draw(st.booleans())
    if scannerless:  # else `b` and `[bc]` would be tokens that overlap
        terminals += [chars("ab"), chars("bc"), Literal("ab")]
    if draw(st.integers(0, 4)) == 0:
        terminals.append(Reference("EOF"))
    for name in names:
        options = _expressions(names, terminals)
        if draw(st.booleans()):
            options = st.one_of(_operators(name, terminals), options)
        body = draw(st.lists(options, min_size=1, max_size=4))
        if draw(st.booleans()):
            body.append(Literal("a"))
        # An auxiliary rule may be replaced by its body, if that is simple enough.
        auxiliary = draw(st.integers(0, 3)) == 0
        rules[name] = Rule(
            name, Choice(tuple(body[:1] if auxiliary else body)), auxiliary=auxiliary
        )
    return Grammar("random", "S", rules, {} if scannerless else {"SPACE": SPACE})


# -- the reference ----------------------------------------------------------------------------


class Reference_:
    """Says which rules derive which parts of a sequence of symbols, by iterating to a fixpoint.

    Symbols are characters; where rules are given as `atoms`, their names are symbols too.
    """

    def __init__(self, rules: dict[str, Expression], symbols: Symbols[str], atoms: bool) -> None:
        self._symbols = symbols
        self._atoms = atoms
        self._known: dict[tuple[str, int], frozenset[int]] = {}
        changed = not atoms
        while changed:
            changed = False
            for name, body in rules.items():
                for start in range(len(symbols) + 1):
                    ends = self.ends(body, start)
                    if ends != self._known.get((name, start), frozenset()):
                        self._known[name, start] = ends
                        changed = True

    def ends(self, expression: Expression, start: int) -> frozenset[int]:
        """Return where a derivation that starts at a position may end."""
        here = self._symbols[start] if start < len(self._symbols) else ""
        match expression:
            case Literal(text=text):
                if self._atoms or len(text) == 1:
                    return frozenset({start + 1}) if here == text else frozenset()
                ends = start + len(text)
                found = "".join(self._symbols[start:ends]) == text
                return frozenset({ends}) if found else frozenset()
            case Characters(ranges=ranges):
                inside = len(here) == 1 and any(a <= ord(here) <= b for a, b in ranges)
                return frozenset({start + 1}) if inside else frozenset()
            case Reference(name="EOF"):
                # Nothing shows it in a tree, so there it may be anywhere.
                return frozenset({start} if self._atoms or not here else ())
            case Reference(name=name):
                if self._atoms:
                    return frozenset({start + 1}) if here == f"<{name}>" else frozenset()
                return self._known.get((name, start), frozenset())
            case Sequence(items=items):
                ends_now = frozenset({start})
                for item in items:
                    ends_now = self._after(item, ends_now)
                return ends_now
            case Choice(alternatives=options):
                return frozenset().union(*(self.ends(option, start) for option in options))
            case Repeat(item=item, quantifier=quantifier):
                first = frozenset({start})
                if quantifier is Quantifier.OPTIONAL:
                    return first | self.ends(item, start)
                reached = self.ends(item, start)
                while not (more := self._after(item, reached)) <= reached:
                    reached |= more
                return first | reached if quantifier is Quantifier.STAR else reached

    def _after(self, item: Expression, starts: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*(self.ends(item, start) for start in starts))


def derives(one: Grammar, text: str) -> bool:
    """Whether the grammar derives a text, by the reference."""
    rules = {name: rule.body for name, rule in one.rules.items()}
    reference = Reference_(rules, text, atoms=False)
    return len(text) in reference.ends(Reference(one.start), 0)


def check_tree(tree: Tree, one: Grammar, made: Parser, *, bodies: bool = True) -> None:
    """Assert that a tree conforms to the grammar and to what `marrow.tree` asks of trees.

    `bodies` asks for the children of rules to match their bodies, which leaves no rule out.
    """
    written = bodies and not any(rule.auxiliary for rule in one.rules.values())
    for _, node in tree.walk():
        keys = [child.key for child in node.children]
        assert keys == sorted(set(keys))
        for child in node.children:
            assert child.slot == SEPARATOR or made.accepts(child.slot, child.symbol), child
        if node.kind is Kind.OPTIONAL:
            assert len(node.children) <= 1
        if node.kind is Kind.PLUS:
            # A list of ends of the text (`EOF+`) has no element with a text.
            assert node.elements or node.token_count == 0
        if written and node.kind is Kind.REGULAR and node.symbol in one.rules:
            symbols = _symbols(node, one)
            matched = Reference_({}, symbols, atoms=True).ends(one.rules[node.symbol].body, 0)
            # A rule that spells a list by recursion is shown flat.
            flat = any(child.kind in QUANTIFIED for child in node.children)
            assert flat or len(symbols) in matched, (node, symbols)
    serials = [token.serial for token in tree.tokens()]
    assert serials == list(range(len(serials)))


def _symbols(node: Node, one: Grammar) -> list[str]:
    """Return the rules and tokens below a node, through quantifiers and auxiliary nodes."""
    found: list[str] = []
    stack = list(reversed(node.children))
    while stack:
        child = stack.pop()
        if child.kind is Kind.TOKEN and child.first is not None:
            found.append(child.first.text.decode())
        elif child.kind is Kind.REGULAR and child.symbol in one.rules:
            found.append(f"<{child.symbol}>")
        else:
            stack.extend(reversed(child.children))
    return found


def deletions(tree: Tree) -> list[Place]:
    """Return the places of all children that may be deleted one by one."""
    places = []
    for place, node in tree.walk():
        if node.kind in QUANTIFIED and not (node.kind is Kind.PLUS and len(node.elements) < 2):
            places += [place.child(child.key) for child in node.elements]
    return places


def conflicts(tables: Tables) -> int:
    """Return the number of entries with more than one action, in all states."""
    for state, _ in enumerate(tables.actions):
        tables.fill(state)
    return sum(isinstance(one, tuple) for row in tables.actions for one in row.values())
