"""Binary files: a block in the middle goes with its length, its checksum and its entry."""

from __future__ import annotations

import contextlib
import gzip
import io
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.reducers.binary.block import Cursor, NotThisFormatError, varint
from marrow.reducers.binary.databases import read_number, read_sqlite, written_number
from marrow.reducers.binary.reduce_blocks import blocks_of, by_blocks, format_of
from marrow.reducers.pipeline.pipeline import Pipeline
from marrow.reducers.streams.stream import finish
from marrow.run.reduction import Reduction
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.views import view_of
from tests.reducers.running import run

FRONT = TextFrontEnd("bytes")


def reduced(data: bytes, test: Callable[[bytes], bool]) -> bytes:
    """Return what is left of a file if its blocks go."""
    assert test(data)

    def good(text: bytes) -> bool:
        try:
            return test(text)
        except (struct.error, zlib.error, LookupError, zipfile.BadZipFile):
            return False

    tree = FRONT.parse(data)
    made = run(tree, by_blocks(FRONT.parse)(tree, finish), lambda one: good(one.text))
    return made.tree.text


# -- Files, and what it takes to read them --------------------------------------------------------


def zip_file(method: int) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name in ("one", "two", "three", "four", "five"):
            archive.writestr(name, f"the content of {name} " * 9)
    return held.getvalue()


def in_zip(data: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.testzip() is None and b"three" in archive.read("three")


def png_file() -> bytes:
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0)),
        (b"gAMA", bytes(4)),
        (b"pHYs", bytes(range(9))),
        (b"tEXt", b"Comment\0nothing to say"),
        (b"IDAT", zlib.compress(bytes(range(20)))),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


def png_chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = [], 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        if struct.unpack_from(">I", data, at + 8 + size)[0] != zlib.crc32(kind + body):
            raise struct.error
        found.append((kind, body))
        at += 12 + size
    return found


def in_png(data: bytes) -> bool:
    """Read an image, all of its rows."""
    chunks = png_chunks(data)
    kinds = [kind for kind, _ in chunks]
    if kinds[0] != b"IHDR" or kinds[-1] != b"IEND":
        return False
    width, height, bits, *_ = struct.unpack(">IIBBBBB", chunks[0][1])
    rows = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    return len(rows) == height * (1 + (width * bits + 7) // 8) and bool(width and height)


def wasm_file() -> bytes:
    def section(kind: int, items: list[bytes]) -> bytes:
        body = varint(len(items)) + b"".join(items)
        return bytes((kind,)) + varint(len(body), 5) + body

    def code(value: int) -> bytes:
        body = bytes((0, 0x41, value, 0x0B))
        return varint(len(body)) + body

    return b"\0asm\1\0\0\0" + b"".join(
        (
            section(1, [b"\x60\0\1\x7f", b"\x60\1\x7f\0"]),
            section(3, [b"\0"] * 4),
            section(7, [b"\1f\0\0", b"\1g\0\1"]),
            section(10, [code(value) for value in (1, 2, 42, 4)]),
            b"\0\x05\x04name",
        )
    )


def in_wasm(data: bytes) -> bool:
    """Read a module whose functions and bodies agree, and find the one that returns 42."""
    if data[:8] != b"\0asm\1\0\0\0":
        return False
    cursor, counts, found = Cursor(data, 8), {}, False
    while not cursor.ended:
        kind = cursor.take(1)[0]
        body = Cursor(cursor.take(cursor.varint()[0]))
        if kind:
            counts[kind] = body.varint()[0]
        if kind == 10:
            for _ in range(counts[10]):
                found |= b"\x41\x2a" in body.take(body.varint()[0])
            if not body.ended:
                return False
    return found and counts.get(3) == counts.get(10)


def class_file() -> bytes:
    texts = [b"A", b"java/lang/Object", b"x", b"I", b"y", b"SourceFile", b"Code", b"keep"]
    pool = [b"\1" + struct.pack(">H", len(one)) + one for one in texts]
    pool += [b"\7\0\1", b"\7\0\2"]
    field = [struct.pack(">HHHH", 0, name, 4, 0) for name in (3, 5, 8)]
    method = struct.pack(">HHHH", 0, 8, 4, 1) + struct.pack(">HI", 7, 3) + b"abc"
    return b"".join(
        (
            b"\xca\xfe\xba\xbe\0\0\0\x3d",
            struct.pack(">H", len(pool) + 1),
            *pool,
            struct.pack(">HHH", 1, 9, 10),
            struct.pack(">H", 0),
            struct.pack(">H", len(field)),
            *field,
            struct.pack(">H", 1) + method,
            struct.pack(">HHI", 1, 6, 2) + b"\0\1",
        )
    )


def in_class(data: bytes) -> bool:
    """Read a class file by the numbers in it, and find a field of the name `keep`."""
    cursor = Cursor(data, 8)
    texts: dict[int, bytes] = {}
    count = cursor.number(2)
    for place in range(1, count):
        tag = cursor.number(1)
        if tag not in (1, 7):
            return False
        text = cursor.take(cursor.number(2) if tag == 1 else 2)
        texts[place] = text
    cursor.take(6)
    cursor.take(2 * cursor.number(2))
    names = []
    for _ in range(2):
        for _ in range(cursor.number(2)):
            cursor.take(2)
            names.append(texts.get(cursor.number(2)))
            cursor.take(2)
            for _ in range(cursor.number(2)):
                cursor.take(2)
                cursor.take(cursor.number(4))
    for _ in range(cursor.number(2)):
        cursor.take(2)
        cursor.take(cursor.number(4))
    return cursor.ended and b"keep" in names[:3]


def message_file() -> bytes:
    def text(number: int, body: bytes) -> bytes:
        return varint(number << 3 | 2) + varint(len(body)) + body

    inner = b"".join(text(1, b"\xff" * n) for n in range(1, 5)) + text(2, b"needle") + b"\x18\x01"
    return b"\x08\x05" + text(2, b"name") + text(3, inner) + text(4, bytes(30))


def in_message(data: bytes) -> bool:
    """Read a message, and one inside, by their lengths."""
    cursor = Cursor(data)
    while not cursor.ended:
        key, _ = cursor.varint()
        if key & 7 == 0:
            cursor.varint()
        elif key & 7 == 2:
            body = cursor.take(cursor.varint()[0])
            if key >> 3 == 3:
                inner = Cursor(body)
                while not inner.ended:
                    key, _ = inner.varint()
                    if key & 7 == 2 and inner.take(inner.varint()[0]) == b"needle":
                        return True
                    if key & 7 == 0:
                        inner.varint()
        else:
            return False
    return False


def database_file(rows: int = 40, page: int = 1_024) -> bytes:
    """Two tables with rows on several pages, an index, a long row, and free pages."""
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"PRAGMA page_size = {page}")
        database.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT UNIQUE, body)")
        database.execute("CREATE TABLE words (word TEXT PRIMARY KEY, n) WITHOUT ROWID")
        database.execute("CREATE INDEX bodies ON notes (body)")
        for number in range(rows):
            row = (number - 3, f"title {number}", "needle" if number == 2 else "x" * 30)
            database.execute("INSERT INTO notes VALUES (?, ?, ?)", row)
            database.execute("INSERT INTO words VALUES (?, ?)", (f"word {number}" * 5, number))
        database.execute("INSERT INTO notes VALUES (1000, 'long', ?)", (bytes(3 * page),))
        database.execute("DELETE FROM words WHERE n > 30")
        database.commit()
        return database.serialize()


