"""What programs of many families print when they fail, written from knowledge of their forms.

One row a form: a name, how the command ends, its standard error and standard output, the input's
text and name; then what is kept: the kind, the messages, the frames, and what it tells of validity.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """A failure, and what is kept of it."""

    what: str
    status: int
    stderr: str
    stdout: str
    text: str
    name: str
    kind: str
    messages: tuple[str, ...]
    frames: tuple[str, ...]
    validity: str


ROWS = (
    Row(
        what="asan",
        status=1,
        stderr=(
            "=================================================================\n"
            "==4711==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x55d0 bp 0x7ffe sp 0x7ffd\n"
            "READ of size 4 at 0x602000000014 thread T0\n"
            "    #0 0x7f00c1a in __interceptor_memcpy ../../asan_interceptors.cpp:22\n"
            "    #1 0x55d0c1a in fold /src/parser/fold.c:88:12\n"
            "    #2 0x55d0c2b in parse /src/parser/main.c:14:3\n"
            "    #3 0x55d0c2b in main /src/parser/main.c:14:3\n"
            "\n"
            "0x602000000014 is located 0 bytes to the right of 4-byte region [0x602000000010,0x602000000014)\n"
            "allocated by thread T0 here:\n"
            "    #0 0x55d0c1a in malloc (/usr/lib/libasan.so+0x1)\n"
            "    #1 0x55d0c1a in alloc_node /src/parser/node.c:8:12\n"
            "\n"
            "SUMMARY: AddressSanitizer: heap-buffer-overflow /src/parser/fold.c:88:12 in fold\n"
            "Shadow bytes around the buggy address:\n"
            "  0x0c047fff7fb0: 00 00 00 00 00 00 00 00\n"
            "==4711==ABORTING\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="sanitizer report",
        messages=(
            "AddressSanitizer: heap-buffer-overflow on address {{number}}",
            "READ of size {{number}}",
        ),
        frames=("fold", "parse"),
        validity="valid",
    ),
    Row(
        what="asan segv",
        status=-6,
        stderr=(
            "AddressSanitizer:DEADLYSIGNAL\n"
            "=================================================================\n"
            "==12==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x55 bp 0x7f sp 0x7f T0)\n"
            "==12==The signal is caused by a READ memory access.\n"
            "==12==Hint: address points to the zero page.\n"
            "    #0 0x4f in JSC::foo(int, char const*) /src/jsc/foo.cpp:1:2\n"
            "    #1 0x4f in main /src/x.cpp:9:9\n"
            "AddressSanitizer can not provide additional info.\n"
            "SUMMARY: AddressSanitizer: SEGV /src/jsc/foo.cpp:1:2 in JSC::foo(int, char const*)\n"
            "==12==ABORTING\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="sanitizer report",
        messages=(
            "AddressSanitizer: SEGV on unknown address",
            "The signal is caused by a READ memory access",
        ),
        frames=("JSC::foo",),
        validity="valid",
    ),
    Row(
        what="ubsan",
        status=0,
        stderr=(
            "src/fold.c:3:14: runtime error: index 5 out of bounds for type 'int [4]'\n"
            "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior src/fold.c:3:14 in \n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="sanitizer report",
        messages=("runtime error: index {{number}} out of bounds for type 'int [{{number}}]'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="leak",
        status=23,
        stderr=(
            "\n"
            "=================================================================\n"
            "==99==ERROR: LeakSanitizer: detected memory leaks\n"
            "\n"
            "Direct leak of 7 byte(s) in 1 object(s) allocated from:\n"
            "    #0 0x4f in malloc (/a.out+0x1)\n"
            "    #1 0x4f in dup_name /src/names.c:4:2\n"
            "\n"
            "SUMMARY: AddressSanitizer: 7 byte(s) leaked in 1 allocation(s).\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="sanitizer report",
        messages=("LeakSanitizer: detected memory leaks",),
        frames=("dup_name",),
        validity="valid",
    ),
    Row(
        what="tsan",
        status=66,
        stderr=(
            "==================\n"
            "WARNING: ThreadSanitizer: data race (pid=123)\n"
            "  Write of size 4 at 0x55 by thread T1:\n"
            "    #0 bump /src/count.c:5 (a.out+0x12)\n"
            "    #1 worker /src/count.c:9 (a.out+0x12)\n"
            "\n"
            "  Previous read of size 4 at 0x55 by main thread:\n"
            "    #0 main /src/count.c:20 (a.out+0x12)\n"
            "SUMMARY: ThreadSanitizer: data race /src/count.c:5 in bump\n"
            "==================\n"
            "ThreadSanitizer: reported 1 warnings\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="sanitizer report",
        messages=("ThreadSanitizer: data race",),
        frames=("bump", "worker"),
        validity="valid",
    ),
    Row(
        what="msan",
        status=1,
        stderr=(
            "==1==WARNING: MemorySanitizer: use-of-uninitialized-value\n"
            "    #0 0x4 in scan /src/scan.c:3:3\n"
            "    #1 0x5 in main /src/scan.c:9:1\n"
            "\n"
            "SUMMARY: MemorySanitizer: use-of-uninitialized-value /src/scan.c:3:3 in scan\n"
            "Exiting\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="sanitizer report",
        messages=("MemorySanitizer: use-of-uninitialized-value",),
        frames=("scan",),
        validity="valid",
    ),
    Row(
        what="valgrind",
        status=9,
        stderr=(
            "==77== Memcheck, a memory error detector\n"
            "==77== Copyright (C) 2002-2022\n"
            "==77== Command: ./prog input.c\n"
            "==77== \n"
            "==77== Invalid read of size 4\n"
            "==77==    at 0x1091A: fold (fold.c:8)\n"
            "==77==    by 0x1091B: main (main.c:3)\n"
            "==77==  Address 0x4a is 0 bytes after a block of size 4 alloc'd\n"
            "==77==    at 0x48: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)\n"
            "==77== \n"
            "==77== HEAP SUMMARY:\n"
            "==77==     in use at exit: 4 bytes in 1 blocks\n"
            "==77== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="sanitizer report",
        messages=("Invalid read of size {{number}}",),
        frames=("fold",),
        validity="valid",
    ),
    Row(
        what="v8",
        status=-5,
        stderr=(
            "\n"
            "\n"
            "#\n"
            "# Fatal error in ../../src/objects/js-objects.cc, line 123\n"
            "# Debug check failed: IsJSObject(*this).\n"
            "#\n"
            "#\n"
            "#\n"
            "#FailureMessage Object: 0x7ffd\n"
            "==== C stack trace ===============================\n"
            "\n"
            "    /v8/d8(v8::base::debug::StackTrace::StackTrace()+0x13) [0x55]\n"
            "    /v8/d8(V8_Fatal(char const*, int, char const*, ...)+0x1a) [0x55]\n"
            "    /v8/d8(v8::internal::JSObject::Foo()+0x1a) [0x55]\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="internal error",
        messages=(
            "Fatal error in {{directory}}js-objects.cc, line 123 Debug check failed: IsJSObject(*this).",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="spidermonkey",
        status=-11,
        stderr=(
            "Assertion failure: isObject(), at /build/js/src/jsobj.cpp:12\n"
            "#01: js::Foo::bar(JSContext*) [/bin/js +0x12]\n"
            "#02: ???[/bin/js +0x34]\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="assertion",
        messages=("Assertion failure: isObject(), at {{directory}}jsobj.cpp:12",),
        frames=("js::Foo::bar",),
        validity="valid",
    ),
    Row(
        what="jsc",
        status=-11,
        stderr=(
            "ASSERTION FAILED: !m_exception\n"
            "../../Source/JavaScriptCore/runtime/VM.cpp(123) : void JSC::VM::throwException(JSC::Exception *)\n"
            "1   0x7f WTFCrash\n"
            "2   0x7f JSC::VM::throwException(JSC::Exception*)\n"
            "3   0x7f main\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="assertion",
        messages=(
            "ASSERTION FAILED: !m_exception {{directory}}VM.cpp(123) : void JSC::VM::throwException(JSC::Exception *)",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="llvm unreachable",
        status=-6,
        stderr=(
            "UNREACHABLE executed at /llvm/lib/CodeGen/Foo.cpp:88!\n"
            "PLEASE submit a bug report to https://x and include the crash backtrace.\n"
            "Stack dump:\n"
            "0.\tProgram arguments: llc input.c\n"
            "1.\tRunning pass 'X86 DAG->DAG Instruction Selection' on function '@f'\n"
            " #0 0x01 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/bin/llc+0x1)\n"
            " #1 0x02 abort (/lib/libc.so.6+0x1)\n"
            " #2 0x03 llvm::llvm_unreachable_internal(char const*, char const*, unsigned int) (/bin/llc+0x1)\n"
            " #3 0x04 (anonymous namespace)::Sel::Select(llvm::SDNode*) X86.cpp:0:0\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="internal error",
        messages=(
            "UNREACHABLE executed at {{directory}}Foo.cpp:88!",
            "Running pass 'X86 DAG->DAG Instruction Selection' on function '{{literal=@f}}'",
        ),
        frames=("(anonymous namespace)::Sel::Select(llvm::SDNode*)",),
        validity="valid",
    ),
    Row(
        what="llvm assert",
        status=-6,
        stderr=(
            'opt: /b/lib/IR/Type.cpp:42: bool llvm::Type::isSized(): Assertion `Ty && "null"\' failed.\n'
            "PLEASE submit a bug report\n"
            "Stack dump:\n"
            "0.\tProgram arguments: opt\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="assertion",
        messages=(
            "{{directory}}Type.cpp:42: bool llvm::Type::isSized(): Assertion 'Ty && 'null'' failed.",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="llvm error",
        status=-6,
        stderr=(
            "LLVM ERROR: Cannot select: t5: i64 = X86ISD::FOO t3, t4\n"
            "  t3: i64 = add t1, t2\n"
            "In function: total\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="internal error",
        messages=(
            "LLVM ERROR: Cannot select: {{number}}: i64 = X86ISD::FOO {{number}}, {{number}} {{number}}: i64 = add {{number}}, {{number}}",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="gcc ice",
        status=1,
        stderr=(
            "input.c: In function ‘total’:\n"
            "input.c:7:1: internal compiler error: in fold_binary_loc, at fold-const.c:11580\n"
            "    7 | }\n"
            "      | ^\n"
            "0x5f1 fold_binary_loc(unsigned int, tree_code)\n"
            "\t../../gcc/fold-const.c:11580\n"
            "0x6 c_parser_foo\n"
            "\t../../gcc/c/c-parser.c:3\n"
            "Please submit a full bug report\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="internal error",
        messages=(
            "internal compiler error: in fold_binary_loc, at {{directory}}fold-const.c:11580",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="gcc ice segv",
        status=1,
        stderr=(
            "during GIMPLE pass: vrp\n"
            "input.c: In function 'total':\n"
            "input.c:7:1: internal compiler error: Segmentation fault\n"
            "0xd5 crash_signal\n"
            "\t../../src/gcc/toplev.cc:314\n"
            "0xee vrp_visit_stmt\n"
            "\t../../src/gcc/vrp.cc:3\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="internal error",
        messages=("internal compiler error: Segmentation fault", "during GIMPLE pass: vrp"),
        frames=(),
        validity="valid",
    ),
    Row(
        what="msvc",
        status=2,
        stderr="input.c(3): error C2065: 'average': undeclared identifier\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="diagnostic",
        messages=("C2065 '{{literal=average}}': undeclared identifier",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="msvc fatal",
        status=2,
        stderr=(
            "input.c(3): fatal error C1001: Internal compiler error.\n"
            "(compiler file 'msc1.cpp', line 1588)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="internal error",
        messages=("Internal compiler error.", "(compiler file 'msc1.cpp', line {{number}})"),
        frames=(),
        validity="valid",
    ),
    Row(
        what="rust panic new",
        status=101,
        stderr=(
            "thread 'main' panicked at src/lexer.rs:120:9:\n"
            "index out of bounds: the len is 3 but the index is 7\n"
            "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="panic",
        messages=(
            "thread 'main' panicked at {{directory}}lexer.rs:120:9: index out of bounds: the len is {{number}} but the index is {{number}}",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="rust panic old",
        status=101,
        stderr="thread 'main' panicked at 'called `Option::unwrap()` on a `None` value', src/lexer.rs:120:9\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="panic",
        messages=(
            "thread 'main' panicked at 'called 'Option::unwrap()' on a 'None' value', {{directory}}lexer.rs:120:9",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="rustc ice",
        status=101,
        stderr=(
            "error: internal compiler error: compiler/rustc_middle/src/ty/mod.rs:12:3: broken MIR\n"
            "\n"
            "thread 'rustc' panicked at 'Box<dyn Any>', compiler/rustc_errors/src/lib.rs:995:33\n"
            "note: run with `RUST_BACKTRACE=1`\n"
            "\n"
            "error: internal compiler error: unexpected panic\n"
            "\n"
            "note: the compiler unexpectedly panicked. this is a bug.\n"
            "\n"
            "query stack during panic:\n"
            "#0 [mir_built] building MIR for `total`\n"
            "#1 [analysis] running analysis passes on this crate\n"
            "end of query stack\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="internal error",
        messages=("internal compiler error: {{directory}}mod.rs:12:3: broken MIR",),
        frames=("mir_built", "analysis"),
        validity="valid",
    ),
    Row(
        what="go panic",
        status=2,
        stderr=(
            "panic: runtime error: index out of range [5] with length 3\n"
            "\n"
            "goroutine 1 [running]:\n"
            "panic({0x1, 0x2})\n"
            "\t/usr/lib/go/src/runtime/panic.go:884 +0x212\n"
            "main.(*parser).next(0xc0000b2000)\n"
            "\t/src/parse.go:17 +0x1d\n"
            "main.main()\n"
            "\t/src/main.go:5 +0x1a\n"
            "exit status 2\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="panic",
        messages=("panic: runtime error: index out of range [{{number}}] with length {{number}}",),
        frames=("main.(*parser).next",),
        validity="valid",
    ),
    Row(
        what="go nil",
        status=2,
        stderr=(
            "panic: runtime error: invalid memory address or nil pointer dereference\n"
            "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x45]\n"
            "\n"
            "goroutine 1 [running]:\n"
            "github.com/a/b.(*T).Do(...)\n"
            "\t/x/y.go:3\n"
            "main.main()\n"
            "\t/src/main.go:5 +0x1a\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="panic",
        messages=("panic: runtime error: invalid memory address or nil pointer dereference",),
        frames=("github.com/a/b.(*T).Do",),
        validity="valid",
    ),
    Row(
        what="python tool",
        status=1,
        stderr=(
            "Traceback (most recent call last):\n"
            '  File "/usr/bin/lint", line 8, in <module>\n'
            "    sys.exit(main())\n"
            '  File "/usr/lib/python3/dist-packages/lint/main.py", line 10, in main\n'
            "    check(tree)\n"
            '  File "/usr/lib/python3/dist-packages/lint/scope.py", line 88, in lookup\n'
            "    return self.names[name]\n"
            "           ~~~~~~~~~~^^^^^^\n"
            "KeyError: 'total'\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="exception",
        messages=("KeyError: '{{literal=total}}'",),
        frames=("lookup",),
        validity="valid",
    ),
    Row(
        what="python chain",
        status=1,
        stderr=(
            "Traceback (most recent call last):\n"
            '  File "/opt/tool/a.py", line 1, in first\n'
            "    x()\n"
            "ValueError: first\n"
            "\n"
            "During handling of the above exception, another exception occurred:\n"
            "\n"
            "Traceback (most recent call last):\n"
            '  File "/opt/tool/b.py", line 2, in second\n'
            "    y()\n"
            "    ~^^\n"
            "tool.errors.Broken: second\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="exception",
        messages=("tool.errors.Broken: second",),
        frames=("second",),
        validity="valid",
    ),
    Row(
        what="ruby",
        status=1,
        stderr=(
            'input.rb:4:in `fetch\': key not found: "total" (KeyError)\n'
            "\tfrom input.rb:4:in `price'\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.rb",
        kind="exception",
        messages=("key not found: '{{literal=total}}' (KeyError)",),
        frames=("fetch",),
        validity="valid",
    ),
    Row(
        what="ruby 3.4",
        status=1,
        stderr=(
            "input.rb:4:in 'Hash#fetch': key not found: \"total\" (KeyError)\n"
            "\tfrom input.rb:4:in 'Object#price'\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.rb",
        kind="exception",
        messages=("key not found: '{{literal=total}}' (KeyError)",),
        frames=("Hash#fetch",),
        validity="valid",
    ),
    Row(
        what="php",
        status=255,
        stderr=(
            "PHP Fatal error:  Uncaught TypeError: f(): Argument #1 ($x) must be of type int, string given, called in /t/input.php on line 3 and defined in /t/input.php:2\n"
            "Stack trace:\n"
            "#0 /t/input.php(3): f('a')\n"
            "#1 {main}\n"
            "  thrown in /t/input.php on line 2\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.php",
        kind="exception",
        messages=(
            "Uncaught TypeError: {{name=f}}(): Argument #{{number}} (${{name=x}}) must be of type int, string given, called in {{path}} on line {{number}} and defined in {{path}}:{{number}}",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="php stdout",
        status=255,
        stderr="",
        stdout=(
            "\n"
            "Fatal error: Uncaught Error: Call to undefined function average() in /t/input.php:3\n"
            "Stack trace:\n"
            "#0 {main}\n"
            "  thrown in /t/input.php on line 3\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.php",
        kind="exception",
        messages=(
            "Uncaught Error: Call to undefined function {{name=average}}() in {{path}}:{{number}}",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="perl",
        status=255,
        stderr='Can\'t call method "total" on an undefined value at input.pl line 3.\n',
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.pl",
        kind="diagnostic",
        messages=(
            "Can't call method '{{literal=total}}' on an undefined value at {{path}} line {{number}}.",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="perl syntax",
        status=255,
        stderr=(
            'syntax error at input.pl line 3, near "total average"\n'
            "Execution of input.pl aborted due to compilation errors.\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.pl",
        kind="diagnostic",
        messages=("syntax error at {{path}} line {{number}}, near '{{literal=total average}}'",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="perl strict",
        status=255,
        stderr=(
            'Global symbol "$total" requires explicit package name (did you forget to declare "my $total"?) at input.pl line 3.\n'
            "Execution of input.pl aborted due to compilation errors.\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.pl",
        kind="diagnostic",
        messages=(
            "Global symbol '{{literal=$total}}' requires explicit package name at {{path}} line {{number}}.",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="lua",
        status=1,
        stderr=(
            "lua: input.lua:9: attempt to index a nil value (local 'total')\n"
            "stack traceback:\n"
            "\tinput.lua:9: in main chunk\n"
            "\t[C]: in ?\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.lua",
        kind="diagnostic",
        messages=("attempt to index a nil value (local '{{literal=total}}')",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="ocaml exc",
        status=2,
        stderr=(
            "Fatal error: exception Stdlib.Exit\n"
            'Raised at Stdlib.failwith in file "stdlib.ml", line 29, characters 17-33\n'
            'Called from Dune__exe__Main.total in file "main.ml", line 3, characters 2-5\n'
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="exception",
        messages=("Fatal error: exception Stdlib.Exit",),
        frames=("Dune__exe__Main.total",),
        validity="valid",
    ),
    Row(
        what="ocaml err",
        status=2,
        stderr=(
            'File "input.ml", line 3, characters 8-15:\n'
            "3 | let x = average 3\n"
            "            ^^^^^^^\n"
            "Error: Unbound value average\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.ml",
        kind="diagnostic",
        messages=("Unbound value {{name=average}}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="erlang",
        status=127,
        stderr=(
            "escript: exception error: no match of right hand side value {error,enoent}\n"
            "  in function  input:main/1 (input.erl, line 3)\n"
            "  in call from escript:run/2 (escript.erl, line 750)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.erl",
        kind="exception",
        messages=("exception error: no match of right hand side value {error,enoent}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="erlang2",
        status=1,
        stderr=("** exception error: bad argument\n     in function  lists:nth/2\n"),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.erl",
        kind="exception",
        messages=("exception error: bad argument",),
        frames=("lists:nth/2",),
        validity="valid",
    ),
    Row(
        what="elixir",
        status=1,
        stderr=(
            "** (KeyError) key :total not found in: %{}\n"
            "    input.exs:3: (file)\n"
            "    (elixir 1.14.0) lib/code.ex:1245: Code.require_file/2\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.exs",
        kind="exception",
        messages=("** (KeyError) key :{{name=total}} not found in: %{}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="scala",
        status=1,
        stderr=(
            'Exception in thread "main" java.util.NoSuchElementException: None.get\n'
            "\tat scala.None$.get(Option.scala:529)\n"
            "\tat Main$.total(input.scala:3)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.scala",
        kind="exception",
        messages=("java.util.NoSuchElementException: None.get",),
        frames=("scala.None$.get",),
        validity="valid",
    ),
    Row(
        what="kotlinc",
        status=1,
        stderr=("input.kt:3:5: error: unresolved reference: average\n    average(3)\n    ^\n"),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.kt",
        kind="diagnostic",
        messages=("unresolved reference: {{name=average}}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="kotlin ice",
        status=2,
        stderr=(
            "exception: org.jetbrains.kotlin.backend.common.BackendException: Backend Internal error: Exception during IR lowering\n"
            "File being compiled: /x/input.kt\n"
            "\tat org.jetbrains.kotlin.backend.common.CodegenUtil.reportBackendException(CodegenUtil.kt:241)\n"
            "\tat org.jetbrains.kotlin.backend.Foo.bar(Foo.kt:3)\n"
            "Caused by: java.lang.IllegalStateException: No mapping for symbol: VALUE_PARAMETER\n"
            "\tat x.y.Z.w(Z.kt:1)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.kt",
        kind="internal error",
        messages=(
            "Internal error: Exception during IR lowering",
            "Caused by: java.lang.IllegalStateException: No mapping for symbol: VALUE_PARAMETER",
        ),
        frames=("org.jetbrains.kotlin.backend.Foo.bar",),
        validity="valid",
    ),
    Row(
        what="swift",
        status=-5,
        stderr=(
            "Fatal error: Index out of range: file input.swift, line 3\n"
            "Stack dump:\n"
            "0.\tProgram arguments: swift input.swift\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.swift",
        kind="diagnostic",
        messages=("Index out of range: file {{path}}, line {{number}}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="swift err",
        status=1,
        stderr=("input.swift:3:5: error: cannot find 'average' in scope\naverage(3)\n^~~~~~~\n"),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.swift",
        kind="diagnostic",
        messages=("cannot find '{{literal=average}}' in scope",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="julia",
        status=1,
        stderr=(
            "ERROR: LoadError: UndefVarError: total not defined\n"
            "Stacktrace:\n"
            " [1] top-level scope\n"
            "   @ /x/input.jl:3\n"
            "in expression starting at /x/input.jl:3\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.jl",
        kind="diagnostic",
        messages=("LoadError: UndefVarError: {{name=total}} not defined",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="prolog",
        status=1,
        stderr=(
            "Warning: /x/input.pl:1:\n"
            "Warning:    Goal (initialization) raised exception:\n"
            "ERROR: /x/input.pl:3:\n"
            "ERROR:    catch/3: Unknown procedure: average/1\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.pl",
        kind="diagnostic",
        messages=("catch/{{number}}: Unknown procedure: {{name=average}}/{{number}}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="clisp",
        status=1,
        stderr="*** - EVAL: undefined function AVERAGE\n",
        stdout="",
        text="(average 3)",
        name="input.lisp",
        kind="exception",
        messages=("*** - EVAL: undefined function {{name=AVERAGE}}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="racket",
        status=1,
        stderr=(
            "input.rkt:3:1: average: unbound identifier\n"
            "  in: average\n"
            "  location...:\n"
            "   input.rkt:3:1\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.rkt",
        kind="diagnostic",
        messages=("{{name=average}}: unbound identifier",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="csharp",
        status=134,
        stderr=(
            "Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.\n"
            "   at Program.Total() in /x/Input.cs:line 3\n"
            "   at Program.Main()\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="Input.cs",
        kind="exception",
        messages=(
            "Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="csc",
        status=1,
        stderr="Input.cs(3,5): error CS0103: The name 'average' does not exist in the current context\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="Input.cs",
        kind="diagnostic",
        messages=("CS0103 The name '{{literal=average}}' does not exist in the current context",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="dotnet tool",
        status=1,
        stderr=(
            "Unhandled exception: System.InvalidOperationException: Sequence contains no elements\n"
            "   at System.Linq.ThrowHelper.ThrowNoElementsException()\n"
            "   at Tool.Parser.First(List`1 x) in C:\\src\\Parser.cs:line 3\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="exception",
        messages=(
            "Unhandled exception: System.InvalidOperationException: Sequence contains no elements",
        ),
        frames=("Tool.Parser.First",),
        validity="valid",
    ),
    Row(
        what="dart",
        status=255,
        stderr=(
            "Unhandled exception:\n"
            "RangeError (index): Invalid value: Not in inclusive range 0..2: 5\n"
            "#0      List.[] (dart:core-patch/growable_array.dart:264:36)\n"
            "#1      main (file:///x/input.dart:3:9)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.dart",
        kind="exception",
        messages=(
            "Unhandled exception: RangeError (index): Invalid value: Not in inclusive range {{number}}..{{number}}: {{number}}",
        ),
        frames=("List.[]",),
        validity="valid",
    ),
    Row(
        what="terminate",
        status=-6,
        stderr=(
            "terminate called after throwing an instance of 'std::out_of_range'\n"
            "  what():  vector::_M_range_check: __n (which is 5) >= this->size() (which is 3)\n"
            "Aborted (core dumped)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="abort",
        messages=(
            "terminate called after throwing an instance of 'std::out_of_range' what(): vector::_M_range_check: __n (which is {{number}}) >= this->size() (which is {{number}})",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="glibc",
        status=-6,
        stderr=("free(): invalid pointer\nAborted\n"),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="abort",
        messages=("free(): invalid pointer",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="smash",
        status=134,
        stderr=("*** stack smashing detected ***: terminated\nAborted\n"),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="abort",
        messages=("*** stack smashing detected ***: terminated",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="glib",
        status=1,
        stderr=(
            "\n"
            "(tool:123): GLib-GObject-CRITICAL **: 12:00:01.123: g_object_unref: assertion 'G_IS_OBJECT (object)' failed\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="assertion",
        messages=(
            "GLib-GObject-CRITICAL **: {{number}}: g_object_unref: assertion 'G_IS_OBJECT (object)' failed",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="qt",
        status=134,
        stderr=(
            'ASSERT failure in QList<T>::operator[]: "index out of range", file /usr/include/qt/qlist.h, line 575\n'
            "Aborted\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="assertion",
        messages=(
            "ASSERT failure in QList<T>::operator[]: 'index out of range', file {{directory}}qlist.h, line 575",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="z3 assert",
        status=1,
        stderr="",
        stdout=(
            "ASSERTION VIOLATION\n"
            "File: ../src/ast/ast.cpp\n"
            "Line: 414\n"
            "Failed to verify: m_sort_args.empty()\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="assertion",
        messages=(
            "ASSERTION VIOLATION File: {{directory}}ast.cpp Line: 414 Failed to verify: m_sort_args.empty()",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="z3 err",
        status=1,
        stderr="",
        stdout='(error "line 3 column 8: unknown constant average")\n',
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="diagnostic",
        messages=("unknown constant {{name=average}}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="pg trap",
        status=-6,
        stderr='TRAP: failed Assert("!lockmode"), File: "heapam.c", Line: 123, PID: 4711\n',
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="assertion",
        messages=(
            "TRAP: failed Assert('!lockmode'), File: 'heapam.c', Line: {{number}}, PID: {{number}}",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="psql",
        status=3,
        stderr=(
            'psql:input.sql:3: ERROR:  relation "total" does not exist\n'
            "LINE 1: select * from total;\n"
            "                      ^\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.sql",
        kind="diagnostic",
        messages=("relation '{{literal=total}}' does not exist",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="mysql",
        status=1,
        stderr="ERROR 1146 (42S02) at line 3: Table 'test.total' doesn't exist\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.sql",
        kind="diagnostic",
        messages=("CODE-1146 (42S02) Table 'test.{{name=total}}' doesn't exist",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="oracle",
        status=1,
        stderr="ORA-00942: table or view does not exist\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.sql",
        kind="lint",
        messages=("ORA-00942 table or view does not exist",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="duckdb",
        status=1,
        stderr=(
            "Error: near line 3: Catalog Error: Table with name total does not exist!\n"
            'Did you mean "pg_total"?\n'
            "LINE 1: select * from total\n"
            "                      ^\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.sql",
        kind="diagnostic",
        messages=(
            "near line {{number}}: Catalog Error: Table with name {{name=total}} does not exist!",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="clickhouse",
        status=60,
        stderr="Code: 60. DB::Exception: Table default.total doesn't exist. (UNKNOWN_TABLE)\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.sql",
        kind="exception",
        messages=("DB::Exception: Table default.{{name=total}} doesn't exist. (UNKNOWN_TABLE)",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="eslint json",
        status=1,
        stderr="",
        stdout='[{"filePath":"/x/input.js","messages":[{"ruleId":"no-undef","severity":2,"message":"\'average\' is not defined.","line":3,"column":1}],"errorCount":1}]',
        text="int total = average(3); f(x); obj\n",
        name="input.js",
        kind="diagnostic",
        messages=("'{{literal=average}}' is not defined. [no-undef]",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="rustc json",
        status=1,
        stderr=(
            '{"message":"cannot find value `average` in this scope","code":{"code":"E0425","explanation":"x"},"level":"error","spans":[],"children":[]}\n'
            '{"message":"aborting due to previous error","code":null,"level":"error","spans":[],"children":[]}\n'
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.rs",
        kind="diagnostic",
        messages=("cannot find value '{{literal=average}}' in this scope [E0425]",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="github",
        status=1,
        stderr="",
        stdout="::error file=input.py,line=3,col=1::undefined name 'average'\n",
        text="int total = average(3); f(x); obj\n",
        name="input.py",
        kind="diagnostic",
        messages=("undefined name '{{literal=average}}'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="gha",
        status=1,
        stderr="",
        stdout="##[error]input.ts(3,1): error TS2304: Cannot find name 'average'.\n",
        text="int total = average(3); f(x); obj\n",
        name="input.ts",
        kind="diagnostic",
        messages=("TS2304 Cannot find name '{{literal=average}}'.",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="shellcheck",
        status=1,
        stderr="",
        stdout=(
            "\n"
            "In input.sh line 3:\n"
            'rm -rf "$total/"*\n'
            '       ^-- SC2115 (warning): Use "${var:?}" to ensure this never expands to /* .\n'
            "\n"
            "For more information:\n"
            "  https://www.shellcheck.net/wiki/SC2115 -- x\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.sh",
        kind="lint",
        messages=("SC2115 Use '${var:?}' to ensure this never expands to /* .",),
        frames=(),
        validity="unknown",
    ),
    Row(
        what="shellcheck, a range of the line",
        status=1,
        stderr="",
        stdout=(
            "\n"
            "In input.sh line 3:\n"
            'rm -rf "$total/"*\n'
            '       ^-------^ SC2115 (warning): Use "${var:?}" to ensure this never expands to /* .\n'
            "\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.sh",
        kind="lint",
        messages=("SC2115 Use '${var:?}' to ensure this never expands to /* .",),
        frames=(),
        validity="unknown",
    ),
    Row(
        what="shellcheck gcc",
        status=1,
        stderr="",
        stdout='input.sh:3:8: warning: Use "${var:?}" to ensure this never expands to /* . [SC2115]\n',
        text="int total = average(3); f(x); obj\n",
        name="input.sh",
        kind="lint",
        messages=("Use '${var:?}' to ensure this never expands to /* . [SC2115]",),
        frames=(),
        validity="unknown",
    ),
    Row(
        what="dtc",
        status=2,
        stderr=(
            'input.dts:3.1-5.2: ERROR (phandle_references): /total: Reference to non-existent node or label "average"\n'
            "ERROR: Input tree has errors, aborting (use -f to force output)\n"
        ),
        stdout="",
        text="total average",
        name="input.dts",
        kind="diagnostic",
        messages=(
            "(phandle_references) /{{name=total}}: Reference to non-existent node or label '{{literal=average}}'",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="tidy",
        status=2,
        stderr=(
            "line 3 column 4 - Error: <total> is not recognized!\n"
            "Info: Document content looks like HTML5\n"
            "2 warnings, 1 error were found!\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.html",
        kind="diagnostic",
        messages=("<{{name=total}}> is not recognized!",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="latex",
        status=1,
        stderr="",
        stdout=(
            "This is pdfTeX\n"
            "(./input.tex\n"
            "! Undefined control sequence.\n"
            "l.3 \\total\n"
            "          \n"
            "?\n"
            "! Emergency stop.\n"
        ),
        text="\\total",
        name="input.tex",
        kind="diagnostic",
        messages=("Undefined control sequence.",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="make",
        status=2,
        stderr="input.mk:3: *** missing separator.  Stop.\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.mk",
        kind="diagnostic",
        messages=("*** missing separator. Stop.",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="make2",
        status=2,
        stderr="make: *** No rule to make target 'average', needed by 'total'.  Stop.\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="Makefile",
        kind="diagnostic",
        messages=(
            "No rule to make target '{{literal=average}}', needed by '{{literal=total}}'. Stop.",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="cmake2",
        status=1,
        stderr=(
            "CMake Error: Error in cmake code at\n"
            "/x/CMakeLists.txt:3:\n"
            'Parse error.  Expected a newline, got identifier with text "total".\n'
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="CMakeLists.txt",
        kind="diagnostic",
        messages=(
            "Error in cmake code at Parse error. Expected a newline, got identifier with text '{{literal=total}}'.",
        ),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="jq",
        status=5,
        stderr='jq: error (at input.json:0): Cannot index number with "total"\n',
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.json",
        kind="diagnostic",
        messages=("Cannot index number with '{{literal=total}}'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="jq2",
        status=2,
        stderr="jq: parse error: Expected separator between values at line 3, column 4\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.json",
        kind="diagnostic",
        messages=("Expected separator between values at line {{number}}, column {{number}}",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="ffmpeg",
        status=1,
        stderr=(
            "[mov,mp4 @ 0x55d0] moov atom not found\n"
            "input.mp4: Invalid data found when processing input\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.mp4",
        kind="diagnostic",
        messages=("moov atom not found", "Invalid data found when processing {{name=input}}"),
        frames=(),
        validity="valid",
    ),
    Row(
        what="magick",
        status=1,
        stderr="convert: unable to open image `input.png': No such file or directory @ error/blob.c/OpenBlob/2924.\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.png",
        kind="diagnostic",
        messages=(
            "unable to open image '{{path}}': No such file or directory @ {{directory}}blob.c/OpenBlob/{{number}}.",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="xmllint",
        status=1,
        stderr=(
            "input.xml:3: parser error : Opening and ending tag mismatch: total line 1 and average\n"
            "<total></average>\n"
            "                 ^\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.xml",
        kind="diagnostic",
        messages=(
            "Opening and ending tag mismatch: {{name=total}} line {{number}} and {{name=average}}",
        ),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="bison",
        status=1,
        stderr="input.y:3.1-5: error: symbol total is used, but is not defined as a token and has no rules\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.y",
        kind="diagnostic",
        messages=("symbol {{name=total}} is used, but is not defined as a token and has no rules",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="nim",
        status=1,
        stderr="/x/input.nim(3, 6) Error: undeclared identifier: 'average'\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.nim",
        kind="diagnostic",
        messages=("undeclared identifier: '{{literal=average}}'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="dmd",
        status=1,
        stderr="input.d(3): Error: undefined identifier `average`\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.d",
        kind="diagnostic",
        messages=("undefined identifier '{{literal=average}}'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="solc",
        status=1,
        stderr=(
            "Error: Undeclared identifier.\n"
            " --> input.sol:3:5:\n"
            "  |\n"
            "3 |     average(3);\n"
            "  |     ^^^^^^^\n"
            "\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.sol",
        kind="diagnostic",
        messages=("Undeclared identifier.",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="iverilog",
        status=1,
        stderr=(
            "input.v:3: error: Unable to bind wire/reg/memory `total' in `main'\n"
            "1 error(s) during elaboration.\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.v",
        kind="diagnostic",
        messages=("Unable to bind wire/reg/memory '{{literal=total}}' in 'main'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="yosys",
        status=1,
        stderr=(
            "\n"
            "1. Executing Verilog-2005 frontend: input.v\n"
            "ERROR: input.v:3: syntax error, unexpected TOK_ID, expecting ';'\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.v",
        kind="diagnostic",
        messages=("syntax error, unexpected TOK_ID, expecting ';'",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="verilator",
        status=1,
        stderr=(
            "%Error: input.v:3:5: Can't find definition of variable: 'total'\n"
            "%Error: Exiting due to 1 error(s)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.v",
        kind="diagnostic",
        messages=("Can't find definition of variable: '{{literal=total}}'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="ghdl",
        status=1,
        stderr=('input.vhd:3:5:error: no declaration for "total"\nghdl:error: compilation error\n'),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.vhd",
        kind="diagnostic",
        messages=("no declaration for '{{literal=total}}'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="mypy",
        status=1,
        stderr="",
        stdout=(
            'input.py:3: error: Name "average" is not defined  [name-defined]\n'
            "Found 1 error in 1 file (checked 1 source file)\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.py",
        kind="diagnostic",
        messages=("Name '{{literal=average}}' is not defined [name-defined]",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="pyright",
        status=1,
        stderr="",
        stdout=(
            "/x/input.py\n"
            '  /x/input.py:3:9 - error: "average" is not defined (reportUndefinedVariable)\n'
            "1 error, 0 warnings, 0 informations \n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.py",
        kind="diagnostic",
        messages=("'{{literal=average}}' is not defined (reportUndefinedVariable)",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="tsc pretty",
        status=2,
        stderr="",
        stdout=(
            "\x1b[96minput.ts\x1b[0m:\x1b[93m3\x1b[0m:\x1b[93m1\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2304: \x1b[0mCannot find name 'average'.\n"
            "\n"
            "\x1b[7m3\x1b[0m average(3)\n"
            "\n"
            "Found 1 error in input.ts:3\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.ts",
        kind="diagnostic",
        messages=("TS2304 Cannot find name '{{literal=average}}'.",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="babel",
        status=1,
        stderr=(
            'SyntaxError: /x/input.js: Unexpected token, expected "," (3:10)\n'
            "\n"
            "  1 | let\n"
            "> 3 | average(3 4)\n"
            "    |           ^\n"
            "    at constructor (/x/node_modules/@babel/parser/lib/index.js:363:19)\n"
            "    at JSXParserMixin.raise (/x/node_modules/@babel/parser/lib/index.js:1:2)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.js",
        kind="exception",
        messages=("SyntaxError: {{path}}: Unexpected token, expected ',' ({{number}})",),
        frames=("constructor",),
        validity="invalid",
    ),
    Row(
        what="sass",
        status=65,
        stderr=(
            "Error: Undefined variable.\n"
            "  ╷\n"
            "3 │   color: $total;\n"
            "  │          ^^^^^^\n"
            "  ╵\n"
            "  input.scss 3:10  root stylesheet\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.scss",
        kind="diagnostic",
        messages=("Undefined variable.",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="prettier",
        status=2,
        stderr=(
            "[error] input.js: SyntaxError: Unexpected token (3:5)\n"
            "[error]   2 | x\n"
            "[error] > 3 | total average\n"
            "[error]     |     ^\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.js",
        kind="diagnostic",
        messages=("{{path}}: SyntaxError: Unexpected token ({{number}})",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="node tool",
        status=1,
        stderr=(
            "/opt/lint/rules.js:10\n"
            "  return node.type;\n"
            "              ^\n"
            "\n"
            "TypeError: Cannot read properties of null (reading 'type')\n"
            "    at visitNode (/opt/lint/rules.js:10:16)\n"
            "    at main (/opt/lint/main.js:3:1)\n"
            "\n"
            "Node.js v18.19.0\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="exception",
        messages=("TypeError: Cannot read properties of null (reading 'type')",),
        frames=("visitNode",),
        validity="valid",
    ),
    Row(
        what="node oom",
        status=134,
        stderr=(
            "\n"
            "<--- Last few GCs --->\n"
            "\n"
            "[1:0x5] 123 ms: Mark-sweep\n"
            "\n"
            "<--- JS stacktrace --->\n"
            "\n"
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n"
            " 1: 0xb09 node::Abort() [node]\n"
            " 2: 0xa1c  [node]\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.js",
        kind="internal error",
        messages=(
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="pandoc",
        status=64,
        stderr=(
            'Error at "input.tex" (line 3, column 5):\nunexpected end of input\nexpecting "}"\n'
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.tex",
        kind="diagnostic",
        messages=("unexpected end of {{name=input}}",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="protoc",
        status=1,
        stderr='input.proto:3:5: "total" is not defined.\n',
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.proto",
        kind="diagnostic",
        messages=("'{{literal=total}}' is not defined.",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="terraform",
        status=1,
        stderr=(
            "╷\n"
            "│ Error: Reference to undeclared input variable\n"
            "│ \n"
            '│   on input.tf line 3, in resource "x" "y":\n'
            "│    3:   total = var.average\n"
            "│ \n"
            '│ An input variable with the name "average" has not been declared.\n'
            "╵\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.tf",
        kind="diagnostic",
        messages=("Reference to undeclared {{name=input}} variable",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="ansible",
        status=4,
        stderr=(
            "ERROR! 'total' is not a valid attribute for a Play\n"
            "\n"
            "The error appears to be in '/x/input.yml': line 3, column 3\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.yml",
        kind="diagnostic",
        messages=("'{{literal=total}}' is not a valid attribute for a Play",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="checkstyle",
        status=1,
        stderr="",
        stdout=(
            '<?xml version="1.0"?>\n'
            "<checkstyle>\n"
            '<file name="input.js">\n'
            '<error line="3" column="1" severity="error" message="&apos;average&apos; is not defined. (no-undef)" source="eslint.rules.no-undef"/>\n'
            "</file></checkstyle>\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.js",
        kind="diagnostic",
        messages=("'{{literal=average}}' is not defined. (no-undef)",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="rubocop",
        status=1,
        stderr="",
        stdout=(
            "Inspecting 1 file\n"
            "W\n"
            "\n"
            "Offenses:\n"
            "\n"
            "input.rb:3:1: W: Lint/UselessAssignment: Useless assignment to variable - total.\n"
            "total = 3\n"
            "^^^^^\n"
            "\n"
            "1 file inspected, 1 offense detected\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.rb",
        kind="lint",
        messages=("Lint/UselessAssignment: Useless assignment to variable - {{name=total}}.",),
        frames=(),
        validity="unknown",
    ),
    Row(
        what="clippy",
        status=101,
        stderr=(
            "error: this operation has no effect\n"
            " --> input.rs:3:5\n"
            "  |\n"
            "3 |     total + 0;\n"
            "  |\n"
            "  = note: `#[deny(clippy::identity_op)]` on by default\n"
            "\n"
            "error: aborting due to previous error\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.rs",
        kind="diagnostic",
        messages=("this operation has no effect",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="hlint",
        status=1,
        stderr="",
        stdout=(
            "input.hs:3:1-10: Suggestion: Use average\n"
            "Found:\n"
            "  total\n"
            "Perhaps:\n"
            "  average\n"
            "\n"
            "1 hint\n"
        ),
        text="int total = average(3); f(x); obj\n",
        name="input.hs",
        kind="lint",
        messages=("Use {{name=average}}",),
        frames=(),
        validity="unknown",
    ),
    Row(
        what="cvc5",
        status=1,
        stderr="",
        stdout='(error "Parse Error: input.smt2:3.8: Symbol average is not declared.")\n',
        text="int total = average(3); f(x); obj\n",
        name="input.smt2",
        kind="diagnostic",
        messages=("Parse Error: {{path}}:{{number}}: Symbol {{name=average}} is not declared.",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="cvc5 fatal",
        status=134,
        stderr=(
            "Fatal failure within void cvc5::internal::Foo::bar(int) at ../src/theory/foo.cpp:123\n"
            "Check failure\n"
            "\n"
            " x != y\n"
            "\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.smt2",
        kind="",
        messages=(
            "Fatal failure within void cvc5::internal::Foo::bar(int) at {{directory}}foo.cpp:123 Check failure",
        ),
        frames=(),
        validity="valid",
    ),
    Row(
        what="minisat",
        status=3,
        stderr="ERROR! Parse error! Unexpected char: t\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.cnf",
        kind="diagnostic",
        messages=("Parse error! Unexpected char: t",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="boolector",
        status=1,
        stderr="boolector: input.btor:3: unknown operator 'total'\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.btor",
        kind="diagnostic",
        messages=("unknown operator '{{literal=total}}'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="zig",
        status=1,
        stderr=(
            "input.zig:3:5: error: use of undeclared identifier 'average'\n"
            "    average(3);\n"
            "    ^~~~~~~\n"
            "referenced by:\n"
            "    main: input.zig:1:1\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.zig",
        kind="diagnostic",
        messages=("use of undeclared identifier '{{literal=average}}'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="zig panic",
        status=-6,
        stderr=(
            "thread 123 panic: index out of bounds: index 5, len 3\n"
            "/x/src/lexer.zig:12:9: 0x55 in next (tool)\n"
            "        x\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.zig",
        kind="panic",
        messages=(
            "thread {{number}} panic: index out of bounds: index {{number}}, len {{number}}",
        ),
        frames=("next",),
        validity="valid",
    ),
    Row(
        what="crystal",
        status=1,
        stderr=(
            "In input.cr:3:1\n"
            "\n"
            " 3 | average(3)\n"
            "     ^------\n"
            "Error: undefined method 'average' for top-level\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.cr",
        kind="diagnostic",
        messages=("undefined method '{{literal=average}}' for top-level",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="octave",
        status=1,
        stderr=("error: 'average' undefined\nerror: called from\n    input at line 3 column 1\n"),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.m",
        kind="diagnostic",
        messages=("'{{literal=average}}' undefined",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="awk",
        status=2,
        stderr="awk: input.awk:3: syntax error at or near total\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.awk",
        kind="diagnostic",
        messages=("syntax error at or near {{name=total}}",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="sed",
        status=1,
        stderr="sed: file input.sed line 3: unknown command: `t'\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.sed",
        kind="diagnostic",
        messages=("unknown command: 't'",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="gs",
        status=1,
        stderr=(
            "Error: /undefined in total\n"
            "Operand stack:\n"
            "\n"
            "Execution stack:\n"
            "   %interp_exit\n"
            "GPL Ghostscript 10.0: Unrecoverable error, exit code 1\n"
        ),
        stdout="",
        text="total",
        name="input.ps",
        kind="diagnostic",
        messages=("/undefined in {{name=total}}",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="wasm",
        status=1,
        stderr=(
            "[parse exception: invalid code after misc prefix: 17 (at 0:45)]\n"
            "Fatal: error parsing wasm (try --debug for more info)\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.wasm",
        kind="",
        messages=("[parse exception: invalid code after misc prefix: {{number}} (at {{number}})]",),
        frames=(),
        validity="invalid",
    ),
    Row(
        what="kotlin native npe",
        status=1,
        stderr=("error: java.lang.NullPointerException\n\tat org.x.Y.z(Y.kt:1)\n"),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="diagnostic",
        messages=("java.lang.NullPointerException",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="bazel",
        status=1,
        stderr=(
            "ERROR: /x/BUILD:3:1: name 'average' is not defined\n"
            "ERROR: package contains errors: \n"
            "INFO: Elapsed time: 0.1s\n"
        ),
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="BUILD",
        kind="diagnostic",
        messages=("name '{{literal=average}}' is not defined",),
        frames=(),
        validity="valid",
    ),
    Row(
        what="segv only",
        status=139,
        stderr="Segmentation fault (core dumped)\n",
        stdout="",
        text="int total = average(3); f(x); obj\n",
        name="input.c",
        kind="",
        messages=("Segmentation fault (core dumped)",),
        frames=(),
        validity="valid",
    ),
)
