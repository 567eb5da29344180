"""Random grammars: a few rules over a few terminals, with everything that the model can nest."""

from __future__ import annotations

from hypothesis import strategies as st

from marrow.grammar.model.analysis import productive
from marrow.grammar.model.rules import (
    Choice,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
)

NAMES = ("A", "B", "C", "D")


def expressions(names: tuple[str, ...], *, nested: bool) -> st.SearchStrategy[Expression]:
    references = st.sampled_from([Reference(name) for name in names])
    literals = st.sampled_from([Literal(one) for one in "abc"])
    atoms: st.SearchStrategy[Expression] = st.one_of(references, literals)
    if not nested:
        return st.lists(atoms, max_size=3).map(lambda items: Sequence(tuple(items)))

    def around(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.one_of(
            st.lists(inner, max_size=3).map(lambda items: Sequence(tuple(items))),
            st.lists(inner, min_size=1, max_size=3).map(lambda items: Choice(tuple(items))),
            st.builds(Repeat, inner, st.sampled_from(list(Quantifier))),
        )

    return st.recursive(atoms, around, max_leaves=5)


@st.composite
def grammars(draw: st.DrawFn) -> Grammar:
    """Draw a grammar whose start rule derives some text: plain BNF, or with nested expressions."""
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    nested = draw(st.booleans())
    rules = {}
    for name in names:
        options = draw(st.lists(expressions(names, nested=nested), min_size=1, max_size=4))
        # Half of the options of plain grammars are recursive anyway; all rules shall end.
        last: list[Expression] = [Literal("a"), Literal("b"), Sequence(())]
        options.append(draw(st.sampled_from(last)))
        draw(st.randoms()).shuffle(options)
        rules[name] = Rule(name, Choice(tuple(options)))
    grammar = Grammar("random", names[0], rules)
    assert names[0] in productive(grammar)
    return grammar
