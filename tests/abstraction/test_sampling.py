"""Samples: enough of them, and valid inputs for the most part."""

from __future__ import annotations

import re
from itertools import islice

from marrow.abstraction.fragments import inner_forms
from marrow.abstraction.pattern import Mark
from marrow.abstraction.pattern_json import from_json, to_json
from marrow.abstraction.pattern_language import GrammarFragments
from marrow.abstraction.producer import Producer
from marrow.abstraction.samples import Fill
from marrow.abstraction.sampling import Sampler
from marrow.engine.verdict import Verdict
from marrow.grammar.language import GrammarSource, Language
from marrow.tree.node import render
from tests.abstraction.finding import CALCULATOR, SCRIPT, search
from tests.abstraction.marking import by_text, marked, shipped

#: Ten places in which a clause may stand that is valid in half of all cases.
CLAUSES = Language(
    GrammarSource(
        "clauses",
        "command",
        "g4",
        r"""
grammar clauses;
command : 'stop' EOF | 'run' NAME clause? 'then' clause? 'and' clause? 'or' clause? 'but' clause?
    'so' clause? 'yet' clause? 'nor' clause? 'for' clause? 'last' clause? EOF ;
clause : ('with' | 'without') NAME ;
NAME : [a-z]+ ;
WS : [ \n]+ -> skip ;
""",
    )
)
RUN = b"run x then and or but so yet nor for last"


def without_is_invalid(text: bytes) -> Verdict:
    if b"without" in text:
        return Verdict.UNRESOLVED
    return Verdict.INTERESTING if text.startswith(b"run") else Verdict.NOT_INTERESTING


def test_texts_of_a_token_do_not_run_out() -> None:
    pattern = by_text(shipped("json"), b'["a"]', {("STRING", b'"a"'): 0})
    assert len(Producer(pattern).inputs(300)) == 300


def test_what_may_be_empty_is_half_of_the_time() -> None:
    pattern = marked(CLAUSES, RUN, lambda _, node: node.symbol.startswith("clause_opt"))
    assert len(pattern.holes()) == 10
    sampler = Sampler.of(pattern, GrammarFragments(CLAUSES, pattern.tree), 1)
    samples = islice(sampler.joint(pattern.tree, pattern.holes(), "half"), 50)
    counts = [len(re.findall(rb"with", sample.text)) for sample in samples]
    assert 4 < sum(counts) / len(counts) < 6


def test_samples_stay_valid_when_many_doubtful_parts_vary() -> None:
    """Fresh trees in all ten would leave one sample of 20 valid."""
    pattern, counts = search(RUN, without_is_invalid, CLAUSES)
    invisible = [hole for hole in pattern.holes() if hole.marked.mark is Mark.INVISIBLE]
    assert len(invisible) > 5
    assert pattern.joint.validity > 0.6
    assert counts.needed < 400
    again = from_json(to_json(pattern))
    produced = [without_is_invalid(sample.text) for sample in Producer(again, 7).inputs(100)]
    assert produced.count(Verdict.INTERESTING) > 60


def test_a_text_is_invalid_only_where_it_stood() -> None:
    pattern = by_text(CALCULATOR, b"1+2", {("expr", b"1"): 0, ("expr", b"2"): 0})
    parser = CALCULATOR.parser
    sampler = Sampler(GrammarFragments(CALCULATOR, pattern.tree), 0, pattern.tree)
    first, second = pattern.holes()
    tree = parser.parse(b"7+8")
    node = tree.at(first.places[0])
    assert node is not None
    sampler.memory.learn_invalid([Fill(first.places, node)])
    sampler.memory.learn([Fill(second.places, node)], fails=True)
    assert sampler.memory.invalid_at(first.places) == (b"7",)
    assert sampler.memory.invalid_at(second.places) == ()
    samples = list(islice(sampler.joint(tree, [first, second], "x"), 60))
    filled = [{fill.places: render((fill.node,)) for fill in one.fills} for one in samples]
    assert not any(one[first.places] == b"7" for one in filled)
    assert any(one[second.places] == b"7" for one in filled)


def test_a_node_is_judged_by_samples_in_which_it_differs() -> None:
    """Else the samples would say nothing about it."""
    pattern = by_text(CALCULATOR, b"1+2", {("op", b"+"): 0, ("expr", b"2"): 0})
    sampler = Sampler(GrammarFragments(CALCULATOR, pattern.tree), 0, pattern.tree)
    operator, expression = pattern.holes()
    drawn = sampler.samples(pattern.tree, operator.places, "x", [expression])
    samples = list(islice(drawn, 40))
    assert len(samples) == 40
    assert not any(render((sample.fills[0].node,)) == b"+" for sample in samples)


def test_what_is_said_of_a_name_is_said_of_its_new_name() -> None:
    """A block that uses `x` is valid only as long as that is what is declared."""
    tree = SCRIPT.parse(b"var x; while (x) { break; }")
    places = [
        place
        for place, node in tree.walk()
        if render((node,)) == b"x" and node.symbol == "Identifier"
    ]
    block = next(place for place, node in tree.walk() if node.symbol == "block")
    using = next(
        node for node in SCRIPT.parse(b"while (y) { x + xx; }").nodes() if node.symbol == "block"
    )
    name = next(node for node in SCRIPT.parse(b"var n;").nodes() if render((node,)) == b"n")
    sampler = Sampler(GrammarFragments(SCRIPT, tree), 0, tree)
    fills = [Fill(tuple(places), name), Fill((block,), using)]
    assert sampler.fill(tree, fills).text.split() == b"var n; while (n) { n + xx; }".split()
    # Where the name still stands, it means what it meant.
    left = [Fill((places[1],), name), fills[1]]
    assert sampler.fill(tree, left).text.split() == b"var x; while (n) { x + xx; }".split()
    # As printed, nothing is renamed.
    naive = Sampler(GrammarFragments(SCRIPT), 0)
    assert naive.fill(tree, fills).text.split() == b"var n; while (n) { x + xx; }".split()
    # Of trees in a pattern only the text is known.
    held = Fill((block,), GrammarFragments(SCRIPT, tree).held("block", b"{ x + xx; }"))
    assert (
        sampler.fill(tree, [fills[0], held]).text.split() == b"var n; while (n) { n + xx; }".split()
    )


def test_a_new_name_does_not_meet_an_old_one() -> None:
    tree = SCRIPT.parse(b"var x; while (y) { break; }")
    first, second = (place for place, node in tree.walk() if node.symbol == "Identifier")
    node = tree.at(second)
    assert node is not None
    sampler = Sampler(GrammarFragments(SCRIPT, tree), 0, tree)
    assert not sampler.fit_together(tree, [Fill((first,), node)])
    assert sampler.fit_together(
        tree, [Fill((first,), node), Fill((second,), tree.at(first) or node)]
    )


def test_short_and_longer_forms_come_in_turn() -> None:
    forms = [render((one,)) for one in SCRIPT.generator().forms("expression")]
    assert len(forms) >= 5
    first, second, third, *_ = (len(one.split()) for one in forms)
    assert first == third == 1
    assert second > 1


def test_what_a_node_may_hold_is_tried_in_it() -> None:
    """A rule with one form has few samples near the input; what is inside of it has many."""
    material = GrammarFragments(SCRIPT, SCRIPT.parse(b"break;"))
    inner = [render((one,)) for one in inner_forms("property", "", material)]
    assert len(inner) >= 5
    assert not list(inner_forms("statement", "", material))
