"""Hostile tests: what a script may do to its directory, its processes, and to marrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench.attack.situation import ANY_CLEAR, Situation, write_test

REDUCE: Final = ("reduce", "input.c", "./test.sh", "-j2", "--max-tests", "12", "--timeout", "20s")

LOOK: Final = 'grep -q needle "$1"'

#: What a test does besides looking: none of it may change the result.
DEEDS: Final[dict[str, str]] = {
    "removes its candidate": f'{LOOK}; code=$?; rm -f "$1"; exit $code',
    # Nothing here removes what a variable names, nor whole trees: were there no cage, it would do
    # no more than remove a few files in directories called t and a number.
    "removes its directory": f'{LOOK}; code=$?; rm -f ./*; rmdir ../"${{PWD##*/}}"; exit $code',
    "renames its directory": f'{LOOK}; code=$?; mv ../"${{PWD##*/}}" ../elsewhere; exit $code',
    "takes its rights away": f'{LOOK}; code=$?; chmod 000 . "$1"; exit $code',
    "makes its candidate a link": f'{LOOK}; c=$?; rm "$1"; ln -s /etc/passwd "$1"; exit $c',
    "links its candidate elsewhere": f'{LOOK}; code=$?; ln "$1" "$TMPDIR/x"; exit $code',
    "makes a directory of it": f'{LOOK}; code=$?; rm "$1"; mkdir -p "$1/x"; exit $code',
    "makes deep directories": f"{LOOK}; code=$?; i=0; while [ $i -lt 300 ]; do mkdir d; cd d; "
    "i=$((i+1)); done; exit $code",
    "makes many files": f"{LOOK}; code=$?; i=0; while [ $i -lt 300 ]; do : > f$i; i=$((i+1)); "
    "done; exit $code",
    "makes pipes": f"{LOOK}; code=$?; mkfifo p q; exit $code",
    "makes odd names": f"{LOOK}; code=$?; : > 'a\nb'; : > '-rf'; : > ' '; exit $code",
    "writes into TMPDIR": f'{LOOK}; code=$?; echo x > "$TMPDIR/x"; mkdir "$TMPDIR/y"; exit $code',
    "leaves a process": f"{LOOK}; code=$?; sleep 300 & exit $code",
    "leaves a process in a session of its own": f"{LOOK}; code=$?; setsid sleep 300 & exit $code",
    "leaves ten processes": f"{LOOK}; code=$?; for i in 1 2 3 4 5 6 7 8 9 10; do "
    "setsid sleep 300 & done; exit $code",
    "leaves a process that ignores signals": f"{LOOK}; code=$?; (trap '' TERM INT HUP; "
    "sleep 300) & exit $code",
    "closes its streams": f"exec 0<&- 1>&- 2>&-; {LOOK}",
    "reads its standard input": 'grep -q needle "$1" && cat > /dev/null',
    "reads all of it twice": "grep -q needle && ! read x",
    "prints much": f"{LOOK}; code=$?; head -c 3000000 /dev/zero; exit $code",
    "prints escapes": f"{LOOK}; code=$?; printf '\\033[2J\\033]0;x\\007\\302\\2332J'; exit $code",
    "prints what is no text": f"{LOOK}; code=$?; head -c 3000 /dev/urandom; exit $code",
    "changes its priority": f"{LOOK}; code=$?; renice 19 $$ > /dev/null 2>&1; exit $code",
    "stops itself for a moment": f"{LOOK}; code=$?; (sleep 0.2; kill -CONT $$) & kill -STOP $$; "
    "exit $code",
    "sets an odd mask": f"umask 777; {LOOK}",
    "forks in vain": f"{LOOK}; code=$?; for i in 1 2 3 4 5 6; do (exit 1) & done; wait; exit $code",
    "changes the directory": 'f=$(realpath "$1"); cd /; grep -q needle "$f"',
    "runs marrow's own name": f"{LOOK} && sh -c 'exit 0' marrow",
}

#: How a test ends that never says yes, and the exit codes that may follow.
ENDS: Final[dict[str, tuple[str, set[int]]]] = {
    **{f"exits with {code}": (f"exit {code}", {5}) for code in (1, 2, 77, 125, 126, 127, 128, 255)},
    **{
        f"is killed by {name}": (f"kill -{name} $$", {5})
        for name in ("SEGV", "ABRT", "KILL", "TERM", "INT", "PIPE", "HUP", "QUIT", "XCPU")
    },
    "says yes to anything": ("exit 0", {7}),
    "hangs": ("sleep 1000", {5}),
    "hangs and ignores signals": ("trap '' TERM INT; while :; do sleep 1; done", {5}),
    "stops itself": ("kill -STOP $$; exit 0", {5}),
    "waits for a terminal": ("read x < /dev/tty", {5}),
    "is flaky": ('mkdir "${0%/*}/lock" 2> /dev/null', {6}),
    "says yes only once in a while": (
        'n=$(cat "${0%/*}/n" 2> /dev/null || echo 0); echo $((n+1)) > "${0%/*}/n"; '
        "[ $((n % 2)) = 0 ]",
        {6},
    ),
}


def _made_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _made_link(to: str, path: Path) -> None:
    path.unlink()
    path.symlink_to(to)


def _spoilt(spoil: Callable[[Path], object], work: Path) -> None:
    spoil(work / "test.sh")


#: Tests that are no tests.
BROKEN: Final[dict[str, Callable[[Path], object]]] = {
    "is empty": lambda path: path.write_text(""),
    "names no interpreter": lambda path: path.write_text(f"{LOOK}\n"),
    "names a missing interpreter": lambda path: path.write_text("#!/no/such/thing\n"),
    "names itself": lambda path: path.write_text(f"#!{path}\n"),
    "names a directory": lambda path: path.write_text("#!/tmp\n"),
    "has line ends of another system": lambda path: path.write_bytes(b"#!/bin/sh\r\nexit 0\r\n"),
    "is binary": lambda path: path.write_bytes(bytes(range(256)) * 4),
    "is a broken program": lambda path: path.write_bytes(b"\x7fELF" + b"\0" * 60),
    "cannot be executed": lambda path: path.chmod(0o644),
    "is a directory": _made_directory,
    "is a link to nothing": partial(_made_link, "nowhere"),
    "is a link to itself": partial(_made_link, "test.sh"),
    "is not there": lambda path: path.unlink(),
}


def deeds() -> Iterator[Situation]:
    """Yield tests that do something besides looking."""
    for what, body in DEEDS.items():
        yield Situation(
            f"the test {what}",
            REDUCE,
            prepare=partial(write_test, body),
        )
    harm = {
        "removes the input": ('rm -f "$MARROW_ATTACK/files/input.c"', {0}),
        "changes the input": ('echo x >> "$MARROW_ATTACK/files/input.c"', {0}),
        "removes itself": ('rm -f "$0"', {0, 4}),
        "removes the result": ('rm -f "$MARROW_ATTACK/files/input.reduced.c"', {0}),
        "removes the journal": ('cd "$MARROW_ATTACK/files" && rm -f ./*.marrow ./*.marrow-*', {0}),
        "makes the result a directory": (
            'cd "$MARROW_ATTACK/files"; rm -f input.reduced.c; mkdir -p input.reduced.c',
            {0, 8},
        ),
        "empties the journal": ('for f in "$MARROW_ATTACK"/files/*.marrow; do : > "$f"; done', {0}),
        # A test that runs at the same time finds its file gone: it seems to be flaky.
        "removes the directories of all tests": (
            "rm -f ../t[0-9]*/*; rmdir ../t[0-9]*",
            {0, 4, 6},
        ),
        "renames the directory of the run": ("cd ../.. && mv marrow-* moved", {0, 4, 6}),
        "renames the directory for temporary files": (
            'mv "$MARROW_ATTACK/temporary" "$MARROW_ATTACK/elsewhere"',
            {0, 4, 6},
        ),
    }
    for what, (deed, codes) in harm.items():
        body = f'grep -q needle "$1"; code=$?; {deed}; exit $code'
        yield Situation(
            f"the test {what}",
            REDUCE,
            frozenset(codes),
            prepare=partial(write_test, body),
            harms_itself=True,
        )
        if 6 in codes:
            yield Situation(
                f"the test {what}, -j1",
                (*REDUCE, "-j1"),
                frozenset(codes - {6}),
                prepare=partial(write_test, body),
                harms_itself=True,
            )


def ends() -> Iterator[Situation]:
    """Yield tests that never say yes to the input, and tests that are none."""
    quick = ("reduce", "input.c", "./test.sh", "-j2", "--timeout", "1s")
    for what, (body, codes) in ENDS.items():
        yield Situation(
            f"the test {what}",
            quick,
            frozenset(codes),
            prepare=partial(write_test, body),
        )
    for what, spoil in BROKEN.items():
        works = what == "names no interpreter"  # shells run such a script
        yield Situation(
            f"the test {what}",
            REDUCE if works else quick,
            frozenset({0}) if works else ANY_CLEAR - {0, 13},
            prepare=partial(_spoilt, spoil),
        )
