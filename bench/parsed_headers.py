"""How much of real C and C++ lies outside of syntax errors, by distinct lines of headers.

    python -m bench.parsed_headers --sample 200 --seed 1

Headers that Debian's packages install are preprocessed, each by itself, by gcc or clang, and parsed
as marrow does it. Line markers tell which line of which header a line comes from; each counts once.
`--show` prints the lines at which errors begin, the commonest first words first.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tree_sitter

from marrow.syntax.load_parser import load_language
from marrow.syntax.masking import masked

_MARKER: Final = re.compile(rb'# (\d+) "([^"]*)"')
_PATIENCE: Final = 60


@dataclass(frozen=True, slots=True)
class Family:
    """The headers of a package: where they are, and the commands that preprocess them."""

    name: str
    root: str
    commands: tuple[tuple[str, ...], ...]
    suffixes: tuple[str, ...] = (".h",)
    skip: str = r"/(detail|impl|bits|ext|asm|aux_|preprocessed|src)/"

    @property
    def language(self) -> str:
        """The parser's name of the language."""
        return "cpp" if "++" in self.commands[0][0] else "c"

    def headers(self) -> list[str]:
        """Return the names of the headers that users include."""
        root = Path(self.root)
        found = (one for one in root.rglob("*") if one.is_file() and one.suffix in self.suffixes)
        names = (str(one.relative_to(root)) for one in found)
        return sorted(one for one in names if not re.search(self.skip, f"/{one}"))


_GXX: Final = ("g++", "-std=gnu++20", "-xc++")
_CLANGXX: Final = ("clang++-14", "-std=gnu++20", "-xc++")
FAMILIES: Final = (
    Family("libc", "/usr/include/x86_64-linux-gnu", (("gcc", "-xc"), ("clang-14", "-xc"))),
    Family("linux", "/usr/include/linux", (("gcc", "-xc"), ("clang-14", "-xc"))),
    Family(
        "intrinsics",
        "/usr/lib/llvm-14/lib/clang/14.0.6/include",
        (("clang-14", "-xc"),),
        skip=r"/(opencl|cuda|__clang_cuda|__clang_hip|openmp_wrappers|ppc_wrappers)",
    ),
    Family(
        "libstdc++", "/usr/include/c++/12", (_GXX, _CLANGXX), ("",), r"/(detail|impl|bits|ext)/"
    ),
    Family(
        "libc++",
        "/usr/lib/llvm-14/include/c++/v1",
        ((*_CLANGXX, "-stdlib=libc++"),),
        ("",),
        r"/__",
    ),
    Family("boost", "/usr/include/boost", (_GXX, _CLANGXX), (".hpp",)),
    Family(
        "eigen",
        "/usr/include/eigen3",
        ((*_GXX, "-I/usr/include/eigen3"), (*_CLANGXX, "-I/usr/include/eigen3")),
        ("",),
        r"/src/",
    ),
)


def main() -> int:
    """Measure a sample; exit with 1 if none of it could be preprocessed."""
    parser = argparse.ArgumentParser(prog="python -m bench.parsed_headers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--sample", type=int, default=200, help="headers in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", help="the headers of one package only")
    parser.add_argument("--plain", action="store_true", help="parse without masking")
    parser.add_argument("--show", type=int, default=0, help="lines with errors to print")
    arguments = parser.parse_args()
    families = [one for one in FAMILIES if arguments.family in (None, one.name)]
    choose = random.Random(arguments.seed)
    total = bad = 0
    print(
        "| headers | sample | distinct lines | outside of errors % |\n| --- | ---: | ---: | ---: |"
    )
    shown: Counter[str] = Counter()
    for family in families:
        names = family.headers()
        chosen = choose.sample(names, min(len(names), arguments.sample // len(families)))
        lines: dict[tuple[bytes, int], bool] = {}
        made = 0
        for name in chosen:
            command = choose.choice(family.commands)
            text = preprocessed(family, name, command)
            if text is None:
                continue
            made += 1
            for key, wrong, source in judged(text, family.language, plain=arguments.plain):
                if wrong and not lines.get(key):
                    shown[source] += 1
                lines[key] = lines.get(key, False) or wrong
        wrongs = sum(lines.values())
        total, bad = total + len(lines), bad + wrongs
        good = 100 - 100 * wrongs / max(1, len(lines))
        print(
            f"| {family.name} | {made} of {len(chosen)} | {len(lines):,} | {good:.3f} |", flush=True
        )
    print(f"| all | | {total:,} | {100 - 100 * bad / max(1, total):.3f} |")
    for source, count in shown.most_common(arguments.show):
        print(f"{count:5} {source}")
    return 0 if total else 1


def preprocessed(family: Family, name: str, command: tuple[str, ...]) -> bytes | None:
    """Return a header with all that it includes; None if it cannot stand alone."""
    include = f'#include "{Path(family.root) / name}"\n'.encode()
    done = subprocess.run(
        [*command, "-E", "-w", "-"], input=include, capture_output=True, timeout=_PATIENCE
    )
    return done.stdout if done.returncode == 0 else None


def judged(
    text: bytes, language: str, *, plain: bool
) -> Iterator[tuple[tuple[bytes, int], bool, str]]:
    """Yield the lines of a text that say something: where from, whether in an error, and what."""
    parser = tree_sitter.Parser(load_language(language))
    seen = text if plain else masked(text, language).text
    wrong = set(error_lines(parser.parse(seen)))
    origin, number = b"", 0
    for at, line in enumerate(text.split(b"\n")):
        marker = _MARKER.match(line)
        if marker:
            number, origin = int(marker[1]), marker[2]
            continue
        if line.strip():
            yield (origin, number), at in wrong, line.decode("utf-8", "replace").strip()[:150]
        number += 1


def error_lines(parsed: tree_sitter.Tree) -> Iterator[int]:
    """Yield the lines of errors: all that lie in an ERROR node, and where something is missing."""
    cursor = parsed.walk()
    while True:
        node = cursor.node
        assert node is not None
        if node.is_error or node.is_missing:
            yield from range(node.start_point[0], node.end_point[0] + 1)
        elif node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


if __name__ == "__main__":
    sys.exit(main())
