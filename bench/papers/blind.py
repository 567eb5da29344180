"""HDD as the Perses paper compares with: it deletes any node, and does not ask what parses.

    python -m bench.papers.blind FILE TEST -l LANGUAGE -o OUTPUT [-j 1] [--max-time SECONDS]

`hdd*` of marrow puts minimal replacements in the place of what cannot go, and spends no test on a
text that does not parse. The HDD of that paper (its sections 1 and 2) takes the tree from the
parser and nothing else: ddmin on each level, any node may go, tests see whatever is left. Here it
is `coarse-hdd` on a tree in which every node is a list of its children. To a fixpoint, each pass on
the text parsed anew. Prints the number of tests and what stopped the run, as JSON; `bench.runs`
calls it as the runner `blind-hdd*`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

from marrow.engine.executors.registry import ExecutorOptions
from marrow.engine.process.command import TestCommand
from marrow.engine.search.limits import Limits
from marrow.reducers.algorithms.hdd import Walk, WalkStep, hdd
from marrow.reducers.algorithms.traversal import ByLevel
from marrow.reducers.pipeline.algorithm_table import Algorithm
from marrow.run.plan.input import text_input
from marrow.run.plan.plan import Plan
from marrow.run.run import Run
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.syntax.views import FileView
from marrow.tree import QUANTIFIED, Branch, Kind, Node, Tree

NAME: Final = "blind-hdd*"

_WALK: Final = Walk(steps=(WalkStep.PRUNE,), agenda=ByLevel(), coarse=True, prepare=())

ALGORITHM: Final = Algorithm(
    NAME,
    lambda slots, _settings: [hdd(_WALK, slots)],
    "HDD that only deletes, and knows of syntax nothing but the tree",
    "no single node can be deleted",
)


class BlindFrontEnd(FrontEnd):
    """Sees a text as the parser's tree, in which every node may go; every candidate is tested."""

    def __init__(self, language: str) -> None:
        self._inner: Final = TreeSitterFrontEnd(language)
        self.name = self._inner.name
        self.description = self._inner.description

    def parse(self, text: bytes) -> Tree:
        """Parse a text, and let everything go."""
        tree = self._inner.parse(text)
        return tree.framed(loosen(tree.root), tree.head, tree.tail)

    def fresh(self) -> BlindFrontEnd:
        """Return another one."""
        return BlindFrontEnd(self.name)


def loosen(root: Node) -> Node:
    """Return the tree in which each inner node is one list of its children; lists dissolve."""
    done: dict[int, Node] = {}
    waiting = [(root, False)]
    while waiting:
        node, seen = waiting.pop()
        if not seen:
            waiting.append((node, True))
            waiting.extend((child, False) for child in node.children)
        elif isinstance(node, Branch) and node.kind not in QUANTIFIED:
            done[id(node)] = _listed(node, done)
        else:
            done[id(node)] = node
    return done[id(root)] if root.kind not in QUANTIFIED else _listed(root, done)


def _listed(node: Node, done: dict[int, Node]) -> Branch:
    """Return a node with one list below it; lists right below the node are part of that."""
    children: list[Node] = []
    waiting = list(reversed(node.children))
    while waiting:
        child = waiting.pop()
        if child.kind in QUANTIFIED:
            waiting.extend(reversed(child.children))
        elif child.token_count:
            children.append(done[id(child)].placed(key=len(children), slot="any"))
    inside = Branch(Kind.STAR, "any", children, slot="any")
    return Branch(Kind.REGULAR, node.symbol, [inside], slot="any", key=node.key)


def main() -> None:
    """Reduce a file."""
    parser = argparse.ArgumentParser(prog="python -m bench.papers.blind", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", type=Path)
    parser.add_argument("test")
    parser.add_argument("-l", "--language", required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--max-time", type=float)
    parser.add_argument("--max-tests", type=int)
    arguments = parser.parse_args()
    text = arguments.file.read_bytes()
    front = BlindFrontEnd(arguments.language)
    view = FileView((front,), TreeSitterFrontEnd(arguments.language))
    plan = Plan(
        source=text_input(text, arguments.file.name),
        test=TestCommand.executable(arguments.test),
        view=view,
        strategy=ALGORITHM,
        limits=Limits(arguments.max_tests, arguments.max_time),
        where=ExecutorOptions(workers=arguments.jobs),
        identity={},
    )
    with Run(plan) as run:
        result = run.prepare_reduction().run()
    arguments.output.write_bytes(result.text)
    print(json.dumps({"tests": result.tests, "stopped": result.stopped}))


if __name__ == "__main__":
    main()
