"""How well the tree-sitter front end does on real files: `python -m bench.front_end DIRECTORY...`.

For each language: whether files come back byte for byte, and what became of random deletions (of an
element, of some elements of a list, of an optional; some of them several at once). A deletion is
*valid* if the candidate has no more syntax errors than the file; its *tokens* are kept if reading
the candidate again gives the tokens of the edited tree; its *structure* if the parser sees what it
saw before, minus what was deleted. *Compact* says how often the compact text of the whole file has
the same tokens as the file, *checked* the same for the text that is checked by reading it again.
With `--hoists N`, N nodes of each file are replaced by one of their descendants that fits there, of
several lines where there is one, and the table says how many were valid; for Python also what
Python's own parser says. Without a directory the samples of the test suite are measured.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import random
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from marrow.languages.recognition import language_of
from marrow.syntax.compact_text import compact_text, joined_tokens
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Delete, Edit, Node, Place, Tree, deletable, minimum
from marrow.tree.layout import compact_joint

SAMPLES = Path(__file__).parent.parent / "tests" / "syntax" / "samples"


@dataclass
class Row:
    """What was counted for one language."""

    files: int = 0
    clean: int = 0
    round_trips: int = 0
    tokens: int = 0
    seconds: float = 0.0
    plain_seconds: float = 0.0
    second_seconds: float = 0.0
    judge_seconds: float = 0.0
    edit_seconds: float = 0.0
    compact: int = 0
    checked: int = 0
    compact_bytes: int = 0
    bytes: int = 0
    deletions: Counter[str] = field(default_factory=Counter)

    def share(self, name: str) -> str:
        """Return a share of all deletions as a percentage."""
        total = self.deletions["all"]
        return f"{100 * self.deletions[name] / total:.2f}" if total else "-"


def lists(tree: Tree) -> list[tuple[Place, Node]]:
    """Return the nodes from which something can be deleted."""
    return [(place, node) for place, node in tree.walk() if len(deletable(node)) > minimum(node)]


def random_deletion(chance: random.Random, nodes: list[tuple[Place, Node]]) -> list[Edit]:
    """Delete one element, or some, from one node or from several."""
    edits: list[Edit] = []
    for _ in range(1 if chance.random() < 0.7 else chance.randint(2, 4)):
        place, node = chance.choice(nodes)
        elements = deletable(node)
        most = len(elements) - minimum(node)
        count = 1 if chance.random() < 0.5 else chance.randint(1, most)
        edits.extend(Delete(place.child(one.key)) for one in chance.sample(elements, count))
    # The same plus may have been chosen twice.
    gone: dict[Place | None, set[Place]] = defaultdict(set)
    for edit in edits:
        gone[edit.place.parent].add(edit.place)
    sizes = {place: (len(deletable(node)), minimum(node)) for place, node in nodes}
    kept: list[Edit] = []
    for parent, places in gone.items():
        assert parent is not None
        count, least = sizes[parent]
        kept.extend(Delete(place) for place in sorted(places, key=Place.path)[: count - least])
    return kept


def gone_ranges(before: Tree, after: Tree) -> list[tuple[int, int]]:
    """Return where in the text of `before` the tokens are that `after` has no more."""
    left = {token.serial for token in after.tokens()}
    ranges: list[tuple[int, int]] = []
    position = len(before.head)
    first = True
    for token in before.tokens():
        if not first:
            position += len(token.before)
        first = False
        end = position + len(token.text)
        if token.serial not in left:
            ranges.append((position, end))
        position = end
    return ranges


def _compactly(tree: Tree) -> bytes:
    """Return the text without comments and with little white space, by characters alone."""
    tokens = list(tree.tokens())
    gaps = (compact_joint(left, right, lines=True) for left, right in pairwise(tokens))
    rest = (gap + token.text for gap, token in zip(gaps, tokens[1:], strict=True))
    return b"".join((*(token.text for token in tokens[:1]), *rest))


def measure_file(
    front: TreeSitterFrontEnd, text: bytes, row: Row, trials: int, chance: random.Random
) -> Iterator[tuple[str, bytes, list[Edit], Tree]]:
    """Count what happens to one file; yield what went wrong."""
    row.files += 1
    clean = not front.errors(text)
    row.clean += clean
    start = time.process_time()
    front.lex(text)
    row.plain_seconds += time.process_time() - start
    start = time.process_time()
    tree = front.parse(text)
    row.seconds += time.process_time() - start
    start = time.process_time()
    front.parse(text)
    row.second_seconds += time.process_time() - start
    row.tokens += tree.token_count
    fresh = Tree(tree.root, tree.head, tree.tail)
    row.round_trips += fresh.text == text
    if fresh.text != text:
        yield "round trip", text, [], fresh
    if not clean:
        return
    same = front.lex(_compactly(tree)) == front.lex(text)
    row.compact += same
    if not same:
        yield "compact", text, [], Tree(tree.root)
    checked = compact_text(front.readings, tree)
    row.bytes += len(text)
    row.compact_bytes += len(checked)
    row.checked += front.lex(checked) == front.lex(text)
    nodes = lists(tree)
    validity = front.validity()
    validity.rebase(tree)
    for _ in range(trials if nodes else 0):
        edits = random_deletion(chance, nodes)
        start = time.process_time()
        candidate = tree.edit(edits)
        _ = candidate.text
        middle = time.process_time()
        valid = validity.valid(candidate)
        row.judge_seconds += time.process_time() - middle
        row.edit_seconds += middle - start
        tokens = joined_tokens((token.text, token.glue) for token in candidate.tokens())
        same_tokens = front.lex(candidate.text) == tokens
        same_structure = valid and front.shape(candidate.text) == front.shape(
            text, gone_ranges(tree, candidate)
        )
        row.deletions["all"] += 1
        row.deletions["valid"] += valid
        row.deletions["tokens"] += same_tokens
        row.deletions["structure"] += same_structure
        for name, good in (
            ("valid", valid),
            ("tokens", same_tokens),
            ("structure", same_structure),
        ):
            if not good:
                yield name, text, edits, candidate
                break


def measure_hoists(
    front: TreeSitterFrontEnd, text: bytes, count: int, chance: random.Random
) -> Counter[str]:
    """Replace nodes by descendants of theirs that fit; count what became of it."""
    counts: Counter[str] = Counter()
    tree = front.parse(text)
    validity = front.validity()
    validity.rebase(tree)
    nodes = [found for found in tree.walk() if found[0].parent and found[1].token_count > 1]
    chance.shuffle(nodes)
    for place, node in nodes:
        if counts["all"] == count:
            break
        fitting = [
            inner
            for _, inner in tree.walk(place)
            if 0 < inner.token_count < node.token_count and front.accepts(node.slot, inner)
        ]
        fitting = [inner for inner in fitting if b"\n" in Tree(inner).text] or fitting
        if not fitting:
            continue
        candidate = tree.replace(place, chance.choice(fitting))
        counts["all"] += 1
        counts["valid"] += validity.valid(candidate)
        if front.name == "python":
            with warnings.catch_warnings(), contextlib.suppress(SyntaxError, ValueError):
                warnings.simplefilter("ignore")
                ast.parse(candidate.text)
                counts["python"] += 1
    return counts


def print_hoists(counts: dict[str, Counter[str]]) -> None:
    """Print one line a language."""
    print("| language | hoists | valid % | by Python's parser % |\n| --- | ---: | ---: | ---: |")
    for language, row in counts.items():
        share = 100 / max(1, row["all"])
        python = f"{share * row['python']:.2f}" if language == "python" else "-"
        print(f"| {language} | {row['all']} | {share * row['valid']:.2f} | {python} |")


def files_of(directories: list[Path], most: int) -> dict[str, list[Path]]:
    """Find files by language."""
    found: dict[str, list[Path]] = defaultdict(list)
    for directory in directories:
        for path in sorted(directory.rglob("*")):
            if path.is_file():
                language = language_of(path.name, path.read_bytes())
                if language is not None and len(found[language]) < most:
                    found[language].append(path)
    return dict(sorted(found.items()))


def show(kind: str, path: Path, tree: Tree, edits: list[Edit], candidate: Tree) -> None:
    """Print what went wrong with a deletion."""
    print(f"--- {kind}: {path}")
    for edit in edits:
        node = tree.at(edit.place)
        parent = None if edit.place.parent is None else tree.at(edit.place.parent)
        text = Tree(node).text if node is not None else b""
        print(f"    deleted {node!r} of {parent!r}: {text[:120]!r}")
    for splice in candidate.splices[:4]:
        around = tree.text[max(0, splice.start - 60) : splice.start]
        after = tree.text[splice.end : splice.end + 60]
        print(f"    {around!r}\n  > {splice.text!r}\n    {after!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="*", type=Path, default=[SAMPLES])
    parser.add_argument("--trials", type=int, default=30, help="deletions per file")
    parser.add_argument("--files", type=int, default=30, help="files per language")
    parser.add_argument("--language", action="append", help="only these")
    parser.add_argument("--hoists", type=int, default=0, help="hoists per file, nothing else")
    parser.add_argument("--show", type=int, default=0, help="print so many failures per language")
    arguments = parser.parse_args()
    rows: dict[str, Row] = {}
    hoists: dict[str, Counter[str]] = {}
    for language, paths in files_of(arguments.directories, arguments.files).items():
        if arguments.language and language not in arguments.language:
            continue
        row = rows[language] = Row()
        front = TreeSitterFrontEnd(language)
        chance = random.Random(language)
        shown = 0
        for path in paths:
            text = path.read_bytes()
            if arguments.hoists:
                if not front.errors(text):
                    found = measure_hoists(front, text, arguments.hoists, chance)
                    hoists[language] = hoists.get(language, Counter()) + found
                continue
            for kind, _, edits, bad in measure_file(front, text, row, arguments.trials, chance):
                if shown < arguments.show:
                    shown += 1
                    show(kind, path, front.parse(text), edits, bad)
    if arguments.hoists:
        print_hoists(hoists)
    else:
        print_table(rows)


def print_table(rows: dict[str, Row]) -> None:
    """Print one line a language."""
    print(
        "| language | files | clean | round trip | deletions | valid % | tokens % | structure % "
        "| compact | checked | compact bytes % | ms/1,000 tokens: lexed | parsed | parsed again "
        "| edit ms | judge ms |"
    )
    print("| --- |" + " ---: |" * 15)
    for language, row in rows.items():
        per = 1e6 / max(1, row.tokens)
        deletions = max(1, row.deletions["all"])
        print(
            f"| {language} | {row.files} | {row.clean} | {row.round_trips} "
            f"| {row.deletions['all']} | {row.share('valid')} | {row.share('tokens')} "
            f"| {row.share('structure')} | {row.compact} | {row.checked} "
            f"| {100 * row.compact_bytes / max(1, row.bytes):.0f} "
            f"| {row.plain_seconds * per:.1f} | {row.seconds * per:.1f} "
            f"| {row.second_seconds * per:.1f} "
            f"| {1e3 * row.edit_seconds / deletions:.2f} "
            f"| {1e3 * row.judge_seconds / deletions:.2f} |"
        )


if __name__ == "__main__":
    main()
