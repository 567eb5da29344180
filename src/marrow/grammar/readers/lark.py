"""Reads Lark grammars: Lark reads the files, templates and terminals; marrow takes over its rules.

Lark's own loader resolves imports, overrides and templates, and makes one regular expression of
each terminal. Terminals of higher priority come first, then fixed texts, then the order of the
file: marrow's lexer takes the longest match and then the earlier rule, which is what Lark does with
most grammars. Terminals that no rule uses are parts of others, as in Lark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from lark import Transformer, Tree
from lark.exceptions import LarkError, VisitError
from lark.grammar import Symbol
from lark.lexer import PatternStr, TerminalDef
from lark.load_grammar import (
    ApplyTemplates,
    GrammarBuilder,
    PrepareAnonTerminals,
    PrepareLiterals,
    TerminalTreeToPattern,
    ValidateSymbols,
)

from marrow.grammar.model.expressions import choice, joined, repeated, sequence, within
from marrow.grammar.model.rules import (
    EPSILON,
    Action,
    Characters,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    TokenRule,
)
from marrow.grammar.readers.regex import read_regex
from marrow.grammar.readers.scan import Loader, Source, stem

#: How many rules templates may be written out to. Real grammars have dozens; a template that uses
#: itself with growing arguments never ends.
_MOST_RULES: Final = 2000

_PLACE: Final = re.compile(r",? at line (\d+),? col(?:umn)? (\d+)(?: in [^\n]*:)?")
_NAME: Final = re.compile(r"(?:[Rr]ule|[Tt]erminal|[Tt]emplate) '?(\w+)")

#: What Lark raises for grammars that it cannot use; its checks of corner cases are assertions.
_REFUSED: Final = (LarkError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


def read_lark(text: str, name: str, start: str | None, load: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at `start`, or else at the first rule."""

    def source(_base: str | None, path: str) -> tuple[str, str]:
        found = load(path)
        if found is None:
            raise FileNotFoundError(path)
        return found.name, found.text

    reader = _Reader(Source(text, name))
    try:
        builder = GrammarBuilder(import_paths=[source])
        builder.load_grammar(text, name)
        return reader.grammar(builder.build(), start)
    except GrammarError:
        raise
    except RecursionError:
        message = "this grammar nests too deep, or its files import one another in a circle."
    except OSError as error:
        message = (
            f"cannot find {error.filename}, which this grammar imports. Put it beside this file."
        )
    except (*_REFUSED, re.error) as error:
        cause = error.orig_exc if isinstance(error, VisitError) else error
        if isinstance(cause, GrammarError):
            raise cause from None
        raise reader.refusal(str(cause)) from None
    raise GrammarError(message, Position(name, 1, 1))


