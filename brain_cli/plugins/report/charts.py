"""Charts as SVG text: bars over time, bars by name, and the curve of certainty against feedback.

Colours come from the page's style, by class, so that one drawing serves light, dark and paper. Each chart has a table
of its numbers beside it, for screen readers and for copying.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil
from typing import NamedTuple

from brain_cli.answer.usage_over_time import CertaintyBin

WIDTH = 720
HEIGHT = 180
# Space for the labels below the bars, and for the largest value above them.
FOOT = 22
HEAD = 16
MAX_LABELS = 8
# The maximum width of a bar: a few bars do not fill the chart.
MAX_STEP = WIDTH / 16
CURVE_SIZE = 260
CURVE_MARGIN = 36


class Series(NamedTuple):
    """One stack of every bar: its name in the table, the style class that colours it, and its values."""

    name: str
    style: str
    values: Sequence[int]


def bars_over_time(title: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    """Draw stacked bars, one for each label, with a table of the numbers."""
    totals = [sum(values) for values in zip(*(each.values for each in series), strict=True)]
    most = max(totals, default=0) or 1
    step = min(MAX_STEP, WIDTH / max(1, len(labels)))
    drawn = [f'<text class="axis" x="0" y="{HEAD - 4}">{most}</text>']
    for index, label in enumerate(labels):
        drawn += _stack(index * step, step, label, [(each, each.values[index]) for each in series], most)
    drawn += _labels(labels, step)
    return _figure(title, f"0 0 {WIDTH} {HEIGHT}", drawn, _table(["", *(each.name for each in series)], labels, series))


def _stack(left: float, step: float, label: str, parts: Sequence[tuple[Series, int]], most: int) -> list[str]:
    """Draw the parts of one bar on top of each other."""
    drawn, bottom, full = [], float(HEIGHT - FOOT), HEIGHT - FOOT - HEAD
    for series, value in parts:
        height = value / most * full
        bottom -= height
        if value:
            tooltip = escape(f"{label}: {value} {series.name}")
            drawn.append(
                f'<rect class="{series.style}" x="{left + step * 0.1:.1f}" y="{bottom:.1f}" width="{step * 0.8:.1f}"'
                f' height="{height:.1f}"><title>{tooltip}</title></rect>'
            )
    return drawn


def _labels(labels: Sequence[str], step: float) -> list[str]:
    # Labels that would overlap are left out.
    every = ceil(WIDTH / MAX_LABELS / step)
    return [
        f'<text class="axis" x="{index * step + step * 0.1:.1f}" y="{HEIGHT - 6}">{escape(labels[index])}</text>'
        for index in range(0, len(labels), every)
    ]


def bars_by_name(title: str, counts: Mapping[str, int]) -> str:
    """Draw one horizontal bar for each name: a table whose last column is the bar, so no second table is needed."""
    most = max(counts.values(), default=0) or 1
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{count}</td>'
        f'<td class="bar"><span style="width:{count / most:.1%}"></span></td></tr>'
        for name, count in counts.items()
    )
    return f'<table class="bars"><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>'


def certainty_curve(title: str, bins: Sequence[CertaintyBin]) -> str:
    """Draw the share of useful answers against their certainty; they are equal on the dashed line."""
    if not any(each.useful + each.wrong for each in bins):
        command = "<code>brain feedback NOTE useful</code>"
        return f"<h3>{escape(title)}</h3><p>No answer has been judged yet: {command}, or wrong, says how it was.</p>"
    judged = [(each, each.right_share) for each in bins]
    points = [(_x((each.low + each.high) / 2), _y(share), each) for each, share in judged if share is not None]
    drawn = [
        f'<path class="grid" d="M{_x(0)} {_y(1)}V{_y(0)}H{_x(1)}"/>',
        f'<path class="ideal" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>',
        *(f'<text class="axis" x="{_x(share) - 8}" y="{CURVE_SIZE - 18}">{share:.0%}</text>' for share in (0, 0.5, 1)),
        *(f'<text class="axis" x="0" y="{_y(share) + 4}">{share:.0%}</text>' for share in (0, 0.5, 1)),
        f'<text class="axis" x="{_x(0.5) - 30}" y="{CURVE_SIZE - 4}">certainty</text>',
    ]
    if points:
        drawn.append(f'<path class="curve" d="M{"L".join(f"{x} {y}" for x, y, _ in points)}"/>')
    for x, y, each in points:
        tooltip = f"{each.useful} of {each.useful + each.wrong} useful, certainty {each.low:.0%} to {each.high:.0%}"
        drawn.append(f'<circle class="point" cx="{x}" cy="{y}" r="5"><title>{tooltip}</title></circle>')
    names = [f"{each.low:.0%}–{each.high:.0%}" for each in bins]
    series = [
        Series("useful", "", [each.useful for each in bins]),
        Series("wrong", "", [each.wrong for each in bins]),
    ]
    table = _table(["certainty", "useful", "wrong"], names, series)
    return _figure(title, f"0 0 {CURVE_SIZE} {CURVE_SIZE}", drawn, table, style="small")


def _x(share: float) -> float:
    return round(CURVE_MARGIN + share * (CURVE_SIZE - 2 * CURVE_MARGIN), 1)


def _y(share: float) -> float:
    return round(CURVE_SIZE - CURVE_MARGIN - share * (CURVE_SIZE - 2 * CURVE_MARGIN), 1)


def _figure(title: str, view_box: str, drawn: Sequence[str], table: str, style: str = "") -> str:
    return (
        f'<figure class="{style}"><figcaption>{escape(title)}</figcaption>'
        f'<svg viewBox="{view_box}" role="img" aria-label="{escape(title)}">{"".join(drawn)}</svg>'
        f"<details><summary>Numbers</summary>{table}</details></figure>"
    )


def _table(heads: Sequence[str], labels: Sequence[str], series: Sequence[Series]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    rows = "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(f'<td class="number">{each.values[index]}</td>' for each in series)
        + "</tr>"
        for index, label in enumerate(labels)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
