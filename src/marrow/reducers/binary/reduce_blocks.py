"""Reduce a binary file by its blocks: a block goes with its length, its checksum and its entry.

Lists of blocks lose runs of blocks, from halves down to single ones; two lists of the same length
lose the same blocks together (the functions of a module and their code). Bodies lose runs of bytes,
and what is left becomes zero where it can. All is repeated as long as something goes. Guarantee:
none by itself; `perses*` on bytes follows. Worst case of a round: 2n tests for a list of n blocks,
and 2m for a body of m bytes, but no runs shorter than a 64th of it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import combinations, islice
from typing import Final, NamedTuple, TypeAlias, TypeVar

from marrow.reducers.binary.archives import read_gzip, read_zip
from marrow.reducers.binary.block import ORDERS, Block, NotThisFormatError, Order, Way, plain
from marrow.reducers.binary.chunks import chunks_by_trial, read_delimited, read_known_chunks
from marrow.reducers.binary.databases import read_sqlite
from marrow.reducers.binary.modules import read_class, read_known_message, read_message, read_wasm
from marrow.reducers.streams.stream import Done, Reducer, Stream, fixpoint, in_turn, on
from marrow.reducers.streams.sweep import sweep
from marrow.tree import ROOT, Branch, Glue, Kind, Token, Tree

T = TypeVar("T")

#: Reads a file; None, or an error, if the file has another format.
Reader: TypeAlias = Callable[[bytes], Block | None]

#: In the order in which they are tried: those that are known by their first bytes come first.
FORMATS: Final[dict[str, Reader]] = {
    "zip archive": read_zip,
    "gzip": read_gzip,
    "chunks": read_known_chunks,
    "WebAssembly": read_wasm,
    "class file": read_class,
    "SQLite": read_sqlite,
    "protocol buffers": read_message,
}


#: What reads the rest of a file that would not be taken for one of its format.
_ONCE_KNOWN: Final[dict[str, Reader]] = {"protocol buffers": read_known_message}


def format_of(data: bytes) -> tuple[str, Reader] | None:
    """Return the format of a file and what reads it; None if it has none that is known."""
    for name, reader in FORMATS.items():
        if blocks_of(reader, data) is not None:
            return name, _ONCE_KNOWN.get(name, reader)
    chunks = chunks_by_trial(data)
    if chunks is not None and blocks_of(chunks.read, data) is not None:
        return "chunks, by trial", chunks.read
    # Two bytes that are the number of those that follow are met by chance.
    lengths = partial(read_delimited, widths=(4,))
    return None if blocks_of(lengths, data) is None else ("lengths, by trial", read_delimited)


def blocks_of(reader: Reader, data: bytes) -> Block | None:
    """Return the blocks of a file; None if it is none of this format.

    A reader is believed only if what it read, written again, is the file.
    """
    try:
        found = reader(data)
        return found if found is not None and found.written == data else None
    except (NotThisFormatError, struct.error, IndexError, OverflowError):
        return None


def place_in_blocks(data: bytes, at: int) -> str:
    """Return a place in a file by its blocks and their names; nothing if the format is unknown."""
    found = format_of(data)
    block = None if found is None else blocks_of(found[1], data)
    words, begin = [] if found is None else [found[0]], 0
    while block is not None and block.parts:
        position, inner = begin, None
        for number, part in enumerate(block.parts, start=1):
            start = data.find(part.written, position)
            if 0 <= start <= at < start + len(part.written):
                name = _NAME.search(data, start, start + _HEAD)
                named = f" ({name[0].decode()})" if name else ""
                words.append(f"part {number} of {len(block.parts)}{named}")
                inner, begin = part, start
                break
            position = max(position, start)
        block = inner
    return ", ".join([*words, f"byte {at - begin}"]) if len(words) > 1 else ""


# The name of a block is four letters among its first bytes.
_NAME: Final = re.compile(rb"[A-Za-z]{4}")
_HEAD: Final = 12

#: A body is cut into at most so many runs in one round; what is left is cut again in the next one.
_MOST_RUNS: Final = 64
#: Before bytes become zero, only long runs of them are tried.
_FEW_RUNS: Final = 8


#: Zeros between what is needed and what a number says is there: shorter ones go byte by byte.
_LEAST_GAP: Final = 8
_ZEROS: Final = re.compile(rb"\0{%d,}" % _LEAST_GAP)

#: So many numbers that may point past a gap are lowered together, in pairs and one by one.
_MOST_POINTERS: Final = 4


class _Cut(NamedTuple):
    """What to take away: parts or bytes from `start` on, of the blocks at the ends of ways.

    `zero` leaves the bytes there, as zeros.
    """

    ways: tuple[Way, ...]
    start: int
    length: int
    zero: bool = False


def by_blocks(parse: Callable[[bytes], Tree]) -> Reducer:
    """Return the reducer for binary files; it leaves those alone whose format nobody knows."""

    def run(tree: Tree, done: Done) -> Stream | None:
        # A text is none of these, whatever it looks like.
        found = format_of(tree.text) if b"\0" in tree.text else None
        if found is None:
            return done(tree)
        changed = partial(_changed, found[1])
        forms = changed("another form", lambda _: [0], lambda one, _: one.forms(one))
        cuts = _parts, partial(_bytes, runs=_FEW_RUNS), _bytes, partial(_bytes, zero=True)
        parts, large, small, zeros = (changed("deleting blocks", one, _without) for one in cuts)
        gaps = changed("closing gaps", _gaps, _closed)
        first = fixpoint(in_turn(forms, parts), parse)
        afresh = on(lambda one: parse(one.text), zeros)
        last = fixpoint(in_turn(afresh, gaps, small), parse)
        return in_turn(first, large, last)(tree, done)

    return run


def _changed(
    reader: Reader,
    phase: str,
    items: Callable[[Block], Iterable[T]],
    change: Callable[[Block, T], Iterable[Block]],
) -> Reducer:
    """Return the reducer that tries the changes to the blocks of a file, item by item."""

    def run(tree: Tree, done: Done) -> Stream | None:
        found = _blocks(reader, tree.text)
        if found is None:
            return done(tree)
        return sweep(tree, list(items(found)), candidates, done, phase)

    def candidates(tree: Tree, item: T) -> Iterator[Tree]:
        found = _blocks(reader, tree.text)
        for block in () if found is None else change(found, item):
            text = _written(block)
            if text is not None and text != tree.text:
                yield _like(tree, text)

    return run


#: Of a few texts: the one that is reduced, and those that look-ahead goes on with.
_blocks: Final = lru_cache(maxsize=8)(blocks_of)


def _like(tree: Tree, text: bytes) -> Tree:
    """Return a tree with another text, in pieces as long as they were, to compare the two."""
    first = tree.root.first
    width = 1 if first is None else max(len(first.text), 1)
    glue = Glue.BEFORE | Glue.AFTER
    pieces = [
        Token("byte", text[at : at + width], slot="bytes", key=key, serial=key, glue=glue)
        for key, at in enumerate(range(0, len(text), width))
    ]
    return tree.replace(ROOT, Branch(Kind.STAR, "bytes", pieces, slot="bytes"))


def _parts(root: Block) -> Iterator[_Cut]:
    """Yield the runs of parts, the outer ones first; then those of two lists at once."""
    lists: dict[int, list[Way]] = {}
    for way, one in root.walk():
        if not one.fixed:
            yield from _runs((way,), len(one.parts), 1)
            lists.setdefault(len(one.parts), []).append(way)
    for count, ways in lists.items():
        if count > 1 and len(ways) == 2:
            yield from _runs(tuple(ways), count, 1)


def _bytes(root: Block, *, zero: bool = False, runs: int = _MOST_RUNS) -> Iterator[_Cut]:
    """Yield the runs of bytes of all bodies."""
    for way, one in root.walk():
        least = -(-len(one.body) // runs)
        yield from _runs((way,), len(one.body), least, zero=zero)


def _runs(ways: tuple[Way, ...], length: int, least: int, *, zero: bool = False) -> Iterator[_Cut]:
    """Yield runs from the whole down to the least, the last one of each length first."""
    count = length
    while count:
        for start in reversed(range(0, length, count)):
            yield _Cut(ways, start, count, zero)
        count = 0 if count <= least else max(count // 2, least)


def _without(root: Block, cut: _Cut) -> Iterator[Block]:
    """Yield the file after a cut, if there is something to cut."""
    made = root
    start, end = cut.start, cut.start + cut.length
    for way in cut.ways:
        one = made.at(way)
        if one is None or start >= max(len(one.parts), len(one.body)):
            return
        if one.parts:
            other = replace(one, parts=one.parts[:start] + one.parts[end:])
        else:
            zeros = bytes(len(one.body[start:end])) if cut.zero else b""
            other = replace(one, body=one.body[:start] + zeros + one.body[end:])
        made = made.with_block(way, other)
    yield made
    if len(cut.ways) == 1 and len(cut.ways[0]) > 1:
        yield from _flat(root, cut)


def _flat(root: Block, cut: _Cut) -> Iterator[Block]:
    """Yield the file after a cut of bytes at the end of a part, whose inner lengths stay."""
    way = cut.ways[0]
    inner, outer = root.at(way), root.at(way[:1])
    if inner is not None and outer is not None and inner.body and not cut.zero:
        whole = replace(outer, parts=(), body=plain(outer))
        start = len(whole.body) - len(inner.body) + cut.start
        if whole.body.endswith(inner.body) and whole.written == outer.written:
            shorter = whole.body[:start] + whole.body[start + cut.length :]
            yield root.with_block(way[:1], replace(whole, body=shorter))


class _Gap(NamedTuple):
    """Zeros to take away from the body at the end of a way."""

    way: Way
    start: int
    length: int


def _gaps(root: Block) -> Iterator[_Gap]:
    """Yield long runs of zeros, whole and in parts, the last one first."""
    for way, one in root.walk():
        for found in reversed(list(_ZEROS.finditer(one.body))):
            length = len(found[0])
            while length >= _LEAST_GAP:
                yield _Gap(way, found.start(), length)
                length //= 2


def _closed(root: Block, gap: _Gap) -> Iterator[Block]:
    """Yield the file without a gap, with numbers that may point past it lowered as much."""
    one, end = root.at(gap.way), gap.start + gap.length
    if one is None or any(one.body[gap.start : end]) or end > len(one.body):
        return
    for order, chosen in _pointers(one.body, gap.length):
        body = bytearray(one.body)
        for at in chosen:
            value = int.from_bytes(body[at : at + 4], order) - gap.length
            body[at : at + 4] = max(value, 0).to_bytes(4, order)
        del body[gap.start : end]
        yield root.with_block(gap.way, replace(one, body=bytes(body)))


def _pointers(body: bytes, least: int) -> Iterator[tuple[Order, Sequence[int]]]:
    """Yield sets of places with numbers that may point at least so far into a body, or past it.

    None first, then all of one order of bytes, then pairs and single ones.
    """
    yield "big", ()
    for order in ORDERS:
        numbers = (int.from_bytes(body[at : at + 4], order) for at in range(len(body) - 3))
        # One whose lowest byte is zero is likely a smaller number and a zero after it.
        likely = (n % 256 and least <= n <= 2 * len(body) for n in numbers)
        found = list(islice((at for at, one in enumerate(likely) if one), _MOST_POINTERS))
        for count in dict.fromkeys((len(found), 2, 1)):
            yield from ((order, chosen) for chosen in combinations(found, count) if chosen)


def _written(block: Block) -> bytes | None:
    """Return the bytes of a file; None if it cannot be written without what is gone."""
    try:
        return block.written
    except (NotThisFormatError, struct.error, OverflowError):
        return None
