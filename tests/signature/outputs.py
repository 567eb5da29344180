"""What programs print when they fail: the forms of gcc, clang, node, python, java, go, rustc."""

from __future__ import annotations

ASAN = """\
=================================================================
==4711==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x55d0
READ of size 4 at 0x602000000014 thread T0
    #0 0x55d0c1a in fold /src/parser/fold.c:88:12
    #1 0x55d0c2b in main /src/parser/main.c:14:3

SUMMARY: AddressSanitizer: heap-buffer-overflow /src/parser/fold.c:88:12 in fold
==4711==ABORTING
"""
UBSAN = (
    "input.c:3:14: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented\n"
)
GCC_ICE = """\
input.c: In function 'f':
input.c:7:1: internal compiler error: in fold_binary_loc, at fold-const.c:11580
    7 | }
      | ^
Please submit a full bug report
"""
ASSERTION = (
    'opt: /build/llvm/lib/IR/Type.cpp:42: bool Type::isSized(): Assertion `Ty && "null"\' failed.\n'
)
# As z3 says it: the first line is the same for all assertions.
VIOLATION = """\
ASSERTION VIOLATION
File: ../src/ast/ast.cpp
Line: 414
Failed to verify: m_sort_args.empty()
"""
PYTHON = """\
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/lint/main.py", line 10, in main
    check(tree)
  File "/usr/lib/python3/dist-packages/lint/scope.py", line 88, in lookup
    return self.names[name]
KeyError: 'count'
"""
PYTHON_CHAIN = """\
Traceback (most recent call last):
  File "/opt/tool/a.py", line 1, in first
    x()
ValueError: first

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/opt/tool/b.py", line 2, in second
    y()
    ~^^
tool.errors.Broken: second
"""
PYTHON_IN_INPUT = """\
Traceback (most recent call last):
  File "/tmp/marrow-1-2-x/t3/input.c", line 3, in <module>
    f()
  File "/tmp/marrow-1-2-x/t3/input.c", line 2, in f
    return {}["k"]
KeyError: 'k'
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: bad node 12
\tat com.example.Checker.visit(Checker.java:31)
\tat com.example.Main.main(Main.java:9)
"""
NODE_IN_INPUT = """\
/tmp/marrow-1-2-x/t3/input.c:10
  return inner.length;
               ^

TypeError: Cannot read properties of undefined (reading 'length')
    at broken (/tmp/marrow-1-2-x/t3/input.c:10:16)
    at Object.<anonymous> (/tmp/marrow-1-2-x/t3/input.c:13:21)

Node.js v18.19.0
"""
NODE_IN_TOOL = """\
/opt/lint/rules.js:10
TypeError: Cannot read properties of null (reading 'type')
    at visitNode (/opt/lint/rules.js:10:16)
    at main (/opt/lint/main.js:3:1)
"""
GO = """\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
panic({0x1, 0x2})
\t/usr/lib/go/src/runtime/panic.go:884 +0x212
main.(*parser).next(0xc0000b2000)
\t/src/parse.go:17 +0x1d
main.main()
\t/src/main.go:5 +0x1a
exit status 2
"""
RUST = """\
thread 'main' panicked at src/lexer.rs:120:9:
index out of bounds: the len is 3 but the index is 7
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
RUST_OLD = "thread 'main' panicked at 'oops', src/lexer.rs:120:9\n"

#: Output, the words for it, and the patterns that are kept.
FORMS = [
    (ASAN, "a sanitizer's report", ["SUMMARY: AddressSanitizer: heap-buffer-overflow.* in fold"]),
    (UBSAN, "undefined behaviour", ["runtime error: signed integer overflow"]),
    (
        GCC_ICE,
        "an internal compiler error",
        [r"internal compiler error: in fold_binary_loc, at fold-const\.c:11580"],
    ),
    (
        VIOLATION,
        "a failed assertion",
        ["ASSERTION VIOLATION", r"File: .*ast\.cpp$", "Line: 414"],
    ),
    (ASSERTION, "a failed assertion", ['Assertion `Ty && "null"\' failed']),
    (
        PYTHON,
        "a Python exception",
        ["^KeyError(:|$)", r'File ".*scope\.py", line [0-9]+, in lookup$'],
    ),
    (
        PYTHON_CHAIN,
        "a Python exception",
        [r"^tool\.errors\.Broken(:|$)", r'File ".*b\.py", line [0-9]+, in second$'],
    ),
    (PYTHON_IN_INPUT, "a Python exception", ["^KeyError: 'k'"]),
    (
        JAVA,
        "a Java exception",
        [r"java\.lang\.IllegalStateException", r"at .*com\.example\.Checker\.visit\("],
    ),
    (
        NODE_IN_INPUT,
        "a JavaScript exception",
        [r"TypeError: Cannot read properties of undefined \(reading 'length'\)"],
    ),
    (
        NODE_IN_TOOL,
        "a JavaScript exception",
        [r"TypeError(:|$| \[)", r"at visitNode \(.*rules\.js"],
    ),
    (
        GO,
        "a Go panic",
        [
            r"panic: runtime error: index out of range \[[0-9]+\] with length [0-9]+",
            r"main\.\(\*parser\)\.next",
        ],
    ),
    (RUST, "a Rust panic", [r"panicked at .*lexer\.rs:120:"]),
    (RUST_OLD, "a Rust panic", [r"panicked at .*lexer\.rs:120:"]),
]
