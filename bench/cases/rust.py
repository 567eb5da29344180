"""Rust: what rustc prints of a program differs when it is printed again."""

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


RUST_CASES: Final = (
    _case("rust-print-undo-log", "compiler/rustc_infer/src/infer/undo_log.rs", 1_506, 7_518),
    _case("rust-print-interface", "compiler/rustc_interface/src/interface.rs", 2_102, 14_308),
    _case("rust-print-asm", "compiler/rustc_codegen_llvm/src/asm.rs", 7_419, 46_092),
)
