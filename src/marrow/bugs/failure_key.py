"""Failure keys: which failures look the same, from one run of the target alone.

A key has how the command ended, the message that tells most, and the places in the program where
it failed: functions with their lines, the innermost first. Of a stack that overflowed, the
functions that call one another are its place.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final

from marrow.base.errors import UsageError
from marrow.diagnostics import message_rules as rules
from marrow.diagnostics.frames import (
    ALLOCATED,
    FREED,
    Frame,
    access_of,
    block_side,
    frames_after,
    own_frames,
)
from marrow.diagnostics.observation import SIGNAL_BASE, Observation, ending, signal_of
from marrow.diagnostics.report import Report, report_of
from marrow.diagnostics.texts import InputText
from marrow.signature.signature import Signature, main_message
from marrow.signature.template import template_of
from marrow.signature.user_expression import SlowExpressionError, matches_line
from marrow.signature.validity import is_syntax_error

# Deeper frames are the same for most failures of a program, and long traces of recursion are not.
_MOST_FRAMES: Final = 64

# A function that is on an overflowing stack this often takes part in the recursion.
_RECURS: Final = 3

#: Kinds of messages that no program prints on purpose about its input.
_CRASHES: Final = frozenset(
    {rules.SANITIZER, rules.INTERNAL, rules.ASSERTION, rules.ABORT, rules.PANIC, rules.EXCEPTION}
)

# Where memory was freed or allocated: the function, and its caller, since many programs have a
# helper for it.
_BLOCK_FRAMES: Final = 2

# What a sanitizer's message says besides the sort of the error differs from run to run.
_SORT: Final = re.compile(
    r"^.*?((?<!\w)\w+Sanitizer: (?:[a-z]+(?:-[a-z]+)+|SEGV|[A-Z]{3,4}\b|attempting [a-z-]+))"
)

# Functions that hold the whole of a small program.
_WHOLE: Final = re.compile(r"main|<module>|\{main\}|<anonymous>|Object\.<anonymous>")

# Functions that have no name of their own: comprehensions, lambdas, closures.
_NAMELESS: Final = re.compile(
    r"^<(?:listcomp|dictcomp|setcomp|genexpr|lambda|anonymous)>$|\{closure\}|\{\{closure\}\}"
    r"|lambda|anonymous|\$_\d+$|operator\(\)"
)

# Messages that say where they were raised: the place of a failure without a stack.
_PLACED: Final = (
    re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+): (?P<function>.+?): Assertion .* failed"),
    re.compile(
        r"Assertion failed: .*, function (?P<function>[^,]+), file (?P<file>[^,]+), "
        r"line (?P<line>\d+)"
    ),
    re.compile(r"\bpanicked at (?:'.*', )?(?P<file>[^\s:]+):(?P<line>\d+)"),
)

_SYSTEM: Final = re.compile(r"^(?:/usr/(?:lib|include)|/lib|node:|<frozen |\.\./)|^$")


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the program: a function, its file's name, and a line or an offset."""

    function: str
    file: str = ""
    position: str = ""

    def __str__(self) -> str:
        where = ":".join(filter(None, (self.file, self.position)))
        return f"{self.function} ({where})" if where else self.function


@dataclass(frozen=True, slots=True)
class FailureKey:
    """What tells failures apart at first sight. `sites` are innermost first, none twice.

    `access` is whether the program itself read or wrote memory that it must not. The key leaves out
    what a sanitizer says of the block of memory, which for a wild pointer is any: `side`, on which
    side of the block the access was, and where the block was `allocated` and `freed`.
    """

    status: int | None
    kind: str = ""
    message: str = ""
    sites: tuple[Site, ...] = ()
    overflow: bool = False
    access: str = ""
    freed: tuple[Site, ...] = field(default=(), compare=False, repr=False)
    allocated: tuple[Site, ...] = field(default=(), compare=False, repr=False)
    side: str = field(default="", compare=False, repr=False)

    @property
    def top(self) -> FailureKey:
        """The key with the innermost place alone."""
        return self if self.overflow else replace(self, sites=self.sites[:1])

    @property
    def near(self) -> FailureKey:
        """The key with the innermost place and its caller: files are sorted by it.

        Reductions hold on to both: else one would slip from a caller of a helper to another one.
        """
        return self if self.overflow else replace(self, sites=self.sites[:2])

    @property
    def function(self) -> tuple[str, ...]:
        """The innermost function; one without a name of its own is known by its caller, too."""
        nameless = bool(self.sites) and _NAMELESS.search(self.sites[0].function) is not None
        return tuple(site.function for site in self.sites[: 2 if nameless else 1])

    @property
    def caller(self) -> str:
        """The function that called the innermost one; one without a name of its own is none."""
        own = len(self.function)
        named = (one.function for one in self.sites[own:] if not _NAMELESS.search(one.function))
        return "" if self.overflow else next(named, "")

    @property
    def tells(self) -> bool:
        """Whether it says where in the program the failure is."""
        return bool(self.sites)

    @property
    def memory(self) -> bool:
        """Whether memory was misused: how that shows is chance, where it shows less so."""
        return self.kind == rules.SANITIZER or bool(signal_of(self.status) in (7, 11))

    @property
    def words(self) -> str:
        """The failure in a few words."""
        said = self.message.strip(" …").removeprefix(":…: ") or ending(self.status)
        if self.overflow:
            return f"{said} in {', '.join(site.function for site in self.sites)}".removesuffix(
                " in "
            )
        return f"{said} in {self.sites[0]}" if self.sites else said


