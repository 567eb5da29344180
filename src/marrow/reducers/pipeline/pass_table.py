"""The passes by name, in the order in which the pipeline tries them first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from marrow.reducers.coupled.comment_parts import comment_parts
from marrow.reducers.coupled.coupled_edits import coupled_edits
from marrow.reducers.coupled.injected_code import injected_code
from marrow.reducers.passes.canonical_form import canonical_form
from marrow.reducers.passes.compact_layout import comments, compact, joined_lines
from marrow.reducers.passes.detours import detours
from marrow.reducers.passes.literals import numbers, strings
from marrow.reducers.passes.minimal_subtree import minimal_subtree
from marrow.reducers.passes.name_passes import delete_names, merge, short_names
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.proposals import proposals
from marrow.reducers.passes.rewrites import rewrites
from marrow.reducers.passes.token_runs import (
    tokens,
    unparsed,
)
from marrow.reducers.pipeline.coarse_reducers import batched, declarations
from marrow.reducers.relations.counted_lists import counted_lists
from marrow.reducers.streams.stream import Reducer

Make: TypeAlias = Callable[[PassContext], Reducer]

QUICK, NORMAL, MAX = "quick", "normal", "max"

#: The levels of effort, from the least up.
LEVELS: Final = (QUICK, NORMAL, MAX)


@dataclass(frozen=True, slots=True)
class Pass:
    """A named pass. `effort` is the least with which it runs, unless it is named.

    `opening` ones run once, before perses, `late` ones when the others have nothing likely left to
    do, `last` ones when they have nothing at all, `closing` ones on the final result, once.
    """

    name: str
    make: Make
    description: str
    effort: str = QUICK
    opening: bool = False
    late: bool = False
    last: bool = False
    closing: bool = False


#: What changes the text but no token comes before what costs much: each change makes all other
#: passes look again. The others come by the tokens that they remove for a test
#: (docs/lab/passes.md).
PASSES: Final = (
    # Lines without a parser have a stage of their own (`large_inputs`).
    Pass(
        "relations",
        lambda _: counted_lists,
        "elements with their count; in lines of words, indices renumbered",
        opening=True,
    ),
    Pass("declarations", declarations, "definitions to declarations, in batches", opening=True),
    Pass("batched", batched, "one type of nodes at a time, from large inputs", opening=True),
    Pass("comments", comments, "comments and blank lines away"),
    Pass("short-names", short_names, "names to a, b, c"),
    Pass("compact", compact, "as little white space as the language needs"),
    Pass("rewrites", rewrites, "match and replace, by the templates of the language"),
    Pass("names", delete_names, "all that mentions a name at once"),
    Pass("together", coupled_edits, "coupled edits: a parameter with its arguments"),
    Pass("merge", merge, "one name for two", NORMAL),
    Pass("less", minimal_subtree, "a node by the smallest thing that fits its place"),
    Pass("numbers", numbers, "numbers to 0, 1 or fewer digits"),
    Pass("injected", injected_code, "code in strings, pages and documents, parsed"),
    Pass("strings", strings, "strings to fewer characters"),
    Pass("lines", joined_lines, "lines joined (--objective bytes, lines)", late=True),
    Pass("comment-parts", comment_parts, "comments that matter, one by one", late=True),
    Pass("detours", detours, "over larger texts: functions inlined, statements moved", late=True),
    Pass("proposals", proposals, "what the program of --propose proposes", late=True),
    Pass("tokens", tokens, "runs of tokens that the parser can do without", NORMAL, last=True),
    Pass("unparsed", unparsed, "what only the parser wants", MAX, last=True),
    Pass("canonical", canonical_form, "the first of equally small texts", closing=True),
)


def passes_of(names: str) -> tuple[Pass, ...]:
    """Return the passes of a list of names with commas, in its order; raise LookupError.

    `-NAME` leaves a pass out, `+NAME` adds one to `none` or to the passes that are named.
    """
    known = {one.name: one for one in PASSES}
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    for name in chosen:
        if name.lstrip("-+") not in known and name != "none":
            raise LookupError(f"there is no pass called {name.lstrip('-+')!r}")
    left_out = {name.removeprefix("-") for name in chosen if name.startswith("-")}
    added = [name.removeprefix("+") for name in chosen if name.startswith("+")]
    wanted = [name for name in chosen if name in known]
    if (left_out or added) and not wanted and "none" not in chosen:
        wanted = list(known)
    names_in_turn = dict.fromkeys([*wanted, *added])
    found = [known[name] for name in names_in_turn if name not in left_out]
    named = set(chosen) | set(added)
    return tuple(
        replace(one, effort=min(one.effort, NORMAL, key=LEVELS.index)) if one.name in named else one
        for one in found
    )
