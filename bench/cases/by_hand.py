"""Cases whose best result, made by hand and verified, is in `best/`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bench.cases.case import Case
from bench.cases.random_constraints import mixed_constraints
from bench.cases.random_data import queries
from bench.cases.random_javascript import random_javascript
from bench.cases.sources import File, Generated, Member, PythonTool

_GO: Final = "/usr/share/go-1.19/src/cmd/vet/testdata"
_PYTHON: Final = "/usr/lib/python3.11"
_JDK: Final = "/usr/lib/jvm/temurin-25-jdk-amd64/lib/src.zip"


@dataclass(frozen=True, slots=True)
class Loud:
    """A Java file without what keeps the compiler's warnings quiet."""

    quiet: Member

    def make(self) -> bytes:
        """Read it and leave the annotations out."""
        return self.quiet.make().replace(b'@SuppressWarnings("unchecked")', b"")


def _vet(said: str) -> str:
    """Return a test: `go vet` says something, and everything is declared and used."""
    return (
        "export GOFLAGS=-mod=mod GO111MODULE=off\n"
        "timeout 20 go vet input.go > said 2>&1\n"
        "grep -q '^vet:' said && exit 1\n"
        f"grep -q '{said}' said\n"
    )


def _flakes(said: str) -> str:
    return (
        'timeout 10 $PYTHON -I -c "\n'
        "import sys\n"
        "sys.path.insert(0, '$TOOLS/pyflakes-3.2.0')\n"
        "from pyflakes.api import main\n"
        "main(args=['input.py'])\n"
        '" > said 2>&1\n'
        "grep -q -e 'undefined name' -e 'invalid syntax' said && exit 1\n"
        "$PYTHON -I -c \"import ast; ast.parse(open('input.py').read())\" 2> errors || exit 1\n"
        f'grep -q "{said}" said\n'
    )


# A solver finds a model, another one gives up after as many steps.
_UNKNOWN: Final = """\
timeout 10 z3 rlimit=3000000 input.smt2 > one 2>&1
head -1 one | grep -qx sat || exit 1
timeout 20 cvc5 -q --rlimit=50000 input.smt2 > two 2>&1
head -1 two | grep -qx unknown || exit 1
! grep -q -i -e 'parse error' -e 'unknown constant' -e 'invalid' one two
"""

# Three or more assertions contradict each other.
_CORE: Final = """\
timeout 10 z3 rlimit=3000000 input.smt2 > said 2>&1
grep -q error said && exit 1
head -1 said | grep -qx unsat || exit 1
[ $(sed -n 2p said | wc -w) -ge 3 ]
"""

# SQLite makes an index of some rows for a query. No statement fails.
_INDEX: Final = """\
{ echo .eqp on; cat input.sql; } > run.sql
timeout 10 sqlite3 -bail :memory: < run.sql > said 2> errors || exit 1
[ -s errors ] && exit 1
grep -q 'AUTOMATIC PARTIAL COVERING INDEX' said
"""

_MUJS: Final = """\
{ echo 'var console = { log: print };'; cat input.js; } > run.js
timeout 5 mujs run.js > bad.out 2>&1 || exit 1
timeout 5 duk run.js > good.out 2>&1 || exit 1
cmp -s bad.out good.out && exit 1
timeout 5 node input.js > node.out 2>&1 || exit 1
cmp -s good.out node.out
"""

_UNCHECKED: Final = """\
mkdir -p out && cp input.java EnumMap.java
timeout 30 javac --patch-module java.base=. -Xlint:unchecked -d out EnumMap.java &> said || exit 1
grep -q 'warning: \\[unchecked\\] unchecked cast' said
"""

_FRAGILE: Final = """\
timeout 10 ocamlc -stop-after typing -w -a+4 input.ml > said 2>&1 || exit 1
grep -q 'Warning 4 .fragile-match' said
"""

_RUBY: Final = """\
timeout 10 ruby -wc input.rb > said 2>&1 || exit 1
grep -q 'assigned but unused variable' said
"""

_CLANG: Final = """\
timeout 10 clang -fsyntax-only -Werror -Wno-conditional-uninitialized input.c &> errors || exit 1
timeout 10 clang -fsyntax-only -Wconditional-uninitialized input.c > said 2>&1
grep -q 'may be uninitialized when used here' said || exit 1
timeout 10 gcc -fsyntax-only -Werror input.c > errors 2>&1
"""

_UNZIP: Final = """\
timeout 5 unzip -tq input.zip > said 2>&1 || exit 1
timeout 5 unzip -p input.zip org/aopalliance/intercept/Joinpoint.class 2> said | grep -q proceed
"""

