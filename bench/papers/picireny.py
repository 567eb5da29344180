"""The published setting of the HDD family against Picireny, variant by variant.

    python -m bench.papers.picireny  the ten cases of the check, all sixteen variants
    python -m bench.papers.picireny --cases developed   those that the setting was written with
    python -m bench.papers.picireny --variants hddhr*   one variant

Needs Picireny (`pip install picireny`) in the same Python, Java and ANTLR 4 (Debian's antlr4).
Picireny runs as `picireny --cache content --flatten-recursion --phase ...` would, with its other
defaults; its phases share what they know, as marrow's do, and the checks that it makes again of
configurations it knows (its `assert`s) are not counted.
Sizes are characters that are not white space.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from bench.papers.picireny_cases import CHECKED, DEVELOPED, PicirenyCase
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


def tool_jar(directory: Path) -> Path:
    """Write a jar that runs Debian's ANTLR tool, which comes in several."""
    path = directory / "antlr.jar"
    jars = " ".join(f"file:/usr/share/java/{name}.jar" for name in _JARS)
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

    def __init__(self, test_builder: Any, case: PicirenyCase) -> None:
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

    def __init__(self, case: PicirenyCase, grammar: Path, antlr: Path) -> None:
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

    def run(self, variant: Variant) -> tuple[int, int, str]:
        """Return the size of the result, the tests, and the result."""
        import picire
        from picireny import cli, hdd, hddr

        _Tests.count = 0
        verdicts = picire.outcome_cache.content()
        made = cli.reduce(
            deepcopy(self._tree),
            hddmin=hddr.hddrmin if variant.recursive else hdd.hddmin,
            reduce_class=picire.DD,
            reduce_config={"split": picire.config_splitters.zeller(n=2)},
            tester_class=_Tests,
            tester_config={"case": self._case},
            cache_class=lambda: verdicts,
            hdd_phase_configs=[cli.args_phase_choices[one] for one in phases_of(variant)],
            flatten_recursion=True,
        )
        text = str(made.unparse())
        return characters(text), _Tests.count, text


def by_marrow(
    case: PicirenyCase, language: Language, variant: Variant, **options: Any
) -> tuple[int, int, str]:
    """Return the size of the result, the tests, and the result; options change the preset."""
    text = case.text.encode()
    executor = CallableExecutor(lambda candidate: case.test(candidate.decode()), workers=1)
    try:
        result = Reduction(
            text=text,
            view=view_by_grammar(language, case.name, text),
            strategy=algorithm_of(variant.name, PRESETS["published"].settings.changed(**options)),
            executor=executor,
        ).run()
    finally:
        executor.close()
    return characters(result.text.decode()), result.tests, result.text.decode()


def rows(cases: list[PicirenyCase], variants: list[Variant]) -> Iterator[dict[str, Any]]:
    """Run both on the cases; yield a row for every case and variant."""
    sys.setrecursionlimit(100_000)
    with tempfile.TemporaryDirectory() as made:
        directory = Path(made)
        antlr = tool_jar(directory)
        for case in cases:
            assert case.test(case.text), case.name
            grammar = directory / f"{case.grammar}.g4"
            grammar.write_text(grammar_text(case.grammar))
            theirs = PicirenyRuns(case, grammar, antlr)
            language = Language.from_file(grammar)
            for variant in variants:
                size, tests, text = theirs.run(variant)
                own_size, own_tests, own = by_marrow(case, language, variant)
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
    parser.add_argument("--variants", default="", help="names, separated by commas")
    parser.add_argument("--json", type=Path, help="write the rows there")
    parser.add_argument("--texts", action="store_true", help="print results that differ")
    given = parser.parse_args()
    named = {"checked": CHECKED, "developed": DEVELOPED}
    cases = [
        one
        for one in (*DEVELOPED, *CHECKED)
        if one in named.get(given.cases, ()) or one.name in given.cases.split(",")
    ]
    names = given.variants.split(",") if given.variants else [one.name for one in HDD_VARIANTS]
    variants = [one for one in HDD_VARIANTS if one.name in names]
    found, off = [], 0
    print("case        variant                  picireny       marrow   (characters, tests)")
    for row in rows(cases, variants):
        (size, tests), (own_size, own_tests) = row["picireny"], row["marrow"]
        fine = size == own_size and abs(own_tests - tests) <= 0.05 * tests
        off += not fine
        found.append(row)
        mark = "" if fine else "  <- differs"
        print(
            f"{row['case']:<11} {row['variant']:<23} {size:>5} {tests:>7}"
            f" {own_size:>6} {own_tests:>6}{mark}",
            flush=True,
        )
        if given.texts and not fine:
            print("\n".join(row["texts"]))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))
    print(f"{len(found) - off} of {len(found)}: sizes equal, tests within 5%")
    return int(off > 0)


if __name__ == "__main__":
    sys.exit(main())
