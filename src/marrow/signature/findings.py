"""Failures that have a known form: sanitizers, assertions, compilers, exceptions, panics.

Each form is a row of a table: what it is in words, the expression that finds it, and what of it is
kept. Of an exception its type and the top frame are kept; where the frame is in the input itself,
which will change, its type and message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from marrow.signature.masking import escaped, line_pattern

Match: TypeAlias = re.Match[str]

# Errors whose top frame says nothing: wherever the stack happened to end.
_STACK_ERRORS: Final = ("RecursionError", "StackOverflowError", "Maximum call stack size exceeded")


# Longer lines are cut before they are searched, which takes the square of their length: a line of
# 60 kB took minutes. No message that names a failure is so long.
_LONGEST_LINE: Final = 4_000


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure of a known form: what it is, and the lines that show it, as patterns."""

    words: str
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Form:
    words: str
    search: re.Pattern[str]
    keep: Callable[[Match, str], tuple[str, ...]]
    # Of exceptions that led to one another, Python prints the one that ended the program last.
    last: bool = False


def find(text: str, name: str) -> Finding | None:
    """Return the first failure of a known form in what a command printed, by the table's order."""
    text = "\n".join(line[:_LONGEST_LINE] for line in text.split("\n"))
    for form in _FORMS:
        matches = list(form.search.finditer(text))
        if matches:
            match = matches[-1 if form.last else 0]
            return Finding(form.words, tuple(filter(None, form.keep(match, name))))
    return None


def _whole(match: Match, name: str) -> tuple[str, ...]:
    """Keep all that was found, but for what varies."""
    return (line_pattern(match[0], name),)


def _exact(match: Match, _: str) -> tuple[str, ...]:
    """Keep all that was found: places in the program itself do not vary."""
    return (escaped(match[0]),)


def _sanitizer(match: Match, name: str) -> tuple[str, ...]:
    kind, function = escaped(match["kind"]), match["function"]
    if function is None or name in match[0]:
        return (f"SUMMARY: {kind}",)
    return (f"SUMMARY: {kind}.* in {escaped(function)}",)


def _violation(match: Match, _: str) -> tuple[str, ...]:
    """Keep where the assertion stands in the program, which takes two more lines."""
    return "ASSERTION VIOLATION", f"File: .*{escaped(_base(match['file']))}$", match["line"]


def _go(match: Match, name: str) -> tuple[str, ...]:
    message = line_pattern(match["message"], name, digits=True)
    frame = match["frame"]
    return (message,) if frame is None else (message, escaped(frame))


def _rust(match: Match, name: str) -> tuple[str, ...]:
    if match["file"] == name:
        return ("panicked at",)
    return (f"panicked at .*{escaped(match['file'])}:{match['line']}:",)


def _python(match: Match, name: str) -> tuple[str, ...]:
    kind, message, file, function = match.group("kind", "message", "file", "function")
    typed = f"^{escaped(kind)}(:|$)"
    if any(one in kind for one in _STACK_ERRORS):
        return (typed,)
    if _base(file) == name or file.startswith("<"):
        return (_typed_message(kind, message, name),)
    return (typed, f'File ".*{escaped(_base(file))}", line [0-9]+, in {escaped(function)}$')


def _java(match: Match, name: str) -> tuple[str, ...]:
    kind, message, frame, file = match.group("kind", "message", "frame", "file")
    if any(one in kind for one in _STACK_ERRORS):
        return (escaped(kind),)
    if file == name:
        return (_typed_message(kind, message, name).removeprefix("^"),)
    return (escaped(kind), f"at .*{escaped(frame)}\\(")


def _javascript(match: Match, name: str) -> tuple[str, ...]:
    kind, message, frame, file = match.group("kind", "message", "frame", "file")
    if any(one in message for one in _STACK_ERRORS):
        return (f"{escaped(kind)}: {escaped(message)}",)
    place = file or ""
    if not frame or place.startswith("node:") or _base(place) in (name, ""):
        return (_typed_message(kind, message, name).removeprefix("^"),)
    return (f"{escaped(kind)}(:|$| \\[)", f"at {escaped(frame)} \\(.*{escaped(_base(place))}")


def _typed_message(kind: str, message: str | None, name: str) -> str:
    said = "" if not message else line_pattern(message, name)
    return f"^{escaped(kind)}: {said}" if said else f"^{escaped(kind)}(:|$)"


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _form(
    words: str,
    search: str,
    keep: Callable[[Match, str], tuple[str, ...]] = _whole,
    *,
    last: bool = False,
) -> _Form:
    return _Form(words, re.compile(search, re.MULTILINE), keep, last)


_FORMS: Final = (
    _form(
        "a sanitizer's report",
        r"^SUMMARY: (?P<kind>\w+Sanitizer: [\w-]+)(?:.* in (?P<function>\S+))?.*$",
        _sanitizer,
    ),
    _form(
        "a Go panic",
        r"^(?P<message>(?:panic|fatal error): .*)$"
        r"(?=[\s\S]*^goroutine \d+ )(?:[\s\S]*?^(?!panic\(|runtime\.|testing\.)"
        r"(?P<frame>[\w./*()-]+\.[\w.()*]+)\(.*\)$\n\t)?",
        _go,
    ),
    _form(
        "a Rust panic",
        r"^.*panicked at .*?(?P<file>[\w.-]+\.rs):(?P<line>\d+):\d+.*$",
        _rust,
    ),
    _form("undefined behaviour", r"runtime error: [^0-9':\n]+"),
    _form("an internal compiler error", r"internal compiler error: .*$", _exact),
    _form("a failed assertion", r"Assertion [`'\"].+['\"] failed", _exact),
    _form("a failed assertion", r"(?:Assertion failed|[Cc]heck failed|CHECK failed): .*$"),
    _form(
        "a failed assertion",
        r"^ASSERTION VIOLATION$\n^File: (?P<file>.+)$\n^(?P<line>Line: \d+)$",
        _violation,
    ),
    _form("a fatal error", r"# Fatal error in .*$|LLVM ERROR: .*$|UNREACHABLE executed.*$"),
    _form(
        "a Python exception",
        r'^  File "(?P<file>[^"\n]+)", line \d+, in (?P<function>.+)$'
        r"(?:\n {4,}.*$)*\n(?P<kind>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$",
        _python,
        last=True,
    ),
    _form(
        "a Python exception",
        r'^  File "(?P<file>[^"\n]+)", line \d+(?P<function>)$'
        r"(?:\n {4,}.*$)*\n(?P<kind>\w*Error)(?:: (?P<message>.*))?$",
        lambda match, name: (_typed_message(match["kind"], match["message"], name),),
        last=True,
    ),
    _form(
        "a Java exception",
        r"(?P<kind>(?:[a-z][\w$]*\.)+[\w$]*(?:Exception|Error)[\w$]*)(?:: (?P<message>.*))?$"
        r"\n\s+at (?:[\w.]+/)?(?P<frame>[\w$.<>/]+)\((?P<file>[^:()\n]*)(?::\d+)?\)",
        _java,
    ),
    _form(
        "a JavaScript exception",
        r"^(?:Uncaught )?(?P<kind>[A-Z]\w*(?:Error|Exception)|Error)(?: \[\w+\])?: (?P<message>.*)$"
        r"(?:\n {4}at (?:(?P<frame>[^\n(]+) \()?(?P<file>[^\n()]*?):\d+:\d+\)?$)?",
        _javascript,
    ),
)
