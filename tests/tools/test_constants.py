"""Every tuned constant says what it is, and where its value comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.constants import Constant, constants_of

SOURCE = Path(__file__).parents[2] / "src" / "marrow"


def test_every_constant_has_a_comment() -> None:
    every = [(path, one) for path in sorted(SOURCE.rglob("*.py")) for one in constants_of(path)]
    assert len(every) > 400
    assert [
        f"{path.relative_to(SOURCE)}: {one.name}" for path, one in every if not one.comment
    ] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Said\n# here.\nMOST: Final = 1 << 3\n", [Constant("MOST", "1 << 3", "Said here.")]),
        (
            "#: Both.\nONE = 1\nTWO = (2,\n       3)\n",
            [Constant("ONE", "1", "Both."), Constant("TWO", "(2, 3)", "Both.")],
        ),
        ("ONE, TWO = 1, 2  # with its line\n", [Constant("ONE, TWO", "1, 2", "with its line")]),
        ("# Far away.\n\nONE = 1\n", [Constant("ONE", "1", "")]),
        ("NAME = 'x'\nYES = True\nlower = 1\nLATER = len('abc')\n", []),
    ],
)
def test_what_is_a_constant(tmp_path: Path, text: str, found: list[Constant]) -> None:
    path = tmp_path / "module.py"
    path.write_text(text)
    assert list(constants_of(path)) == found
