"""C: programs by csmith on which real compilers fail.

How each was found is in docs/lab/bench-cases.md. Each test first asks for the failure, which is
the cheaper question and seldom answered with yes, then whether the candidate is sound C.
"""

from __future__ import annotations

from typing import Final

from bench.cases.case import Case
from bench.cases.sources import Csmith

# Programs of 5,000 to 35,000 tokens: csmith's defaults give programs that take compilers seconds.
_MEDIUM: Final = ("--max-funcs", "5", "--max-block-size", "4", "--max-block-depth", "4")
_SMALL: Final = ("--max-funcs", "4", "--max-block-size", "4", "--max-block-depth", "3")

# What a person would not accept as C, though compilers do.
_ERRORS: Final = (
    "-Werror=implicit-function-declaration -Werror=implicit-int -Werror=return-type "
    "-Werror=int-conversion -Werror=incompatible-pointer-types -Werror=missing-parameter-type "
    "-Werror=discarded-qualifiers -Werror=pointer-to-int-cast -Werror=int-to-pointer-cast"
)
_SOUND: Final = f"gcc -std=gnu99 -fsyntax-only {_ERRORS} input.c 2> said"

# What can make two good compilers disagree: undefined behaviour that gcc warns of, and that the
# sanitisers see at run time. `timeout` ends what loops for ever.
_DEFINED: Final = (
    f"gcc -std=gnu99 -O1 {_ERRORS} -Werror=uninitialized -Werror=maybe-uninitialized "
    "-Werror=array-bounds -Werror=dangling-pointer -Werror=div-by-zero "
    "-Werror=format -Werror=sequence-point -Werror=strict-aliasing "
    "-fsanitize=undefined,address -fno-sanitize-recover=all -o checked input.c -lm 2> said"
)

# A crash is known by its message; to name the functions on the stack takes up to 0.3 s.
_NO_SYMBOLS: Final = "export LLVM_DISABLE_SYMBOLIZATION=1"

_VERIFY: Final = "-mllvm -verify-machineinstrs"


def _says(options: str, message: str) -> str:
    """Return a test: clang fails with a message, on a program that gcc accepts."""
    command = f"clang-14 -fno-crash-diagnostics -w -S -o out.s {options}"
    return (
        f"{_NO_SYMBOLS}\n"
        f"timeout 10 {command} input.c > said 2>&1 && exit 1\n"
        f"grep -q '{message}' said || exit 1\n"
        f"{_SOUND}\n"
    )


def _miscompiled(options: str) -> str:
    """Return a test: what clang makes with some options prints another checksum than it should.

    The right one is what gcc and clang make of the program without optimisation, and what the
    sanitisers let pass.
    """
    return f"""\
timeout 10 clang-14 -w -o bad {options} input.c -lm 2> said || exit 1
timeout 2 ./bad > bad.out 2>&1 || exit 1
grep -q '^checksum = ' bad.out || exit 1
timeout 10 gcc -w -O0 -o good input.c -lm 2> said || exit 1
timeout 4 ./good > good.out 2>&1 || exit 1
grep -q '^checksum = ' good.out || exit 1
cmp -s bad.out good.out && exit 1
timeout 20 {_DEFINED} || exit 1
timeout 8 ./checked > checked.out 2>&1 || exit 1
cmp -s good.out checked.out || exit 1
timeout 10 clang-14 -w -o other -O0 input.c -lm 2> said || exit 1
timeout 4 ./other > other.out 2>&1 || exit 1
cmp -s good.out other.out
"""


def _case(name: str, about: str, source: Csmith, script: str, tokens: int, size: int) -> Case:
    needs = ("csmith", "gcc", "clang-14")
    return Case(name, "input.c", "c", about, source, script, tokens, size, needs)


C_CASES: Final = (
    _case(
        "c-avr-registers",
        "clang 14 for AVR runs out of registers at -O0",
        Csmith(2, _MEDIUM),
        _says("--target=avr -O0", "ran out of registers during register allocation"),
        20_293,
        64_863,
    ),
    _case(
        "c-m68k-select",
        "clang 14 for m68k cannot select a load at -O0",
        Csmith(3, _MEDIUM),
        _says("--target=m68k-linux -O0", "Cannot select: .* = load<"),
        32_380,
        99_307,
    ),
    _case(
        "c-nvptx-initializer",
        "clang 14 for NVPTX cannot emit the initialiser of a global",
        Csmith(1, _MEDIUM),
        _says("--target=nvptx64-nvidia-cuda -O0", "Unsupported expression in static initializer"),
        21_302,
        67_605,
    ),
    _case(
        "c-aarch64-legalize",
        "clang 14's GlobalISel for AArch64 cannot legalise a load of 256 bits",
        Csmith(30, _MEDIUM),
        _says(
            "--target=aarch64 -O0 -mllvm -global-isel -mllvm -global-isel-abort=1",
            "unable to legalize instruction: .*(s256) = G_ZEXTLOAD",
        ),
        12_197,
        37_211,
    ),
    _case(
        "c-avr-segment",
        "clang 14 for AVR, -O2: bad machine code, no live segment at a definition",
        Csmith(103, _SMALL),
        _says(f"--target=avr -O2 {_VERIFY}", "Bad machine code: No live segment at def"),
        15_495,
        55_653,
    ),
    _case(
        "c-lanai-barrier",
        "clang 14 for Lanai, -O2: bad machine code, a block falls through behind a barrier",
        Csmith(101, _SMALL),
        _says(
            f"--target=lanai -O2 {_VERIFY}",
            "Bad machine code: MBB exits via conditional branch/fall-through but ends with",
        ),
        16_057,
        52_501,
    ),
    _case(
        "c-lanai-terminator",
        "clang 14 for Lanai, -O2: bad machine code, an instruction behind the end of a block",
        Csmith(102, _SMALL),
        _says(
            f"--target=lanai -O2 {_VERIFY}",
            "Bad machine code: Non-terminator instruction after the first terminator",
        ),
        4_852,
        17_859,
    ),
    _case(
        "c-x86-linearize",
        "clang 14 -O1 with the linearizing scheduler miscompiles",
        Csmith(101, _SMALL),
        _miscompiled("-O1 -mllvm -pre-RA-sched=linearize"),
        16_057,
        52_501,
    ),
    _case(
        "c-x86-attributor",
        "clang 14 -O2 with the attributor miscompiles",
        Csmith(105, _SMALL),
        _miscompiled("-O2 -mllvm -attributor-enable=all"),
        9_349,
        32_125,
    ),
)
