"""How fast marrow generates, and how large normal forms get: `python -m bench.generate`.

Takes the number of tokens to generate for each grammar (50,000) and names or paths of grammars (all
that ship). Prints for each: the time to prepare a generator, tokens generated per second (trees
built, texts written and checked by the lexer), the share of texts that parse back to the same
tokens and to the same tree, and the size in symbols of the grammar and of its two normal forms.
"""

from __future__ import annotations

import sys
import time
from importlib.resources import files
from pathlib import Path

from marrow.grammar.generation.generate import Generator
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import Grammar, GrammarError
from marrow.grammar.normal.flat import FlatGrammar
from marrow.grammar.normal.normalize import normalize
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import compile_grammar
from marrow.tree import Node, Token, Tree

FOLDER = Path(str(files("marrow.grammars")))

#: The sizes of trees that are drawn: from single statements to whole files.
SIZES = (30, 300, 3000)

#: How many trees are parsed back: enough for a percentage.
PARSED = 100


def main(arguments: list[str]) -> None:
    tokens = 50_000
    if arguments and arguments[0].isdigit():
        tokens = int(arguments.pop(0))
    paths = [_path(name) for name in arguments] or sorted(FOLDER.glob("*.g4"))
    print(f"{'grammar':12} {'prepare':>8} {'tokens/s':>9} {'tokens':>7} {'tree':>6}", end="")
    print(f" {'symbols':>8} {'by lists':>9} {'by substitution':>16}")
    for path in paths:
        grammar = read_file(path).grammar
        started = time.process_time()
        generator = Generator(grammar)
        prepared = time.process_time() - started
        speed = _speed(generator, tokens)
        same, shaped = _parsed_back(generator)
        print(f"{path.stem:12} {prepared:7.2f}s {speed:9,.0f} {same:7.1%} {shaped:6.1%}", end="")
        print(f" {_symbols(grammar):8,} {_normal(grammar, False):>9} {_normal(grammar, True):>16}")


def _path(name: str) -> Path:
    return Path(name) if Path(name).exists() else FOLDER / f"{name}.g4"


def _speed(generator: Generator, tokens: int) -> float:
    count = seed = 0
    started = time.process_time()
    while count < tokens:
        tree = generator.tree(seed, size=SIZES[seed % len(SIZES)])
        if tree.text:
            count += tree.token_count
        seed += 1
    return count / (time.process_time() - started)


def _parsed_back(generator: Generator) -> tuple[float, float]:
    parser = compile_grammar(generator.grammar, None)
    same = shaped = 0
    for seed in range(PARSED):
        tree = generator.tree(seed, size=100)
        try:
            parsed = parser.parse(tree.text)
        except ParseError:
            continue
        same += _words(parsed) == _words(tree)
        shaped += _shape(parsed.root) == _shape(tree.root)
    return same / PARSED, shaped / PARSED


def _words(tree: Tree) -> list[tuple[str, bytes]]:
    return [(token.symbol, token.text) for token in tree.tokens()]


def _shape(root: Node) -> list[tuple[str, str, str, int, int]]:
    found = []
    stack = [root]
    while stack:
        node = stack.pop()
        text = node.text.decode() if isinstance(node, Token) else ""
        found.append((node.symbol, node.slot, text, node.key, len(node.children)))
        stack.extend(node.children)
    return found


def _symbols(grammar: Grammar) -> int:
    return FlatGrammar(grammar).symbols()


def _normal(grammar: Grammar, substitute: bool) -> str:
    try:
        return f"{_symbols(normalize(grammar, substitute=substitute)):,}"
    except GrammarError:
        return "too large"


if __name__ == "__main__":
    main(sys.argv[1:])
