"""Canonical form: inputs of one bug end in the same text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from marrow import reduce
from marrow.reducers.passes.pass_context import PassOptions
from tests.quality.reducing import reduced

PAIRS: list[tuple[str, Callable[[str], bool], str, str, str]] = [
    (  # names in the order of their first mention
        "javascript",
        lambda text: bool(re.search(r"(\w)\[(?!\1)(\w)\]\s*=\s*\2\(\1\)", text)),
        "function g() {} b[a] = a(b)",
        "let y = 1; foo[bar] = bar(foo)",
        "a[b]=b(a)",
    ),
    (  # characters of strings, and the marks around them
        "python",
        lambda text: bool(re.search(r"f\(([\"'])[^\"']{3}\1\)", text)),
        "x = 1\nf('abc')\n",
        'f("xyzzy"[1:])\nf("q?z")\n',
        'f("000")',
    ),
    (  # elements that may be swapped
        "json",
        lambda text: {"1", "2", "3"} <= set(re.findall(r"\d", text)) and "[" in text,
        "[3, 1, 2]",
        "[2, [0], 3, 1]",
        "[1,2,3]",
    ),
    (  # names again, behind elements that were swapped
        "javascript",
        lambda text: (
            (found := {one[0]: one[1] for one in re.findall(r"([56])-(\w)", text)}).keys()
            == {"5", "6"}
            and found["5"] != found["6"]
        ),
        "f([6-x, 5-y])",
        "[5-one, 6-two, 3]",
        "[5-a,6-b]",
    ),
    (  # numbers towards 0, by bisection
        "javascript",
        lambda text: any(int(one) > 36 for one in re.findall(r"\d+", text)),
        "f(733);",
        "let a = 99",
        "37",
    ),
    (  # a sum by its value
        "python",
        lambda text: eval(text, {"__builtins__": {}}) == 42 if "=" not in text else False,
        "(40 + 2)\n",
        "6 * 7\n",
        "42",
    ),
]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(("language", "test", "one", "two", "both"), PAIRS)
def test_two_inputs_of_one_bug_end_in_the_same_text(
    language: str, test: Callable[[str], bool], one: str, two: str, both: str
) -> None:
    def safe(text: str) -> bool:
        try:
            return test(text)
        except Exception:
            return False

    results = {
        "".join(reduced(language, text, safe, "-batched").text.decode().split())
        for text in (one, two)
    }
    assert results == {both}


def test_names_stay_where_they_are_to_be_kept() -> None:
    result = reduced(
        "javascript", "b(a)", lambda text: "(" in text, "canonical", PassOptions(keep_names=True)
    )
    assert b"b(a)" in result.text or result.text.strip() in (b"b()", b"(a)")


def test_bytes_become_zero() -> None:
    def test(text: str) -> bool:
        return len(text.encode()) >= 8 and {"\0", "\x01"} <= set(text)

    result = reduced("bytes", "ab\x01cde\0fghi\n\x02", test, "canonical")
    assert sorted(result.text) == [*bytes(7), 1]


@pytest.mark.parametrize(
    ("interesting", "number", "left"),
    [
        (lambda value: value > 4096, 733_000, "4097"),
        (lambda value: value % 64 == 0 and value > 0, 4096, "64"),
        # jq 1.6 does not print an odd number of so many digits as it read it.
        (lambda value: value > 2**53 and value % 2 == 1, 12345678901234567, ""),
    ],
)
def test_numbers_go_down_in_few_tests(
    interesting: Callable[[int], bool], number: int, left: str
) -> None:
    def test(text: str) -> bool:
        return text.strip().isdigit() and interesting(int(text))

    result = reduced("json", str(number), test, "numbers")
    assert result.text.strip().decode() == left or not left
    assert result.tests < 60


@pytest.mark.parametrize(
    ("pattern", "one", "two", "both"),
    [
        (rb"let ([a-z])=.*\[\1", b"let q=7; let z=9 [z", b"xs [8]; let b=b [b + 1", b"let a=[a"),
        (rb"[3-9][0-9]", b"foo 777", b"1 + 38;", b"30"),
        (rb":(?:[2-9]|\d\d)", b"a[:10]", b":5", b":2"),
        (rb"up\((?:\d|\[\]|\"\")\)", b"x;up([])", b"up(7)", b"up(0)"),
        (rb"\"\w\w[ q]\"\[[3-9]", b'foo "abq"[7 ]', b'print "zzq"[8]+1', b'"00q"[3'),
    ],
)
def test_texts_without_a_parser_have_a_canonical_form(
    pattern: bytes, one: bytes, two: bytes, both: bytes
) -> None:
    def test(text: bytes) -> bool:
        return re.search(pattern, text) is not None

    assert reduce(one, test, name="input").text == reduce(two, test, name="input").text == both


def test_names_that_are_to_stay_do_so_without_a_parser() -> None:
    def test(text: bytes) -> bool:
        return re.search(rb"let ([a-z])=\[\1", text) is not None

    assert reduce(b"let q=[q", test, name="input", keep_names=True).text == b"let q=[q"
