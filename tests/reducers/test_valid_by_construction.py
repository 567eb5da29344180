"""On trees of a grammar no candidate is ever invalid: every one is parsed again by the grammar."""

from __future__ import annotations

import hashlib
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.grammar.generation.generate import Generator
from marrow.grammar.language import Language
from marrow.grammar.model.rules import Grammar, GrammarError
from marrow.grammar.notations import read_grammar_text
from marrow.reducers.algorithms.list_minimizers import LIST_MINIMIZERS, minimizer_of
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.pipeline.algorithm_table import ALGORITHMS, Algorithm, algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.tree import Tree
from tests.grammar import parsing, random_grammars, strategies
from tests.grammar.test_generate import PROGRAMS
from tests.grammar.test_generate_shipped import shipped
from tests.reducers.running import run

#: Some of the random grammars are so ambiguous that texts of 30 characters take seconds to parse.
LONGEST = 14

#: Every algorithm on trees that keeps the syntax, and every list minimiser in one with and one
#: without replacements.
EVERY = [
    algorithm_of(one.name, Settings(minimize=minimizer_of(lists)))
    for one in ALGORITHMS
    if not one.granularity and not one.name.startswith("blind")
    for lists in LIST_MINIMIZERS
    if lists == "ddmin" or one.name in ("perses*", "hdd*")
]


def check(
    front: GrammarFrontEnd, tree: Tree, seed: int, algorithms: list[Algorithm], rarity: int = 3
) -> None:
    """Reduce with a test without rhyme or reason; fail on a candidate that does not parse."""

    @cache
    def valid(text: bytes) -> bool:
        return front.error(text) is None

    def interesting(candidate: Tree) -> bool:
        text = candidate.text
        assert valid(text), text
        return hashlib.blake2b(text + str(seed).encode()).digest()[0] % rarity == 0

    for algorithm in algorithms:
        reducer = algorithm.reducer(front, front.parse)
        run(tree, reducer(tree, finish), interesting)


KINDS = {
    "plain": strategies.grammars(),
    "operators": parsing.grammars(),
    "characters": random_grammars.scannerless(),
    "tokens": random_grammars.with_tokens(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_random_grammars(kind: str) -> None:
    @settings(max_examples=80)
    @given(KINDS[kind], st.integers(0, 2**32), st.sampled_from(EVERY))
    def test(grammar: Grammar, seed: int, algorithm: Algorithm) -> None:
        try:
            text = Generator(grammar).tree(Random(seed), size=LONGEST).text
            front = GrammarFrontEnd(Language(grammar), chains=seed % 2 == 0)
        except GrammarError:
            return
        if len(text) <= LONGEST and front.error(text) is None:
            check(front, front.parse(text), seed, [algorithm])

    test()


NAMES = ["calculator", "json", "sexpr", "lua", "programs"]


@cache
def real(name: str) -> Grammar:
    if name == "programs":
        return read_grammar_text(PROGRAMS, "g4", "Programs.g4", None)
    return shipped(name)


@pytest.mark.parametrize("name", NAMES)
def test_grammars_with_precedence_layout_and_many_tokens(name: str) -> None:
    grammar = real(name)
    front = GrammarFrontEnd(Language(grammar))
    generator = Generator(grammar)
    for seed, algorithm in enumerate(EVERY):
        tree = front.parse(generator.tree(seed, size=60).text)
        check(front, tree, seed, [algorithm], rarity=5)
