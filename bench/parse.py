"""Speed and memory of the parser: JSON and C with the grammars that ship, 1k to 200k tokens.

    python -m bench.parse [--sizes 1000,10000,50000,200000] [--compile]

Texts are made here, from a seed: nested JSON, and C programs with types, structures, functions,
control flow and expressions. Each figure comes from a process of its own, best of three; "tree"
includes lexing, parsing and building the tree, "match" leaves the tree out. Memory is the peak of
the process, the interpreter and the compiled grammar included. `--compile` prints what compiling
each shipped grammar costs instead.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import Parser, compile_grammar
from marrow.grammars import grammar_names, grammar_path

_SIZES = "1000,10000,50000,200000"
_REPEATS = 3


@dataclass(frozen=True, slots=True)
class Figures:
    """What one text cost."""

    tokens: int
    tree: float
    folded: float
    match: float
    start_memory: int
    peak_memory: int


def make_json(tokens: int, count: Callable[[bytes], int]) -> bytes:
    """Return JSON of about so many tokens."""
    choose = random.Random(1)

    def value(depth: int) -> object:
        kind = choose.random()
        if depth > 5 or kind < 0.5:
            options = [choose.randint(0, 10**6), f"text {choose.random()}", True, None, 0.5]
            return choose.choice(options)
        if kind < 0.75:
            return [value(depth + 1) for _ in range(choose.randint(0, 8))]
        return {f"key{index}": value(depth + 1) for index in range(choose.randint(0, 8))}

    items: list[str] = []
    found = 0
    while found < tokens:
        items.append(json.dumps(value(0), indent=1))
        found += count(items[-1].encode()) + 1
    return f"[{', '.join(items)}]".encode()


class _CProgram:
    """Writes C programs that resemble what generators and people write."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._count = 0

    def function(self) -> str:
        self._count += 1
        name = f"function_{self._count}"
        body = "\n".join(self._statement(1) for _ in range(self._random.randint(4, 12)))
        return (
            f"typedef struct node_{self._count} {{ int value; struct node_{self._count} *next; "
            f"unsigned char bytes[{self._random.randint(1, 64)}]; }} node_{self._count}_t;\n"
            f"static const uint32_t table_{self._count}[] = {{1u, 0x2f, {self._expression(2)}}};\n"
            f"static int {name}(node_{self._count}_t *list, const char **names, long count)\n"
            f"{{\n    int x = 0, y = {self._expression(2)};\n"
            f"    node_{self._count}_t *head = list;\n{body}\n    return x;\n}}\n"
        )

    def _statement(self, depth: int) -> str:
        pick, indent = self._random.random(), "    " * depth
        if depth > 4 or pick < 0.4:
            target = self._random.choice(["x", "y", "list->value", "head->bytes[x & 7]", "*head"])
            operator = self._random.choice(["=", "+=", "|=", "<<="])
            return f"{indent}{target} {operator} {self._expression(3)};"
        inside = "\n".join(self._statement(depth + 1) for _ in range(self._random.randint(1, 4)))
        if pick < 0.6:
            other = f" else {{\n{inside}\n{indent}}}" if pick < 0.5 else ""
            return f"{indent}if ({self._expression(2)}) {{\n{inside}\n{indent}}}{other}"
        if pick < 0.75:
            return f"{indent}for (int i = 0; i < count; i++) {{\n{inside}\n{indent}}}"
        if pick < 0.85:
            return f"{indent}while (head && {self._expression(2)}) {{\n{inside}\n{indent}}}"
        if pick < 0.93:
            return f'{indent}printf("%s: %d\\n", names[x], (int)({self._expression(2)}));'
        return f"{indent}{{\n{indent}    node_{self._count}_t *p = list;\n{inside}\n{indent}}}"

    def _expression(self, depth: int) -> str:
        pick = self._random.random()
        if depth == 0 or pick < 0.3:
            return self._random.choice(["x", "y", "count", "42", "0x7fUL", "list->value", "'c'"])
        left, right = self._expression(depth - 1), self._expression(depth - 1)
        if pick < 0.7:
            operator = self._random.choice(["+", "-", "*", "&", "==", "<", "&&", ">>", "%"])
            return f"{left} {operator} {right}"
        if pick < 0.8:
            return f"({left} ? {right} : -y)"
        if pick < 0.9:
            return f"f(({left}), &x, {right})"
        return f"(uint32_t)({left})"


def make_c(tokens: int, count: Callable[[bytes], int]) -> bytes:
    """Return a C program of about so many tokens."""
    program = _CProgram(1)
    parts = ["typedef unsigned int uint32_t;\nint printf(const char *format, ...);\n"]
    found = 0
    while found < tokens:
        parts.append(program.function())
        found += count(parts[-1].encode())
    return "\n".join(parts).encode()


_MAKERS = {"json": make_json, "c": make_c}


def shipped(name: str) -> Parser:
    """Compile a grammar that ships, without a cache."""
    return compile_grammar(read_file(grammar_path(name)).grammar, None)


def measure(task: tuple[str, int]) -> Figures:
    """Measure one language at one size."""
    name, size = task
    parser = shipped(name)
    text = _MAKERS[name](size, lambda part: len(parser.tokens(part)))
    parser.tables()
    start_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tree = folded = match = float("inf")
    tokens = 0
    for _ in range(_REPEATS):
        started = time.process_time()
        tokens = parser.parse(text).token_count
        tree = min(tree, time.process_time() - started)
    # As the front end of `marrow reduce` builds them: rules that hold only another one left out.
    for _ in range(_REPEATS):
        started = time.process_time()
        parser.parse(text, chains=False)
        folded = min(folded, time.process_time() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(_REPEATS):
        started = time.process_time()
        assert parser.matches(text)
        match = min(match, time.process_time() - started)
    return Figures(tokens, tree, folded, match, start_memory, peak)


def print_compile_times() -> None:
    print(f"{'grammar':12} {'read s':>8} {'rules s':>8} {'tables s':>9} {'states':>7} conflicts")
    for name in grammar_names():
        times = [time.process_time()]
        grammar = read_file(grammar_path(name)).grammar
        times.append(time.process_time())
        parser = compile_grammar(grammar, None)
        times.append(time.process_time())
        tables = parser.tables()
        times.append(time.process_time())
        read, rules, made = (b - a for a, b in pairwise(times))
        size = len(tables.actions)
        print(f"{name:12} {read:8.2f} {rules:8.2f} {made:9.2f} {size:7} {tables.conflicts:9}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    options.add_argument("--sizes", default=_SIZES)
    options.add_argument("--compile", action="store_true")
    chosen = options.parse_args()
    if chosen.compile:
        print_compile_times()
        return
    sizes = [int(size) for size in chosen.sizes.split(",")]
    print(
        f"{'text':6} {'tokens':>8} {'tree tok/s':>11} {'folded tok/s':>12} {'match tok/s':>12} "
        f"{'start MB':>9} peak MB"
    )
    tasks = [(name, size) for name in _MAKERS for size in sizes]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for (name, _), one in zip(tasks, pool.imap(measure, tasks, chunksize=1), strict=True):
            print(
                f"{name:6} {one.tokens:8} {one.tokens / one.tree:11,.0f} "
                f"{one.tokens / one.folded:12,.0f} "
                f"{one.tokens / one.match:12,.0f} {one.start_memory / 1024:9.0f} "
                f"{one.peak_memory / 1024:7.0f}"
            )


if __name__ == "__main__":
    main()
