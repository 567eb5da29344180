"""Compare a shipped grammar with a program that reads the same language, on broken texts.

    python -m bench.grammars_data_against [--mutations N] [--largest BYTES] GRAMMAR COMMAND PATH...

Each file is broken `N` times by the deletion, the doubling or the exchange of a token; then the
grammar says whether the text is in the language, and so does the exit status of `COMMAND FILE`.
Prints how often they agreed and examples of where they did not. Which texts are made is always the
same.
"""

from __future__ import annotations

import argparse
import random
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bench.grammars_data import GRAMMARS, files_below
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import Parser, compile_grammar


def broken(parser: Parser, text: str, random_source: random.Random) -> str:
    """Return a text with one token deleted, doubled or exchanged with the next."""
    tokens = parser.tokens(text.encode("utf-8", "surrogateescape"))
    index = random_source.randrange(len(tokens) - 1)
    one, other = tokens[index], tokens[index + 1]
    kind = random_source.randrange(3)
    if kind == 0:
        return text[: one.start] + text[one.end :]
    if kind == 1:
        return text[: one.end] + " " + text[one.start :]
    between = text[one.end : other.start]
    return text[: one.start] + other.text + between + one.text + text[other.end :]


def accepts(command: list[str], text: str) -> bool:
    """Whether the program takes a text."""
    with tempfile.NamedTemporaryFile("wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.flush()
        done = subprocess.run([*command, file.name], capture_output=True, check=False, timeout=60)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    """Run the comparison; the exit status is 1 if there was nothing to compare."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("grammar")
    options.add_argument("command")
    options.add_argument("paths", nargs="+", type=Path)
    options.add_argument("--mutations", type=int, default=2)
    options.add_argument("--largest", type=int, default=20_000, help="take no larger files")
    options.add_argument("--examples", type=int, default=10)
    chosen = options.parse_args(arguments)
    parser = compile_grammar(read_file(GRAMMARS / f"{chosen.grammar}.g4").grammar, None)
    command = shlex.split(chosen.command)
    random_source = random.Random(1)
    counts: Counter[tuple[bool, bool]] = Counter()
    for name, path in files_below(chosen.paths, None):
        data = path.read_bytes()
        if name != chosen.grammar or len(data) > chosen.largest:
            continue
        text = data.decode("utf-8", "surrogateescape")
        for _ in range(chosen.mutations):
            try:
                changed = broken(parser, text, random_source)
            except (ParseError, ValueError):
                break  # not in the language, or too short to be broken
            verdicts = (
                parser.matches(changed.encode("utf-8", "surrogateescape")),
                accepts(command, changed),
            )
            counts[verdicts] += 1
            if verdicts[0] != verdicts[1] and counts[verdicts] <= chosen.examples:
                at = next(
                    (i for i, (a, b) in enumerate(zip(text, changed, strict=False)) if a != b), 0
                )
                taker = "grammar" if verdicts[0] else "program"
                print(f"only the {taker} takes {path}: ...{changed[max(at - 40, 0) : at + 40]!r}")
    total = counts.total()
    if not total:
        return 1
    print(
        f"{chosen.grammar}: {total} texts, agreed on {counts[True, True] + counts[False, False]} "
        f"({counts[True, True]} taken by both), {counts[True, False]} taken only by the grammar, "
        f"{counts[False, True]} only by the program"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
