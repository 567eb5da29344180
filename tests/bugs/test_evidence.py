"""What joins two failures, and what does not."""

from __future__ import annotations

import pytest

from marrow.bugs.case import Case
from marrow.bugs.evidence import link
from marrow.bugs.failure_key import FailureKey, Site
from marrow.signature.signature import Signature


def case(text: bytes, message: str, function: str = "", line: int = 1) -> Case:
    sites = (Site(function, "t.py", str(line)), Site("run", "t.py", "9")) if function else ()
    key = FailureKey(1, "exception", message, sites)
    return Case(f"{text!r} {message}", key, Signature(status=1), text, key)


def called(text: bytes, caller: str) -> Case:
    sites = (Site("compare", "t.c", "5"), Site(caller, "t.c", "9"))
    key = FailureKey(1, "sanitizer", "overflow", sites)
    return Case(f"{text!r}", key, Signature(status=1), text, key)


def nameless(text: bytes, caller: str) -> Case:
    sites = (Site("<listcomp>", "t.py", str(len(caller))), Site(caller, "t.py", "9"))
    key = FailureKey(1, "exception", "IndexError: x", sites)
    return Case(f"{text!r}", key, Signature(status=1), text, key)


def asserted(text: bytes, line: int) -> Case:
    key = FailureKey(134, "assertion", "x", (Site("f", "t.py", str(line)),))
    return Case(f"{text!r}", key, Signature(status=134), text, key)


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        # The same function, and a word differs: whatever the failures are called.
        (
            case(b"create t(c)select avg()from t", "ZeroDivisionError: x", "total", 4),
            case(b"create u(b)select min()from u", "ValueError: y", "total", 5),
            "same function",
        ),
        # One place, two callers: the same is needed, or not.
        (called(b'max(["",0])', "most"), called(b'sort(["",0])', "sort"), "same place"),
        (called(b'""[9]', "element"), called(b'""[0:9]', "slice"), None),
        # One line and one sort of failure: what the message names is chance. Another sort is not.
        (
            case(b"select len(0)", "TypeError: 'int' has no len()", "call", 4),
            case(b"create t(a)select len(a)from t", "TypeError: 'None' has no len()", "call", 4),
            "same place",
        ),
        (
            case(b"select 0%0", "ZeroDivisionError: x", "reckon", 4),
            case(b"create t(a)select a%0 from t", "TypeError: x", "reckon", 4),
            None,
        ),
        # A comprehension is no function that two failures can share.
        (
            nameless(b"create t(c)select avg()from t", "total"),
            nameless(b"create u(b)select min()from u", "sort"),
            None,
        ),
        # One has a part more, and fails otherwise.
        (
            case(b"create t(c)select avg()from t", "ZeroDivisionError: x", "total", 4),
            case(b"create t(c)select avg(),d from t", "IndexError: y", "total", 2),
            None,
        ),
        # Values that are needed as they are count.
        (
            case(b"select len(0)", "TypeError: x", "call", 4),
            case(b"select chr(-1)", "ValueError: y", "call", 8),
            None,
        ),
        (
            case(b"select null+0", "TypeError: x", "reckon", 4),
            case(b"select 0-null", "TypeError: y", "reckon", 5),
            "same function",
        ),
        # Values alone differ: of a format's texts most do, so the function must be the same.
        (case(b"HEAD\0\1", "x", "f"), case(b"HEAD\0\2", "x", "g"), None),
        (case(b"HEAD\0\1", "x", "f"), case(b"HEAD\0\2\2", "y", "f", 2), None),
        (case(b"HEAD\0\1", "x"), case(b"HEAD\0\2", "x"), "same shape"),
        # An assertion guards what is behind it, not what is in front of it.
        (asserted(b"sum 0 of 0", 4), case(b"sum 1 of 0", "FPE", "f", 5), "same function"),
        (asserted(b"sum 0 of 0 and 0", 4), case(b"sum 1 of 1", "FPE", "f", 5), "same function"),
        (asserted(b"sum 0 of 0 and 0", 6), case(b"sum 1 of 1", "FPE", "f", 5), None),
        # What a result needs is a part of another one: evidence where nothing says more.
        (case(b"mute = on", "x"), case(b"mute = on;", "y"), "part of the other"),
        (case(b"mute = on", "x", "f"), case(b"mute = on;", "y", "g"), None),
        (case(b"mute = on", "x", "f"), case(b"mute  =  on", "y", "g"), "same result"),
    ],
)
def test_rules(one: Case, other: Case, rule: str | None) -> None:
    for here, there in ((one, other), (other, one)):
        found = link(here, there, {})
        assert (found and found.rule) == rule
