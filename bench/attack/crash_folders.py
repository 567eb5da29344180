"""Triage of crash folders and archives from strangers, into a directory that the user works in."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench.attack.belongings import MINE
from bench.attack.situation import ANY_CLEAR, Situation, run_marrow, too_open, write_script

TARGET: Final = ("--", "./target.sh", "{}")
TRIAGE: Final = ("triage", "crashes", "-j1", "-o", "bugs")

#: How long a triage with `--max-time 10s` may take.
LIMITED: Final = ("--max-time", "10s")
SECONDS: Final = 25.0


def _crashes(work: Path) -> Path:
    """Make a folder of two crash files, and a target that fails on them in two ways."""
    write_script(
        work / "target.sh",
        'grep -q needle "$1" && exit 3\ngrep -q thread "$1" && exit 4\nexit 0',
    )
    folder = work / "crashes"
    folder.mkdir(exist_ok=True)
    (folder / "id:000000").write_text("a needle here\n")
    (folder / "id:000001").write_text("a thread here\n")
    return folder


def _with(put: Callable[[Path], object], work: Path) -> None:
    put(_crashes(work))


def _links(*targets: str) -> Callable[[Path], None]:
    def put(folder: Path) -> None:
        for number, target in enumerate(targets):
            (folder / f"link{number}").symlink_to(target)

    return put


def _deep(folder: Path) -> None:
    """Nest directories deeper than a path may be long."""
    start = os.open(folder, os.O_RDONLY)
    here = start
    for _ in range(600):
        os.mkdir("d" * 20, dir_fd=here)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _long_names(folder: Path) -> None:
    for number in range(30):
        (folder / f"{'é' * 120}{number}").write_text(f"needle {number}\n")


def _huge(folder: Path) -> None:
    line = b'f("x", [1, 2]) { needle; }\n'
    (folder / "huge").write_bytes(line * (20_000_000 // len(line)))


def _quotes(folder: Path) -> None:
    (folder / "quotes").write_bytes(b"needle " + b'\\"' * 400_000)


def _many_alike(folder: Path) -> None:
    for number in range(3_000):
        (folder / f"alike{number}").write_text(f"{number} needle {number * 7}\n")


def _hang(folder: Path) -> None:
    write_script(folder.parent / "target.sh", 'grep -q needle "$1" && sleep 100\nexit 0')
    for number in range(20):
        (folder / f"hang{number}").write_text(f"needle {number}\n")


#: Crash folders that would hold a triage up, or lead it elsewhere.
FOLDERS: Final[dict[str, Callable[[Path], object]]] = {
    "two links to itself": _links(".", "."),
    "links to its parent": _links("..", "../crashes", "../.."),
    "a link to /usr": _links("/usr"),
    "a link to /proc": _links("/proc"),
    "links that lead nowhere": _links("nothing", "link1", "/no/such"),
    "a pipe": lambda folder: os.mkfifo(folder / "pipe"),
    "a link to an endless device": _links("/dev/zero", "/dev/random"),
    "directories deeper than a path": _deep,
    "names of 250 bytes": _long_names,
    "a file of 20 MB": _huge,
    "a line of 400,000 open strings": _quotes,
    "3,000 files that fail alike": _many_alike,
    "files that hang": _hang,
}


def _zip(path: Path, *sizes: int) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, size in enumerate(sizes):
            with archive.open(f"bomb{number}", "w", force_zip64=True) as file:
                file.write(b"needle\n")
                for _ in range(size >> 20):
                    file.write(bytes(1 << 20))


def _tar(path: Path, kind: bytes, size: int) -> None:
    """Write a compressed archive whose one member, or its header, claims to be large, and is."""
    info = tarfile.TarInfo("bomb")
    info.size, info.type = size, kind
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(info.tobuf(tarfile.GNU_FORMAT))
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))


def _climbing(path: Path) -> None:
    """Write an archive whose names lead out of it, and links that do."""
    with tarfile.open(path, "w") as archive:
        for name in ("../../escaped", "/tmp/escaped", "..", "files/../../escaped"):
            info = tarfile.TarInfo(name)
            info.size = 7
            archive.addfile(info, io.BytesIO(b"needle\n"))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)


#: Archives from strangers.
ARCHIVES: Final[dict[str, tuple[str, Callable[[Path], object]]]] = {
    "that unpacks to 100 MB": ("a.zip", lambda path: _zip(path, 100 << 20)),
    "of forty files of 50 MB": ("a.zip", lambda path: _zip(path, *[50 << 20] * 40)),
    "with a file of 2 GB": ("a.tar.gz", lambda path: _tar(path, tarfile.REGTYPE, 2 << 30)),
    "with a header of 2 GB": ("a.tar.gz", lambda path: _tar(path, tarfile.XHDTYPE, 2 << 30)),
    "with names that lead out of it": ("a.tar", _climbing),
    "cut short": ("a.zip", lambda path: path.write_bytes(b"PK\3\4needle")),
}


def crash_folders() -> Iterator[Situation]:
    """Yield crash folders and archives that a triage must get through in its time."""
    for what, put in FOLDERS.items():
        yield Situation(
            f"a crash folder with {what}",
            (*TRIAGE, *LIMITED, *TARGET),
            prepare=partial(_with, put),
            seconds=SECONDS,
            late=5.0,
            after=_only_here,
        )
    for what, (name, make) in ARCHIVES.items():
        yield Situation(
            f"an archive {what}",
            ("triage", name, "-j1", "-o", "bugs", *LIMITED, *TARGET),
            ANY_CLEAR,
            prepare=partial(_archive, name, make),
            seconds=SECONDS,
            late=5.0,
            after=_only_here,
        )


def _archive(name: str, make: Callable[[Path], object], work: Path) -> None:
    _crashes(work)
    make(work / name)


def _only_here(work: Path) -> str:
    """Say so if anything was written but in the directory of the triage."""
    allowed = {"bugs", "crashes", "input.c", "test.sh", "target.sh", "a.zip", "a.tar", "a.tar.gz"}
    others = sorted({one.name for one in work.iterdir()} - allowed)
    outside = os.path.lexists(work.parent / "escaped") or os.path.lexists("/tmp/escaped")
    return f"{others[0]} was written" if others else "a file was unpacked" if outside else ""


def _notes(bugs: Path) -> Path:
    path = bugs / "bug-001" / "notes.txt"
    path.write_bytes(MINE)
    return path


def _edited(name: str) -> Callable[[Path], Path]:
    def put(bugs: Path) -> Path:
        (bugs / name).write_bytes(MINE)
        return bugs / name

    return put


def _own_folder(bugs: Path) -> Path:
    (bugs / "bug-003" / "files").mkdir(parents=True)
    (bugs / "bug-003" / "files" / "fix.patch").write_bytes(MINE)
    return bugs / "bug-003" / "files" / "fix.patch"


def _elsewhere(name: str) -> Callable[[Path], Path]:
    """Put a link to a directory of the user in the place of one of marrow's entries."""

    def put(bugs: Path) -> Path:
        other = bugs.parent / "bugs-kept"
        other.mkdir()
        (other / "files").mkdir()
        (other / "files" / "id:000000").write_bytes(MINE)
        (bugs / name).rename(other / "old")
        (bugs / name).symlink_to(other)
        return other / "files" / "id:000000"

    return put