def in_database(data: bytes) -> bool:
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(data)
            found = database.execute("SELECT title FROM notes WHERE body = 'needle'").fetchall()
            sound = database.execute("PRAGMA integrity_check").fetchone()
        except (sqlite3.Error, UnicodeDecodeError, MemoryError):
            return False
    return found == [("title 2",)] and sound == ("ok",)


@pytest.mark.parametrize("page", [512, 1_024, 65_536])
@pytest.mark.parametrize("rows", [0, 2, 900])
def test_a_database_is_written_in_other_pages(page: int, rows: int) -> None:
    data = database_file(rows, page)
    blocks = blocks_of(read_sqlite, data)
    assert blocks is not None
    assert blocks.forms is not None
    counted = replace(blocks, body=blocks.body[:24] + bytes(4) + blocks.body[28:])
    for form in (counted, *blocks.forms(blocks)):
        with contextlib.closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(form.written)
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert database.execute("SELECT count(*) FROM notes").fetchone() == (rows + 1,)
            assert database.execute("SELECT count(*) FROM words").fetchone() == (min(rows, 31),)


@given(st.integers(0, 2**64 - 1))
def test_numbers_of_databases(value: int) -> None:
    assert read_number(Cursor(written_number(value))) == value


def unknown_file() -> bytes:
    """A format of nobody: a mark, the length of the rest, then a tag, a length and a body each."""
    records = b"".join(
        tag + struct.pack(">H", len(body)) + body
        for tag, body in ((b"a", b"1" * 30), (b"b", b"22"), (b"c", b"third"), (b"d", b"4" * 50))
    )
    return b"\x01\0\x7fMINE" + struct.pack("<I", len(records)) + records


def in_unknown(data: bytes) -> bool:
    cursor = Cursor(data, 7)
    if data[:7] != b"\x01\0\x7fMINE" or cursor.number(4, "little") != len(data) - 11:
        return False
    found = {}
    while not cursor.ended:
        tag = cursor.take(1)
        found[tag] = cursor.take(cursor.number(2))
    return len(found) > 2 and b"third" in found.get(b"c", b"")


FILES = [
    ("zip archive", zip_file(zipfile.ZIP_STORED), in_zip, 140),
    ("zip archive", zip_file(zipfile.ZIP_DEFLATED), in_zip, 140),
    ("gzip", gzip.compress(b"a line\n" * 500 + b"needle\n"), None, 40),
    ("chunks", png_file(), in_png, 67),
    ("WebAssembly", wasm_file(), in_wasm, 30),
    ("class file", class_file(), in_class, 70),
    ("protocol buffers", message_file(), in_message, 10),
    ("SQLite", database_file(5, 512), in_database, 1_536),
    ("chunks, by trial", unknown_file(), in_unknown, 25),
]


