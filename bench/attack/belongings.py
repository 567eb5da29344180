"""What belongs to the user: files and directories beside the input, their content, their rights."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench.attack.situation import ANY_CLEAR, PROGRAM, TABLES, Situation, put, run_marrow, too_open
from marrow.engine.process.workspace import MARKER_FILE

QUICK: Final = ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "9")

#: The user's own words; wherever they stood, they stand there afterwards.
MINE: Final = b"<html>mine, not marrow's</html>\n"

NEIGHBOURS: Final = TABLES["belongings"]["neighbours"]


def _marker(path: Path, **changed: object) -> None:
    marker = {"directory": path.name, "host": "elsewhere 0", "boot": "", "processes": "", "pid": 1}
    (path / MARKER_FILE).write_text(json.dumps({**marker, "started": "1", **changed}))


def _deep_marker(path: Path) -> None:
    (path / MARKER_FILE).write_text("[" * 4000)


def _linked_marker(path: Path) -> None:
    (path / MARKER_FILE).symlink_to("/etc/hostname")


#: What is in them besides the notes.
MARKERS: Final[dict[str, Callable[[Path], object]]] = {
    "no marker": lambda _: None,
    "the marker of another machine": _marker,
    "the marker of another directory": partial(_marker, directory="marrow-1-2-other"),
    "a marker of odd types": partial(_marker, directory=["x"], host=None, pid="no number"),
    "a marker that nests too deeply": _deep_marker,
    "a marker that is a link": _linked_marker,
    "a marker that is a pipe": lambda path: os.mkfifo(path / MARKER_FILE),
}


def neighbours() -> Iterator[Situation]:
    """Yield directories in TMPDIR that are not marrow's, whatever they are called."""
    for (what, mark), name in itertools.product(MARKERS.items(), NEIGHBOURS):
        yield Situation(
            f"{name!a} in TMPDIR, with {what}",
            QUICK,
            prepare=partial(_put_neighbour, name, mark),
            after=partial(_neighbour_stays, name),
            keeps=(name,),
        )


def _put_neighbour(name: str, mark: Callable[[Path], object], work: Path) -> None:
    folder = work.parent / "temporary" / name
    folder.mkdir()
    (folder / "notes").write_bytes(MINE)
    mark(folder)


def _neighbour_stays(name: str, work: Path) -> str:
    notes = work.parent / "temporary" / name / "notes"
    return "" if notes.is_file() and notes.read_bytes() == MINE else f"{name} was harmed"


def _file(path: Path) -> None:
    path.write_bytes(MINE)


def _link(path: Path) -> None:
    path.with_name("target").write_bytes(MINE)
    path.symlink_to("target")


def _second_name(path: Path) -> None:
    path.with_name("target").write_bytes(MINE)
    os.link(path.with_name("target"), path)


def _read_only(path: Path) -> None:
    path.write_bytes(MINE)
    path.chmod(0o400)


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "mine").write_bytes(MINE)


#: What stands where marrow is told to write.
VICTIMS: Final[dict[str, Callable[[Path], object]]] = {
    "a file": _file,
    "a link to a file": _link,
    "a second name of a file": _second_name,
    "a file that cannot be written": _read_only,
    "a directory with a file": _folder,
}

_COMMAND: Final = ("--", "sh", "-c", 'grep needle "$1" && exit 3', "sh", "{}")


def overwriting() -> Iterator[Situation]:
    """Yield options that name what is there already: the user's words stay, there or as a copy."""
    for option, (what, make) in itertools.product(
        ("-o", "--journal", "--report", "--write-test", "--bug-report"), VICTIMS.items()
    ):
        first, last = ((), _COMMAND) if option == "--write-test" else (("./test.sh",), ())
        yield Situation(
            f"{option} names {what}",
            ("reduce", "input.c", *first, option, "there", "-j1", "--max-tests", "9", *last),
            # A result and a journal take the place of what is there, of which a copy is kept.
            ANY_CLEAR if option in ("-o", "--journal") else frozenset({2, 8, 9}),
            prepare=partial(put, "there", make),
            after=_mine_is_there,
        )
    for what, make in VICTIMS.items():
        yield Situation(
            f"{what} stands where the pleasant form of the result goes",
            QUICK,
            prepare=partial(put, "input.reduced.pretty.c", make),
            after=_mine_is_there,
        )
    for option, name in itertools.product(
        ("-o", "--journal", "--report", "--write-test", "--bug-report"),
        ("input.c", "./test.sh", "test.sh"),
    ):
        if option == "--write-test" and name != "input.c":
            continue  # there is no other test then
        first, last = ((), _COMMAND) if option == "--write-test" else (("./test.sh",), ())
        yield Situation(
            f"{option} names {name}",
            ("reduce", "input.c", *first, option, name, "-j1", "--max-tests", "9", *last),
            frozenset({2, 8, 9}),
        )
    for what, make in VICTIMS.items():
        yield Situation(
            f"marrow report -o names {what}",
            ("report", "input.reduced.c.marrow", "-o", "there"),
            frozenset({2, 8, 9}),
            prepare=partial(_after_a_run, partial(put, "there", make)),
            after=_mine_is_there,
        )


