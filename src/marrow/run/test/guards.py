"""Ready guards: `--guard c` keeps a program in C or C++ free of undefined behaviour.

A wrong result of a compiler means nothing if the program is not valid. So a candidate is compiled
by two compilers where there are two, with warnings of what has no meaning as errors, and run under
the sanitizers, once for reads of memory that was never written, within a time limit. Each of these
is tried on an empty program first: sanitizers need libraries that are not always installed.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from marrow.base.errors import UsageError
from marrow.languages.language_facts import facts_of
from marrow.run.plan.input import Input
from marrow.signature.failing_command import CANDIDATE, Words

#: The guard that marrow knows itself.
READY: Final = "c"

#: Words that name a compiler, at the end of a path and before a version.
_COMPILERS: Final = ("gcc", "g++", "cc", "c++", "clang", "clang++", "tcc", "icx", "icpx", "nvc")

# Warnings of what has no meaning and what a run need not show: missing values, wrong arguments of
# printf, order of evaluation, calls of what was never declared.
_WARNINGS: Final = {
    "gcc": (
        *("return-type", "uninitialized", "format", "sequence-point", "return-local-addr"),
        *("implicit-function-declaration", "implicit-int", "int-conversion"),
        *("incompatible-pointer-types", "array-bounds", "div-by-zero", "overflow"),
        *("aggressive-loop-optimizations", "main", "infinite-recursion"),
    ),
    "clang": (
        *("return-type", "uninitialized", "format", "unsequenced", "return-stack-address"),
        *("implicit-function-declaration", "implicit-int", "int-conversion"),
        *("incompatible-pointer-types", "array-bounds", "division-by-zero"),
        *("conditional-uninitialized", "main", "infinite-recursion"),
    ),
}

# How long the program may run under the sanitizers, which make it several times slower.
_SECONDS: Final = 10
_LIMIT: Final = f"timeout {_SECONDS}"

# What a check must work on before it is used.
_EMPTY_PROGRAM: Final = "int main(void) { return 0; }\n"

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
    """Return the commands of the guard for C and C++ on this machine, and what they check.

    What no compiler here can do is left out, and the words say so.
    """
    compilers = [name for name in _WARNINGS if shutil.which(name)]
    if not compilers:
        raise UsageError(
            "⟦guard c⟧ needs gcc or clang, and neither is installed\n"
            "Install one of them, or give a guard of your own: ⟦guard COMMAND⟧"
        )
    options = " ".join(map(shlex.quote, _options(commands)))
    lines: list[str] = []
    parts: list[str] = []
    for name in compilers:
        kept = _warnings(name, _options(commands), source)
        flags = " ".join(f"-W{one} -Werror={one}" for one in kept)
        lines.append(f"{_by_name(name)} {options} {flags} -O1 -c {{}} -o guard.o")
        left = len(_WARNINGS[name]) - len(kept)
        without = f" ({left} that the input has are allowed)" if left else ""
        parts.append(f"{name} compiles it without {len(kept)} kinds of warnings{without}")
    language = "c" if _is_c(source) else "c++"
    for checks in (_SANITIZERS, _UNINITIALISED):
        found = next((one for one in checks if one.compiler_of(compilers, language)), None)
        if found is None:
            parts.append(f"left out: {checks[0].left_out}")
            continue
        compiler = found.compiler_of(compilers, language)
        assert compiler is not None
        lines.append(found.line(f"{_by_name(compiler)} {options} -w -g {{}} -lm"))
        parts.append(found.words.format(compiler=compiler))
    return lines, f"{'; '.join(parts)}; each run ends within {_SECONDS} s"


def usual_checkers(language: str) -> Sequence[str]:
    """Return the commands that tell valid texts of a language from others; {} is the file."""
    return facts_of(language).checkers


def lost_check(language: str, source: Path, result: Path) -> str:
    """Return the check that the input passes and the result does not; nothing if there is none."""
    for check in usual_checkers(language):
        if shutil.which(check.split()[0]) is None:
            continue
        passes = [
            _succeeds(shlex.split(check.replace(CANDIDATE, shlex.quote(str(path.absolute())))))
            for path in (source, result)
        ]
        return check if passes == [True, False] else ""
    return ""


@dataclass(frozen=True, slots=True)
class _RunCheck:
    """A way to run a program so that it fails where its behaviour is undefined.

    `runs` are the options of a compiler and how the program is started, joined by `&&`. `words` say
    what they check, `left_out` what is not checked where neither this nor another way works.
    """

    runs: tuple[tuple[str, str], ...]
    words: str
    left_out: str
    compilers: tuple[str, ...] = ("gcc", "clang")
    tool: str = ""
    after: str = ""

    def line(self, compiled: str) -> str:
        """Return the command for the shell."""
        runs = [f"{compiled} {options} -o guard.exe && {start}" for options, start in self.runs]
        return " && ".join([*runs, self.after] if self.after else runs)

    def compiler_of(self, installed: Iterable[str], language: str) -> str | None:
        """Return the first compiler with which it works on this machine, on an empty program."""
        if self.tool and shutil.which(self.tool) is None:
            return None
        return next((one for one in installed if self._works(one, language)), None)

    def _works(self, compiler: str, language: str) -> bool:
        if compiler not in self.compilers:
            return False
        program = compiler if language == "c" else _PLUS[compiler]
        source = f"{program} -x {language} empty"
        with tempfile.TemporaryDirectory() as place:
            Path(place, "empty").write_text(_EMPTY_PROGRAM)
            return _succeeds(["/bin/sh", "-c", self.line(source)], place)


def _sanitized(sanitizers: str) -> tuple[tuple[str, str], ...]:
    options = f"-O1 -fsanitize={sanitizers} -fno-sanitize-recover=all"
    return ((options, f"{_LIMIT} ./guard.exe"),)


# The ways to find undefined behaviour, the best first.
_SANITIZERS: Final = (
    _RunCheck(
        _sanitized("undefined,address"),
        "it runs under {compiler}'s sanitizers for undefined behaviour and addresses",
        "runs under sanitizers (no compiler here has their libraries)",
    ),
    _RunCheck(
        _sanitized("undefined"),
        "it runs under {compiler}'s sanitizer for undefined behaviour "
        "(left out: addresses, whose library is missing)",
        "",
    ),
    _RunCheck(
        _sanitized("address"),
        "it runs under {compiler}'s sanitizer for addresses "
        "(left out: undefined behaviour, whose library is missing)",
        "",
    ),
)

# The ways to find reads of memory that was never written, the best first.
_UNINITIALISED: Final = (
    _RunCheck(
        _sanitized("memory"),
        "it reads nothing that was never written (clang's memory sanitizer)",
        "reads of what was never written (needs clang's memory sanitizer, valgrind, or gcc 12)",
        compilers=("clang",),
    ),
    _RunCheck(
        (("-O0", f"timeout {4 * _SECONDS} valgrind -q --error-exitcode=99 ./guard.exe"),),
        "it reads nothing that was never written (valgrind)",
        "",
        tool="valgrind",
    ),
    _RunCheck(
        tuple(
            (f"-O0 -ftrivial-auto-var-init={how}", f"{_LIMIT} ./guard.exe > guard.{how}")
            for how in ("zero", "pattern")
        ),
        "it does the same whatever its variables begin with",
        "",
        after="cmp -s guard.zero guard.pattern",
    ),
)


def runs_compilers(commands: Iterable[Words]) -> bool:
    """Whether commands run a compiler of C or C++."""
    for word in _all_words(commands):
        name = word.rpartition("/")[2].rstrip("0123456789.-")
        if name in _COMPILERS or name.rpartition("-")[2] in _COMPILERS:
            return True
    return False


def _all_words(commands: Iterable[Words]) -> Iterable[str]:
    """Yield the words of commands, also those of scripts for a shell."""
    for words in commands:
        for word in words:
            try:
                yield from shlex.split(word) if " " in word else [word]
            except ValueError:  # a quotation that does not end
                yield from word.split()


def _options(commands: tuple[Words, ...]) -> list[str]:
    """Return the options of the compilers that say what the program is: includes, macros."""
    found: dict[str, None] = {}
    words = list(_all_words(commands))
    for at, word in enumerate(words):
        if word in ("-I", "-D", "-U", "-isystem", "-include", "-iquote") and at + 1 < len(words):
            found[f"{word}\0{words[at + 1]}"] = None
        elif word.startswith(("-I", "-D", "-U", "-std=")) and len(word) > 2:
            found[word] = None
    return [part for one in found for part in one.split("\0")]


def _warnings(compiler: str, options: list[str], source: Input) -> list[str]:
    """Return the warnings that the compiler knows and the input does not have."""
    names = _WARNINGS[compiler]
    if not source.paths or source.several or _compiles(compiler, options, names, source):
        return list(names)
    return [name for name in names if _compiles(compiler, options, [name], source)]


def _compiles(compiler: str, options: list[str], names: Iterable[str], source: Input) -> bool:
    program = compiler if _is_c(source) else _PLUS[compiler]
    flags = [flag for one in names for flag in (f"-W{one}", f"-Werror={one}")]
    with tempfile.TemporaryDirectory() as place:
        input_path = str(source.paths[0].absolute())
        words = [program, *options, *flags, "-O1", "-c", input_path, "-o", f"{place}/o"]
        return _succeeds(words)


def _is_c(source: Input) -> bool:
    return not source.paths or source.paths[0].suffix in (".c", ".i")


def _succeeds(words: list[str], directory: str | None = None) -> bool:
    try:
        done = subprocess.run(
            words,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _by_name(compiler: str) -> str:
    """Return the compiler for the language of the file: by its name, C or C++."""
    return f"$(case {{}} in *.c|*.i) echo {compiler};; *) echo {_PLUS[compiler]};; esac)"
