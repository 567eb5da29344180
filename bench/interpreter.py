"""The far view of one large program: how many tests it takes to a share of its tokens.

    python -m bench.interpreter --tests 60

A made-up interpreter in one C file: 1,157 functions that call each other, 360,000 tokens. The test
wants every call to have a declaration, a few functions with their bodies, and the one that calls
them all. It is a function, so that a run takes seconds; figures in docs/lab/large.md.
"""

from __future__ import annotations

import argparse
import random
import re
from typing import Final

import marrow
from marrow.engine.events import Accepted, Event

_FUNCTIONS: Final = 1_157
#: The functions whose bodies matter.
_NEEDED: Final = (700, 1_000, 1_100, 1_150)
_DECLARED: Final = re.compile(rb"static int (f\d+)\(struct state \*s, int v0\)")
_CALLED: Final = re.compile(rb"\b(f\d+)\(s, ")


def program(seed: int = 5) -> bytes:
    """Return the interpreter."""
    chance = random.Random(seed)
    members = " ".join(f"int m{number};" for number in range(20))
    lines = [f"struct state {{ {members} }};"]
    for number in range(_FUNCTIONS):
        lines += [f"static int f{number}(struct state *s, int v0)", "{"]
        lines.append("  int v1 = 0, v2 = 1, v3 = 2, v4 = 3;")
        for step in range(14):
            value = f"v{step % 5} * {chance.randrange(9)} + s->m{chance.randrange(20)}"
            lines.append(
                f"  if (v{step % 5} > {chance.randrange(99)}) {{ v{(step + 1) % 5} = {value}; }}"
            )
        for _ in range(3 if number else 0):
            lines.append(f"  v0 += f{chance.randrange(max(0, number - 60), number)}(s, v1);")
        lines += ["  return v0;", "}"]
    last = _FUNCTIONS - 1
    lines.append(
        f"int main(void) {{ struct state s; return f{last}(&s, 1) + f{last - 1}(&s, 2); }}"
    )
    return "\n".join(lines).encode()


def fails(text: bytes) -> bool:
    """Return whether a candidate would compile, and still shows the failure."""
    if not set(_CALLED.findall(text)) <= set(_DECLARED.findall(text)):
        return False
    heads = (rb"static int f%d\(struct state \*s, int v0\)\s*\{\s*int v1 = 0" % n for n in _NEEDED)
    if not all(re.search(head, text) for head in heads):
        return False
    return b"int main" in text and b"f%d(&s" % (_FUNCTIONS - 1) in text


def main() -> None:
    """Print the curve of a run."""
    parser = argparse.ArgumentParser(prog="python -m bench.interpreter", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tests", type=int, default=60)
    arguments = parser.parse_args()

    def show(event: Event) -> None:
        if isinstance(event, Accepted):
            print(f"{event.tests:5} tests {event.tokens:9,} tokens  {event.phase}", flush=True)

    result = marrow.reduce(
        program(), fails, name="input.c", max_tests=arguments.tests, on_event=show
    )
    print(f"{result.tokens_before:,} -> {result.tokens_after:,} tokens")


if __name__ == "__main__":
    main()
