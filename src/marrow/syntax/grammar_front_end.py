"""The front end for languages that have a grammar, shipped or the user's own."""

from __future__ import annotations

from collections.abc import Set
from copy import copy
from functools import cached_property
from typing import Final

from marrow.grammar.language import Language
from marrow.grammar.model.literal_tokens import keyword_kinds
from marrow.grammar.model.parse_error import ParseError
from marrow.syntax.front_end import FrontEnd, Validity, spelling_of
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree import QUANTIFIED, SEPARATOR, Branch, Kind, Node, Token, Tree
from marrow.tree.layout import joint
from marrow.tree.name_spelling import NameSpelling
from marrow.tree.tree import TreeAsWritten

#: How many rules with predicates a message names.
_MOST_BLAMED: Final = 5


class GrammarFrontEnd(FrontEnd):
    """Sees a text as its derivation in a language.

    Every candidate is valid by construction: quantifiers are nodes, and the grammar says what fits
    a slot. `chains` keeps nodes for rules that hold nothing but another rule; without them trees
    are smaller and accept the same edits.
    """

    has_syntax = True

    def __init__(self, language: Language, *, chains: bool = False) -> None:
        self.language: Final = language
        self.name = language.name
        self.description = f"the grammar {self.name} from rule {language.start}"
        self._parser: Final = language.parser
        self._chains: Final = chains

    @property
    def model_name(self) -> str:
        """Trees by a grammar have other node types than those of a parser: models of their own."""
        return f"grammar-{self.name}"

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree.

        One that does not match the grammar becomes a list of lines of words. `error` says why.
        """
        return self._parsed(text).spelled(self._spelling)

    def _parsed(self, text: bytes) -> Tree:
        try:
            return self.language.parse(text, chains=self._chains)
        except ParseError:
            return TextFrontEnd("words").parse(text)

    @cached_property
    def _spelling(self) -> NameSpelling:
        """What names look like: as in the language of that name, and keywords are none."""
        return spelling_of(self.name).with_fixed(keyword_kinds(self.language.grammar))

    def normalized(self) -> GrammarFrontEnd:
        """Return the front end by the grammar in Perses Normal Form."""
        return GrammarFrontEnd(self.language.normalized(), chains=self._chains)

    def written(self, text: bytes) -> TreeAsWritten | None:
        """Return a text by the rules as written; None if it does not match them."""
        try:
            tree = self.language.written_parser.parse(text)
        except ParseError:
            return None
        rules = self.language.grammar.rules.keys()
        return TreeAsWritten(
            written_tree(tree, rules), self.language.minimal_texts, self.language.matches
        )

    def error(self, text: bytes) -> ParseError | None:
        """Return the syntax error of a text; None if it matches the grammar."""
        try:
            self.language.read(text)
        except ParseError as error:
            return error
        return None

    def errors(self, text: bytes) -> bool:
        """Return whether a text does not match the grammar."""
        return self.error(text) is not None

    def blame(self, error: ParseError) -> str:
        """Say which predicates of the grammar may be the reason why a text does not match."""
        predicates = self.language.predicates
        if not predicates:
            return ""
        # First those of rules that the message names.
        near = [one for one in predicates if one.rpartition(" in ")[2] in error.expected]
        shown = list(dict.fromkeys([*near, *predicates]))[:_MOST_BLAMED]
        more = len(predicates) - len(shown)
        names = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
        return (
            f" (perhaps because of predicates, whose code is not run: {names}; "
            "⟦assume⟧ says whether they hold)"
        )

    def validity(self) -> Validity:
        """Return a validity that parses candidates with new text."""
        return NewTextValidity(self.language)

    def accepts(self, slot: str, node: Node) -> bool:
        """Return whether the grammar derives the node's symbol, alone, from the slot."""
        if slot == SEPARATOR:
            return False
        return slot == node.slot or self._parser.accepts(slot, node.symbol)

    def minimal(self, name: str, _node: Node) -> Node | None:
        """Return the shortest thing that a rule or token of the grammar derives."""
        found = self.language.shortest.get(name)
        if found is None:
            return None
        tokens = [Token(f"'{word.decode()}'", word, key=key) for key, word in enumerate(found)]
        if len(tokens) == 1:
            return Token(name, tokens[0].text, slot=name)
        return Branch(Kind.REGULAR, name, tokens, slot=name)


class NewTextValidity:
    """Parses candidates with text that the input did not have; all others are valid.

    After a deletion or a move every node fits its slot by construction. So does the shortest text
    of a rule, but beside its new neighbours the lexer may read it as something else. Where blanks
    or line breaks are tokens, that may happen after any edit: without the line break between them
    two words become one. There all candidates are parsed, and no token may run into the next, even
    if the grammar takes what comes of that (`Me.Show`, a line break, `End` as `Me.ShowEnd`).
    """

    def __init__(self, language: Language) -> None:
        self.language: Final = language
        self.name = language.name
        self.description = f"the grammar {self.name} from rule {language.start}"
        self._matches: bool | None = None

    def copy(self) -> NewTextValidity:
        """Return the same judge."""
        return copy(self)

    def rebase(self, tree: Tree) -> None:
        """Check whether the first tree matches the grammar; if not, no candidate has to."""
        if self._matches is None:
            self._matches = self.language.matches(tree.text)

    def valid(self, tree: Tree) -> bool:
        """Return whether a candidate matches the grammar."""
        # A tree without an origin may be anything.
        parser = self.language.parser
        made_of_old = tree.origin is not None and not tree.has_new_text and not parser.glued
        if not self._matches or made_of_old or not tree.text:
            return True
        return self.language.matches(tree.text) and (
            not parser.glued or _token_starts(tree) <= parser.starts(tree.text)
        )


def _token_starts(tree: Tree) -> set[int]:
    found = set()
    position = len(tree.head)
    last: Token | None = None
    for token in tree.tokens():
        position += 0 if last is None else len(joint(last, token))
        if token.text:
            found.add(position)
        position += len(token.text)
        last = token
    return found


def written_tree(tree: Tree, rules: Set[str]) -> Tree:
    """Return a tree, parsed with chains and without finding lists, by the rules as written.

    That is the form that HDD's papers use. Every rule is a node, also one that holds nothing but
    another. Each time that a quantified part occurs it is a node without a name, whatever the
    quantifier. Groups and choices are not nodes, and what is empty is left out.
    """
    done: dict[int, list[Node]] = {}
    order: list[Node] = [tree.root]
    for node in order:
        order.extend(node.children)
    # Parents come before their children in `order`; backwards, children come first.
    for node in reversed(order):
        if isinstance(node, Token):
            done[id(node)] = [node.changed(slot=node.symbol)]
            continue
        below = [done[id(child)] for child in node.children]
        if node.kind in QUANTIFIED:
            done[id(node)] = [rule_node("", some) for some in below if some]
        else:
            inside = [one for some in below for one in some]
            named = node.symbol in rules and inside
            done[id(node)] = [rule_node(node.symbol, inside)] if named else inside
    inside = done[id(tree.root)]
    root = inside[0] if len(inside) == 1 else rule_node(tree.root.symbol, inside)
    return tree.framed(root, tree.head, tree.tail)


def rule_node(name: str, children: list[Node]) -> Branch:
    """Return a node of a rule, or of a quantified part if the name is empty."""
    placed = [child.placed(key=key, slot=child.symbol) for key, child in enumerate(children)]
    return Branch(Kind.REGULAR, name, placed, slot=name)
