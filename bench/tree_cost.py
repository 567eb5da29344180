"""What a candidate costs: `python -m bench.tree_cost`.

Times building a candidate by a deletion at a random place and making its text, for trees of 2,000
and 200,000 tokens: balanced, as one wide list, and as one deep nest. The tree that edits are made
to is warm, as it is in a reduction after its first candidates. *beyond* is what is left when the
copy of the text itself (a slice in front, a slice behind, joined) is taken away.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence

from marrow.tree import Branch, Kind, Node, Place, Token, Tree, deletable, minimum


class Maker:
    """Makes trees with tokens that look like a program's."""

    def __init__(self) -> None:
        self._serial = 0

    def token(self, key: int, text: bytes = b"name") -> Token:
        """Make the next token."""
        serial = self._serial
        self._serial += 1
        line = serial % 10 == 0
        gap = b"\n    " if line else b" "
        after = b"\n    " if (serial + 1) % 10 == 0 else b" "
        return Token(
            "word",
            text,
            slot="word",
            key=key,
            before=gap,
            after=after,
            serial=serial,
            indent=b"    ",
        )

    def wide(self, count: int) -> Node:
        """One list of all the tokens."""
        return Branch(Kind.STAR, "list", [self.token(key) for key in range(count)])

    def balanced(self, count: int, width: int = 8) -> Node:
        """Lists of lists, each with some children; about `count` tokens."""
        level: list[Node] = [self.token(at % width) for at in range(count)]
        while len(level) > 1:
            level = [
                Branch(
                    Kind.STAR,
                    "list",
                    [child.placed(key=at, slot="item") for at, child in enumerate(group)],
                    key=start // width % width,
                )
                for start in range(0, len(level), width)
                for group in [level[start : start + width]]
            ]
        return level[0]

    def deep(self, count: int) -> Node:
        """A nest of lists, with three tokens a level: `( name nest )`."""
        depth = count // 3
        opening = [(self.token(0, b"("), self.token(0)) for _ in range(depth)]
        node: Node = Branch(Kind.STAR, "nest", [], key=2)
        closing = [self.token(3, b")") for _ in range(depth)]
        for (bracket, name), close in zip(reversed(opening), closing, strict=True):
            inner = Branch(Kind.OPTIONAL, "name", [name], key=1)
            node = Branch(Kind.STAR, "nest", [bracket, inner, node, close], key=2)
        return node


def places_of(tree: Tree, most: int, chance: random.Random) -> list[Place]:
    """Return places of nodes that can be deleted, chosen at random."""
    found = [
        place.child(child.key)
        for place, node in tree.walk()
        for child in deletable(node)[: 1000 if minimum(node) == 0 else 0]
        if child.token_count and child.token_count < 50
    ]
    return chance.sample(found, min(most, len(found)))


def milliseconds(run: Callable[[], object]) -> float:
    """Return the CPU time of a call."""
    start = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - start)


def copy_text(tree: Tree, middle: int) -> bytes:
    """Do what any candidate needs: copy the text in two halves."""
    text = tree.text
    return b"".join((text[:middle], text[middle + 5 :]))


def measure(name: str, tree: Tree, places: Sequence[Place]) -> None:
    """Print one line."""
    _ = tree.text
    for place in places:  # warm: offsets of the nodes on the paths
        _ = tree.delete([place]).text
    builds, texts, copies = [], [], []
    for place in places:
        start = time.perf_counter()
        candidate = tree.delete([place])
        middle = time.perf_counter()
        _ = candidate.text
        end = time.perf_counter()
        builds.append(1e3 * (middle - start))
        texts.append(1e3 * (end - middle))
        copies.append(milliseconds(lambda: copy_text(tree, len(tree.text) // 2)))
    total = [a + b for a, b in zip(builds, texts, strict=True)]
    beyond = statistics.median(total) - statistics.median(copies)
    worst = sorted(total)[int(len(total) * 0.9)]
    print(
        f"| {name} | {tree.token_count:,} | {len(tree.text):,} | {statistics.median(builds):.3f} "
        f"| {statistics.median(texts):.3f} | {statistics.median(copies):.3f} | {beyond:.3f} "
        f"| {worst:.3f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=200)
    arguments = parser.parse_args()
    print("| tree | tokens | bytes | build ms | text ms | copy ms | beyond ms | 90th % ms |")
    print("| --- |" + " ---: |" * 7)
    for count in (2_000, 200_000):
        for name in ("balanced", "wide", "deep"):
            tree = Tree(getattr(Maker(), name)(count))
            chance = random.Random(1)
            most = arguments.candidates
            if name == "deep":
                most = min(most, 200 if count < 10_000 else 20)
            measure(name, tree, places_of(tree, most, chance))


if __name__ == "__main__":
    main()
