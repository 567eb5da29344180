"""Scripts of SMT-LIB: what the rewrites of the language do, and scripts that do not parse."""

from __future__ import annotations

import pytest

from marrow.reducers.passes.inline_calls import inlined
from marrow.reducers.passes.rewrites import rewritten
from marrow.reducers.pipeline.pipeline import rewrites_of
from marrow.syntax.views import view_of
from tests.quality.named_rewrites import context_of
from tests.quality.reducing import reduced


def tried(text: str) -> list[str]:
    """Return what the rewrites make of a text, in one spelling."""
    chosen = rewrites_of("smtlib")
    _, context, tree = context_of("smtlib", chosen, text)
    found = [candidate.text for one in chosen for candidate in rewritten(context, tree, one)]
    found += [candidate for one in chosen for candidate in inlined(tree, one)]
    return [spelled(one.decode()) for one in found]


def spelled(text: str) -> str:
    """Return a text with as few blanks as it needs."""
    words = " ".join(text.replace("(", " ( ").replace(")", " ) ").split())
    return words.replace("( ", "(").replace(" )", ")")


X = "(declare-const x Int) "
Y = "(declare-const y Int) "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{X}{Y}(assert (= x (+ y 1))) (assert (> x 3))", f"{Y}(assert (> (+ y 1) 3))"),
        (f"{X}(assert (and (= x 5) (< x 9)))", "(assert (and (< 5 9)))"),
        ("(declare-const p Bool) (assert (not p)) (assert (or p q))", "(assert (or false q))"),
        (f"{X}(assert (> x 3))", "(assert (> 0 3))"),
        ("(declare-const s String) (assert (= s s))", '(assert (= "" ""))'),
        ("(assert (let ((a 1) (b 2)) (= a b)))", "(assert (let ((b 2)) (= 1 b)))"),
        ("(assert (exists ((i Int) (u U)) (p i u)))", "(assert (exists ((u U)) (p 0 u)))"),
        ("(define-fun f ((a Int)) Int (+ a 1)) (assert (= (f 2) 3))", "(assert (= (+ 2 1) 3))"),
        ("(define-fun c () Int 7) (assert (= c 3))", "(assert (= 7 3))"),
        (
            "(define-fun f ((a Int)) Int (+ a 1)) (assert (= (f 2) 3))",
            "(declare-fun f (Int) Int) (assert (= (f 2) 3))",
        ),
        (
            "(declare-fun f (Int Int) Int) (assert (= (f 1 2) 3))",
            "(declare-fun f (Int) Int) (assert (= (f 1) 3))",
        ),
        (
            "(declare-fun f (Int) Int) (assert (= (f 1) 3))",
            "(declare-const f Int) (assert (= f 3))",
        ),
        (
            "(declare-sort S 0) (declare-const s S) (assert (p s))",
            "(declare-const s Int) (assert (p s))",
        ),
        (
            "(declare-const b (_ BitVec 32)) (assert (p b))",
            "(declare-const b (_ BitVec 1)) (assert (p b))",
        ),
    ],
)
def test_what_is_tried(text: str, expected: str) -> None:
    assert expected in tried(text)


ODD = """(declare-const x Int)
(assert (let ((a 1))))
(assert (and (> x 3) (= x 2)))
(check-sat)
"""


def test_one_odd_command_leaves_the_rest_its_structure() -> None:
    view = view_of("input.smt2", ODD.encode())
    assert view.language == "smtlib"
    assert "plain lists" in view.note
    kinds = [child.symbol for child in view.counter.parse(ODD.encode()).root.children[0].children]
    assert kinds == ["command"] * 4
    result = reduced("smtlib", ODD, lambda text: "(let" in text and "> x" in text, "names")
    assert b"=" not in result.text
    assert b"check-sat" not in result.text
