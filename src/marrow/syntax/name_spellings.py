"""What names look like, by language, where they are more than letters and digits.

A language without a row has its names learned from the input (`marrow.tree.name_spelling`).
"""

from __future__ import annotations

import re
from typing import Final

from marrow.tree.name_spelling import ANY_SPELLING, NameSpelling

# What the theories of SMT-LIB define (https://smt-lib.org/theories.shtml), and what cvc5 and z3 add
# to them: a name of these means the same in every script. Sorts and logics are among them.
_SMTLIB: Final = rb"""
    true|false|not|and|or|xor|=>|=|distinct|ite|[-+*/<>^]|<=|>=|div|mod|abs|to_real|to_int|is_int
    |divisible|select|store|const|concat|extract|repeat|zero_extend|sign_extend|rotate_(left|right)
    |bv(not|neg|and|or|xor|nand|nor|xnor|add|sub|mul|udiv|urem|sdiv|srem|smod|shl|lshr|ashr|comp
    |ult|ule|ugt|uge|slt|sle|sgt|sge|[0-9]+|2nat|2int)|int2bv|int_to_bv|ubv_to_int|sbv_to_int
    |fp|to_fp|to_fp_unsigned|RN[EA]|RT[PNZ]|roundNearest\w*|roundToward\w*|NaN|[-+](oo|zero)
    |is|_|as|char|(fp|str|re|seq|set|bag|int|tuple|rel|sep|ff|iand|real)\.[^ ]+
    |Bool|Int|Real|BitVec|Array|FloatingPoint|Float(16|32|64|128)|RoundingMode|String|RegLan|RegEx
    |Seq|Set|Bag|List|ALL|HORN|(QF_)?[A-Z]*(IDL|RDL|LIA|LRA|LIRA|NIA|NRA|NIRA|BV|FP|UF|DT|AX|S|FS)
"""

# Lisps have few marks that are no part of a name; at least one letter makes it one.
_LISP: Final = NameSpelling(
    re.compile(rb"[^\s0-9()\[\]{}\"';,`#:]*[A-Za-z_\x80-\xff][^\s()\[\]{}\"';,`]*")
)

#: Names may be quoted in SMT-LIB, and solvers' own begin with a dot or have exclamation marks.
_SPELLINGS: Final = {
    "smtlib": NameSpelling(
        re.compile(rb"\|[^|\\]*\||[a-zA-Z~!@$%^&*_+=<>.?/-]*[A-Za-z_][\w~!@$%^&*+=<>.?/-]*"),
        re.compile(_SMTLIB, re.VERBOSE),
    ),
    "clojure": _LISP,
    "commonlisp": _LISP,
    "elisp": _LISP,
    "fennel": _LISP,
    "janet": _LISP,
    "racket": _LISP,
    "scheme": _LISP,
    "r": NameSpelling(re.compile(rb"\.?[A-Za-z\x80-\xff][\w.\x80-\xff]*")),
    "haskell": NameSpelling(re.compile(rb"[A-Za-z_\x80-\xff][\w'\x80-\xff]*")),
    "ocaml": NameSpelling(re.compile(rb"[A-Za-z_\x80-\xff][\w'\x80-\xff]*")),
    "ruby": NameSpelling(re.compile(rb"[A-Za-z_@$\x80-\xff][\w@\x80-\xff]*[?!]?")),
    "perl": NameSpelling(re.compile(rb"[$@%&]?[A-Za-z_]\w*")),
}


def spelling_of(language: str) -> NameSpelling:
    """Return what names look like in a language."""
    return _SPELLINGS.get(language, ANY_SPELLING)
