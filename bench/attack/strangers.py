"""Configuration files from strangers, results that tests touch, and the rights of what is written.

A configuration file that comes with an input changes the search and nothing else; a broken one of
another tool changes nothing. Whatever a test does to the result, in the end the result is on disk.
Nothing that any command writes is more readable than what it was made of.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from bench.attack.situation import PROGRAM, TABLES, Situation, put, write_script

RESULT: Final = "input.reduced.c"

# -- configuration files --------------------------------------------------------------------------

_HARMFUL: Final = TABLES["strangers"]["harmful"]

#: Files of other tools that cannot be read.
_BROKEN: Final = {
    "Latin-1": "[project]\nname = 'caf\xe9'\n".encode("latin-1"),
    "no TOML": b"[project\nname = ",
    "binary": bytes(range(256)),
    "nested too deeply": b"x = " + b"[" * 20_000,
}


def configurations() -> Iterator[Situation]:
    """Yield configuration files that came with an input."""
    for what, line in _HARMFUL.items():
        for name, head in (("marrow.toml", ""), ("pyproject.toml", "[tool.marrow]\n")):
            yield Situation(
                f"{name} beside the input sets {what}",
                codes=frozenset({2}),
                prepare=partial(put, name, f"{head}{line}\n".encode()),
                says="cannot be set",
                after=_nothing_was_run,
            )
        yield Situation(
            f"marrow.toml with {what}, and --no-config",
            ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "9", "--no-config"),
            prepare=partial(put, "marrow.toml", f"{line}\n".encode()),
            after=_nothing_was_run,
        )
    yield Situation(
        "a relative XDG_CONFIG_HOME leads to the directory of the input",
        prepare=_own_file_of_a_stranger,
        variables={"XDG_CONFIG_HOME": ".config", "HOME": "."},
        after=_nothing_was_run,
    )
    for what, content in _BROKEN.items():
        yield Situation(
            f"a pyproject.toml above that is {what}",
            ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "9"),
            prepare=partial(put, "../pyproject.toml", content),
        )
        yield Situation(
            f"a pyproject.toml that is {what} is the input",
            ("reduce", "pyproject.toml", "./test.sh", "-j1", "--max-tests", "9"),
            prepare=partial(put, "pyproject.toml", content + b"\n# needle\n"),
        )
    for what, make in {"a pipe": os.mkfifo, "a directory": os.mkdir}.items():
        yield Situation(f"marrow.toml is {what}", prepare=partial(put, "marrow.toml", make))


def _own_file_of_a_stranger(work: Path) -> None:
    (work / ".config" / "marrow").mkdir(parents=True)
    (work / ".config" / "marrow" / "marrow.toml").write_text('formatter = "touch pwned"\n')


def _nothing_was_run(work: Path) -> str:
    return "what the file names was run" if list(work.parent.rglob("pwned")) else ""


# -- results that tests touch ---------------------------------------------------------------------

_TOUCHES: Final = TABLES["strangers"]["touches"]

_MOMENTS: Final = TABLES["strangers"]["moments"]


def touched() -> Iterator[Situation]:
    """Yield tests that touch the result of the run."""
    for what, deed in _TOUCHES.items():
        for moment, condition in _MOMENTS.items():
            yield Situation(
                f"a test {what} the result, {moment}",
                ("reduce", "input.c", "./test.sh", "-j1"),
                prepare=partial(_touching, deed, condition),
                after=_result_is_there,
            )
    for moment, condition in _MOMENTS.items():
        yield Situation(
            f"a test moves the directory of the result, {moment}",
            ("reduce", "input.c", "./test.sh", "-j1", "-o", f"out/{RESULT}", "--no-journal"),
            frozenset({8}),
            prepare=partial(_moving, condition),
            says="was moved or replaced",
            after=_nobody_elses_changed,
        )


def _touching(deed: str, condition: str, work: Path) -> None:
    (work / "victim").write_text("precious")
    body = (
        f'size=$(wc -c < "$1")\nif {condition}; then (cd {work} && {{ {deed}; }}); fi 2> /dev/null'
    )
    write_script(work / "test.sh", f'{body}\ngrep -q needle "$1"')


def _moving(condition: str, work: Path) -> None:
    for name in ("out", "other"):
        (work / name).mkdir()
    (work / "other" / RESULT).write_text("precious needle")
    (work / "victim").write_text("precious")
    deed = "[ -L out ] || { mv out moved; ln -s other out; }"
    body = f'size=$(wc -c < "$1")\nif {condition}; then (cd {work}; {deed}); fi'
    write_script(work / "test.sh", f'{body}\ngrep -q needle "$1"')


def _result_is_there(work: Path) -> str:
    if wrong := _nobody_elses_changed(work):
        return wrong
    try:
        found = os.lstat(work / RESULT)
    except OSError:
        return "the result is missing"
    if not stat.S_ISREG(found.st_mode):
        return "the result is not a file"
    return "" if b"needle" in (work / RESULT).read_bytes() else "the result is garbage"


def _nobody_elses_changed(work: Path) -> str:
    if (work / "nowhere").exists():
        return "a broken link was followed"
    other = work / "other" / RESULT
    if other.exists() and other.read_text() != "precious needle":
        return "a directory that took the place of another was written to"
    return "" if (work / "victim").read_text() == "precious" else "a link was followed"


# -- rights ---------------------------------------------------------------------------------------

_QUICK: Final = ("reduce", "input.c", "./test.sh", "-j1", "--max-tests", "9")
_FAILING: Final = ("--", "./fail.sh", "{}")

#: Commands that write, on an input of mode 0600.
_WRITERS: Final = {
    "a result": _QUICK,
    "a page": (*_QUICK, "--report", "page.html"),
    "a bug report": (*_QUICK, "--bug-report", "bug.md"),
    "a saved test": ("reduce", "input.c", "--write-test", "saved.sh", "--max-tests=9", *_FAILING),
    "a signature": ("reduce", "input.c", "--signature", "sign.toml", "--max-tests=9", *_FAILING),
    "other failures": ("reduce", "input.c", "--also", "others", "--max-tests=40", *_FAILING),
    "a patch": ("reduce", "--diff", "good.c", "input.c", "./test.sh", "-j1"),
    "a triage": ("triage", "crashes", "-o", "bugs", *_FAILING),
    "standard input": ("reduce", "-", "./test.sh", "--name", "x.c", "-j1", "--max-tests", "9"),
}


def written() -> Iterator[Situation]:
    """Yield commands that write something about an input that others may not read."""
    for what, words in _WRITERS.items():
        for mask in (0, 0o022):
            yield Situation(
                f"{what} of an input of mode 600, umask {mask:o}",
                words,
                prepare=_private,
                before=partial(os.umask, mask),
                redirected="< input.c" if what == "standard input" else "",
                after=_nothing_for_others,
            )


def _private(work: Path) -> None:
    write_script(
        work / "fail.sh", 'grep -q needle "$1" || exit 0\necho "error: needle found" >&2\nexit 3'
    )
    (work / "good.c").write_text(PROGRAM.replace("needle", "harmless"))
    (work / "crashes").mkdir()
    for number in range(3):
        (work / "crashes" / f"{number}.c").write_text(PROGRAM + f"int v{number};\n")
    for path in (work / "input.c", work / "good.c", *(work / "crashes").iterdir()):
        path.chmod(0o600)


def _nothing_for_others(work: Path) -> str:
    # The last is a template that says nothing of the input.
    own = {"test.sh", "fail.sh", "overrules.toml"}
    for one in work.rglob("*"):
        if one.name in own or one.is_symlink() or one.is_dir():
            continue
        if one.stat().st_mode & 0o077:
            return f"{one.relative_to(work)} has mode {one.stat().st_mode & 0o777:o}"
    return ""
