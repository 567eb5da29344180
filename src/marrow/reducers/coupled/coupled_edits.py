"""The pass `together`: edits that only make sense together.

It does what `names` cannot do by names alone, and what one node of a tree cannot hold. Most of it
is templates over tokens that the files of the languages have (`token_templates`): neighbouring
namespaces are joined, a namespace or a class is unwrapped and its qualifiers go, the type of a
function's result goes with its returns, access specifiers go with friends. The rest needs more than
a template: a parameter goes with its arguments, enumerators become their numbers, variables whose
members are used become numbers, a header goes with what mentions it. The parser is asked before the
test, and a larger candidate is not tried.

Guarantee: none by itself. Worst case of a pass: three tests for each match of a template, one for
each parameter and enumerator, and those of an edit again after each success.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from marrow.languages.language_facts import LanguageFacts, facts_of
from marrow.reducers.coupled.enumerators import by_numbers
from marrow.reducers.coupled.includes import without_includes
from marrow.reducers.coupled.members import as_numbers
from marrow.reducers.coupled.parameters import without_parameters
from marrow.reducers.coupled.token_templates import TokenTemplate, token_templates
from marrow.reducers.coupled.token_text import TokenChanges, TokenText, changed, tokens_in
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import Tree

#: The candidates of one edit.
CoupledEdit: TypeAlias = Callable[[Tree], Iterator[Tree]]


def edits_of(language: str) -> list[CoupledEdit]:
    """Return the edits for a language, in the order in which they are tried."""
    facts = facts_of(language)

    def on_tokens(
        make: Callable[[TokenText, LanguageFacts], Iterator[TokenChanges]],
    ) -> CoupledEdit:
        return lambda tree: (changed(tree, one) for one in make(tokens_in(tree), facts))

    def by_template(template: TokenTemplate) -> CoupledEdit:
        return on_tokens(lambda text, _: template.changes(text))

    return [
        lambda tree: without_includes(tree, facts),
        *map(by_template, token_templates(language)),
        *map(on_tokens, (without_parameters, by_numbers, as_numbers)),
    ]


def coupled_edits(context: PassContext) -> Reducer:
    """Return the pass that makes edits that only make sense together."""
    edits = edits_of(context.options.language)

    def run(tree: Tree, done: Done) -> Stream | None:
        parsed = context.reparsed(tree)
        phase = "deleting what goes together"
        return sweep(parsed, edits, candidates, done, phase, accepted=context.reparsed)

    def candidates(tree: Tree, edit: CoupledEdit) -> Iterator[Tree]:
        return (one for one in edit(tree) if one.token_count <= tree.token_count)

    return run
