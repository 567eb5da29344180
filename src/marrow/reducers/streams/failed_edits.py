"""Edits that failed, each in its context: what one pass tried in vain, another need not repeat.

An edit is known by the bytes that go and those that come. In its context, it also has two tokens on
its left and one on its right, and the names in it that are mentioned elsewhere: a declaration that
could not go may go once nobody mentions it. In a replay of 18 runs (docs/lab/economy.md), 516
of 4,250 tests repeated such an edit, and 14 of these were interesting, most of them declarations.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from marrow.tree import Tree
from marrow.tree.edit import difference
from marrow.tree.tree_cache import kept

# In larger texts edits are not remembered: there is something else to lose first.
_LARGEST: Final = 1 << 15

# So many bytes on each side of an edit are looked at for its context: a few long tokens.
_NEARBY: Final = 80

# An edit with more names than this is told apart by the first of them.
_MOST_NAMES: Final = 8

_TOKEN: Final = re.compile(rb"\w+|[^\w\s]")
_NAME: Final = re.compile(rb"[^\W\d]\w*")


class LocalEdit(NamedTuple):
    """What is changed between two texts, whatever is around it; and the same in its context."""

    change: bytes
    in_context: bytes


def local_edit(before: Tree, after: Tree) -> LocalEdit | None:
    """Return the edit between two trees; None if that is too much to remember.

    The amount of white space does not count.
    """
    if max(len(before.text), len(after.text)) > _LARGEST:
        return None
    one, two = _normal(before), b" ".join(after.text.split())
    start, end, _ = difference(one, two)
    while start and _inside_word(one, start):
        start -= 1
    while _inside_word(one, end):
        end += 1
    old, new = one[start:end], two[start : len(two) - (len(one) - end)]
    left = _TOKEN.findall(one[max(0, start - _NEARBY) : start])[-2:]
    right = _TOKEN.findall(one[end : end + _NEARBY])[:1]
    change = old.strip() + b"\0" + new.strip()
    names = sorted(set(_NAME.findall(old)) - set(_NAME.findall(new)))[:_MOST_NAMES]
    elsewhere = [name for name in names if one.count(name) > old.count(name)]
    return LocalEdit(change, b"\0".join((change, b" ".join(left), *right, b"", *elsewhere)))


@kept
def _normal(tree: Tree) -> bytes:
    return b" ".join(tree.text.split())


def _inside_word(text: bytes, position: int) -> bool:
    """Whether a position is between two characters of a word."""
    pair = text[position - 1 : position + 1]
    return len(pair) == 2 and _NAME.fullmatch(b"_" + pair) is not None
