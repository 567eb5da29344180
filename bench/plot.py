"""Line charts as SVG, with nothing but the standard library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

# Colours that the colour-blind tell apart too (Okabe and Ito, 2008).
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")

_WIDTH: Final = 720
_HEIGHT: Final = 440
_LEFT: Final = 70
_RIGHT: Final = 20
_TOP: Final = 40
_BOTTOM: Final = 60
_TICKS: Final = 5
_LEGEND_LINE: Final = 18


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart.

    `dots` are drawn beside it: a place and how large. `band` is a shade around it: a place across,
    the lower and the upper end.
    """

    name: str
    points: Sequence[tuple[float, float]]
    dots: Sequence[tuple[float, float, float]] = ()
    band: Sequence[tuple[float, float, float]] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with both axes from 0 to a largest value.

    If `powers`, the axis upwards begins at 1, and each power of ten takes the same space.
    """

    title: str
    across: str
    up: str
    series: Sequence[Series]
    most_across: float
    most_up: float
    powers: bool = False

    def svg(self) -> str:
        """Return the chart as an SVG document."""
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            'font-family="sans-serif" font-size="13">',
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
            _text(_WIDTH / 2, 24, self.title, size=15),
            *self._axes(),
        ]
        for number, series in enumerate(self.series):
            parts += self._line(series, _COLOURS[number % len(_COLOURS)])
        for number, series in enumerate(self.series):
            parts += self._legend(number, series.name)
        return "\n".join([*parts, "</svg>", ""])

    def _x(self, value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * value / self.most_across

    def _y(self, value: float) -> float:
        share = value / self.most_up
        if self.powers:
            share = math.log(max(1.0, value)) / math.log(self.most_up)
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share

    def _ticks_up(self) -> list[float]:
        if self.powers:
            return [10.0**power for power in range(int(math.log10(self.most_up)) + 1)]
        return [self.most_up * tick / _TICKS for tick in range(_TICKS + 1)]

    def _axes(self) -> list[str]:
        parts = []
        for tick in range(_TICKS + 1):
            across = self.most_across * tick / _TICKS
            x = self._x(across)
            parts += [
                _grid(f"M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"),
                _text(x, _HEIGHT - _BOTTOM + 18, f"{across:,.4g}"),
            ]
        for up in self._ticks_up():
            y = self._y(up)
            parts += [
                _grid(f"M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"),
                _text(_LEFT - 8, y + 4, f"{up:,.6g}", anchor="end"),
            ]
        parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 16, self.across))
        middle = (_TOP + _HEIGHT - _BOTTOM) / 2
        turned = f'transform="rotate(-90 18 {middle:.0f})"'
        parts.append(_text(18, middle, self.up, more=turned))
        return parts

    def _line(self, series: Series, colour: str) -> list[str]:
        path = " ".join(f"{self._x(x):.1f},{self._y(y):.1f}" for x, y in series.points)
        dots = [
            f'<circle cx="{self._x(x):.1f}" cy="{self._y(y):.1f}" r="{radius:.1f}" '
            f'fill="{colour}" fill-opacity="0.45"/>'
            for x, y, radius in series.dots
        ]
        ends = [(x, low) for x, low, _ in series.band]
        ends += [(x, high) for x, _, high in reversed(series.band)]
        around = " ".join(f"{self._x(x):.1f},{self._y(y):.1f}" for x, y in ends)
        band = [f'<polygon points="{around}" fill="{colour}" fill-opacity="0.15"/>'] if ends else []
        return [
            *band,
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            *dots,
        ]

    def _legend(self, number: int, name: str) -> list[str]:
        colour = _COLOURS[number % len(_COLOURS)]
        x = _LEFT + 12
        y = _HEIGHT - _BOTTOM - 12 - _LEGEND_LINE * (len(self.series) - 1 - number)
        return [
            f'<path d="M{x} {y - 4}h22" stroke="{colour}" stroke-width="3"/>',
            _text(x + 28, y, name, anchor="start"),
        ]


def _grid(path: str) -> str:
    return f'<path d="{path}" stroke="#dddddd" fill="none"/>'


def _text(
    x: float, y: float, words: str, *, anchor: str = "middle", size: int = 13, more: str = ""
) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
    return f"<text {place} {more}>{escape(words)}</text>"
