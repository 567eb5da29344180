"""A header is deleted with everything that mentions a name that it declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from marrow.languages.language_facts import LanguageFacts
from marrow.reducers.streams.elements import delete_all, elements_above, ladder
from marrow.tree import Place, Token, Tree
from marrow.tree.names import names_of

# Which elements around a mention are deleted: an operand, its statement, what contains that.
_LEVELS: Final = 3

_HEADER: Final = re.compile(rb'^\s*[<"]([\w/.+-]+)[>"]\s*$')


def without_includes(tree: Tree, facts: LanguageFacts) -> Iterator[Tree]:
    """Yield the text without a header and all that mentions what it declares."""
    names = names_of(tree)
    for place, node in tree.walk() if facts.headers else ():
        found = _HEADER.match(node.text) if isinstance(node, Token) else None
        above = ladder(tree, place) if found is not None else []
        if found is None or not above:
            continue
        stem = found[1].rpartition(b"/")[2].partition(b".")[0]
        declared = {stem}
        for one in (stem, stem.removeprefix(b"c")):
            declared.update(facts.headers.get(one.decode(), "").encode().split())
        mentions = [at for name in sorted(declared) for at in names.places.get(name, ())]
        seen: set[frozenset[Place]] = set()
        for level in range(_LEVELS if mentions else 0):
            doomed = elements_above(tree, mentions, level)
            candidate = delete_all(tree, {*doomed, above[0]}) if doomed not in seen else None
            seen.add(doomed)
            if candidate is not None:
                yield candidate
