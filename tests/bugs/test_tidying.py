"""What is done with a result at the end of its reduction."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marrow.bugs.canonical import balanced, lexemes
from marrow.bugs.tidying import with_plain_values, without_neighbours


def test_neighbours_go_together() -> None:
    """Neither `a +` nor `, e()` can go a lexeme at a time."""

    def shows(text: bytes) -> bool:
        return text in (b"f(b)", b"a + f(b)", b"f(b), e()", b"a + f(b), e()")

    assert without_neighbours(b"a + f(b), e()", shows).strip() == b"f(b)"
    assert without_neighbours(b"f(b)", shows) == b"f(b)"


def test_a_pair_of_brackets_goes_and_lines_and_words_stay() -> None:
    def shows(text: bytes) -> bool:
        return text.split() == [b"go", b"x", b"to", b"y"] or text == b"go(x) to [0]\ny"

    assert without_neighbours(b"go(x) to [0]\ny", shows) == b"go(x) to [0]\ny"
    shown = (b"go((x))\ny", b"go(x)\ny", b"go x\ny")
    assert without_neighbours(b"go((x))\ny", lambda text: text in shown) == b"go x\ny"


def test_long_names_become_short_where_they_do_not_matter() -> None:
    def shows(text: bytes) -> bool:
        return text.startswith(b"let ") and text.split()[1] == text.split()[3]

    assert with_plain_values(b"let total = total", shows) == b"let a = a"
    assert with_plain_values(b"let a = a + count", shows) == b"let a = a + b"


@given(st.text("ab(), ", max_size=20).map(str.encode), st.integers(0, 3))
def test_a_result_without_neighbours_is_a_part_that_shows_it(text: bytes, least: int) -> None:
    found = without_neighbours(text, lambda one: one.count(b"a") >= least)
    assert len(found) <= len(text)
    if text.count(b"a") >= least:
        assert found.count(b"a") >= least
    rest = iter(text.replace(b" ", b""))
    assert all(one in rest for one in found.replace(b" ", b""))  # two words stay two


def test_balanced() -> None:
    assert balanced(lexemes(b"f(a)[{}]"))
    assert not balanced(lexemes(b"(]"))
    assert not balanced(lexemes(b")("))
    assert not balanced(lexemes(b"f("))
