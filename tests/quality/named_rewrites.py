"""The shipped rewrites of one name, and a text to try them on."""

from __future__ import annotations

from marrow.reducers.passes.pass_context import PassContext, PassOptions, Stock
from marrow.reducers.passes.templates import Rewrite
from marrow.reducers.pipeline.pipeline import rewrites_of
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.views import view_of
from marrow.tree import Tree


def named_rewrites(language: str, name: str, text: str) -> tuple[FrontEnd, PassContext, Tree]:
    """Return the front end, what a pass with these rewrites works on, and the tree of the text."""
    chosen = tuple(one for one in rewrites_of(language) if one.name == name)
    assert chosen
    return context_of(language, chosen, text)


def context_of(
    language: str, chosen: tuple[Rewrite, ...], text: str
) -> tuple[FrontEnd, PassContext, Tree]:
    """Return the same for some rewrites."""
    front = view_of("input", text.encode(), language).counter
    tree = front.parse(text.encode())
    options = PassOptions(rewrites=chosen)
    stock = Stock(tree, front)
    return front, PassContext(front, front.parse, lambda one: one.text, stock, options), tree
