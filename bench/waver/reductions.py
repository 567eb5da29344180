"""Ten reductions whose failure shows now and then, by a rate that depends on what is left."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class WaveringInput:
    """An input, and the share of the input's own rate that a candidate has; 0 for no failure."""

    name: str
    text: bytes
    language: str
    share: Callable[[bytes], float]


def _words(*needed: bytes) -> Callable[[bytes], float]:
    return lambda text: float(all(one in text for one in needed))


def _in_order(text: bytes) -> float:
    at = [text.find(one) for one in (b"open", b"write", b"close")]
    return float(-1 < at[0] < at[1] < at[2])


def _two_causes(text: bytes) -> float:
    return 0.5 * (b"left" in text) + 0.5 * (b"right" in text)


def _warm(text: bytes) -> float:
    return (b"needle" in text) * (1.0 if b"warm" in text else 0.3)


def _long_enough(text: bytes) -> float:
    return (b"race" in text) * (1.0 if len(text.split()) >= 12 else 0.4)


def _rising(text: bytes) -> float:
    return (b"needle" in text) * (2.0 - min(1.0, len(text) / len(_C)))


def _spinning(text: bytes) -> float:
    return (b"race" in text) * max(0.2, 1.0 - 0.2 * (5 - min(5, text.count(b"spin"))))


_JSON: Final = json.dumps(
    {
        "users": [
            {"id": n, "name": f"user{n}", "tags": ["a", "b"], "ok": n % 2 == 0} for n in range(8)
        ],
        "settings": {"depth": 3, "needle": {"kind": "thread", "count": 2}, "level": [1, [2, [3]]]},
        "other": None,
    }
).encode()

_C: Final = (
    b"".join(
        b"int helper%d(int a) { int b = a * %d; if (b > %d) { b -= a; } return b + %d; }\n"
        % (n, n, n, n)
        for n in range(6)
    )
    + b"int needle(int a) { helper1(a); race(); return a; }\nint main(void) { return needle(3); }\n"
)

_PYTHON: Final = (
    b"".join(
        b"def step%d(value):\n    total = value + %d\n    for i in range(%d):\n        total += i\n"
        b"    return total\n\n" % (n, n, n)
        for n in range(5)
    )
    + b"def open_all():\n    open(1)\n    step1(2)\n    write(3)\n    close(4)\n\nopen_all()\n"
)

_LINES: Final = b"".join(b"plain %d of the text\n" % n for n in range(30))

REDUCTIONS: Final = (
    WaveringInput("one name in JSON", _JSON, "json", _words(b"needle")),
    WaveringInput("two values in JSON", _JSON, "json", _words(b"user5", b"thread")),
    WaveringInput("a call in C", _C, "c", _words(b"needle", b"race")),
    WaveringInput("calls in order in Python", _PYTHON, "python", _in_order),
    WaveringInput(
        "three words of many",
        b" ".join(b"w%d" % n for n in range(60)),
        "words",
        _words(b"w7", b"w31", b"w58"),
    ),
    WaveringInput("two causes", _LINES + b"left 1\n" + _LINES + b"right 2\n", "lines", _two_causes),
    WaveringInput(
        "a part that makes it likelier", _LINES + b"warm 1\n" + _LINES + b"needle\n", "lines", _warm
    ),
    WaveringInput("long enough for the race", _LINES + b"race\n" + _LINES, "words", _long_enough),
    WaveringInput("likelier as it gets smaller", _C, "c", _rising),
    WaveringInput(
        "rarer with every line that goes",
        _LINES + b"spin\n" * 5 + _LINES + b"race\n",
        "lines",
        _spinning,
    ),
)
