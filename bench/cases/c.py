"""C: programs by csmith on which real compilers fail.

How each was found is in docs/notes/bench-cases.md. Each test first asks for the failure, which is
the cheaper question and seldom answered with yes, then whether gcc takes the candidate for sound C.
"""

from __future__ import annotations

from typing import Final

from bench.cases.case import Case
from bench.cases.sources import Csmith

# Programs of some 10,000 tokens: csmith's defaults give programs that take compilers seconds.
_SMALL: Final = ("--max-funcs", "5", "--max-block-size", "4", "--max-block-depth", "4")

# What a person would not accept as C, though compilers do.
_SOUND: Final = (
    "gcc -std=gnu99 -fsyntax-only -Werror=implicit-function-declaration -Werror=implicit-int "
    "-Werror=return-type -Werror=int-conversion -Werror=incompatible-pointer-types "
    "-Werror=missing-parameter-type -Werror=discarded-qualifiers input.c"
)


def _says(command: str, message: str) -> str:
    """Return a test: the compiler fails with a message, on a program that gcc accepts."""
    return (
        f"timeout 10 {command} input.c > said 2>&1 && exit 1\n"
        f"grep -q '{message}' said || exit 1\n"
        f"{_SOUND} 2> said\n"
    )


def _clang(name: str, target: str, seed: int, message: str, about: str, *measured: int) -> Case:
    tokens, size = measured
    command = f"clang-14 -fno-crash-diagnostics -w -S -o out.s {target}"
    return Case(
        name,
        "input.c",
        "c",
        about,
        Csmith(seed, _SMALL),
        _says(command, message),
        tokens,
        size,
        needs=("csmith", "gcc", "clang-14"),
    )


C_CASES: Final = (
    _clang(
        "c-avr-registers",
        "--target=avr -O0",
        2,
        "ran out of registers during register allocation",
        "clang 14 for AVR runs out of registers at -O0",
        20_293,
        64_863,
    ),
    _clang(
        "c-m68k-select",
        "--target=m68k-linux -O0",
        3,
        "Cannot select: .* = load<",
        "clang 14 for m68k cannot select a load at -O0",
        32_380,
        99_307,
    ),
    _clang(
        "c-nvptx-initializer",
        "--target=nvptx64-nvidia-cuda -O0",
        1,
        "Unsupported expression in static initializer: addrspacecast",
        "clang 14 for NVPTX cannot emit the initialiser of a global",
        21_302,
        67_605,
    ),
)
