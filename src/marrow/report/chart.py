"""Charts of sizes in letters, for the terminal: a line, and some lines with labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

BLOCKS: Final = "▁▂▃▄▅▆▇█"
PLAIN_BLOCKS: Final = "_.,-=+*#"


def chart(
    curve: Sequence[tuple[float, int]],
    seconds: float,
    width: int,
    height: int,
    blocks: str = BLOCKS,
    unit: str = "tokens",
) -> list[tuple[str, str]]:
    """Draw sizes over time in some lines, on a logarithmic scale; each line has its label.

    The last line is the axis of time.
    """
    sizes = [math.log(max(size, 1)) for _, size in curve]
    most, least = max(sizes), min(*sizes, 0.0) if len(sizes) > 1 else 0.0
    columns = []
    at = 0
    for column in range(width):
        until = seconds * (column + 1) / width
        while at + 1 < len(curve) and curve[at + 1][0] <= until:
            at += 1
        columns.append((sizes[at] - least) / (most - least) if most > least else 1.0)
    rows = height - 1
    lines = []
    for row in range(rows):
        # From the top: what a column has of this line, in parts of a block.
        parts = [max(0.0, min(1.0, share * rows - (rows - 1 - row))) for share in columns]
        line = "".join(
            " " if part <= 0.0 else blocks[round(part * (len(blocks) - 1))] for part in parts
        )
        size = math.exp(least + (most - least) * (rows - row) / rows)
        label = f"{curve[0][1]:,}" if row == 0 else f"{size:,.0f}" if row % 2 == 0 else ""
        lines.append((label, line))
    end = f"{seconds:.0f} s"
    lines.append((unit, "0 s" + end.rjust(max(0, width - 3))))
    return lines


def sparkline(
    curve: Sequence[tuple[int, int]], tests: int, width: int, blocks: str = BLOCKS
) -> str:
    """Draw sizes over tests, on a logarithmic scale from 1; `curve` has them as (tests, size)."""
    sizes = [math.log(max(size, 1)) for _, size in curve]
    most = max(sizes)
    line = []
    at = 0
    for column in range(width):
        # The size at the end of the tests that this column covers.
        until = tests * (column + 1) / width
        while at + 1 < len(curve) and curve[at + 1][0] <= until:
            at += 1
        share = sizes[at] / most if most else 1.0
        line.append(blocks[round(share * (len(blocks) - 1))])
    return "".join(line)
