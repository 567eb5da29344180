"""Two files that change together: the same deletion in both, else alone."""

from __future__ import annotations

import pytest

import marrow
from marrow.base.errors import UsageError
from marrow.syntax.bundle import read_bundle

QUERY = """\
SELECT a, b FROM t WHERE a > 1 AND b < 9 ORDER BY a;
SELECT count(*) FROM t;
SELECT max(a) FROM t WHERE b IN (1, 2, 3);
"""
VARIANT = """\
SELECT a, b FROM t WHERE NOT a <= 1 AND b < 9 ORDER BY a;
SELECT count(*) FROM t;
SELECT max(a) FROM t WHERE b = 1 OR b = 2 OR b = 3;
"""
PROGRAM = """\
print('one')
print('two')
if 5 > 3:
    print('three')
print(len([7 // 2]))
"""
PRINTED = "one\ntwo\nthree\n1\n"


def files_in(candidate: bytes) -> dict[str, str]:
    return {one.name: one.content.decode() for one in read_bundle(candidate)}


def as_many_statements(candidate: bytes) -> bool:
    """Both have as many statements, and the variant says OR where the query does not."""
    files = files_in(candidate)
    if set(files) != {"q.sql", "v.sql"}:
        return False
    query, variant = (files[name].split(";") for name in ("q.sql", "v.sql"))
    pairs = list(zip(query, variant, strict=False))
    return len(query) == len(variant) and any(
        " OR " in two and " OR " not in one and "WHERE" in one for one, two in pairs
    )


def prints_what_is_expected(candidate: bytes) -> bool:
    files = files_in(candidate)
    if set(files) != {"a.py", "expected"} or "//" not in files["a.py"]:
        return False
    printed: list[str] = []
    try:
        namespace = {"print": lambda *some: printed.append(" ".join(map(str, some)))}
        exec(files["a.py"], namespace)
    except Exception:
        return False
    return "".join(one + "\n" for one in printed) == files["expected"]


def test_a_query_and_its_variant() -> None:
    source = {"q.sql": QUERY, "v.sql": VARIANT}
    together = marrow.reduce(source, as_many_statements, pair=["q.sql=v.sql"])
    alone = marrow.reduce(source, as_many_statements)
    assert together.tokens_after < alone.tokens_after
    assert b"count" not in together.text


@pytest.mark.parametrize("more", ["", "four\n"])
def test_a_program_and_what_it_prints(more: str) -> None:
    source = {
        "a.py": PROGRAM + f"print({more.strip()!r})\n" * bool(more),
        "expected": PRINTED + more,
    }
    result = marrow.reduce(source, prints_what_is_expected, pair=[("a.py", "expected")])
    assert result.files["expected"].count(b"\n") == 1
    assert result.files["a.py"].count(b"print") == 1
    assert result.tokens_after <= 12


def test_files_of_different_lengths() -> None:
    def test(candidate: bytes) -> bool:
        files = files_in(candidate)
        return "x" in files.get("a.txt", "") and "x" in files.get("b.txt", "")

    source = {"a.txt": "one\ntwo\nx\n", "b.txt": "zero\none\nthree\nfour\nx\nx\n"}
    result = marrow.reduce(source, test, pair=["a.txt=b.txt"])
    assert {name: text.strip() for name, text in result.files.items()} == {
        "a.txt": b"x",
        "b.txt": b"x",
    }


def test_an_empty_file_of_a_pair_and_one_without_the_other() -> None:
    source = {"a.py": "x = 1\ny = 2\n", "b.py": "", "c.py": "z\n"}
    pairs = ["a.py=b.py", "c.py=b.py"]
    result = marrow.reduce(source, lambda text: b"y = 2" in text, pair=pairs)
    assert result.tokens_after == 3


@pytest.mark.parametrize("pair", ["a.py", "a.py=a.py", "a.py=b.py=c.py", "a.py=d.py", "="])
def test_what_is_not_a_pair_is_refused(pair: str) -> None:
    with pytest.raises(UsageError, match="pair"):
        marrow.reduce({"a.py": "x\n", "b.py": "y\n"}, lambda _: True, pair=[pair])


def test_any_number_of_workers() -> None:
    source = {"q.sql": QUERY, "v.sql": VARIANT}
    one, two = (
        marrow.reduce(source, as_many_statements, pair=["q.sql=v.sql"], jobs=jobs)
        for jobs in (1, 3)
    )
    assert one.files == two.files


COMPUTED = """\
prices = {'apple': 4, 'plum': 9}
print('dearest:', max(prices, key=prices.get))
print(sum(prices.values()))
print(7 // 2)
print(len(prices) * 21)
"""


def test_a_statement_goes_with_the_line_that_it_prints() -> None:
    files = {"a.py": COMPUTED, "expected": "dearest: plum\n13\n3\n42\n"}
    together = marrow.reduce(files, prints_what_is_expected, pair=["a.py=expected"])
    assert files_in(together.text)["expected"] == "3\n"
    assert together.tokens_after <= 10
