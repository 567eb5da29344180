"""Random SMT-LIB scripts with several theories: reals, integers, functions, quantifiers, bits."""

from __future__ import annotations

from random import Random
from typing import Final

_REALS: Final = ("width", "height", "depth")
_INTEGERS: Final = ("count", "limit")
_BITS: Final = ("flags", "mask")
_TRUTHS: Final = ("ready", "closed", "retry")


def mixed_constraints(seed: int, asserts: int = 12) -> str:
    """Return a script: definitions, then named assertions, then one question and its core."""
    random = Random(seed)
    lines = [
        "(set-option :produce-unsat-cores true)",
        '(set-info :source "made at random")',
        "(set-logic ALL)",
    ]
    lines += [f"(declare-fun {name} () Real)" for name in _REALS]
    lines += [f"(declare-fun {name} () Int)" for name in _INTEGERS]
    lines += [f"(declare-fun {name} () (_ BitVec 8))" for name in _BITS]
    lines += [f"(declare-const {name} Bool)" for name in _TRUTHS]
    lines += ["(declare-fun next (Int) Int)", "(define-fun area () Real (* width height))"]
    lines += ["(define-fun larger ((a Int) (b Int)) Bool (and (> a b) (not (= a b))))"]
    lines += [
        f"(assert (! {_condition(random, 3)} :named rule-{number}))" for number in range(asserts)
    ]
    return "\n".join([*lines, "(check-sat)", "(get-unsat-core)", "(exit)", ""])


def _condition(random: Random, depth: int) -> str:
    below = depth - 1
    kind = random.randrange(10) if depth > 0 else random.randrange(3)
    match kind:
        case 0:
            return random.choice(_TRUTHS)
        case 1:
            return f"(< {_real(random, below)} {_real(random, below)})"
        case 2:
            return f"(= {_integer(random, below)} {_integer(random, below)})"
        case 3:
            return f"(bvult {_bits(random, below)} {_bits(random, below)})"
        case 4:
            return f"(not {_condition(random, below)})"
        case 5:
            return f"(=> {_condition(random, below)} {_condition(random, below)})"
        case 6:
            return f"(or {_condition(random, below)} {_condition(random, below)})"
        case 7:
            value = _integer(random, below)
            return f"(let ((bound {value})) (larger bound {_integer(random, 0)}))"
        case 8:
            return f"(= (* {_real(random, 0)} {_real(random, 0)}) {_real(random, below)})"
        case _:
            return f"(forall ((k Int)) (=> (> k limit) (>= (next k) {_integer(random, below)})))"


def _real(random: Random, depth: int) -> str:
    kind = random.randrange(5) if depth > 0 else random.randrange(2)
    if kind == 0:
        return random.choice((*_REALS, "area"))
    if kind == 1:
        return random.choice(("0.0", "1.0", "2.5", "3.0", "(/ 1.0 3.0)"))
    if kind == 2:
        return f"(to_real {_integer(random, depth - 1)})"
    operator = random.choice("+-*")
    return f"({operator} {_real(random, depth - 1)} {_real(random, depth - 1)})"


def _integer(random: Random, depth: int) -> str:
    kind = random.randrange(5) if depth > 0 else random.randrange(2)
    if kind == 0:
        return random.choice(_INTEGERS)
    if kind == 1:
        return str(random.choice((0, 1, 2, 7, 100)))
    if kind == 2:
        return f"(next {_integer(random, depth - 1)})"
    if kind == 3:
        condition = _condition(random, depth - 1)
        return f"(ite {condition} {_integer(random, depth - 1)} {_integer(random, depth - 1)})"
    return f"(+ {_integer(random, depth - 1)} {_integer(random, depth - 1)})"


def _bits(random: Random, depth: int) -> str:
    kind = random.randrange(5) if depth > 0 else random.randrange(2)
    if kind == 0:
        return random.choice(_BITS)
    if kind == 1:
        return random.choice(("#x00", "#xff", "#b00001111"))
    if kind == 2:
        return f"(bvnot {_bits(random, depth - 1)})"
    if kind == 3:
        return f"((_ zero_extend 4) ((_ extract 3 0) {_bits(random, depth - 1)}))"
    return f"(bvadd {_bits(random, depth - 1)} {_bits(random, depth - 1)})"
