"""Go: compilers that fail on files of Go's own tests. gccgo 12 lacks type parameters."""

from __future__ import annotations

from typing import Final

from bench.cases.case import Case
from bench.cases.sources import File

# From Debian's golang-1.19-src.
_TESTS: Final = "/usr/share/go-1.19/test/typeparam"
_COMPILE: Final = "/usr/lib/go-1.19/pkg/tool/linux_amd64/compile"


def _case(name: str, about: str, file: str, message: str, tokens: int, size: int) -> Case:
    """Return a case: gccgo's first error holds a message, gofmt and Go's compiler are content."""
    script = f"""\
gofmt -e input.go > /dev/null 2> said || exit 1
LC_ALL=C timeout 10 gccgo-12 -S -o out.s input.go 2> said && exit 1
grep -m1 'error:' said | grep -q "{message}" || exit 1
timeout 10 {_COMPILE} -p main -o out.o input.go > said 2>&1
"""
    source = File(f"{_TESTS}/{file}")
    needs = ("gofmt", "gccgo-12", _COMPILE, source.path)
    about = f"gccgo 12 does not take {about}"
    return Case(name, "input.go", "go", about, source, script, tokens, size, needs)


# Without a path of the package, Go's own compiler fails on what it compiles otherwise.
_DICTIONARY: Final = f"""\
gofmt -e input.go > /dev/null 2> said || exit 1
timeout 10 {_COMPILE} -o out.o input.go > said 2>&1 && exit 1
grep -q 'internal compiler error: Dictionary should have already been generated' said || exit 1
timeout 10 {_COMPILE} -p main -o out.o input.go > said 2>&1
"""

GO_CASES: Final = (
    Case(
        "go-dictionary",
        "input.go",
        "go",
        "Go 1.19's compiler lacks the dictionary of a generic type",
        File(f"{_TESTS}/list2.go"),
        _DICTIONARY,
        3_852,
        15_630,
        ("gofmt", _COMPILE, f"{_TESTS}/list2.go"),
    ),
    _case("go-generic-type", "a type with parameters", "list2.go", "expected ']'", 3_852, 15_630),
    _case(
        "go-generic-function",
        "a function with parameters",
        "chans.go",
        "expected '('",
        1_723,
        8_649,
    ),
    _case(
        "go-constraint",
        "a constraint with a tilde",
        "slices.go",
        "invalid character 0x7e",
        1_986,
        7_981,
    ),
)
