"""Large: C and C++ with the headers of the system preprocessed in, 0.3 to 4.5 MB.

The sources below `large/` are our own; the preprocessor adds what the machine's packages install,
when the input is made, so that no foreign text lies in the repository. A compiler refuses each of
them, and a test asks for exactly its errors, in their order, and no others.

`HELD_OUT` are not looked at while marrow is changed: they show whether it was built for the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.cases.case import CannotMakeError, Case
from bench.cases.sources import run_program

_SOURCES: Final = Path(__file__).resolve().parent / "large"

#: The name that stands for these cases where cases are chosen.
GROUP: Final = "large"


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """A source of ours with all headers in it, by the preprocessor of a compiler."""

    name: str
    command: tuple[str, ...]

    def make(self) -> bytes:
        """Run the preprocessor where the sources are: line markers name no path of theirs."""
        if not (_SOURCES / self.name).exists():
            raise CannotMakeError(f"there is no {_SOURCES / self.name}")
        return run_program([*self.command, "-E", self.name], directory=str(_SOURCES))


def _exactly(command: str, errors: tuple[str, ...], said: str = "(error|warning): .*") -> str:
    """Return a test: a compiler says these errors, wherever, and no others."""
    wanted = "\n".join(errors)
    return f"""\
export LLVM_DISABLE_SYMBOLIZATION=1
timeout 120 {command} > said 2>&1
grep -oE '{said}' said > found
cmp -s found - << 'END'
{wanted}
END
"""


#: What `pkg-config --cflags gtk+-2.0` says on Debian, but for what its headers do without.
_GTK: Final = tuple(
    f"-I/usr/{place}"
    for place in (
        "include/gtk-2.0",
        "lib/x86_64-linux-gnu/gtk-2.0/include",
        "include/pango-1.0",
        "include/glib-2.0",
        "lib/x86_64-linux-gnu/glib-2.0/include",
        "include/harfbuzz",
        "include/cairo",
        "include/gdk-pixbuf-2.0",
        "include/atk-1.0",
    )
)
_GXX: Final = ("g++-12", "-std=c++20")
_CLANG: Final = ("clang++-14", "-std=c++20")
_REFUSES: Final = "clang++-14 -std=c++20 -fsyntax-only -w -ferror-limit=0 input.cc"


def _case(
    name: str,
    about: str,
    source: Preprocessed,
    script: str,
    sizes: tuple[int, int],
    *needs: str,
) -> Case:
    """Return a case; `sizes` are the tokens and the bytes of its input."""
    suffix, language = ("cc", "cpp") if source.name.endswith(".cc") else ("c", "c")
    file = f"input.{suffix}"
    return Case(name, file, language, about, source, script, *sizes, needs)


_DEDUCTION: Final = (
    "error: no viable constructor or deduction guide for deduction of template arguments of '{}'"
)
_INLINE: Final = (
    "error: always_inline function '{}' requires target feature 'avx', but would be inlined into "
    "function 'total' that is compiled without support for 'avx'"
)
_ABI: Final = (
    "error: AVX vector {} of type '__m256' (vector of 8 'float' values) without 'avx' enabled "
    "changes the ABI"
)

_PAIR: Final = "std::pair<const std::__cxx11::basic_string<char>, std::unique_ptr<jobs::Worker> >"
_DELETED: Final = (
    f"error: no matching function for call to ‘construct_at({_PAIR}*&, const {_PAIR}&)’",
    "error: use of deleted function ‘constexpr std::pair<_T1, _T2>::pair(const std::pair<_T1, _T2>"
    "&) [with _T1 = const std::__cxx11::basic_string<char>; _T2 = std::unique_ptr<jobs::Worker>]’",
    "error: use of deleted function ‘std::unique_ptr<_Tp, _Dp>::unique_ptr(const std::unique_ptr<"
    "_Tp, _Dp>&) [with _Tp = jobs::Worker; _Dp = std::default_delete<jobs::Worker>]’",
)

LARGE_CASES: Final = (
    _case(
        "cpp-aggregate",
        "clang 14 builds no aggregate in place (libstdc++)",
        Preprocessed("aggregate.cc", _CLANG),
        _exactly(_REFUSES, ("error: no matching function for call to 'construct_at'",)),
        (347_449, 1_985_616),
        "clang++-14",
    ),
    _case(
        "cpp-pipeline",
        "clang 14 does not take libstdc++ 12's views",
        Preprocessed("pipeline.cc", _CLANG),
        _exactly(
            _REFUSES,
            (
                "error: no matching function for call to '__begin'",
                "error: no matching function for call to '__begin'",
                "error: constraints not satisfied for alias template 'sentinel_t' [with _Range = "
                "std::ranges::ref_view<const std::vector<Reading>>]",
                "error: constraints not satisfied for alias template 'sentinel_t' [with _Range = "
                "const std::ranges::ref_view<const std::vector<Reading>>]",
                "error: invalid operands to binary expression ('const std::vector<Reading>' and "
                "'_Partial<std::ranges::views::_Transform, decay_t<int Reading::*>>' (aka "
                "'_Partial<std::ranges::views::_Transform, int Reading::*>'))",
            ),
        ),
        (313_548, 1_786_457),
        "clang++-14",
    ),
    _case(
        "cpp-equality",
        "C++20 finds an operator== ambiguous (libc++)",
        Preprocessed("equality.cc", (*_CLANG, "-stdlib=libc++")),
        _exactly(
            _REFUSES,
            (
                "error: use of overloaded operator '==' is ambiguous (with operand types 'Person' "
                "and 'std::__list_iterator<Animal, void *>::value_type' (aka 'Animal'))",
            ),
        ),
        (484_003, 2_610_226),
        "clang++-14",
        "/usr/lib/llvm-14/include/c++/v1/vector",
    ),
    _case(
        "cpp-concepts",
        "clang 14 deduces no arguments of an aggregate with a base (libstdc++)",
        Preprocessed("concepts.cc", _CLANG),
        _exactly(_REFUSES, (_DEDUCTION.format("Counted"),)),
        (411_216, 2_333_708),
        "clang++-14",
    ),
    _case(
        "cpp-matrix",
        "clang 14 has no template parameters of floating type (Eigen)",
        Preprocessed("matrix.cc", (*_CLANG, "-I/usr/include/eigen3")),
        _exactly(
            _REFUSES,
            ("error: sorry, non-type template argument of type 'double' is not yet supported",),
        ),
        (737_095, 3_942_196),
        "clang++-14",
        "/usr/include/eigen3/Eigen/Core",
    ),
    _case(
        "cpp-settings",
        "clang 14 deduces no arguments of an aggregate (Boost)",
        Preprocessed("settings.cc", _CLANG),
        _exactly(_REFUSES, (_DEDUCTION.format("Setting"),)),
        (785_597, 4_466_426),
        "clang++-14",
        "/usr/include/boost/variant.hpp",
    ),
    _case(
        "cpp-coroutine",
        "g++ 12 refuses the array behind an initialiser list in an awaited call (libstdc++)",
        Preprocessed("coroutine.cc", _GXX),
        _exactly(
            "g++-12 -std=c++20 -w -S -o out.s input.cc",
            ("error: array used as initializer", "confused by earlier errors, bailing out"),
            "error: .*|confused by .*",
        ),
        (398_525, 2_246_856),
        "g++-12",
    ),
    _case(
        "cpp-constant",
        "clang 14 finds libstdc++ 12's string no constant",
        Preprocessed("constant.cc", _CLANG),
        _exactly(
            _REFUSES,
            (
                "error: constexpr variable 'points' must be initialized by a constant expression",
                "note: construction of subobject of member '_M_local_buf' of union with active "
                "member '_M_allocated_capacity' is not allowed in a constant expression",
            ),
            "(error: |note: construction).*",
        ),
        (338_877, 2_002_425),
        "clang++-14",
    ),
    _case(
        "cpp-restrict",
        "g++ 12 warns of memory that overlaps in libstdc++'s string",
        Preprocessed("restrict.cc", _GXX),
        _exactly(
            "g++-12 -std=c++20 -O2 -Wrestrict -S -o out.s input.cc",
            (
                "warning: ‘void* __builtin_memcpy(void*, const void*, long unsigned int)’ "
                "accessing 9223372036854775810 or more bytes at offsets [2, 9223372036854775807] "
                "and 1 may overlap up to 9223372036854775813 bytes at offset -3 [-Wrestrict]",
            ),
        ),
        (433_865, 2_444_760),
        "g++-12",
    ),
    _case(
        "cpp-iterator",
        "a reference into a vector that has grown, found when the program runs (libstdc++)",
        Preprocessed("iterator.cc", _GXX),
        "g++-12 -std=c++20 -fsanitize=address -Werror=return-type -Werror=uninitialized -o prog "
        "input.cc 2> /dev/null || exit 1\n"
        "export ASAN_OPTIONS=detect_leaks=0:symbolize=0\n"
        "timeout 10 ./prog 2>&1 | grep -q 'ERROR: AddressSanitizer: heap-use-after-free'\n",
        (334_620, 1_906_566),
        "g++-12",
    ),
    _case(
        "cpp-deleted",
        "a copy of what cannot be copied; the script shows nothing (libstdc++)",
        Preprocessed("deleted.cc", _GXX),
        "g++-12 -std=c++20 -fsyntax-only input.cc 2>&1 | grep -oE 'error: .*' | cmp -s - <(cat "
        "<< 'END'\n" + "\n".join(_DELETED) + "\nEND\n)\n",
        (428_621, 2_413_300),
        "g++-12",
    ),
    _case(
        "c-features",
        "clang 14: intrinsics in a function for a processor without them",
        Preprocessed("features.c", ("clang-14",)),
        _exactly(
            "clang-14 -w -S -o out.s input.c",
            (
                _INLINE.format("_mm256_setzero_ps"),
                _ABI.format("return"),
                _INLINE.format("_mm256_loadu_ps"),
                _ABI.format("return"),
                _INLINE.format("_mm256_add_ps"),
                _ABI.format("argument"),
                _INLINE.format("_mm256_castps256_ps128"),
                _ABI.format("argument"),
                "error: '__builtin_ia32_vextractf128_ps256' needs target feature avx",
            ),
        ),
        (248_808, 1_458_264),
        "clang-14",
    ),
    _case(
        "c-sockets",
        "clang 14 for BPF takes no more than five arguments",
        Preprocessed("sockets.c", ("clang-14",)),
        "export LLVM_DISABLE_SYMBOLIZATION=1\n"
        "timeout 60 clang-14 -fno-crash-diagnostics --target=bpfel -w -S -o out.s input.c > said "
        "2>&1\n"
        "grep -q 'error: defined with too many args' said || exit 1\n"
        "clang-14 -fsyntax-only -Werror=implicit-function-declaration -Werror=int-conversion "
        "-Werror=incompatible-pointer-types input.c 2> said",
        (44_100, 328_098),
        "clang-14",
    ),
    _case(
        "c-leak",
        "gcc 12's analyzer: an argument that is possibly NULL",
        Preprocessed("leak.c", ("gcc",)),
        _exactly(
            "gcc -fanalyzer -S -o out.s input.c",
            (
                "warning: use of possibly-NULL ‘copy’ where non-null expected [CWE-690] "
                "[-Wanalyzer-possible-null-argument]",
            ),
        ),
        (267_203, 1_521_904),
        "gcc",
    ),
    _case(
        "c-window",
        "gcc 12 takes variables for unset ones that are set wherever they are used (GTK)",
        Preprocessed("window.c", ("gcc", *_GTK)),
        _exactly(
            "gcc -O2 -Wmaybe-uninitialized -Wno-deprecated-declarations "
            "-Werror=implicit-function-declaration -Werror=int-conversion "
            "-Werror=incompatible-pointer-types -S -o out.s input.c",
            (
                "warning: ‘position’ may be used uninitialized [-Wmaybe-uninitialized]",
                "warning: ‘level’ may be used uninitialized [-Wmaybe-uninitialized]",
            ),
        ),
        (278_371, 2_486_785),
        "gcc",
        "/usr/include/gtk-2.0/gtk/gtk.h",
    ),
)

HELD_OUT: Final = frozenset({"cpp-matrix", "cpp-restrict", "c-window"})