#: What users do in the directory of a triage, and a stranger may.
USERS: Final[dict[str, Callable[[Path], Path]]] = {
    "notes in the folder of a bug": _notes,
    "an edited smallest input": _edited("bug-001/smallest"),
    "an edited copy of a crash file": _edited("bug-002/files/id:000001"),
    "an edited page": _edited("index.html"),
    "a folder that looks like that of a bug": _own_folder,
    "a link in the place of a bug's folder": _elsewhere("bug-001"),
    "a link in the place of a bug's files": _elsewhere("bug-001/files"),
    "a broken manifest": _edited(".triage-files.json"),
}


def triage_directory() -> Iterator[Situation]:
    """Yield directories of triages in which the user has worked, before another run."""
    for (what, put), later in itertools.product(USERS.items(), ("the same", "fewer")):
        if what == "a broken manifest" and later == "fewer":
            continue
        yield Situation(
            f"{what}, then a triage of {later} files",
            (*TRIAGE, *TARGET),
            # Known bugs are not read through a link that leads out of the directory.
            frozenset({0, 3}) if "link" in what else frozenset({0}),
            prepare=partial(_worked_in, put, later),
            after=_mine_is_kept,
        )
    for mode, mask in itertools.product((0o600, 0o640), (0, 0o022)):
        yield Situation(
            f"crash files of mode {mode:o}, umask {mask:o}",
            (*TRIAGE, *TARGET),
            prepare=partial(_private, mode),
            before=partial(os.umask, mask),
            after=partial(too_open, mode, 0o066, "bugs"),
        )


def _worked_in(put: Callable[[Path], Path], later: str, work: Path) -> None:
    folder = _crashes(work)
    if run_marrow(work, *TRIAGE, *TARGET):
        raise OSError("the first triage failed")
    put(work / "bugs")
    if later == "fewer":
        (folder / "id:000000").unlink()
    (folder / "id:000002").write_text("one more thread\n")


def _mine_is_kept(work: Path) -> str:
    files = [one for one in work.rglob("*") if one.is_file() and not one.is_symlink()]
    if any(one.read_bytes() == MINE for one in files):
        return ""
    # The manifest is marrow's own: a broken one only means that nothing else is.
    return "" if (work / "bugs" / "index.html~").exists() else "the user's file is lost"


def _private(mode: int, work: Path) -> None:
    for one in _crashes(work).iterdir():
        one.chmod(mode)
