"""Figures of the papers as one SVG each: points of some series between two axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

#: The points of each series, by its name.
Series: TypeAlias = Mapping[str, Sequence[tuple[float, float]]]

_WIDTH: Final = 640
_HEIGHT: Final = 360
_EDGE: Final = 50

#: Colours that differ for colour-blind readers too (Okabe and Ito).
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


def scatter(across: str, up: str, series: Series, *, joined: bool = False) -> str:
    """Return a picture of points, `joined` by lines or not; both axes hold 0."""
    points = [point for some in series.values() for point in some]
    left, right = (edge(0.0, *(x for x, _ in points)) for edge in (min, max))
    low, high = (edge(0.0, *(y for _, y in points)) for edge in (min, max))

    def place(x: float, y: float) -> tuple[float, float]:
        wide, tall = max(right - left, 1e-9), max(high - low, 1e-9)
        return (
            _EDGE + (x - left) / wide * (_WIDTH - 2 * _EDGE),
            _HEIGHT - _EDGE - (y - low) / tall * (_HEIGHT - 2 * _EDGE),
        )

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{up}, by {across}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
    ]
    for one, other in (((left, 0.0), (right, 0.0)), ((0.0, low), (0.0, high))):
        (x1, y1), (x2, y2) = place(*one), place(*other)
        lines.append(f'<path d="M{x1:.0f} {y1:.0f} L{x2:.0f} {y2:.0f}" stroke="#888"/>')
    for x, y, words in (
        (right, 0.0, f"{right:g}"),
        (left, 0.0, f"{left:g}"),
        (0.0, high, f"{high:g}"),
        (0.0, low, f"{low:g}"),
    ):
        at, down = place(x, y)
        lines.append(f'<text x="{at + 3:.0f}" y="{down - 3:.0f}" fill="#555">{words}</text>')
    middle = f'<text x="{_WIDTH / 2:.0f}" y="{_HEIGHT - 12}" text-anchor="middle">{across}</text>'
    lines += [middle, f'<text x="8" y="16">{up}</text>']
    for number, (name, some) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        down = 16 * number + 16
        lines.append(f'<text x="{_WIDTH - 190}" y="{down}" fill="{colour}">{name}</text>')
        if joined:
            way = " L".join("{:.1f} {:.1f}".format(*place(x, y)) for x, y in some)
            lines.append(f'<path d="M{way}" stroke="{colour}" fill="none"/>')
        for x, y in some:
            at, height = place(x, y)
            lines.append(f'<circle cx="{at:.1f}" cy="{height:.1f}" r="3.5" fill="{colour}"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"
