"""The pass for SMT-LIB: every way to change a script is tried where it applies."""

from __future__ import annotations

import pytest

from marrow.reducers.passes.pass_context import PassContext, PassOptions
from marrow.reducers.passes.small_nodes import Stock
from marrow.reducers.passes.smt_script import Expression, Script, bits_of, values
from marrow.reducers.passes.smtlib import smtlib
from marrow.reducers.streams.stream import finish
from marrow.syntax.views import view_of
from marrow.tree import Tree
from tests.quality.reducing import reduced
from tests.reducers.running import run


def tried(text: str, language: str = "smtlib") -> list[str]:
    """Return what the pass tries if everything fails, in one spelling."""
    front = view_of("input.smt2", text.encode()).counter
    tree = front.parse(text.encode())
    options = PassOptions(language=language)
    context = PassContext(front, front.parse, lambda one: one.text, Stock(tree, front), options)

    def refuse(_: Tree) -> bool:
        return False

    found = run(tree, smtlib(context)(tree, finish), refuse).tried
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
        (
            f"{X}{Y}(assert (! (= (+ y 1) x) :named n)) (assert (> x 3))",
            f"{Y}(assert (> (+ y 1) 3))",
        ),
        (f"{X}(assert (and (= x 5) (< x 9)))", "(assert (and (< 5 9)))"),
        ("(declare-const p Bool) (assert (not p)) (assert (or p q))", "(assert (or false q))"),
        (f"{X}(assert (> x 3))", "(assert (> 0 3))"),
        ("(declare-const s String) (assert (= s s))", '(assert (= "" ""))'),
        ("(declare-fun b () (_ BitVec 8)) (assert (p b))", "(assert (p #x00))"),
        ("(assert (let ((a (f 1)) (b 2)) (= a b)))", "(assert (= (f 1) 2))"),
        ("(assert (let ((a 1) (b 2)) (= a b)))", "(assert (let ((a 1)) (= a 2)))"),
        ("(assert (forall ((i Int) (s String)) (p i s)))", '(assert (p 0 ""))'),
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
            "(declare-fun f () Int) (assert (= f 3))",
        ),
        ("(assert (= (str.len (str.++ a b)) 1))", "(assert (= 0 1))"),
        ("(assert (= (str.len (str.++ a b)) 1))", '(assert (= (str.len "") 1))'),
        (f"{X}(assert (= (f (* x 2)) 1))", f"{X}(assert (= (f x) 1))"),
        (
            "(declare-sort S 0) (declare-const s S) (assert (p s))",
            "(declare-const s Int) (assert (p s))",
        ),
        (
            "(declare-const b (_ BitVec 32)) (assert (= b #x000000ff))",
            "(declare-const b (_ BitVec 1)) (assert (= b #b1))",
        ),
        ("(assert (= b (_ bv3 8)))", "(assert (= b #x03))"),
        ("(declare-fun r () Real) (assert (= r 1.5))", "(declare-fun r () Int) (assert (= r 1))"),
        (
            "(push 1) (assert a) (push 1) (check-sat) (pop 1) (pop 1) (check-sat)",
            "(push 1) (assert a) (check-sat) (pop 1) (check-sat)",
        ),
        (
            "(push 1) (assert a) (push 1) (check-sat) (pop 1) (pop 1) (check-sat)",
            "(assert a) (check-sat) (check-sat)",
        ),
    ],
)
def test_what_is_tried(text: str, expected: str) -> None:
    assert expected in tried(text)


def test_other_languages_are_left_alone() -> None:
    assert not tried(f"{X}(assert (= x 1))", "scheme")


@pytest.mark.parametrize(
    ("term", "sort"),
    [
        ("(ite p x 1)", b"Int"),
        ("(let ((a (concat b b))) (str.at s 0))", b"String"),
        ("((_ extract 5 2) b)", b"(_ BitVec 4)"),
        ("(select m 1)", b"Real"),
        ("(bvadd #b101 b)", b"(_ BitVec 3)"),
        ("(let ((a 1.5)) (+ a a))", b"Real"),
        ("(concat b b)", None),
    ],
)
def test_sorts_of_terms(term: str, sort: bytes | None) -> None:
    text = f"{X}(declare-fun m () (Array Int Real)) (assert {term})"
    script = Script(text.encode())
    assert script.sort_of(script.commands[-1].items[1]) == sort


def test_deep_terms_and_odd_brackets() -> None:
    deep = Script(b"(assert " + b"(not " * 50_000 + b"p" + b")" * 50_001)
    assert sum(1 for _ in deep.whole.walk()) == 100_004
    assert [one.head for one in Script(b')) (a (b ; )\n |)| "(""" ').commands] == [b"a"]


def test_constants_of_sorts() -> None:
    assert values(b"(_ BitVec 3)") == (b"#b000", b"#b001")
    assert values(b"(_ BitVec 99999)") == ()
    assert bits_of(-1, 8) == b"#xff"
    assert not Expression(0, 0).atom


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
