"""The binary formats that are known, and what a file is."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, TypeAlias

from marrow.reducers.binary.archives import read_gzip, read_zip
from marrow.reducers.binary.block import Block, NotThisFormatError
from marrow.reducers.binary.chunks import chunks_by_trial, read_known_chunks
from marrow.reducers.binary.databases import read_sqlite
from marrow.reducers.binary.modules import read_class, read_wasm
from marrow.reducers.binary.objects import read_elf
from marrow.reducers.binary.protobuf import read_known_message, read_message

#: Reads a file; None, or an error, if the file has another format.
Reader: TypeAlias = Callable[[bytes], Block | None]

#: In the order in which they are tried: those that are known by their first bytes come first.
FORMATS: Final[dict[str, Reader]] = {
    "zip archive": read_zip,
    "gzip": read_gzip,
    "chunks": read_known_chunks,
    "WebAssembly": read_wasm,
    "class file": read_class,
    "ELF": read_elf,
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
    if chunks is None or blocks_of(chunks.read, data) is None:
        return None
    return "chunks, by trial", chunks.read


def blocks_of(reader: Reader, data: bytes) -> Block | None:
    """Return the blocks of a file; None if it is none of this format.

    A reader is believed only if what it read, written again, is the file.
    """
    try:
        found = reader(data)
        return found if found is not None and found.written == data else None
    except (NotThisFormatError, struct.error, IndexError, OverflowError):
        return None
