"""Functions whose types have to stay lose their values: facts of the language."""

from __future__ import annotations

import re

import marrow

HASKELL = """\
total :: [Int] -> Int
total = foldr step 0 . filter (> 3) . map (+ 1)
twice :: Int -> Int
twice x = x * 2 + length (show x)
main = print (total [1, 2, 3] + twice 4)
"""

BODIES = (
    rb"total = (undefined|foldr step 0 \. filter \(> 3\) \. map \(\+ 1\))$",
    rb"twice \w = (undefined|x \* 2 \+ length \(show x\))$",
)


def test_functions_of_haskell_without_their_values() -> None:
    def test(text: bytes) -> bool:
        return b"print (total" in text and all(re.search(b"(?m)^" + one, text) for one in BODIES)

    result = marrow.reduce(HASKELL, test, language="haskell", layout="keep")
    assert b"total = undefined" in result.text
    assert result.text.count(b"undefined") == 2