def in_gzip(data: bytes) -> bool:
    try:
        return b"needle" in gzip.decompress(data)
    except (EOFError, OSError):
        return False


@pytest.mark.parametrize(
    ("name", "data", "test", "most"), FILES, ids=[f"{at}-{one[0]}" for at, one in enumerate(FILES)]
)
def test_a_block_in_the_middle_goes(
    name: str, data: bytes, test: Callable[[bytes], bool] | None, most: int
) -> None:
    found = format_of(data)
    assert found is not None
    assert found[0] == name

    def reads(text: bytes) -> bool:
        try:
            return (test or in_gzip)(text)
        except NotThisFormatError:
            return False

    left = reduced(data, reads)
    assert reads(left)
    assert len(left) <= most, left


def test_an_entry_needs_nothing_but_what_is_asked_for() -> None:
    with zipfile.ZipFile(io.BytesIO(reduced(zip_file(0), in_zip))) as archive:
        assert archive.namelist() == ["three"]


@settings(max_examples=10, deadline=None)
@given(st.sampled_from([data for _, data, _, _ in FILES if len(data) < 2_000]), st.data())
def test_damaged_files_are_read_or_not(data: bytes, drawn: st.DataObject) -> None:
    at = drawn.draw(st.integers(0, len(data) - 1))
    damaged = bytearray(data[: drawn.draw(st.integers(at, len(data)))])
    if at < len(damaged):
        damaged[at] = drawn.draw(st.integers(0, 255))
    found = format_of(bytes(damaged))
    blocks = None if found is None else blocks_of(found[1], bytes(damaged))
    assert blocks is None or blocks.written == damaged


@given(st.integers(0, 2**40), st.integers(1, 5))
def test_numbers_of_seven_bits(value: int, width: int) -> None:
    written = varint(value, width)
    assert Cursor(written).varint() == (value, len(written))
    assert len(written) >= width


def test_a_large_file_goes_on_in_smaller_pieces() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("three", bytes(range(256)) * 300 + b"three")
        archive.writestr("other", bytes(range(256)) * 100)
    executor = CallableExecutor(good_zip, 1)
    try:
        result = Reduction(
            text=held.getvalue(),
            view=view_of("input.zip", held.getvalue()),
            strategy=Pipeline(),
            executor=executor,
            journal=Journal.in_memory(),
        ).run()
    finally:
        executor.close()
    assert good_zip(result.text)
    assert len(result.text) < 150


def good_zip(text: bytes) -> bool:
    try:
        return in_zip(text)
    except (LookupError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError):
        return False
    except (OSError, ValueError):
        return False


def test_texts_are_left_alone() -> None:
    text = b"a" * 50
    assert reduced(text, lambda one: b"a" in one) == text


def jpeg_file() -> bytes:
    """A file of segments, one of which has directories that point across zeros, and other bytes."""
    tables = struct.pack(">HHHII", 1, 0x8769, 4, 1, 1_500) + bytes(1_500 - 22) + b"here it is"
    segments = [
        (0xE0, b"JFIF\0" + bytes(9)),
        (0xE1, b"Exif\0\0MM\0*" + struct.pack(">I", 8) + tables + bytes(400)),
        (0xDB, bytes(range(65))),
        (0xDA, bytes(10)),
    ]
    written = (
        bytes((0xFF, kind)) + struct.pack(">H", len(body) + 2) + body for kind, body in segments
    )
    return b"\xff\xd8" + b"".join(written) + b"\x12\x34\x56\x78" * 20


def points_there(data: bytes) -> bool:
    at = 2
    while data[at + 1] != 0xDA:
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4])
        base = data[at + 10 : end]
        if data[at + 4 : at + 10] == b"Exif\0\0" and data[end] == 0xFF:
            offset = int.from_bytes(base[18:22])
            return base[:4] == b"MM\0*" and base[offset:].startswith(b"here")
        at = end
    return False


def test_segments_that_other_bytes_follow_and_what_points_into_them() -> None:
    data = jpeg_file()
    found = format_of(data)
    assert found is not None
    assert found[0] == "chunks, by trial"
    left = reduced(data, points_there)
    assert len(left) <= 44, left


def test_lengths_inside_of_lengths() -> None:
    inner = b"type" + struct.pack(">H", 90) + bytes(range(100, 190))
    data = b"head\0\0" + struct.pack("<I", len(inner) + 8) + b"some" + inner

    def reads(text: bytes) -> bool:
        (outer,) = struct.unpack("<I", text[6:10])
        (length,) = struct.unpack(">H", text[18:20])
        return outer == len(text) - 6 and length == len(text) - 20 and b"\x96" in text[20:]

    assert len(reduced(data, reads)) <= 26  # 21 would do: rests of a few bytes are not looked into
