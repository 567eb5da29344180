"""What a pattern claims has evidence: groups, parts that are kept, the number of inputs."""

from __future__ import annotations

import re

import pytest

from marrow.abstraction.ddset import DDSetOptions
from marrow.abstraction.pattern import Mark, compact
from marrow.abstraction.pattern_json import from_json, to_json
from marrow.abstraction.producer import Producer
from marrow.abstraction.recogniser import Recogniser
from marrow.engine.verdict import Verdict
from marrow.grammar.language import GrammarSource, Language
from tests.abstraction.finding import CALCULATOR, SCRIPT, search
from tests.abstraction.marking import by_text, shipped


def declared(text: bytes) -> Verdict:
    """Fails if a name is declared and used; a use without a declaration is not valid."""
    found = re.fullmatch(rb"var (\w+); (\w+);", text)
    if found is None:
        return Verdict.NOT_INTERESTING
    return Verdict.INTERESTING if found[1] == found[2] else Verdict.UNRESOLVED


def test_a_group_without_a_counterexample_is_doubtful() -> None:
    """Whether the names must be the same is not known: no other program is valid."""
    pattern, _ = search(b"var a; a;", declared, SCRIPT)
    assert compact(pattern) == "var <$Identifier1>; <$Identifier1>;"
    (hole,) = pattern.holes()
    assert all(pattern.marks[place].doubtful for place in hole.places)
    match = Recogniser(from_json(to_json(pattern))).match(b"var x; y;")
    assert match
    assert "differ" in match.doubt


def test_a_group_with_a_counterexample_is_sure() -> None:
    def fails(text: bytes) -> bool:
        found = re.fullmatch(rb"var (\w+); (\w+);", text)
        return found is not None and found[1] == found[2]

    pattern, _ = search(b"var a; a;", fails, SCRIPT)
    assert compact(pattern) == "var <$Identifier1>; <$Identifier1>;"
    (hole,) = pattern.holes()
    assert all(pattern.marks[place].apart for place in hole.places)
    assert not Recogniser(pattern).match(b"var x; y;")


def test_what_is_kept_without_a_counterexample_is_not_known() -> None:
    def test(text: bytes) -> Verdict:
        if not re.fullmatch(rb"\s*7\s*\*.*", text):
            return Verdict.UNRESOLVED
        return Verdict.INTERESTING

    pattern, _ = search(b"7*2", test)
    kept = [marked for marked in pattern.marks.values() if marked.mark is Mark.UNKNOWN]
    assert kept
    assert all(marked.evidence.counterexample is None for marked in kept)
    needed = [marked for marked in pattern.marks.values() if marked.mark is Mark.CONCRETE]
    assert all(marked.evidence.counterexample is not None for marked in needed)


def test_a_node_in_which_something_varies_is_in_no_group() -> None:
    """`(1)` twice: what is inside may vary alone, whatever the brackets have to be."""

    def test(text: bytes) -> Verdict:
        if not re.fullmatch(rb"\(.*\)\+\(.*\)", text):
            return Verdict.UNRESOLVED
        return Verdict.INTERESTING

    pattern, _ = search(b"(1)+(1)", test)
    assert not any(hole.marked.group for hole in pattern.holes())
    assert Recogniser(pattern).match(b"(2)+(3)")


def test_a_member_that_is_free_leaves_its_group() -> None:
    """Any two of three names the same: two are grouped, and the third is free."""

    def fails(text: bytes) -> bool:
        names = re.findall(rb"[a-z]\w*(?=[;)])", text)
        return len(names) > len(set(names))

    pattern, _ = search(b"while (a) { if (a) { a; } }", fails, SCRIPT)
    shown = compact(pattern)
    assert shown.count("<$") == 2, shown
    # The third is free: it is no name of the input any more.
    assert re.search(r"\ba\b", shown) is None, shown
    (group,) = [hole for hole in pattern.holes() if hole.marked.group]
    assert len(group.places) == 2
    assert all(pattern.marks[place].apart for place in group.places)


#: A little of Clojure: vectors and numbers behind a keyword.
FORMS = Language(
    GrammarSource(
        "forms",
        "program",
        "g4",
        r"""
grammar forms;
program : '(' 'keys' form form ')' EOF ;
form : NUMBER | STRING | NAME | '(' form* ')' | '[' form* ']' | '{' form* '}' | QUOTE form ;
QUOTE : '\'' ;
NUMBER : [0-9]+ ;
STRING : '"' [a-z ]* '"' ;
NAME : [a-z]+ ;
WS : [ \n]+ -> skip ;
""",
    )
)


def test_near_samples_find_what_far_ones_miss() -> None:
    """A vector of one name passes, everyday code: few of the grammar's trees are that."""

    def fails(text: bytes) -> bool:
        return re.match(rb"\(\s*keys\s*\[\s*[a-z]+\s*\]", text) is None

    for seed in range(3):
        pattern, _ = search(b"(keys 5 1)", fails, FORMS, options=DDSetOptions(seed=seed))
        assert compact(pattern).startswith("(keys <form>") is False, seed
        assert pattern.joint.near


def test_produce_does_not_stop_at_repeats() -> None:
    pattern = by_text(shipped("json"), b"[1]", {("NUMBER", b"1"): 0})
    producer = Producer(pattern)
    assert len(producer.inputs(500)) == 500
    assert not producer.exhausted


def test_all_there_are_is_said_only_if_it_is_so() -> None:
    pattern = by_text(CALCULATOR, b"1+2", {("op", b"+"): 0})
    producer = Producer(pattern)
    inputs = producer.inputs(50)
    assert producer.exhausted
    assert len(inputs) == 3


#: As the grammars of the published tool spell it: tokens and the start in capitals.
WITHOUT_LEXER = """{"<START>": [["<pair>"]],
"<pair>": [["<NAME>", "<_SKIP>", "=", "<_SKIP>", "<NAME>"]],
"<NAME>": [["<LETTER>"], ["<LETTER>", "<NAME>"]],
"<LETTER>": [["a"], ["b"], ["c"], ["d"]],
"<_SKIP>": [[], [" "]]}"""


@pytest.mark.parametrize("naive", [False, True])
def test_tokens_of_a_grammar_without_a_lexer_stay_whole(naive: bool) -> None:
    """Neither letters nor white space are looked at on their own."""

    def fails(text: bytes) -> bool:
        left, _, right = text.replace(b" ", b"").partition(b"=")
        return left == right and bool(left)

    language = Language(GrammarSource("pairs", "<START>", "json", WITHOUT_LEXER))
    pattern, counts = search(b"abba = abba", fails, language, options=DDSetOptions(naive=naive))
    assert compact(pattern) == "<$NAME1> = <$NAME1>"
    symbols = {(pattern.tree.at(place) or pattern.tree.root).symbol for place in pattern.marks}
    assert symbols == {"START", "pair", "NAME"}
    assert counts.needed < 250


def test_what_a_name_is_shared_with_does_not_vary_by_keeping_it() -> None:
    """All valid texts of the declaration have the name in it: that is no reason to free it."""

    def test(text: bytes) -> Verdict:
        found = re.fullmatch(rb"var\s*(.*?);\s*(\w+)\s*;", text)
        if found is None:
            return Verdict.NOT_INTERESTING
        names = re.findall(rb"[a-z]\w*", found[1])
        return Verdict.INTERESTING if found[2] in names else Verdict.UNRESOLVED

    for seed in range(3):
        pattern, _ = search(b"var a = a; a;", test, SCRIPT, options=DDSetOptions(seed=seed))
        assert "<declaration>" not in compact(pattern), seed
