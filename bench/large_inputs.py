"""Large inputs, of any length: programs in several languages and a log, each with one needle."""

from __future__ import annotations

import random
from collections.abc import Callable


def functions(length: int, marked: int) -> str:
    """Return a C program of this length, one function of which has the needle."""
    made: list[str] = []
    size = 0
    while size < length:
        number = len(made)
        call = "needle" if number == marked else "work"
        made.append(
            f"int work{number}(int a, int b) {{\n    int sum = a + {number};\n"
            f"    if (sum > b) {{\n        sum = sum - b * 2;\n        {call}(sum);\n    }}\n"
            "    return sum;\n}\n\n"
        )
        size += len(made[-1])
    return "".join(made)


def classes(length: int) -> str:
    """Return a C++ program of this length: templates in a namespace, one with the needle."""
    made = [
        f"template <typename T> struct box{number} : base {{\n    T value = {number};\n"
        f"    int get(int a) const {{ return a > 0 ? value + {number} : static_cast<int>(a); }}\n"
        f'    void set(T v) {{ value = v; if (v) work(v, "{number}"); }}\n}};\n'
        for number in range(length // 210)
    ]
    return _marked(made, "namespace all {\n", "}\n")


def script(length: int) -> str:
    """Return JavaScript of this length: all of it in one function, as bundlers write it."""
    made = [
        f"function work{number}(a, b) {{\n  const sum = a + {number};\n  if (work(sum)) {{\n"
        f"    return [sum, b].map(x => x * {number});\n  }}\n"
        f'  return {{ sum, b: "{number}" }};\n}}\n'
        for number in range(length // 143)
    ]
    return _marked(made, "(function () {\n", "})();\n")


def array(length: int) -> str:
    """Return a C program of this length that is one array of calls, one of them the needle."""
    made = [f"work({number % 1000})," for number in range(length // 11)]
    return _marked(made, "int all[] = {", "};\n")


def _marked(made: list[str], head: str, tail: str) -> str:
    """Put a needle into one part of a program, and all of them together."""
    at = len(made) // 3
    made[at] = made[at].replace("work(", "needle(")
    return f"{head}{''.join(made)}{tail}"


#: What else is large besides functions in C, each by the name of its file.
PROGRAMS: dict[str, Callable[[int], str]] = {
    "input.cpp": classes,
    "input.js": script,
    "array.c": array,
}


def log_lines(length: int, marked: int) -> str:
    """Return a log of this length, one line of which has the needle."""
    lots = random.Random(3)
    made: list[str] = []
    size = 0
    while size < length:
        number = len(made)
        made.append(
            f"2026-11-15 12:{number % 60:02}:{number % 59:02} worker-{number % 7} handled request "
            f"{lots.randrange(10**6)} in {lots.randrange(500)} ms"
            f"{' needle' if number == marked else ''}\n"
        )
        size += len(made[-1])
    return "".join(made)
