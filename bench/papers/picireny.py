"""The published setting of the HDD family against Picireny, variant by variant.

    python -m bench.papers.picireny  the ten cases of the check, all sixteen variants
    python -m bench.papers.picireny --cases developed   those that the setting was written with
    python -m bench.papers.picireny --variants hddhr*   one variant
    python -m bench.papers.picireny --preset picireny --programs FILE...   real programs in C

Needs Picireny (`pip install picireny`) in the same Python, Java and ANTLR 4 (Debian's antlr4).
Picireny runs as `picireny --cache content --flatten-recursion --phase ...` would, with its other
defaults, or for the preset `picireny` with `--subset-iterator skip --complement-iterator backward`.
Its phases share what they know, as marrow's do, and the checks that it makes again of
configurations it knows (its `assert`s) are not counted.
Sizes are characters that are not white space.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from bench.papers.small_cases import SMALL, SmallCase, program_case
from marrow.engine.executors.function import CallableExecutor
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.algorithms.hdd_variants import HDD_VARIANTS, Variant
from marrow.reducers.algorithms.settings import PRESETS
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_by_grammar

#: The jars that Debian's ANTLR tool needs, and the tool itself.
_JARS: Final = ("antlr4", "antlr4-runtime", "antlr3-runtime", "stringtemplate4", "treelayout")

#: Names of rules that ANTLR refuses for parsers in Python.
_RESERVED: Final = (
    "object", "list", "map", "set", "else", "with", "from", "filter", "int", "if", "for", "while",
    "return", "break", "type", "range", "not", "and", "or", "in", "is", "as", "all", "any", "str",
)  # fmt: skip

#: Ranges of characters beyond ASCII, which Picireny cannot read.
_WIDE: Final = re.compile(
    r"\\u(?:\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{4})(?:-\\u(?:\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{4}))?"
)


def grammar_text(name: str) -> str:
    """Return a shipped grammar with the names that ANTLR refuses changed, and for ASCII only."""
    text = grammar_path(name).read_text()
    # ANTLR 4.7 does not know the option; the cases write keywords as the grammar does.
    text = text.replace("options { caseInsensitive = true; }", "")
    names = "|".join(_RESERVED)
    pieces = re.split(
        r"('(?:[^'\\]|\\.)*'|\[(?:[^\]\\]|\\.)*\]|//[^\n]*|/\*.*?\*/)", text, flags=re.S
    )
    return "".join(
        (_WIDE.sub("", piece) if piece.startswith("[") else piece)
        if index % 2
        else re.sub(rf"\b({names})\b", r"\1_rule", piece)
        for index, piece in enumerate(pieces)
    )


def tool_jar(directory: Path, java: Path) -> Path:
    """Write a jar that runs Debian's ANTLR tool, which comes in several."""
    path = directory / "antlr.jar"
    jars = " ".join(f"file:{java}/{name}.jar" for name in _JARS)
    manifest = "Manifest-Version: 1.0\nMain-Class: org.antlr.v4.Tool\n"
    line, lines = f"Class-Path: {jars}", []
    while line:  # lines of a manifest have at most 72 bytes
        lines.append(line[:70])
        line = f" {line[70:]}" if line[70:] else ""
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", manifest + "\n".join(lines) + "\n")
    return path


def characters(text: str) -> int:
    """Return the number of characters that are not white space."""
    return len(re.sub(r"\s", "", text))


class _Tests:
    """Counts the tests of Picireny."""

    count = 0

    def __init__(self, test_builder: Any, case: SmallCase) -> None:
        self._build: Final = test_builder
        self._case: Final = case

    def __call__(self, config: Any, config_id: Any) -> Any:
        from picire import Outcome

        if "assert" in config_id:
            return Outcome.FAIL
        _Tests.count += 1
        return Outcome.FAIL if self._case.test(self._build(config)) else Outcome.PASS


def phases_of(variant: Variant) -> list[str]:
    """Return the phases of Picireny that a variant is."""
    main = "prune+hoist" if variant.hoisting.interlaced else "prune"
    before = ["hoist"] if variant.hoisting.before else []
    return [*before, f"coarse-{main}" if variant.coarse else main]