class NoFailure(enum.Enum):
    """Why a run does not count as a failure."""

    PASSES = "does not fail"
    REJECTED = "the target rejects it as invalid input"
    FORBIDDEN = "prints what --not excludes"


@dataclass(frozen=True, slots=True)
class Criterion:
    """What counts as a failure.

    Of a command that is its exit status or a crash; of a test script, that it exits with 0.
    """

    zero_fails: bool = False
    forbidden: tuple[str, ...] = ()
    name: str = ""

    def judge(self, seen: Observation, text: bytes) -> FailureKey | NoFailure:
        """Return the key of a failure, or why a run is none."""
        for expression in self.forbidden:
            try:
                if matches_line(expression, seen.stderr) or matches_line(expression, seen.stdout):
                    return NoFailure.FORBIDDEN
            except SlowExpressionError as error:
                raise UsageError(f"⟦forbid⟧: {error}") from None
        source = InputText(text, self.name)
        report = report_of(seen, source)
        if self.zero_fails:
            return _key(seen, report, source) if seen.status == 0 else NoFailure.PASSES
        crashed = any(one.kind in _CRASHES and one.sure for one in report.messages)
        if seen.status == 0 and not (crashed and report.frames):
            return NoFailure.PASSES
        key = _key(seen, report, source)
        if (
            seen.status is not None
            and not signal_of(seen.status)
            and not key.sites
            and is_syntax_error(seen, text, self.name)
        ):
            return NoFailure.REJECTED
        return key


def _key(seen: Observation, report: Report, source: InputText) -> FailureKey:
    # What the program says besides a sanitizer's report does not tell failures apart.
    reports = [one for one in report.messages if one.kind == rules.SANITIZER]
    message = max(reports, key=lambda one: one.sure) if reports else main_message(report)
    said = "" if message is None else message.text
    if message is not None:
        sort = _SORT.match(said)
        said = sort[1] if sort else template_of(said, source).skeleton
    status = seen.status
    sites = _recursive(report.frames) if report.overflow else _sites(report.frames, source)
    if not sites and message is not None:
        sites = _raised(message.text)
    # What the program itself did with memory: of `memcpy` either side may be at fault.
    own = not report.overflow and own_frames(report.frames[:1], source)
    access = access_of(seen.stderr) if own else ""
    return FailureKey(
        SIGNAL_BASE - status if status is not None and status < 0 else status,
        "" if message is None else message.kind,
        said,
        sites,
        report.overflow,
        access,
        _sites(frames_after(seen.stderr, FREED), source)[:_BLOCK_FRAMES],
        _sites(frames_after(seen.stderr, ALLOCATED), source)[:_BLOCK_FRAMES],
        block_side(seen.stderr),
    )


def _sites(frames: tuple[Frame, ...], source: InputText) -> tuple[Site, ...]:
    """Return the places of the program itself, each function once, the innermost first."""
    frames = frames[:_MOST_FRAMES]
    if not frames:
        return ()
    own: list[Frame] = []
    for number, frame in enumerate(frames, start=1):
        if len(own_frames(frames[:number], source)) > len(own):
            own.append(frame)
    # A function that has called itself, by whatever way, is called from where that began.
    # Comprehensions are all called alike: one is not another.
    last = max((at for at, one in enumerate(own) if _called(one) == _called(own[0])), default=0)
    result: dict[object, Site] = {}
    for frame in own[:1] + own[last + 1 :]:
        result.setdefault(_called(frame), _site(frame))
    if not result:
        whole = [one for one in frames if _WHOLE.fullmatch(one.function)]
        own_files = [one for one in whole if not _SYSTEM.search(one.file)]
        result = {
            one.function: _site(one) for one in own_files[:1] if not source.is_named(one.file)
        }
    return tuple(result.values())


def _called(frame: Frame) -> object:
    """Return what a function is known by: its name; one without a name, by its place."""
    return frame if _NAMELESS.search(frame.function) else frame.function


def _raised(message: str) -> tuple[Site, ...]:
    """Return the place that a message names as its own: that of a failed assertion, or a panic."""
    for expression in _PLACED:
        found = expression.search(message)
        if found:
            parts = found.groupdict()
            file = parts["file"].replace("\\", "/").rpartition("/")[2]
            return (Site(parts.get("function") or f"{file}:{parts['line']}", file, parts["line"]),)
    return ()


def _recursive(frames: tuple[Frame, ...]) -> tuple[Site, ...]:
    """Return the functions that an overflowing stack is full of, in the order of their names."""
    counts = Counter(frame.function for frame in frames if frame.function)
    often = sorted(name for name, count in counts.items() if count >= _RECURS)
    return tuple(map(Site, often))


def _site(frame: Frame) -> Site:
    file = frame.file.replace("\\", "/").rpartition("/")[2]
    return Site(frame.signature or frame.function, re.sub(r":\d+$", "", file), frame.position)


def matches(
    key: FailureKey, signature: Signature, seen: Observation, text: bytes, other: object
) -> bool:
    """Whether a run shows the failure of a key: at the same place, and saying the same.

    `other` is what the run's own key is. What a message takes from the input may make two of its
    templates differ; the signature knows better then.
    """
    if not isinstance(other, FailureKey) or other.status != key.status:
        return False
    if other.near == key.near:
        return True
    if other.near.sites != key.near.sites or other.access != key.access:
        return False
    if other.kind != key.kind or not key.message:
        return False
    facts = replace(signature, frames=(), new_errors=True)
    return bool(signature.facts) and facts.judge(seen, text).matches
