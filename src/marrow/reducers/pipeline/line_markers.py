"""Line markers of preprocessors away (`# 12 "file.h" 3`), or at least their nesting.

A marker says where the next line comes from. Most failures do without. Some need that compilers
forgive what system headers do (flag 3): one marker in front of all says that. But a marker may say
that a header is left that was never entered, once others have gone, and compilers refuse that; so
where all of them are needed, they lose their nesting.
"""

from __future__ import annotations

import re
from typing import Final

from marrow.reducers.streams.stream import Done, Stream, attempt
from marrow.tree.outline import LINE_MARKER, as_one_piece
from marrow.tree.tree import Tree

_SYSTEM: Final = re.compile(rb'^# \d+ ("[^"\n]*")(?: \d)* 3(?: \d)*\n', re.MULTILINE)
_NESTING: Final = re.compile(rb'^(# \d+ "[^"\n]*")((?: \d)+)\n', re.MULTILINE)


def without_markers(tree: Tree, done: Done) -> Stream | None:
    """Take line markers out of a text, with three tests at most. The tree may be of any kind."""
    return _changed(tree, done) if LINE_MARKER.search(tree.text) else done(tree)


def _changed(tree: Tree, done: Done) -> Stream:
    plain = LINE_MARKER.sub(b"", tree.text)
    system = _SYSTEM.search(tree.text)
    forgiven = b"" if system is None else b"# 1 " + system[1] + b" 3\n" + plain
    for text in (plain, forgiven, _NESTING.sub(_flat, tree.text)):
        if text and text != tree.text:
            candidate = as_one_piece(text)
            yield attempt(candidate, "deleting line markers", done, candidate)
    return done(tree)


def _flat(marker: re.Match[bytes]) -> bytes:
    """Return a marker without the flags for the beginning and the end of a file."""
    flags = [flag for flag in marker[2].split() if flag not in (b"1", b"2")]
    return b" ".join([marker[1], *flags]) + b"\n"
