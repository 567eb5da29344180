"""Ready guards: `--guard c` keeps a program in C or C++ free of undefined behaviour.

A wrong result of a compiler means nothing if the program is not valid. So a candidate is compiled
with warnings of what has no meaning as errors, and run under the sanitizers, within a time limit.
`guard_c.toml` has the checks; what no compiler here can do is left out, and that is said.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from marrow.base.errors import UsageError, error_text
from marrow.engine.process.watchdog import run_helper
from marrow.languages.language_facts import facts_of
from marrow.run.plan.input import Input
from marrow.signature.failing_command import CANDIDATE, Words

#: The guard that marrow knows itself.
READY: Final = "c"

# The compilers for C++.
_PLUS: Final = {"gcc": "g++", "clang": "clang++"}

# How long a compiler may take to show which warnings the input has, or whether a check works.
_PATIENCE: Final = 120.0


def guard_commands(
    guards: tuple[str, ...], commands: tuple[Words, ...], source: Input, say: Callable[[str], None]
) -> tuple[str, ...]:
    """Return guards as shell commands, the ready one written out; say what that one does."""
    found: list[str] = []
    for guard in guards:
        if guard != READY:
            found.append(guard)
            continue
        ready, words = c_guard(commands, source)
        found += ready
        say(f"guard c: {words}")
    return tuple(found)


def c_guard(commands: tuple[Words, ...], source: Input) -> tuple[list[str], str]:
    """Return the commands of the guard for C and C++ on this machine, and what they check."""
    table = tomllib.loads((files(__package__) / "guard_c.toml").read_text("utf-8"))
    compilers = [name for name in table["warnings"] if shutil.which(name)]
    if not compilers:
        raise UsageError(error_text("no_compiler_to_guard"))
    options = " ".join(map(shlex.quote, _options(commands)))
    lines: list[str] = []
    parts: list[str] = []
    for name in compilers:
        names = table["warnings"][name]
        kept = _warnings(name, options, names, source)
        lines.append(f"{_by_name(name)} {options} {_errors(kept)} -O1 -c {{}} -o guard.o")
        left = len(names) - len(kept)
        without = f" ({left} that the input has are allowed)" if left else ""
        parts.append(f"{name} compiles it without {len(kept)} kinds of warnings{without}")
    for check in table["check"]:
        compiler, way = _way(check["way"], compilers, source)
        if not way:
            parts.append(f"left out: {check['left_out']}")
            continue
        compiled = f"{_by_name(compiler)} {options} -w -g {{}} -lm"
        lines.append(way["line"].replace("{compile}", compiled))
        parts.append(way["words"].format(compiler=compiler))
    return lines, f"{'; '.join(parts)}; each run ends within 10 s"


def _way(
    ways: list[dict[str, Any]], compilers: list[str], source: Input
) -> tuple[str, dict[str, Any]]:
    """Return the first way of a check that works on an empty program here, and its compiler."""
    for way in ways:
        for name in compilers:
            empty = f"echo 'int main(void) {{ return 0; }}' > e.{'c' if _is_c(source) else 'cc'}"
            compiled = f"{name if _is_c(source) else _PLUS[name]} e.c*"
            line = f"{empty} && {way['line'].replace('{compile}', compiled)}"
            if name in way.get("compilers", compilers) and _succeeds(line):
                return name, way
    return "", {}


def lost_check(language: str, source: Path, result: Path) -> str:
    """Return the check that the input passes and the result does not; nothing if there is none."""
    for check in facts_of(language).checkers:  # {} is the file
        if shutil.which(check.split()[0]) is not None:
            passes = [
                _succeeds(check.replace(CANDIDATE, shlex.quote(str(path.absolute()))))
                for path in (source, result)
            ]
            return check if passes == [True, False] else ""
    return ""


def _options(commands: tuple[Words, ...]) -> list[str]:
    """Return the options of the compilers that say what the program is: includes, macros."""
    words: list[str] = []
    for word in (word for command in commands for word in command):
        try:
            words += shlex.split(word) if " " in word else [word]
        except ValueError:  # a quotation that does not end
            words += word.split()
    found: dict[tuple[str, ...], None] = {}
    for at, word in enumerate(words):
        if word in ("-I", "-D", "-U", "-isystem", "-include", "-iquote") and at + 1 < len(words):
            found[word, words[at + 1]] = None
        elif word.startswith(("-I", "-D", "-U", "-std=")) and len(word) > 2:
            found[(word,)] = None
    return [part for one in found for part in one]


def _errors(names: Iterable[str]) -> str:
    return " ".join(f"-W{one} -Werror={one}" for one in names)


def _warnings(compiler: str, options: str, names: list[str], source: Input) -> list[str]:
    """Return the warnings that the input does not have."""
    program = compiler if _is_c(source) else _PLUS[compiler]

    def clean(some: list[str]) -> bool:
        path = shlex.quote(str(source.paths[0].absolute()))
        return _succeeds(f"{program} {options} {_errors(some)} -O1 -c {path} -o o")

    if not source.paths or source.several or clean(names):
        return names
    return [name for name in names if clean([name])]


def _is_c(source: Input) -> bool:
    return not source.paths or source.paths[0].suffix in (".c", ".i")


def _succeeds(line: str) -> bool:
    """Whether a command for the shell succeeds, in an empty directory."""
    with tempfile.TemporaryDirectory() as place:
        try:
            done = run_helper(["/bin/sh", "-c", line], seconds=_PATIENCE, directory=place)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return done.returncode == 0


def _by_name(compiler: str) -> str:
    """Return the compiler for the language of the file: by its name, C or C++."""
    return f"$(case {{}} in *.c|*.i) echo {compiler};; *) echo {_PLUS[compiler]};; esac)"
