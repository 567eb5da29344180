"""Hostile inputs: what stands in them, and how they are called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench.attack.situation import ANY_CLEAR, PROGRAM, TABLES, Situation, put, write_script

#: Contents that hold the word, so that there is something to find.
CONTENTS: Final[dict[str, bytes]] = {
    "the word alone": b"needle",
    "zeros": b"\0" * 300 + b"needle" + b"\0" * 300,
    "all bytes": bytes(range(256)) + b"needle" + bytes(range(255, -1, -1)),
    "not UTF-8": b"int \xff\xfe\x80 needle; // \xc3\x28\n" * 3,
    "a byte order mark": "\ufeffint needle;\n".encode() + PROGRAM.encode(),
    "UTF-16": PROGRAM.encode("utf-16") + b"needle",
    "CR and CRLF": b"int a;\r\nint needle;\rint b;\n\r",
    "white space": b" \t\v\f\r\n" * 50 + b"needle" + b"\n" * 200,
    "brackets, 3,000 deep": b"[" * 3000 + b'"needle"' + b"]" * 3000,
    "brackets that do not match": b"([{<" * 200 + b"needle" + b")]" * 150,
    "one long line": b"int a; " * 4000 + b"int needle;",
    "one long token": b"x" * 60_000 + b" needle",
    "quotes": b"\"'`" * 300 + b"needle" + b"'\"`" * 299,
    "escapes of a terminal": b"\x1b[2J\x1b]0;x\x07 needle \x9b\xe2\x80\xae[red]</script>",
    "lines without end": b"needle\\\n" * 200,
    "many empty lines with one word": b"\n" * 5000 + b"needle\n",
}

SUFFIXES: Final = (".c", ".json", ".py", ".xyz")


def inputs() -> Iterator[Situation]:
    """Yield every content under several suffixes."""
    for what, content in CONTENTS.items():
        for suffix in SUFFIXES:
            name = f"hostile{suffix}"
            yield Situation(
                f"{what} in {suffix}",
                ("reduce", name, "./test.sh", "-j1", "--max-tests", "25", "-v"),
                prepare=partial(put, name, content),
            )
    for what, content in (("nothing", b""), ("no word", b"int a;\n")):
        yield Situation(
            f"{what} in the input",
            ("reduce", "hostile.c", "./test.sh", "-j1"),
            frozenset({3, 5}),
            prepare=partial(put, "hostile.c", content),
        )


#: Names that shells, terminals, markup, click or file systems may take for something else.
NAMES: Final = (*TABLES["contents"]["names"], "\udcff.c", b"\xff\xfe.c")

TOO_LONG: Final = (236, 240, 245, 250, 255)


def _short(name: str) -> str:
    return f"{name[:30]!a}" + (f" ({len(name)} characters)" if len(name) > 30 else "")


def names() -> Iterator[Situation]:
    """Yield inputs with odd names."""
    for name in NAMES:
        text = os.fsdecode(name)
        yield Situation(
            f"an input called {_short(text)}",
            ("reduce", os.fsencode(name), "./test.sh", "-j1", "--max-tests", "12", "-v"),
            prepare=partial(put, text, PROGRAM.encode()),
            after=_nothing_was_run,
            codes=frozenset({0, 2, 8}) if text == "a.marrow" else frozenset({0}),
        )
    for name in ("-x.c", "--help", "-o", "--"):
        yield Situation(
            f"an input called {name}",
            ("reduce", f"./{name}", "./test.sh", "-j1", "--max-tests", "12"),
            prepare=partial(put, name, PROGRAM.encode()),
        )
    for length in TOO_LONG:
        name = "y" * (length - 2) + ".c"
        yield Situation(
            f"a name of {length} characters",
            ("reduce", name, "./test.sh", "-j1"),
            frozenset({8}),
            prepare=partial(put, name, PROGRAM.encode()),
            says="too long",
        )
    yield Situation("a name that is no path", ("reduce", "x" * 5000, "./test.sh"), frozenset({3}))
    yield Situation("an empty name", ("reduce", "", "./test.sh"), frozenset({2, 3}))


def outputs() -> Iterator[Situation]:
    """Yield results and reports with odd names, and what commands may print."""
    for name in NAMES:
        text = os.fsdecode(name)
        yield Situation(
            f"a result called {_short(text)}",
            ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "9", "-o", os.fsencode(name)),
            after=_nothing_was_run,
            codes=ANY_CLEAR,
        )
    for what, content in CONTENTS.items():
        yield Situation(
            f"a command that prints: {what}",
            ("reduce", "input.c", "-j1", "--max-tests", "9", "-v", "--", "./test.sh", "{}"),
            prepare=partial(_printing, content),
            codes=frozenset({0, 5, 6}),
        )


def _printing(content: bytes, work: Path) -> None:
    (work / "printed").write_bytes(content)
    write_script(
        work / "test.sh", 'grep -q needle "$1" || exit 0; cat "${0%/*}/printed" >&2; exit 3'
    )


def _nothing_was_run(work: Path) -> str:
    harmed = [one for one in (work, work.parent) if (one / "harmed").exists()]
    return "a name was run as a command" if harmed else ""


def other_commands() -> Iterator[Situation]:
    """Yield the other commands on hostile files."""
    for what, content in CONTENTS.items():
        yield Situation(
            f"marrow tree: {what}",
            ("tree", "hostile.json"),
            ANY_CLEAR,
            prepare=partial(put, "hostile.json", content),
        )
        yield Situation(
            f"marrow grammar: {what}",
            ("grammar", "hostile.g4"),
            ANY_CLEAR,
            prepare=partial(put, "hostile.g4", content),
        )
        yield Situation(
            f"marrow match: {what}",
            ("match", "hostile.json", "input.c"),
            frozenset({3}),
            prepare=partial(put, "hostile.json", content),
        )
        yield Situation(
            f"a configuration: {what}",
            ("config",),
            frozenset({0, 2}),
            prepare=partial(put, "marrow.toml", content),
        )
