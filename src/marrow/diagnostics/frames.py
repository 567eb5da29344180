"""Stack traces: which lines are frames, and which of the frames tell where a program failed.

As crash triage does, frames of allocators, of aborting, of runtimes and of logging are skipped:
every failure has them. Frames in the input itself change while it is reduced, so only those above
the first of them count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

from marrow.diagnostics.rule_files import rules_in
from marrow.diagnostics.texts import InputText, lines_of, plain

#: How many frames are kept of a crash. More differ with the compiler's inlining.
KEPT_FRAMES: Final = 2


@dataclass(frozen=True, slots=True)
class Frame:
    """A function, the file it is in, and the line or offset in it, where they are known.

    `signature` is the function with the types of its parameters, where the trace has them.
    """

    function: str
    file: str = ""
    position: str = ""
    signature: str = field(default="", compare=False)


_TABLES: Final[dict[str, Any]] = rules_in("frames")
_EXPRESSIONS: Final[dict[str, str]] = _TABLES["expressions"]
#: Each finds the function, and the file if the line has it. The first that matches counts.
_FRAMES: Final = tuple(re.compile(entry["pattern"]) for entry in _TABLES["frame"])
_MAYBE: Final = re.compile(_EXPRESSIONS["maybe"])
_POSITION: Final = re.compile(_EXPRESSIONS["position"])
#: A line below a frame that only says where that is.
PLACE_OF_FRAME: Final = re.compile(_EXPRESSIONS["where"])
_SKIPPED: Final = re.compile(_EXPRESSIONS["skipped"])
_REPORTING: Final = re.compile(_EXPRESSIONS["reporting"])
_SYSTEM_FILES: Final = re.compile(_EXPRESSIONS["system_files"])
OVERFLOWS: Final = re.compile(_EXPRESSIONS["overflow"])

# What tools call a text that was not read from a file.
_EVALUATED: Final = ("<string>", "<stdin>", "[eval]", "evalmachine.<anonymous>")

# A line and a column after a file's name.
_NUMBERS: Final = re.compile(r"(?<!:\d)(?::\d+)+$")


def frame_of(line: str) -> Frame | None:
    """Return the frame that a line of a trace names; quotation marks are alike already."""
    if not _MAYBE.match(line):
        return None
    for expression in _FRAMES:
        found = expression.match(line)
        if found is not None:
            groups = found.groupdict()
            at = _POSITION.search(line)
            position = "" if at is None else next(filter(None, at.groups()))
            file = _NUMBERS.sub("", groups.get("file") or "")
            function = _of_any_build(groups["function"] or "")
            return Frame(_plain_function(function), file, position, function)
    return None


def _of_any_build(function: str) -> str:
    """Return a function without what a compiler adds to its name."""
    function = re.sub(
        r"::h[0-9a-f]{16}$|\+0x[0-9a-f]+$|\.(?:cold|part|isra|constprop|llvm)\b.*$", "", function
    )
    return re.sub(r"\[clone .*?\]", "", function).strip()


def _plain_function(function: str) -> str:
    """Return a function's name without its arguments and their types."""
    function = re.sub(
        r"^(?:static |virtual |void |bool |int |const |unsigned |char |struct )+", "", function
    )
    if function.startswith("("):
        return function
    previous = ""
    while previous != function:  # innermost brackets first
        previous = function
        function = re.sub(r"(?<=[\w>])<[^<>]*>|\((?!anonymous|\*)[^()]*\)(?: const)?", "", function)
    return function.strip() or previous


def own_frames(frames: Iterable[Frame], source: InputText) -> tuple[str, ...]:
    """Return the functions of the failing program itself, from the top, above the input's own."""
    result: list[str] = []
    for frame in frames:
        base = re.sub(r":\d+$", "", frame.file).replace("\\", "/").rpartition("/")[2]
        if source.is_named(base) or frame.file in _EVALUATED:
            break
        if not frame.function or _SKIPPED.match(frame.function) or _SYSTEM_FILES.search(frame.file):
            continue
        last = re.split(r"[.:/#$ ]+", frame.function.rstrip("'"))[-1]
        if not _REPORTING.match(last):
            if source.has_word(last) and not base:
                break
            result.append(frame.function)
    return tuple(result)


_ACCESS: Final = re.compile(
    rb"^(READ|WRITE) of size \d|\bis caused by a (READ|WRITE) memory access"
    rb"|\bInvalid (read|write) of size \d",
    re.MULTILINE,
)

# The lines before the stacks of the calls that freed and allocated memory, of ASan and of valgrind.
FREED: Final = re.compile(r"^freed by thread |\binside a block of size [\d,]+ free'd$")
ALLOCATED: Final = re.compile(
    r"(?:^|previously )allocated by thread |\bblock of size [\d,]+ alloc'd$|^Block was alloc'd at$"
)

# Where an address is, seen from its block: how far off, to which side, and the block's size.
_PLACE: Final = re.compile(
    rb"is located (?P<off>\d+) bytes (?P<side>to the right of|to the left of|after|before"
    rb"|inside of)|is (?P<off2>[\d,]+) bytes (?P<side2>after|before|inside) a block of size"
)
_SIDES: Final = {b"to the right of": "after", b"to the left of": "before", b"inside of": "inside"}


def access_of(said: bytes) -> str:
    """Return whether memory was read or written, in a word; nothing if that is not said."""
    found = _ACCESS.search(said)
    return "" if found is None else next(filter(None, found.groups())).decode().lower()


def block_side(said: bytes) -> str:
    """Return on which side of its block a bad address is, and whether that is right at its edge."""
    found = _PLACE.search(said)
    if found is None:
        return ""
    side = found["side"] or found["side2"]
    word = _SIDES.get(side, side.decode())
    return f"{word}, at its edge" if (found["off"] or found["off2"]) == b"0" else word


def frames_after(said: bytes, title: re.Pattern[str]) -> tuple[Frame, ...]:
    """Return the stack under the first line that a title matches, the innermost first."""
    lines = (plain(line) for line in lines_of(said))
    if not any(title.search(line) for line in lines):
        return ()
    return tuple(takewhile(bool, map(frame_of, lines)))  # type: ignore[arg-type]