class _Reader:
    """Turns what Lark made of a grammar into the model."""

    def __init__(self, source: Source) -> None:
        self._source: Final = source
        self._notes: list[Note] = []

    def grammar(self, found: Any, start: str | None) -> Grammar:
        """Return the grammar; templates add their instances to the rules on the way."""
        prepare = PrepareLiterals() * TerminalTreeToPattern()
        defined = {name: priority for name, (_, priority) in found.term_defs}
        terminals = [
            TerminalDef(name, prepare.transform(tree), priority)
            for name, (tree, priority) in found.term_defs
            if tree is not None
        ]
        definitions = found.rule_defs
        steps: list[Any] = [PrepareAnonTerminals, ApplyTemplates]  # without types
        expand = PrepareLiterals() * ValidateSymbols() * steps[0](terminals) * steps[1](definitions)
        trees: dict[str, Tree[Any]] = {}
        for name, parameters, tree, _ in definitions:  # templates append to them
            if not parameters and tree is not None:
                trees[name] = expand.transform(tree)
            if len(definitions) > _MOST_RULES:
                raise ValueError("a template never ends: each use of it makes another.")
        if not trees:
            raise GrammarError(
                "the grammar has no rules. Add one: `start: ...`.", self._position("")
            )
        texts = {
            one.name: Literal(one.pattern.value, "i" in one.pattern.flags)
            for one in terminals
            if one.name not in defined and isinstance(one.pattern, PatternStr)
        }
        names: dict[str, str] = {}
        for name in trees:
            base = name.partition("{")[0]
            number = sum(one.startswith(f"{base}{{") for one in names)
            names[name] = name if base == name else f"{base}_{number + 1}"
        make = _Expressions(texts, names)
        rules = {
            names[name]: Rule(names[name], make.transform(tree), self._position(name))
            for name, tree in trees.items()
        }
        if make.shortened:
            message = "a large counted repeat is taken for one without an end."
            self._notes.append(Note(self._position(""), message))
        used = {one.name for one in within(rules, Reference)}
        terminals.sort(key=lambda one: (-one.priority, not isinstance(one.pattern, PatternStr)))
        tokens = {
            one.name: self._token(one, found.ignore, used)
            for one in terminals
            if one.name not in texts
        }
        for name in defined:
            tokens.setdefault(name, TokenRule(name, Characters(()), position=self._position(name)))
        chosen = start or ("start" if "start" in rules else next(iter(rules)))
        return Grammar(stem(self._source.name), chosen, rules, tokens, tuple(self._notes))

    def _token(self, one: TerminalDef, ignored: list[str], used: set[str]) -> TokenRule:
        position, hidden, guarded = self._position(one.name), one.name in ignored, False
        if isinstance(one.pattern, PatternStr):
            body: Expression = Literal(one.pattern.value, "i" in one.pattern.flags, position)
        else:
            regex = read_regex(one.pattern.to_regexp(), position)
            body, guarded = joined(regex.body), regex.guarded
            for remark in regex.remarks:
                advice = "Check that what remains is what you want."
                self._notes.append(Note(position, f"in {one.name}, {remark}", advice))
        return TokenRule(
            one.name,
            body,
            fragment=one.name not in used and not hidden,
            commands=(Command(Action.SKIP),) if hidden else (),
            guarded=guarded,
            position=position,
        )

    def refusal(self, message: str) -> GrammarError:
        """Return the error for what Lark says; its messages name a place, or else a rule."""
        first = message.partition("\n")[0]
        position = self._position("".join(_NAME.findall(first)[-1:]))
        if found := _PLACE.search(message):
            position = Position(self._source.name, int(found[1]), int(found[2]))
        return GrammarError(f"not a grammar of Lark: {_PLACE.sub('', first).strip()}", position)

    def _position(self, name: str) -> Position:
        """Return where a rule or terminal is defined in the file itself, if it is."""
        head = re.search(rf"^[?!]*{re.escape(name)}\b", self._source.text, re.MULTILINE)
        return self._source.position(head.start() if head and name else 0)


class _Expressions(Transformer[Any, Any]):
    """Turns the tree of a rule's body into an expression."""

    def __init__(self, texts: Mapping[str, Literal], names: Mapping[str, str]) -> None:
        super().__init__()
        self._texts: Final = texts
        self._names: Final = names
        #: Whether a counted repeat was too large to be written out.
        self.shortened = False

    def _atom(self, one: Symbol | Expression) -> Expression:
        if not isinstance(one, Symbol):
            return one
        known = self._texts.get(one.name) if one.is_term else None
        return known or Reference(self._names.get(one.name, one.name))

    def expansion(self, items: list[Any]) -> Expression:
        """Return a sequence."""
        return sequence([self._atom(one) for one in items])

    def expansions(self, items: list[Any]) -> Expression:
        """Return a choice."""
        return choice([self._atom(one) for one in items])

    def alias(self, items: list[Any]) -> Expression:
        """Return an alternative without its name."""
        return self._atom(items[0])

    def maybe(self, items: list[Any]) -> Expression:
        """Return `[x]`."""
        return Repeat(self._atom(items[0]), Quantifier.OPTIONAL)

    def expr(self, items: list[Any]) -> Expression:
        """Return `x*`, or `x~2..3`."""
        item = self._atom(items[0])
        if items[1] != "~":
            return Repeat(item, Quantifier(str(items[1])))
        least, most = int(items[2]), int(items[-1])
        if most < least or least < 0:
            raise ValueError(f"the repeat `~{least}..{most}` runs backwards.")
        body = repeated(item, least, most) if most else EPSILON
        self.shortened = self.shortened or body is None
        return body or Repeat(item, Quantifier.PLUS if least else Quantifier.STAR)
