"""Inside names: a, b, c and so on, consistently, where the test does not mind.

Every name that can be shorter gets the smallest name that nothing in the text has; all at once,
then by ddmin; those that are short move up where smaller ones are left. Guarantee: no single name
can get the name that is free for it. Worst case: ddmin's over the names, and one for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

from marrow.reduce.attempt import Done, Reducer, Stream
from marrow.reduce.ddmin import Configuration, ddmin
from marrow.reduce.passes.context import Context
from marrow.reduce.passes.merge import smaller_name
from marrow.reduce.passes.sweep import sweep
from marrow.reduce.passes.words import names_of
from marrow.tree import Retext, Tree

# Names that this pass gives: up to 702 of them. Longer ones were tried by ddmin just before.
_SHORT: Final = 2

_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"


def short_names(context: Context) -> Reducer:
    """Return the pass that shortens names; it does nothing where names are to be kept."""

    def run(tree: Tree, done: Done) -> Stream | None:
        renamed = {} if context.options.keep_names else _assigned(tree)
        if not renamed:
            return done(tree)

        def rename(tree: Tree, names: Sequence[bytes]) -> Tree:
            places = names_of(tree).places
            return tree.edit(
                Retext(place, renamed[name]) for name in names for place in places.get(name, ())
            )

        configuration = Configuration(tree, tuple(renamed), rename, phase="shortening names")
        return ddmin(configuration, lambda result: _close_ranks(result.tree, done))

    return run


def _close_ranks(tree: Tree, done: Done) -> Stream:
    """Let short names move up to those that were kept free for names that cannot change."""
    short = [name for name in names_of(tree).places if len(name) <= _SHORT]
    return sweep(tree, short, _moved_up, done, "shortening names")


def _moved_up(tree: Tree, name: bytes) -> Iterator[Tree]:
    places = names_of(tree).places.get(name, ())
    target = next(_free({token.text for token in tree.tokens()}))
    if places and smaller_name(target, name):
        yield tree.edit(Retext(place, target) for place in places)


def _assigned(tree: Tree) -> dict[bytes, bytes]:
    """Give the names, in the order of the text, the smallest names that are free."""
    taken = {token.text for token in tree.tokens()}
    free = _free(taken)
    target = next(free)
    renamed = {}
    for name in names_of(tree).places:
        if smaller_name(target, name):
            renamed[name] = target
            target = next(free)
    return renamed


def _free(taken: set[bytes]) -> Iterator[bytes]:
    for number in count():
        name = _spelt(number)
        if name not in taken:
            yield name


def _spelt(number: int) -> bytes:
    """Return a, b, ..., z, aa, ab and so on."""
    letters = bytearray()
    number += 1
    while number:
        number, digit = divmod(number - 1, len(_LETTERS))
        letters.append(_LETTERS[digit])
    letters.reverse()
    return bytes(letters)
