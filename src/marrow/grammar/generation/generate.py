"""Random trees of a grammar, from any of its rules.

A `Generator` draws derivations from the same productions that the parser uses, and has its trees
made by the same builder, so that a generated tree looks as if its text had been parsed. How large
a tree may get is a budget of tokens (`generation.budget`); the texts of tokens come from their
lexical rules (`generation.random_words`), and the lexer has checked that it reads the same tokens.
Given the same seed, the same tree comes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from itertools import chain, zip_longest
from random import Random
from typing import Final

from marrow.base.errors import error_text
from marrow.grammar.generation.budget import Chooser, Expansion, Weigh, evenly
from marrow.grammar.generation.drawing import DeadEnd, Drawing, Root, Roots
from marrow.grammar.generation.random_words import FRESH
from marrow.grammar.generation.token_texts import Spelling
from marrow.grammar.model.analysis import require_usable
from marrow.grammar.model.rules import NOWHERE, Grammar, GrammarError
from marrow.grammar.parser.parser import Parsed, Parser, compile_grammar
from marrow.grammar.parser.trees import Layout, TreeBuilder
from marrow.tree import Node, Tree
from marrow.tree.node import foreign

#: How many tokens a tree has at most if nothing else is asked for: a few lines of a program.
TREE_SIZE: Final = 60

#: How deep a derivation gets before only the cheapest productions are used. Recursive descent
#: parsers, which the texts may be fed to, give up at a few hundred to a thousand levels.
DEPTH: Final = 200

#: What counts for an alternative that a tree does not have: one in twenty of those seen once.
UNSEEN: Final = 0.05

#: How often a text is drawn again, each time smaller, if the lexer reads it differently.
_TRIES: Final = 12

#: How many tokens a form of a rule has, if it needs no more: `[a]` rather than `[]`.
_FORM_SIZE: Final = 4

#: How many keywords are forms of a rule: SQL has a hundred that may be names.
_FORM_KEYWORDS: Final = 4

#: How often a rule that may be empty is, if the budget allows for more.
_EMPTY: Final = 0.1


class Generator:
    """Draws random trees of a grammar.

    `fresh` is the share of words that are drawn afresh; the others are drawn from a few dozen for
    each token, which is faster. `parser` is that of the grammar, if somebody has made it before.
    """

    def __init__(
        self,
        grammar: Grammar,
        *,
        fresh: float = FRESH,
        parser: Parser | None = None,
    ) -> None:
        require_usable(grammar)
        self._parser: Final = parser or compile_grammar(grammar)
        self.grammar: Final = grammar
        self._bnf: Final = self._parser.bnf
        self._spelling: Final = Spelling(grammar, self._parser.translation, fresh)
        self._roots: Final = Roots(self._bnf)
        self._builder: Final = TreeBuilder(self._bnf, self._roots.productions)
        self._chooser = self._choices(evenly)
        self._root(grammar.start)

    @property
    def symbols(self) -> list[str]:
        """The symbols a tree may start with: the rules, and all others of parsed trees."""
        return list(self._roots.found)

    def tree(
        self,
        random: Random | int,
        *,
        start: str | None = None,
        size: int = TREE_SIZE,
        depth: int = DEPTH,
        preceding: str = "",
    ) -> Tree:
        """Return a random tree of a rule, of about up to `size` tokens and `depth` levels.

        Instead of a rule `start` may be any of `symbols`: a token, or a quantifier or group as the
        parser names them. Size and depth are bounds for what is chosen freely; what a rule needs at
        least, it gets. Raises `GrammarError` if the rule derives no text, or none was found that
        the lexer reads as the tokens that were meant. `preceding` is the text before the place
        that the tree is for: some lexers read the same text differently in different places.
        """
        chance = Random(random) if isinstance(random, int) else random
        name = self.grammar.start if start is None else start
        root = self._root(name)
        for attempt in range(_TRIES):
            found = self._draw(name, root, chance, size >> attempt // 2, depth, preceding)
            if found is not None:
                return found
        raise GrammarError(error_text("no_text_read_so", name=name))

    def node(
        self,
        random: Random | int,
        start: str | None = None,
        *,
        size: int = TREE_SIZE,
        preceding: str = "",
    ) -> Node:
        """Return the root of a random tree, to be put into another tree."""
        return foreign(self.tree(random, start=start, size=size, preceding=preceding).root)

    def minimal(self, start: str, preceding: str = "") -> Tree:
        """Return a tree of the fewest tokens that a rule needs."""
        return self.tree(_First(), start=start, size=0, depth=0, preceding=preceding)

    def forms(self, start: str, preceding: str = "") -> Iterator[Node]:
        """Yield a small tree for each form of a rule: each alternative, through rules that hold
        nothing but another one. Short and longer ones come in turn, the shortest first.

        They do not depend on chance. A form that the lexer reads differently is left out.
        """
        root = self._root(start)
        lengths: dict[int, list[tuple[Expansion, ...]]] = {}
        for way in self._ways(root.symbol):
            lengths.setdefault(int(way[-1].cost.tokens), []).append(way)
        rows = [lengths[length] for length in sorted(lengths)]
        for way in filter(None, chain.from_iterable(zip_longest(*rows))):
            random = Random(f"form {way[-1].number} of {start}")
            size = max(_FORM_SIZE, int(way[-1].cost.tokens))
            tree = self._draw(start, root, random, size, DEPTH, preceding, way)
            if tree is not None:
                yield foreign(tree.root)

    def _ways(self, symbol: int) -> Iterator[tuple[Expansion, ...]]:
        """Yield the alternatives of a symbol, with those of the rules on the way to them."""
        waiting: list[tuple[int, tuple[Expansion, ...]]] = [(symbol, ())]
        known = {symbol}
        for one, above in waiting:
            options = self._chooser.options.get(one)
            keywords = 0
            for option in () if options is None else options.all:
                keywords += self._chooser.is_keyword(option)
                if keywords > _FORM_KEYWORDS and self._chooser.is_keyword(option):
                    continue
                way = (*above, option)
                inner = option.right[0] if len(option.right) == 1 else 0
                if inner not in self._chooser.options:
                    yield way
                elif inner not in known:
                    known.add(inner)
                    waiting.append((inner, way))

    def biased_to(self, parsed: Parsed, *, unseen: float = UNSEEN) -> Generator:
        """Return a generator that prefers what a text is made of.

        A production is as likely as it is frequent in the text; those that do not occur in it have
        a small chance, `unseen`, in place of a count.
        """
        counts = self._parser.production_counts(parsed)

        def weigh(option: Expansion, shared: int) -> float:
            return counts[option.number] + unseen / shared

        other = copy(self)
        other._chooser = self._choices(weigh)
        return other

    # -- derivations --------------------------------------------------------------------------

    def _draw(
        self,
        name: str,
        root: Root,
        random: Random,
        size: int,
        depth: int,
        preceding: str,
        first: Sequence[Expansion] = (),
    ) -> Tree | None:
        """Draw a tree; None if its text would be read differently."""
        if (
            not first
            and root.empty is not None
            and (size <= 0 or not self._chooser.usable(root.symbol) or random.random() < _EMPTY)
        ):
            return Tree(root.empty)
        drawing = Drawing(self._chooser, self._spelling, random, len(self._bnf.terminals))
        whole = name == self.grammar.start
        try:
            derivation = drawing.derive(root.symbol, size, depth, preceding, first)
            text = "".join(drawing.texts)
            lexemes = self._spelling.read(drawing.kinds, text, preceding, whole=whole)
            if lexemes is None:
                return None
            data = lexemes.text.encode(self.grammar.encoding, "surrogateescape")
        except (DeadEnd, UnicodeEncodeError):
            return None
        layout = Layout(data, lexemes, self.grammar.encoding)
        if root.number < 0:
            return self._builder.build(derivation, layout, name)
        held = self._builder.build((root.number, 0, derivation), layout, name)
        return Tree(held.root.children[0], held.head, held.tail)

    # -- what can be drawn --------------------------------------------------------------------

    def _choices(self, weigh: Weigh) -> Chooser:
        return Chooser(self._bnf, self._spelling.available, self._spelling.keywords, weigh)

    def _root(self, name: str) -> Root:
        root = self._roots.found.get(name)
        if root is None:
            some = ", ".join(list(self.grammar.rules)[:8])
            raise GrammarError(f"there is no rule {name!r}. Choose one of: {some}.")
        if root.empty is None and not self._chooser.usable(root.symbol):
            rule = self.grammar.rules.get(name)
            used = {symbol for one in self._bnf.productions for symbol in one.right}
            tokens = [
                token
                for number, token in enumerate(self._bnf.terminals)
                if number and number in used and not self._spelling.available(number)
            ]
            why = f"the lexer reads no text as {', '.join(tokens[:8])}."
            raise GrammarError(
                f"no text can be generated from {name!r}: "
                f"{why if tokens else 'every derivation is endless.'}",
                NOWHERE if rule is None else rule.position,
            )
        return root


class _First(Random):
    """No chance at all: always the first of what there is."""

    def random(self) -> float:
        """Return the least number."""
        return 0.0
