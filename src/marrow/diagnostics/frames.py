"""Stack traces: which lines are frames, and which of the frames tell where a program failed.

As crash triage does, frames of allocators, of aborting, of runtimes and of logging are skipped:
every failure has them. Frames in the input itself change while it is reduced, so only those above
the first of them count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from marrow.diagnostics.rule_files import rules_in
from marrow.diagnostics.texts import InputText, lines_of, plain

#: How many frames are kept of a crash. More differ with the compiler's inlining.
KEPT_FRAMES: Final = 2


@dataclass(frozen=True, slots=True)
class Frame:
    """A function, the file it is in, and the line or offset in it, where they are known."""

    function: str
    file: str = ""
    position: str = ""


_TABLES: Final[dict[str, Any]] = rules_in("frames")
_EXPRESSIONS: Final[dict[str, str]] = _TABLES["expressions"]
#: Each finds the function, and the file if the line has it. The first that matches counts.
_FRAMES: Final = tuple(re.compile(entry["pattern"]) for entry in _TABLES["frame"])
_MAYBE: Final = re.compile(_EXPRESSIONS["maybe"])
_POSITION: Final = re.compile(_EXPRESSIONS["position"])
_WHERE: Final = re.compile(_EXPRESSIONS["where"])
_SKIPPED: Final = re.compile(_EXPRESSIONS["skipped"])
_REPORTING: Final = re.compile(_EXPRESSIONS["reporting"])
_SYSTEM_FILES: Final = re.compile(_EXPRESSIONS["system_files"])
OVERFLOWS: Final = re.compile(_EXPRESSIONS["overflow"])

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
            return Frame(plain_function(groups["function"] or ""), file, position)
    return None


def is_place_of_frame(line: str) -> bool:
    """Return whether a line below a frame only says where that is."""
    return bool(_WHERE.match(line))


def plain_function(function: str) -> str:
    """Return a function's name without what differs between builds, such as arguments."""
    function = re.sub(
        r"::h[0-9a-f]{16}$|\+0x[0-9a-f]+$|\.(?:cold|part|isra|constprop|llvm)\b.*$", "", function
    )
    function = re.sub(r"\[clone .*?\]", "", function).strip()
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
        if source.is_named(base) or frame.file in (
            "<string>",
            "<stdin>",
            "[eval]",
            "evalmachine.<anonymous>",
        ):
            break
        if not frame.function or _SKIPPED.match(frame.function) or _SYSTEM_FILES.search(frame.file):
            continue
        last = re.split(r"[.:/#$ ]+", frame.function.rstrip("'"))[-1]
        if _REPORTING.match(last):
            continue
        if source.has_word(last) and not base:
            break
        result.append(frame.function)
    return tuple(result)


_ACCESS: Final = re.compile(
    rb"^(READ|WRITE) of size \d|\bis caused by a (READ|WRITE) memory access"
    rb"|\bInvalid (read|write) of size \d",
    re.MULTILINE,
)

# The line before the stack of the call that freed memory, of ASan and of valgrind.
_FREED: Final = re.compile(r"^freed by thread |\binside a block of size [\d,]+ free'd$")


def access_of(said: bytes) -> str:
    """Return whether memory was read or written, in a word; nothing if that is not said."""
    found = _ACCESS.search(said)
    return "" if found is None else next(filter(None, found.groups())).decode().lower()


def freeing_frames(said: bytes) -> tuple[Frame, ...]:
    """Return the stack of the call that freed the memory which was used, the innermost first."""
    if b"freed by thread" not in said and b"free'd" not in said:
        return ()
    frames: list[Frame] = []
    begun = False
    for line in map(plain, lines_of(said)):
        if not begun:
            begun = _FREED.search(line) is not None
            continue
        frame = frame_of(line)
        if frame is None:
            break
        frames.append(frame)
    return tuple(frames)
