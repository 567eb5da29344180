"""For tests that fail on large inputs: shrink the input, and show the small one in the report.

Works under pytest, unittest or none: all that is used is exceptions and their notes. The check runs
in the thread of the caller, as the test does.
"""

from __future__ import annotations

import traceback
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, AnyStr, Final, TypeAlias, TypeVar, Unpack, overload

from marrow.diagnostics.texts import InputText, one_line
from marrow.engine.executors.function import TestFunction
from marrow.engine.verdict import Verdict
from marrow.report.plain import printable
from marrow.run.options.options import SessionOptions
from marrow.run.output.result import Result
from marrow.run.plan.input import text_input
from marrow.session import Session
from marrow.signature.template import Template, template_of

_T = TypeVar("_T")

# A failing test should not hold up the others much longer than a minute.
_SECONDS: Final = 60.0

# How much of the reduced input a report shows: a screen of lines, and no line that fills it.
_MOST_LINES: Final = 60
_LONGEST_LINE: Final = 400

#: The type of an exception, and the file, function and line that raised it.
_Place: TypeAlias = tuple[type[BaseException], str, str, int | None]


@dataclass(frozen=True, slots=True)
class _Failure:
    """What a failure is known by: where it was raised, and what it says."""

    place: _Place
    message: Template

    @classmethod
    def of(cls, error: BaseException, source: bytes) -> _Failure:
        """Return what a failure on an input is known by."""
        return cls(_place(error), template_of(_said(error), InputText(source)))

    def is_shown(self, error: BaseException, candidate: bytes) -> bool:
        """Return whether an exception on a candidate is this failure."""
        if _place(error) != self.place:
            return False
        return self.message.matches(_said(error), InputText(candidate))


def _said(error: BaseException) -> str:
    """Return the message of an exception; nothing for an assertion, whose line says which it is."""
    return "" if isinstance(error, AssertionError) else one_line(str(error).partition("\n")[0])


class PropertyFailedError(AssertionError):
    """A check returned False."""


@overload
def shrink(
    source: AnyStr, check: Callable[[AnyStr], object], **options: Unpack[SessionOptions]
) -> None: ...


@overload
def shrink(
    source: AnyStr,
    check: Callable[[_T], object],
    *,
    parse: Callable[[AnyStr], _T],
    **options: Unpack[SessionOptions],
) -> None: ...


def shrink(
    source: Any,
    check: Callable[[Any], object],
    *,
    parse: Callable[[Any], Any] | None = None,
    **options: Unpack[SessionOptions],
) -> None:
    """Check an input; if the check fails, shrink the input and fail with the small one.

    `check` is called with the input, or with what `parse` makes of it. It fails if it raises, or
    returns False; then the input is cut down as long as it fails in the same way: with the same
    type of exception, raised in the same line of the same function, and with the same message, but
    for names, literals and numbers of the input (the message of a failed assertion does not
    count). What does not parse counts as no input at all. The failure on the smallest one is
    raised, with that input in a note, which reports show. A check that does not fail does nothing
    more. `max_time` (default: a minute) ends the search with the best so far; the other options are
    those of `marrow.Session`.

    >>> import json
    >>> def check(value):
    ...     assert "id" not in value
    >>> shrink('[{"name": 1}, "id", 7]', check, parse=json.loads, language="json")
    Traceback (most recent call last):
        ...
    AssertionError
    shrunk by marrow from 11 to 1 tokens, 22 to 4 bytes, in 10 tests:
        "id"
    """
    __tracebackhide__ = True
    run = _Checking(source, check, parse)
    failure = run.failure(source)
    if failure is None:
        return
    if not _counts(failure):
        raise failure
    wanted = _Failure.of(failure, text_input(source).text)
    result = _smallest(source, run, wanted, options)
    again = None if result is None else run.failure(run.decoded(result.text))
    if result is None or again is None or not wanted.is_shown(again, result.text):
        failure.add_note("marrow did not shrink the input: the check does not always fail on it")
        raise failure
    again.add_note(_note(result))
    raise again


