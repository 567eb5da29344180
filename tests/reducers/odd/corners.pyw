#!/usr/bin/env python3
"""Odd corners of Python, for tests that cut it to pieces."""
from __future__ import annotations
import os, sys as system
from typing import (
    Any,
    Generic,  # a comment inside brackets
    TypeVar,
)

T = TypeVar("T"); U = TypeVar("U")
x: int = 1; y = z = 2
long = 1 + \
    2 * \
    3
if x: y = 1
elif z: y = 2
else: y = 3


@staticmethod
@(lambda f: f)
def decorated(a, /, b: int = 1, *args: Any, c, d=2, **kwargs) -> dict[str, int] | None:
    """A docstring."""
    global x
    x += 1
    def inner():
        nonlocal b
        b = yield
        yield from (i for i in range(10) if i % 2 if i > 3)
        return
    return {"a": 1, **kwargs, **{"b": 2}} if c else None


class Box(Generic[T], metaclass=type):
    slot: T
    other: "int" = 3

    def __init__(self, *, value: T) -> None:
        self.value = value
        assert value, "no value"

    async def wait(self):
        async with self as a, other() as b:
            await a
        async for one in b:
            print(f"{one!r:>{10}} {{}} {one + 1=}")
        else:
            pass
        return [c async for c in self]

    class Nested: ...


def statements(items):
    for i, (j, *rest) in enumerate(items):
        if i < j <= 10 != 3 and not (j in rest or j is not None):
            continue
        elif (n := len(rest)) > 2:
            break
        else:
            del rest[0], items[1:2, ..., ::3]
    else:
        raise ValueError("none") from None
    while True:
        try:
            with open("a") as f, \
                    open("b") as g:
                f.write(g.read())
        except (OSError, KeyError) as error:
            print(error, file=system.stderr)
        except* ValueError:
            pass
        except Exception:
            raise
        else:
            pass
        finally:
            return -x ** 2 @ y // ~z << 1 | 2 & 3 ^ 4


def match_it(command):
    match command.split():
        case ["go", ("north" | "south") as where, *_]:
            return where
        case {"x": 1, "y": [a, b], **rest} if a > b:
            pass
        case Point(x=0, y=0) | Point(1, 2):
            print("origin")
        case -1 | 2.5 | 3j | "a" "b" | None | True:
            ...
        case _:
            return


text = r'raw \n' b'' if 0 else """three
    lines, with an odd
  indentation""" 'and' f'''more {x
    + 1}'''
table = {
    (1, 2): [lambda *a, k=1, **b: (a, b), lambda: (yield)],
    "set": {1, 2, *y},
    "slices": [a[1:], a[:-1], a[::2], a[...], a[b, c:d]],
    "comprehension": {k: v for k, v in z.items() for _ in v},
    # a comment in front of the bracket
}
print(*table, sep="", end="\n",)
type = 0xFF + 0b1 + 0o7 + 1_000.5e-3 + .5j
exec("x"); print(1, 2) ; pass
if __name__ == "__main__":
    # only a comment, and then
    statements([(1, (2, 3))])
    ((((((x))))))
