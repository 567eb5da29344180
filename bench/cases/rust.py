"""Rust: what rustc prints differs when it is printed again; programs it takes no longer."""

from __future__ import annotations

from typing import Final

from bench.cases.case import Case
from bench.cases.sources import File

# From Debian's rust-src.
_SOURCES: Final = "/usr/src/rustc-1.63.0"

# The pretty printer's output, printed again, should be the same but for white space.
_PRINTED: Final = """\
export RUSTC_BOOTSTRAP=1
print() { timeout 10 rustc --edition 2021 --crate-type lib -Zunpretty=normal "$1" -o "$2" 2> said; }
print input.rs once.rs && print once.rs twice.rs || exit 1
tr -d '[:space:]' < once.rs > once
tr -d '[:space:]' < twice.rs > twice
! cmp -s once twice
"""


def _case(name: str, path: str, tokens: int, size: int) -> Case:
    source = File(f"{_SOURCES}/{path}")
    needs = ("rustc", source.path)
    about = f"rustc's pretty printer is not idempotent on {path.rpartition('/')[2]}"
    return Case(name, "input.rs", "rust", about, source, _PRINTED, tokens, size, needs)


def _refused(name: str, path: str, error: str, tokens: int, size: int) -> Case:
    """Return a case: a test of rustc 1.63 that passed then, and is refused now for one reason.

    No other error may come with it, so that all that the program mentions has to be there.
    """
    script = (
        "timeout 10 rustc --edition 2015 --crate-type lib --emit=metadata -Awarnings -o out "
        "input.rs 2> said && exit 1\n"
        f"grep -q '^error.*: {error}' said || exit 1\n"
        "[ $(grep -c '^error' said) = 2 ]\n"
    )
    source = File(f"{_SOURCES}/src/test/ui/{path}")
    about = f"rustc: {error}"
    needs = ("rustc", source.path)
    return Case(name, "input.rs", "rust", about, source, script, tokens, size, needs)


RUST_CASES: Final = (
    _case("rust-print-undo-log", "compiler/rustc_infer/src/infer/undo_log.rs", 1_506, 7_518),
    _case("rust-print-interface", "compiler/rustc_interface/src/interface.rs", 2_102, 14_308),
    _case("rust-print-asm", "compiler/rustc_codegen_llvm/src/asm.rs", 7_419, 46_092),
    _refused(
        "rust-overflow",
        "associated-consts/issue-93775.rs",
        "overflow evaluating the requirement",
        3_094,
        3_406,
    ),
    _refused(
        "rust-reference-cast",
        "cast/cast-rfc0401.rs",
        "casting references to a bigger memory layout",
        1_250,
        4_803,
    ),
)