def on_parsed(
    predicate: Callable[[_T], bool | Verdict], parse: Callable[[bytes], _T]
) -> TestFunction:
    """Return the test that asks a predicate about what a candidate means.

    A candidate that `parse` does not take (it raises an exception) is unresolved: no valid input.

    >>> import json, marrow
    >>> test = on_parsed(lambda value: "b" in str(value), json.loads)
    >>> marrow.reduce('{"a": [1, 2, 3], "b": 4, "c": "x"}', test, language="json").text
    b'"b"'
    """

    def test(candidate: bytes) -> bool | Verdict:
        try:
            value = parse(candidate)
        except Exception:
            return Verdict.UNRESOLVED
        return predicate(value)

    return test


class _Checking:
    """A check, and how an input gets to it."""

    def __init__(
        self,
        source: str | bytes,
        check: Callable[[Any], object],
        parse: Callable[[Any], Any] | None,
    ) -> None:
        self._check: Final = check
        self._parse: Final = parse
        # Half a character is not text, unless the input itself has such halves.
        halves = isinstance(source, str) and any("\ud800" <= one <= "\udfff" for one in source)
        errors = "surrogateescape" if halves else "strict"
        self._errors: Final = errors if isinstance(source, str) else None

    def decoded(self, text: bytes) -> str | bytes:
        """Return a text as the source is: a string, or bytes."""
        return text if self._errors is None else text.decode("utf-8", self._errors)

    def failure(self, source: str | bytes) -> BaseException | None:
        """Return what the check raises for an input; what does not parse is the caller's."""
        __tracebackhide__ = True
        return self._failure(source if self._parse is None else self._parse(source))

    def verdict(self, candidate: bytes, wanted: _Failure) -> Verdict:
        """Say whether a candidate fails so."""
        try:
            source = self.decoded(candidate)
            value = source if self._parse is None else self._parse(source)
        except Exception:
            return Verdict.UNRESOLVED
        failure = self._failure(value)
        if failure is not None and wanted.is_shown(failure, candidate):
            return Verdict.INTERESTING
        return Verdict.NOT_INTERESTING

    def _failure(self, value: Any) -> BaseException | None:
        __tracebackhide__ = True
        try:
            if self._check(value) is False:
                raise PropertyFailedError("the check returned False")
        except KeyboardInterrupt:
            raise
        # pytest's outcomes, and the exit of a program under test, are not an `Exception`.
        except BaseException as error:
            return error
        return None


def _smallest(
    source: str | bytes,
    run: _Checking,
    wanted: _Failure,
    options: SessionOptions,
) -> Result | None:
    """Return the reduced input; None if the check does not fail again on the source."""
    if run.verdict(text_input(source).text, wanted) is not Verdict.INTERESTING:
        return None
    if options.keys().isdisjoint(("max_time", "max_seconds")):
        options["max_time"] = _SECONDS
    with Session(source, **options) as session:
        for candidate in session:
            session.answer(run.verdict(candidate, wanted))
        return session.stop()


def _counts(error: BaseException) -> bool:
    """Whether an exception is a failure, not a test that is skipped or broken off."""
    if isinstance(error, Exception | SystemExit):
        return not isinstance(error, unittest.SkipTest)
    # pytest's own, which need not be there.
    return type(error).__name__ == "Failed" and hasattr(error, "pytrace")


def _place(error: BaseException) -> _Place:
    """Return what a failure is known by."""
    if isinstance(error, RecursionError):
        return type(error), "", "", None  # where the stack ends is chance
    file, function, line = "", "", None
    for frame, number in traceback.walk_tb(error.__traceback__):
        file, function, line = frame.f_code.co_filename, frame.f_code.co_name, number
    return type(error), file, function, line


def _note(result: Result) -> str:
    """Say what was shrunk, and show what is left."""
    plain = printable(result.text)
    if plain.encode() != result.text:
        plain = repr(result.text)  # exact, where showing it would not be
    lines = plain.splitlines() or ["(nothing: an empty input fails)"]
    shown = [
        line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}... ({len(line):,} long)"
        for line in lines[:_MOST_LINES]
    ]
    if len(lines) > _MOST_LINES:
        shown.append(f"... ({len(lines) - _MOST_LINES:,} more lines)")
    stopped = "" if result.stopped is None else f"; stopped: {result.stopped}"
    head = (
        f"shrunk by marrow from {result.tokens_before:,} to {result.tokens_after:,} tokens, "
        f"{result.bytes_before:,} to {result.bytes_after:,} bytes, in {result.asked:,} tests"
        f"{stopped}:"
    )
    return "\n".join([head, *(f"    {line}" for line in shown)])
