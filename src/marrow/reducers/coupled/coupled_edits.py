"""The pass `together`: parts of a program with all that only makes sense beside them.

What `names` does by names alone, and what one node cannot hold: neighbouring namespaces of one name
become one, a namespace or a class is unwrapped and its qualifiers go, a parameter goes with its
arguments and one of these stands for it, the type of a function's result goes with its returns,
functions with nothing in them become declarations, templates are declared once,
enumerators become their numbers, variables of which members are used as well, access specifiers go
with friends, an `#include` goes with what mentions it. Most of that needs tokens, brackets and
names only; what is known of languages stands in small tables. The parser is asked before the test,
and what is not smaller is not tried.

Guarantee: none by itself. Worst case of a pass: three tests for each pair of brackets, one for each
parameter and enumerator, and those of a way again after each success.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from marrow.reducers.coupled.access import made_public
from marrow.reducers.coupled.bare_declarations import as_declared_before, without_empty_bodies
from marrow.reducers.coupled.enumerators import by_numbers
from marrow.reducers.coupled.includes import without_includes
from marrow.reducers.coupled.joining import joined
from marrow.reducers.coupled.members import as_numbers
from marrow.reducers.coupled.parameters import without_parameters
from marrow.reducers.coupled.results import without_results
from marrow.reducers.coupled.token_text import TokenChanges, changed, tokens_in
from marrow.reducers.coupled.unwrapping import unwrapped
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Tree

#: The candidates of one way, given the language.
CoupledEdit: TypeAlias = Callable[[Tree, str], Iterator[Tree]]


def _on_tokens(
    make: Callable[..., Iterator[TokenChanges]], *, language: bool = False
) -> CoupledEdit:
    """Return the way that changes tokens; the larger the change, the sooner."""

    def run(tree: Tree, name: str) -> Iterator[Tree]:
        text = tokens_in(tree)
        for changes in make(text, name) if language else make(text):
            yield changed(tree, changes)

    return run


def _in_cpp(way: CoupledEdit) -> CoupledEdit:
    return lambda tree, name: way(tree, name) if name in ("cpp", "cuda") else iter(())


def _with_headers(way: CoupledEdit) -> CoupledEdit:
    return lambda tree, name: way(tree, name) if name in ("c", "cpp", "cuda", "objc") else iter(())


COUPLED_EDITS: Final[tuple[CoupledEdit, ...]] = (
    _with_headers(lambda tree, _: without_includes(tree)),
    _on_tokens(joined),
    _on_tokens(unwrapped),
    _in_cpp(_on_tokens(made_public)),
    _on_tokens(without_results, language=True),
    _on_tokens(without_parameters),
    _in_cpp(_on_tokens(as_declared_before)),
    _with_headers(_on_tokens(without_empty_bodies)),
    _on_tokens(by_numbers),
    _on_tokens(as_numbers, language=True),
)


def coupled_edits(context: PassContext) -> Reducer:
    """Return the pass that takes things away that go together."""
    language = context.options.language

    def run(tree: Tree, done: Done) -> Stream | None:
        parsed = context.reparsed(tree)
        phase = "deleting what goes together"
        return sweep(parsed, COUPLED_EDITS, candidates, done, phase, accepted=context.reparsed)

    def candidates(tree: Tree, way: CoupledEdit) -> Iterator[Tree]:
        return (one for one in way(tree, language) if one.token_count <= tree.token_count)

    return run