class PicirenyRuns:
    """Picireny on one case: the tree is built once."""

    def __init__(self, case: SmallCase, grammar: Path, antlr: Path) -> None:
        from picireny.antlr4 import create_hdd_tree

        start = Language.from_file(grammar).start
        self._case: Final = case
        self._tree: Final = create_hdd_tree(
            case.text,
            input_format={"": {"files": [str(grammar)], "replacements": {}, "islands": {}}},
            start=f":{start}",
            antlr=str(antlr),
            work_dir=str(grammar.parent / f"built-{case.grammar}"),
        )

    def run(self, variant: Variant, preset: str) -> tuple[int, int, str]:
        """Return the size of the result, the tests, and the result."""
        import picire
        from picireny import cli, hdd, hddr

        _Tests.count = 0
        verdicts = picire.outcome_cache.content()
        iterators = {
            "subset_iterator": picire.config_iterators.skip,
            "complement_iterator": picire.config_iterators.backward,
        } if preset == "picireny" else {}  # fmt: skip
        made = cli.reduce(
            deepcopy(self._tree),
            hddmin=hddr.hddrmin if variant.recursive else hdd.hddmin,
            reduce_class=picire.DD,
            reduce_config={"split": picire.config_splitters.zeller(n=2), **iterators},
            tester_class=_Tests,
            tester_config={"case": self._case},
            cache_class=lambda: verdicts,
            hdd_phase_configs=[cli.args_phase_choices[one] for one in phases_of(variant)],
            flatten_recursion=True,
        )
        text = str(made.unparse())
        return characters(text), _Tests.count, text


def by_marrow(
    case: SmallCase,
    language: Language,
    variant: Variant,
    preset: str = "published",
    **options: Any,
) -> tuple[int, int, str]:
    """Return the size of the result, the tests, and the result; options change the preset."""
    text = case.text.encode()
    executor = CallableExecutor(lambda candidate: case.test(candidate.decode()), workers=1)
    try:
        result = Reduction(
            text=text,
            view=view_by_grammar(language, case.name, text),
            strategy=algorithm_of(variant.name, PRESETS[preset].settings.changed(**options)),
            executor=executor,
        ).run()
    finally:
        executor.close()
    return characters(result.text.decode()), result.tests, result.text.decode()


def rows(
    cases: Iterable[SmallCase], variants: list[Variant], preset: str, java: Path
) -> Iterator[dict[str, Any]]:
    """Run both on the cases; yield a row for every case and variant."""
    sys.setrecursionlimit(100_000)
    with tempfile.TemporaryDirectory() as made:
        directory = Path(made)
        antlr = tool_jar(directory, java)
        for case in cases:
            assert case.test(case.text), case.name
            grammar = directory / f"{case.grammar}.g4"
            grammar.write_text(grammar_text(case.grammar))
            theirs = PicirenyRuns(case, grammar, antlr)
            language = Language.from_file(grammar)
            for variant in variants:
                size, tests, text = theirs.run(variant, preset)
                own_size, own_tests, own = by_marrow(case, language, variant, preset)
                yield {
                    "case": case.name, "variant": variant.name, "picireny": [size, tests],
                    "marrow": [own_size, own_tests], "texts": [text, own],
                }  # fmt: skip


def main() -> int:
    """Print the comparison; the exit code says whether sizes are equal and tests within 5%."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cases", default="checked", help="checked, developed, or names")
    parser.add_argument("--programs", type=Path, nargs="*", help="programs in C instead")
    parser.add_argument("--preset", default="published", choices=("published", "picireny"))
    parser.add_argument("--variants", default="", help="names, separated by commas")
    parser.add_argument("--java", type=Path, default="/usr/share/java", help="where the jars are")
    parser.add_argument("--texts", action="store_true", help="print results that differ")
    given = parser.parse_args()
    groups = {"checked": False, "developed": True}
    cases = [
        one
        for one in SMALL
        if one.name in given.cases.split(",") or groups.get(given.cases) is one.developed
    ]
    if given.programs:
        cases = [program_case(path) for path in given.programs]
    names = given.variants.split(",") if given.variants else [one.name for one in HDD_VARIANTS]
    variants = [one for one in HDD_VARIANTS if one.name in names]
    off, sums = Counter[str](), {name: [0, 0, 0, 0] for name in names}
    print("case        variant                  picireny       marrow   (characters, tests)")
    for row in rows(cases, variants, given.preset, given.java):
        (size, tests), (own_size, own_tests) = row["picireny"], row["marrow"]
        sums[row["variant"]] = [
            total + one
            for total, one in zip(
                sums[row["variant"]], (size, tests, own_size, own_tests), strict=True
            )
        ]
        off["size"] += size != own_size
        off["tests"] += abs(own_tests - tests) > 0.05 * tests
        fine = size == own_size and abs(own_tests - tests) <= 0.05 * tests
        mark = "" if fine else "  <- differs"
        print(
            f"{row['case']:<11} {row['variant']:<23} {size:>5} {tests:>7}"
            f" {own_size:>6} {own_tests:>6}{mark}",
            flush=True,
        )
        if given.texts and not fine:
            print("\n".join(row["texts"]))
    for name, (size, tests, own_size, own_tests) in sums.items():
        print(f"{'all':<11} {name:<23} {size:>5} {tests:>7} {own_size:>6} {own_tests:>6}")
    print(f"of {len(cases) * len(variants)}: {off['size']} other sizes, {off['tests']} over 5%")
    return int(off.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
