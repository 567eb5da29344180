"""How good the graph is: which slices of a large case compile at the first try.

    python -m bench.slices cpp-aggregate --roots 20 --seed 1

First the slices that a run tries, until one is interesting, each with its tokens and the errors
that the whole input does not have. Then the slices of some declarations of the headers, taken at
random, without and with bodies: how many have no such error. `--keep` writes all texts into a
directory, with what the compiler said. Figures in docs/lab/large.md.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.cases import prepare, select
from marrow.reducers.pipeline.line_markers import without_markers
from marrow.reducers.slicing.delete_runs import empty_form
from marrow.reducers.slicing.lookup_precision import Reading
from marrow.reducers.slicing.missing_names import messages, words_of_messages
from marrow.reducers.slicing.slices import Slicing, edited, sliced
from marrow.reducers.slicing.user_code_slice import slice_of_page
from marrow.reducers.streams.stream import Stream, finish
from marrow.run.pointed_lines import pointed_lines
from marrow.syntax.outline_front_end import OutlineFrontEnd
from marrow.tree.outline import LINE_MARKER, DeclarationOutline, Told, as_one_piece

# So many errors of a slice are shown.
_MOST_SHOWN: Final = 6


@dataclass(slots=True)
class _Compiler:
    """The test of a case, and what its compiler says."""

    test: Path
    file: str
    keep: Path | None
    usual: frozenset[bytes] = frozenset()
    said: bytes = b""
    asked: int = 0

    def run(self, text: bytes) -> bool:
        """Run the test on a text."""
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / self.file).write_bytes(text)
            code = subprocess.call([self.test], cwd=directory, stdout=subprocess.DEVNULL)
            said = Path(directory) / "said"
            self.said = said.read_bytes() if said.exists() else b""
        if self.keep is not None:
            self.asked += 1
            (self.keep / f"{self.asked:03}-{self.file}").write_bytes(text)
            (self.keep / f"{self.asked:03}.said").write_bytes(self.said)
        return code == 0

    @property
    def errors(self) -> list[str]:
        """The errors of the last run that the whole input does not have, each once."""
        words = [one.words.decode(errors="replace") for one in messages(self.said, self.usual)]
        return list(dict.fromkeys(words))

    def first_interesting(self, stream: Stream | None, head: bytes = b"") -> bytes | None:
        """Try the attempts of a stream behind a text; print them; return the first that does."""
        for attempt in stream or ():
            tree = attempt.tree
            interesting = self.run(head + tree.text)
            verdict = "interesting" if interesting else "fails"
            print(f"{attempt.phase}: {tree.token_count:,} tokens, {verdict}", flush=True)
            if interesting:
                return tree.text
            for error in self.errors[:_MOST_SHOWN]:
                print(f"    {error}")
            if attempt.hearing is not None:
                attempt.hearing.output = self.said
        return None


def main() -> None:
    """Compile the slices of a case."""
    parser = argparse.ArgumentParser(prog="python -m bench.slices", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("case")
    parser.add_argument("--roots", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    (case,) = select([arguments.case])
    made = prepare(case)
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    compiler = _Compiler(made.test, case.file, arguments.keep)
    whole = made.input.read_bytes()
    if not compiler.run(whole):
        raise SystemExit(f"the input of {case.name} is not interesting here")
    compiler.usual = words_of_messages(compiler.said)
    told = Told(pointed_lines(compiler.said, whole, case.file), compiler.usual)
    last = max((found.end() for found in LINE_MARKER.finditer(whole)), default=0)
    length, language = len(whole) - last, case.language
    text = compiler.first_interesting(without_markers(as_one_piece(whole), finish)) or whole
    head, page = text[:-length], text[-length:]
    deep = OutlineFrontEnd(language, 0, 0, told, deep=True).outline(page)
    if deep is not None:
        page = compiler.first_interesting(slice_of_page(language)(deep, finish), head) or page
    outline = OutlineFrontEnd(language, 0, len(page), told).outline(head + page)
    if outline is None:
        raise SystemExit(f"{case.name} is too small for slices")
    compiler.first_interesting(sliced(language)(outline, finish))
    for bodies in (False, True) if arguments.roots else ():
        texts = _at_random(outline, arguments.roots, arguments.seed, language, bodies=bodies)
        clean = sum(compiler.run(one) or not compiler.errors for one in texts)
        words = "with" if bodies else "without"
        print(f"{case.name}: {clean} of {arguments.roots} slices compile {words} bodies")


def _at_random(
    outline: DeclarationOutline, count: int, seed: int, language: str, *, bodies: bool
) -> Iterator[bytes]:
    """Yield the slices of some declarations of the headers, taken at random."""
    slicing = Slicing(outline)
    elements, visible = outline.elements, slicing.needs.visible
    roots = [
        at for at, one in enumerate(elements) if visible[at] and one.declares and not one.scope
    ]
    for root in random.Random(seed).sample(roots, count):
        slicing.roots = (root,)
        reading = Reading.STRICT if bodies else Reading.LEAN
        found = slicing.whole(reading) if bodies else slicing.without_bodies(reading)
        candidate = edited(outline, found, empty_form(language))
        if candidate is not None:
            yield candidate.text


if __name__ == "__main__":
    main()
