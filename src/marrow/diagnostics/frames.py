"""Stack traces: which lines are frames, and which of the frames tell where a program failed.

As crash triage does, frames of allocators, of aborting, of runtimes and of logging are skipped:
every failure has them. Frames in the input itself change while it is reduced, so only those above
the first of them count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from marrow.diagnostics.texts import InputText

#: How many frames are kept of a crash. More differ with the compiler's inlining.
KEPT_FRAMES: Final = 2


@dataclass(frozen=True, slots=True)
class Frame:
    """A function, the file it stands in, and the line or offset in it, where they are known."""

    function: str
    file: str = ""
    position: str = ""


# Each expression finds the function, and the file if the line has it. The first that matches counts.
_FRAMES: Final = tuple(
    re.compile(expression)
    for expression in (
        # Python, and its fault handler
        r"^\s*File '(?P<file>[^'\n]+)', line \d+,? in (?P<function>.+)$",
        # Java, Scala, Kotlin
        r"^\s+at (?:[\w.@-]+/)*(?P<function>[\w$.<>/]+)\((?P<file>[^:()]*)(?::\d+)?\)"
        r"(?: ~?\[.*\])?$",
        # .NET
        r"^\s+at (?P<function>[\w.`<>+|\[\],]+)\([^()]*\)(?: in (?P<file>.+):line \d+)?$",
        # JavaScript: V8, then SpiderMonkey and JavaScriptCore
        r"^\s+at (?:async |new )?(?P<function>[^()]+?) \((?P<file>[^()]*?)(?::\d+)*\)$",
        r"^\s+at (?:async )?(?P<function>)(?P<file>(?:file:|node:|/)?[^\s():]+):\d+:\d+$",
        r"^(?P<function>[\w$.<>/*]*)@(?P<file>\S+?):\d+(?::\d+)?$",
        # sanitizers, gdb, LLVM: `#0 0x1 in f file:1`, `#0 0x1 f(int) (lib+0x2)`
        r"^\s*#\d+\s+0x[0-9a-f]+ in (?P<function>.+?)"
        r"(?: (?:at )?(?P<file>[^\s()]+))?(?: \([^()]*\+0x[0-9a-f]+\))?"
        r"(?: \(BuildId: \w+\))?$",
        r"^\s*#\d+\s+0x[0-9a-f]+ (?P<function>(?:\(anonymous namespace\)|[^\s(]).*?) "
        r"(?:\([^()]*\+0x[0-9a-f]+\)|(?P<file>[^\s()]+):\d+:\d+)$",
        r"^\s*#\d+\s+(?:0x[0-9a-f]+ )?(?P<function>)\([^()]*\+0x[0-9a-f]+\)(?: \(BuildId: \w+\))?$",
        r"^\s*#\d+\s+(?P<function>[\w:~<>*&, ]+?) \(.*\) at (?P<file>[^\s()]+):\d+$",
        r"^\s*#\d+ (?P<function>\S.*?) (?P<file>[^\s()]+?)(?::\d+)* \([^()]*\+0x[0-9a-f]+\)(?: \(BuildId: \w+\))?$",
        r"^#\d+: (?P<function>.+?) ?\[\S+ \+0x[0-9a-f]+\]$",
        r"^\d+\s+0x[0-9a-f]+ (?P<function>.+)$",
        r"^\s*\d+: 0x[0-9a-f]+ (?P<function>.*?) ?\[.*\]$",
        # Zig
        r"^(?P<file>\S+?):\d+:\d+: 0x[0-9a-f]+ in (?P<function>\S+) \(.*\)$",
        # PHP; Dart
        r"^#\d+ (?P<file>[^()\n]+)\(\d+\): (?P<function>.+?)\(.*\)$",
        r"^#\d+ (?P<function>\{main\})(?P<file>)$",
        r"^#\d+\s+(?P<function>\S+) \((?P<file>[^()]+?)(?::\d+)+\)$",
        # valgrind
        r"^(?:==\d+==)?\s+(?:at|by) 0x[0-9A-F]+: (?P<function>.+?)"
        r" \((?:in )?(?P<file>[^()]*?)(?::\d+)?\)$",
        # glibc's backtrace
        r"^(?P<file>\S+?)\((?P<function>.*?)(?:\+0x[0-9a-f]+)?\) ?\[0x[0-9a-f]+\]$",
        # Rust
        r"^\s*\d+:\s+0x[0-9a-f]+ - (?P<function>.+)$",
        r"^\s+\d+: (?P<function>[\w<&][\w:<>{}&* ,#'\[\]-]*(?:::|$).*)$",
        # GCC's internal errors
        r"^0x[0-9a-f]{4,} (?P<function>(?!is |was )\S.*)$",
        # Go
        r"^(?P<function>panic)\((?:\{?0x).*\)$",
        r"^(?P<function>(?=\S+\.\S)[\w./*()\[\]…-]+)"
        r"\((?:\{?(?:0x|\.\.\.|\)|_).*|\))$",
        r"^created by (?P<function>\S+)(?: in goroutine \d+)?$",
        # Ruby
        r"^\s+from (?P<file>[^:]+):\d+:in '(?P<function>.+)'$",
        r"^\s+(?:\d+: )from (?P<file>[^:]+):\d+:in '(?P<function>.+)'$",
        # Lua
        r"^\s+(?P<file>\[C\]|[^:\s]+:\d+): in (?P<function>.+)$",
        # Perl
        r"^\s+(?P<function>[\w:]+)\(.*\) called at (?P<file>.+?) line \d+",
        # OCaml, Haskell
        r"^(?:Raised (?:at|by primitive operation at)|Called from|Re-raised at) "
        r"(?P<function>\S+) in file '(?P<file>[^']+)'.*$",
        r"^\s+(?P<function>\S+), called at (?P<file>\S+?):\d+:\d+ in \S+$",
        # Erlang, Elixir
        r"^\s+in (?:function|call from)\s+(?P<function>\S+/\d+)(?: \((?P<file>[^,]+), line \d+\))?",
        r"^\s+(?:\(\S+ [\d.]+\) )?(?P<file>\S+\.exs?):\d+: (?P<function>.+)$",
        # Julia, Swift and macOS, Common Lisp
        r"^\s*\[\d+\] (?P<function>[^\s(]+)\(?.*$",
        r"^\d+\s+(?P<file>\S+)\s+0x[0-9a-f]+ (?P<function>.+?) \+ \d+$",
        r"^\d+: \(+(?P<function>[^\s()]+).*$",
        # Nim, D
        r"^(?P<file>\S+\.nim)\(\d+\)\s+(?P<function>\S+)$",
        r"^(?P<file>\?\?|\S+):(?:\?|\d+) (?P<function>.+?) \[0x[0-9a-f]+\]$",
        # Rust's queries; Guile
        r"^#\d+ \[(?P<function>\w+)\] .*$",
        r"^\s+(?:\d+:\d+\s+)?\d+ \(+(?P<function>[^\s()]+).*\)$",
    )
)

# Where in its file a frame is: a line, or an offset in a program without them.
_POSITION: Final = re.compile(r"(?:, line |:line |:|\.\w{1,4}\()(\d+)\b|\+(0x[0-9a-f]+)\)")

# A line and a column after a file's name.
_NUMBERS: Final = re.compile(r"(?<!:\d)(?::\d+)+$")

# What a line must have to be a frame at all: most lines are none, and are told so at once.
_MAYBE: Final = re.compile(
    r"\s|[#\d=]|0x|Raised|Called|Re-raised|created by|panic\(|\S+@\S+:\d|\S+\[0x|\S+ \[0x"
    r"|[^\s(]+\.[^\s(]*\(|\S+\(.*\) ?\[0x|\S+:(?:\?|\d+)"
)

#: The line below a frame that only says where it is.
_WHERE: Final = re.compile(
    r"^(?:\t|\s{6,})(?:at )?\S+\.\w{1,5}:\d+(?::\d+)?(?: \+0x[0-9a-f]+)?$"
    r"|^\t\S+:\d+(?: \+0x[0-9a-f]+)?$|^\s+@ .+:\d+$|^In (?:\S+\.scm|unknown file):$"
)

# Functions that every failure of their kind has on top of its trace.
_SKIPPED: Final = re.compile(
    r"""^(?:
    # ways to die
    (?:_+(?:GI_+)*)?(?:raise|abort|kill|tgkill|exit|assert(?:_fail(?:_base)?|_rtn|_perror_fail)?|chk_fail
      |fortify_fail|stack_chk_fail|libc_message|pthread_kill\w*|libc_fatal)
    |gsignal|gnu_abort\w*|os_abort|_?rtl_\w*|KiUser\w+|RtlRaise\w+|RaiseException|terminate|std::terminate.*
    |__cxa_\w+|_Unwind_\w+|__gnu_cxx::__verbose_terminate_handler.*|__cxxabiv1::.*|std::__throw_\w+.*|std::__glibcxx_\w+.*
    # memory
    |(?:__interceptor_|__GI_+|__libc_|__asan_|__ubsan_|__msan_|__tsan_|__sanitizer_|_?int_)?
     (?:malloc\w*|calloc|realloc\w*|free|memalign|aligned_alloc|posix_memalign|strdup|strndup|memcpy\w*|memmove\w*
       |memset\w*|memcmp\w*|bcmp|strlen\w*|strcpy\w*|strcat\w*|strcmp\w*|strncmp\w*|strncpy\w*|strchr\w*
       |strtol\w*|v?sn?printf\w*|printf\w*|fwrite|fread|puts|munmap_chunk|unlink_chunk\w*|sysmalloc)(?:\.\w+|@.*)?
    |operator[ ](?:new|delete)(?:\[\])?.*|(?:__asan|__ubsan|__msan|__tsan|__sanitizer|__lsan|__interceptor|__hwasan)\w*(?:::.*)?
    |std::(?:_?_?(?:detail|cxx11|1|allocator|vector|basic_string|unique_ptr|shared_ptr|function|map|_\w+)\b).*
    |(?:__)?(?:mem|str|wcs)\w*_(?:avx\w*|sse\w*|evex\w*|erms\w*|unaligned\w*|generic|ifunc)
    # signals, stack dumps, logging
    |llvm::sys::(?:PrintStackTrace|RunSignalHandlers|CleanupOnSignal|Wait)\b.*|PrintStackTraceSignalHandler.*|SignalHandler.*
    |llvm::(?:CrashRecovery\w+|report_fatal_error|llvm_unreachable_internal|sys::RunInterruptHandlers)\b.*
    |CrashRecoverySignalHandler.*|HandleCrash.*|__restore_rt|__kernel_\w+|sigaction|crash_signal|crash_handler\w*
    |_?sig(?:handler|_handler|nal_handler|action)\w*|backtrace\w*|print_?backtrace\w*|dump_?(?:stack|backtrace)\w*
    |google::(?:LogMessage|DumpStack|FailureSignal)\w*.*|logging::.*|absl::log_internal::.*|folly::.*symbolizer.*
    |g_(?:log\w*|logv|assertion_message\w*|return_if_fail_warning|error\w*|critical|warning)|qt_(?:assert\w*|message\w*)|qFatal.*
    |QMessageLogger::.*|diagnostic_(?:report|action|impl|context)\w*.*|internal_error(?:_no_backtrace)?.*|fancy_abort.*
    |_?fatal(?:_error|_insn\w*)?(?:_no_backtrace)?|error_at.*|verify_\w+_failed|ice_?\w*|tree_\w*check_failed.*|rtl_check_failed\w*.*
    |V8_(?:Fatal|Dcheck)\w*.*|v8::base::(?:OS|debug)::.*|node::(?:Abort|Assert|DumpBacktrace|OnFatalError|OOMErrorHandler).*
    |v8::(?:Utils::ReportApiFailure|internal::V8::FatalProcessOutOfMemory).*|MOZ_(?:Crash|Assert|ReportCrash)\w*.*|WTFCrash\w*.*
    |js::(?:ReportOverRecursed|AutoEnterOOMUnsafeRegion)\w*.*
    # runtimes of languages
    |runtime\.\w+.*|panic|runtime/debug\..*|internal/runtime/.*|testing\.\w+|main\.main(?:\.func\d+)?
    |(?:<?(?:rust_)?(?:core|std|alloc)::)(?:panicking|option|result|panic|sys|sys_common|backtrace|fmt|rt|slice::index|thread|ops::function|boxed)\b.*
    |<(?:std|alloc|core)::.*|rust_(?:begin_unwind|panic|eh_\w+).*|__rust_\w+.*|rustc_driver::.*report_ice.*|proc_macro::bridge.*
    |rustc_(?:errors|middle::util::bug|driver\w*|interface|span::with\w*)::.*|rustc_middle::ty::context::tls::.*|<rustc_errors::.*|<unknown>
    |java\.(?:util\.Objects|lang\.(?:reflect|invoke|Throwable|Thread))\b.*|jdk\.internal\..*|sun\.reflect\..*|java\.util\.concurrent\..*
    |scala\.(?:Predef|sys|sys\.package)\b.*|kotlin\.(?:PreconditionsKt|jvm\.internal\.Intrinsics|UninitializedProperty)\b.*
    |(?:[\w.]+\.)?ThrowHelper\..*|System\.(?:ThrowHelper|Environment|Diagnostics|Runtime)\..*|Microsoft\.\w+\.Throw.*
    |Module\._compile|Object\.Module.*|Module\.\w+|node:internal.*|processTicksAndRejections|internal/.*|Function\.executeUserEntryPoint.*
    |Error|new\ \w*Error|throw\w*|assert(?:\.\w+)?|fail|invariant|ok|strictEqual|deepEqual|_?_?assertNever|unreachable|bail
    |Kernel\#?(?:raise|abort)|error|stop|die|confess|croak|erlang:(?:error|raise|apply)/\d+|init:.*|erl_eval:.*|escript:.*
    |Base\.(?:error|throw\w*).*|Stdlib\.(?:failwith|invalid_arg).*|Pervasives\..*
    |SB-(?:KERNEL::?(?:INTERNAL-ERROR|\%\w*ERROR\w*|CONTROL-STACK\w*)|DEBUG:.*|EXT:.*|SYS:.*|IMPL:.*|FASL:.*|INT:.*|UNIX:.*)
    |ERROR|SIGNAL|INVOKE-DEBUGGER|BREAK|CERROR|EVAL(?:-TLF)?|FLET|LAMBDA|LABELS|primitive-load|_|proc|throw|raise-exception|map1
    |in\ function\ 'error'|function\ 'error'|function\ <.*|in\ \?|\?+
    # beginnings of programs
    |_start|__libc_start\w*|call_init|main|start_thread|clone\w*|__clone\w*|\{main\}|<module>|<main>|main\ chunk|BaseThread\w+|__scrt_\w+|invoke_main
    )$""",
    re.VERBOSE,
)

# Functions of any program whose name says that they only tell of a failure.
_TELLS: Final = re.compile(
    r"(?i)^(?:(?:report|throw|raise|signal|emit|log|print|handle)_?\w*(?:exception|error|failure|fatal|crash|panic|assert)\w*"
    r"|(?:fatal|panic|abort|assert|die|unreachable|crash|internal_?error|bug|fail)(?:_?(?:error|with|impl|failed|now|at|fmt|msg|message|ure|ed))*)$"
)

# Libraries whose frames are the system's.
_SYSTEM_FILES: Final = re.compile(
    r"(?:^|/)(?:libc[.-]|libc\.so|libpthread|ld-linux|libasan|libubsan|libtsan|liblsan|libstdc\+\+|libgcc_s|ld-\d)"
    r"|vgpreload|vg_replace|sanitizer_common|/compiler-rt/|/sysdeps/|^(?:\.\.?/)+(?:csu|sysdeps|nptl|libio|stdlib|signal)/"
    r"|^node:internal|<frozen |/runpy\.py$|pluggy/|importlib/_bootstrap"
)

# A stack that overflowed ended wherever it did: its top says nothing.
OVERFLOWS: Final = re.compile(
    r"RecursionError|StackOverflow|[Ss]tack overflow|stack-overflow|[Mm]aximum (?:call stack|recursion)"
    r"|recursion (?:depth|limit)|stack level too deep|SystemStackError|too much recursion|exceeds stack"
    r"|C stack overflow|goroutine stack exceeds|nested too deep|maximum function nesting"
)


def frame_of(line: str) -> Frame | None:
    """Return the frame that a line of a trace names; quotation marks are alike already."""
    if not _MAYBE.match(line):
        return None
    for expression in _FRAMES:
        found = expression.match(line)
        if found is not None:
            groups = found.groupdict()
            at = _POSITION.search(line)
            position = "" if at is None else next(filter(None, at.groups()))
            file = _NUMBERS.sub("", groups.get("file") or "")
            return Frame(plain_function(groups["function"] or ""), file, position)
    return None


def is_place_of_frame(line: str) -> bool:
    """Return whether a line below a frame only says where that is."""
    return bool(_WHERE.match(line))


def plain_function(function: str) -> str:
    """Return a function's name without what differs between builds: arguments, template arguments."""
    function = re.sub(
        r"::h[0-9a-f]{16}$|\+0x[0-9a-f]+$|\.(?:cold|part|isra|constprop|llvm)\b.*$", "", function
    )
    function = re.sub(r"\[clone .*?\]", "", function).strip()
    function = re.sub(
        r"^(?:static |virtual |void |bool |int |const |unsigned |char |struct )+", "", function
    )
    if function.startswith("("):
        return function
    previous = ""
    while previous != function:  # innermost brackets first
        previous = function
        function = re.sub(r"(?<=[\w>])<[^<>]*>|\((?!anonymous|\*)[^()]*\)(?: const)?", "", function)
    return function.strip() or previous


def own_frames(frames: Iterable[Frame], source: InputText) -> tuple[str, ...]:
    """Return the functions of the failing program itself, from the top, above the input's own."""
    result: list[str] = []
    for frame in frames:
        base = re.sub(r":\d+$", "", frame.file).replace("\\", "/").rpartition("/")[2]
        if source.is_named(base) or frame.file in (
            "<string>",
            "<stdin>",
            "[eval]",
            "evalmachine.<anonymous>",
        ):
            break
        if not frame.function or _SKIPPED.match(frame.function) or _SYSTEM_FILES.search(frame.file):
            continue
        last = re.split(r"[.:/#$ ]+", frame.function.rstrip("'"))[-1]
        if _TELLS.match(last):
            continue
        if source.has_word(last) and not base:
            break
        result.append(frame.function)
    return tuple(result)
