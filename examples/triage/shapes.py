#!/usr/bin/env python3
"""Reads lines such as `circle 3` and `box 2 4` and prints areas; it has four bugs."""

import sys

SHAPES = {"circle": 1, "box": 2, "ring": 2, "fan": 2}


def numbers(words):
    return [int(word) for word in words if not word.startswith("#")]


def ring(outer, inner):
    return 3 * (outer - inner) ** 2 // (outer - inner)


def fan(radius, blades):
    return [radius * 2][blades - 1]


def area(name, sizes):
    if name == "circle":
        return 3 * sizes[0] ** 2
    if name == "box":
        return sizes[0] * sizes[1]
    return {"ring": ring, "fan": fan}[name](*sizes)


def main():
    total = 0
    with open(sys.argv[1]) as file:
        for line in file:
            name, *rest = line.split() or ["#"]
            if name.startswith("#"):
                continue
            if name not in SHAPES:
                sys.exit(f"error: syntax error: unknown shape {name!r}")
            total += area(name, numbers(rest))
    print(total)


main()