_PNG: Final = """\
timeout 5 $PYTHON -I -c "
import struct, sys, zlib
data = open('input.png', 'rb').read()
if data[:8] != b'\\\\x89PNG\\\\r\\\\n\\\\x1a\\\\n': sys.exit(1)
at, chunks = 8, []
while at < len(data):
    size, kind = struct.unpack_from('>I4s', data, at)
    body = data[at + 8 : at + 8 + size]
    (crc,) = struct.unpack_from('>I', data, at + 8 + size)
    if crc != zlib.crc32(kind + body): sys.exit(1)
    chunks.append((kind, body))
    at += 12 + size
if chunks[0][0] != b'IHDR' or chunks[-1] != (b'IEND', b''): sys.exit(1)
width, height, depth, colour, *rest = struct.unpack('>IIBBBBB', chunks[0][1])
if rest != [0, 0, 0] or not width or not height: sys.exit(1)
bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
rows = zlib.decompress(b''.join(body for kind, body in chunks if kind == b'IDAT'))
if len(rows) != height * (1 + (width * bits + 7) // 8): sys.exit(1)
if colour == 3 and b'PLTE' not in dict(chunks): sys.exit(1)
sys.exit(not any(kind == b'pHYs' and len(body) == 9 for kind, body in chunks))
" 2> said
"""


BY_HAND_CASES: Final = tuple(
    one
    for one in (
        Case(
            "go-vet-recursive",
            "input.go",
            "go",
            "go vet: a String method that prints its receiver calls itself",
            File(f"{_GO}/print/print.go"),
            _vet("causes recursive"),
            3_521,
            27_984,
            ("go", f"{_GO}/print/print.go"),
        ),
        Case(
            "go-vet-forwarded",
            "input.go",
            "go",
            "go vet: arguments are forwarded as one",
            File(f"{_GO}/print/print.go"),
            _vet("missing ... in args forwarded to printf-like"),
            3_521,
            27_984,
            ("go", f"{_GO}/print/print.go"),
        ),
        Case(
            "smt-cvc5-unknown",
            "input.smt2",
            "smtlib",
            "z3 4.8.12 finds a model where cvc5 1.0.3 gives up",
            Generated(mixed_constraints, 11),
            _UNKNOWN,
            571,
            1_730,
            ("z3", "cvc5"),
        ),
        Case(
            "smt-core",
            "input.smt2",
            "smtlib",
            "three assertions contradict each other",
            Generated(mixed_constraints, 37),
            _CORE,
            514,
            1_557,
            ("z3",),
        ),
        Case(
            "sql-partial-index",
            "input.sql",
            "sql",
            "SQLite makes a partial index for a query",
            Generated(queries, 3),
            _INDEX,
            2_323,
            6_679,
            ("sqlite3",),
        ),
        Case(
            "js-mujs-260",
            "input.js",
            "javascript",
            "mujs 1.3.2 prints another number",
            Generated(random_javascript, 260),
            _MUJS,
            6_242,
            13_510,
            ("mujs", "duk", "node"),
        ),
        Case(
            "java-unchecked",
            "input.java",
            "java",
            "javac warns of an unchecked cast",
            Loud(Member(_JDK, "java.base/java/util/EnumMap.java")),
            _UNCHECKED,
            2_914,
            26_626,
            ("javac", _JDK),
        ),
        Case(
            "ocaml-fragile",
            "input.ml",
            "ocaml",
            "ocamlc warns of a match that stays exhaustive when constructors are added",
            File("/usr/lib/ocaml/stream.ml"),
            _FRAGILE,
            1_416,
            7_070,
            ("ocamlc", "/usr/lib/ocaml/stream.ml"),
        ),
        Case(
            "ruby-unused",
            "input.rb",
            "ruby",
            "ruby warns of a variable that nobody reads",
            File("/usr/lib/ruby/gems/3.1.0/gems/debug-1.4.0/lib/debug/client.rb"),
            _RUBY,
            652,
            5_089,
            ("ruby", "/usr/lib/ruby/gems/3.1.0/gems/debug-1.4.0/lib/debug/client.rb"),
        ),
        Case(
            "py-redefined",
            "input.py",
            "python",
            "pyflakes 3.2.0: a definition that nobody uses is defined again",
            File(f"{_PYTHON}/enum.py"),
            _flakes("redefinition of unused"),
            8_899,
            78_649,
            ("python3.11", f"{_PYTHON}/enum.py"),
            (PythonTool("pyflakes-3.2.0", ("pyflakes==3.2.0",)),),
        ),
        Case(
            "c-uninitialized",
            "input.c",
            "c",
            "clang warns of a variable that may be uninitialised",
            File("/usr/share/doc/zlib1g-dev/examples/gznorm.c"),
            _CLANG,
            1_307,
            22_182,
            ("clang", "gcc", "/usr/share/doc/zlib1g-dev/examples/gznorm.c"),
        ),
        Case(
            "zip-entry",
            "input.zip",
            "binary",
            "unzip finds a word in an entry in the middle of an archive",
            File("/usr/share/java/aopalliance-1.0.jar"),
            _UNZIP,
            10_354,
            10_354,
            ("unzip", "/usr/share/java/aopalliance-1.0.jar"),
        ),
        Case(
            "png-chunk",
            "input.png",
            "binary",
            "a valid PNG image with a chunk that says how large pixels are",
            File("/usr/share/R/doc/manual/images/ice.png"),
            _PNG,
            2_728,
            2_728,
            ("python3.11", "/usr/share/R/doc/manual/images/ice.png"),
        ),
    )
)