def _after_a_run(prepare: Callable[[Path], object], work: Path) -> None:
    run_marrow(work, *QUICK)
    prepare(work)


def _mine_is_there(work: Path) -> str:
    files = [one for one in work.rglob("*") if one.is_file() and not one.is_symlink()]
    return "" if any(one.read_bytes() == MINE for one in files) else "the user's file is gone"


PLANTED: Final = TABLES["belongings"]["planted"]


FOLLOWED: Final = TABLES["belongings"]["followed"]

TARGETS: Final = TABLES["belongings"]["targets"]


def links() -> Iterator[Situation]:
    """Yield links that somebody has planted where marrow writes: it follows none of them."""
    for name, (what, target) in itertools.product(PLANTED, TARGETS.items()):
        yield Situation(
            f"{name} is a link to {what}",
            (*QUICK, "--report", "page.html", "--bug-report", "bug.md"),
            ANY_CLEAR,
            prepare=partial(_plant, name, target or name),
            after=_mine_is_there if name in FOLLOWED else _not_followed,
        )


def _plant(name: str, target: str, work: Path) -> None:
    (work / "mine").write_bytes(MINE)
    (work / "folder").mkdir()
    (work / name).symlink_to(target)


def _not_followed(work: Path) -> str:
    if (work / "mine").read_bytes() != MINE:
        return "a link was followed, and its target written"
    if (work / "planted").exists():
        return "a link was followed, and its target made"
    return "a link was followed into a directory" if list((work / "folder").iterdir()) else ""


#: What is run on inputs with few rights.
WRITERS: Final[dict[str, tuple[str, ...]]] = {
    "a result": QUICK,
    "a report": (*QUICK, "--report", "page.html"),
    "a bug report": (*QUICK, "--bug-report", "bug.md"),
    "a result elsewhere": (*QUICK, "-o", "other/out.c"),
    "a result in place": (*QUICK, "--in-place"),
    "no journal": (*QUICK, "--no-journal"),
}


def rights() -> Iterator[Situation]:
    """Yield inputs that others may not read: nothing that marrow makes of them may be either."""
    for mode, mask, (what, words) in itertools.product(
        (0o600, 0o400, 0o640), (0, 0o022), WRITERS.items()
    ):
        yield Situation(
            f"{what} of an input of mode {mode:o}, umask {mask:o}",
            words,
            prepare=partial(_with_mode, mode),
            before=partial(os.umask, mask),
            after=partial(too_open, mode, 0o077, ""),
        )
    for mode in (0o700, 0o750):
        yield Situation(
            f"a directory of mode {mode:o}",
            ("reduce", "folder", "./test.sh", "-j1", "--max-tests", "9"),
            prepare=partial(_directory, mode),
            before=partial(os.umask, 0),
            after=partial(too_open, mode, 0o077, ""),
        )


def _with_mode(mode: int, work: Path) -> None:
    (work / "other").mkdir(mode=0o700)
    (work / "input.c").chmod(mode)


def _directory(mode: int, work: Path) -> None:
    (work / "input.c").unlink()
    (work / "folder").mkdir()
    (work / "folder" / "a.c").write_text(PROGRAM)
    (work / "folder" / "a.c").chmod(mode & 0o666)
    (work / "folder").chmod(mode)
    (work / "test.sh").write_text("#!/bin/sh\ngrep -rq needle .\n")


def repeated() -> Iterator[Situation]:
    """Yield runs after other runs: what the first wrote is kept."""
    for times in (1, 2, 3):
        for what, words in (("a file", ("-o", "out.c")), ("a directory", ("-o", "out"))):
            source = "input.c" if what == "a file" else "folder"
            yield Situation(
                f"{what} that {times} earlier runs have written to",
                ("reduce", source, "./test.sh", "-j1", "--max-tests", "9", *words),
                prepare=partial(_runs_before, times, source, words),
                after=partial(_copies, times),
            )


def _runs_before(times: int, source: str, words: tuple[str, ...], work: Path) -> None:
    if source == "folder":
        (work / "folder").mkdir()
        (work / "folder" / "a.c").write_text(PROGRAM)
        (work / "test.sh").write_text("#!/bin/sh\ngrep -rq needle .\n")
    for number in range(times):
        line = ("reduce", source, "./test.sh", "-j1", "--max-tests", "9", "--no-journal", *words)
        if run_marrow(work, *line):
            raise OSError("an earlier run failed")
        written = work / words[1]
        (written / "a.c" if written.is_dir() else written).write_text(f"needle {number}\n")


def _copies(times: int, work: Path) -> str:
    texts = {
        one.read_text() for one in work.rglob("*") if one.is_file() and one.suffix != ".marrow"
    }
    lost = [number for number in range(times) if f"needle {number}\n" not in texts]
    return f"what run {lost[0]} wrote is gone" if lost else ""
