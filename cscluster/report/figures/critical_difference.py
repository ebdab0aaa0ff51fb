"""The critical-difference diagram: mean ranks across data sets, and bars that join similar ones."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cscluster.errors import ConfigError
from cscluster.report.aggregate import Results
from cscluster.report.figures import lines
from cscluster.report.figures.layout import figure_kind, new_figure
from cscluster.report.figures.style import current
from cscluster.report.figures.words import metric_name, place_name, wrapped
from cscluster.report.statistics import ALPHA, Friedman, rank_test
from cscluster.words import plural

_FEW, _SHORT = 8, 10  # so many algorithms, with words of so many letters, fit a column
_NAMES = 0.25  # share of the width that the names of one side take at most: half is the line of ranks
_LETTER, _LINE, _GAP, _BAR = 0.066, 0.125, 0.05, 0.09  # inches: a letter, a line, between names, a bar
_EDGE = 0.18  # inches beside names


def alike(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Return first and last place of each largest group of sorted ranks within a critical difference.

    >>> alike([1.0, 1.5, 2.2, 4.0], difference=1.0)
    [(0, 1), (1, 2)]
    """
    groups: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(i for i, other in enumerate(ranks) if other - rank <= difference)
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups


@dataclass(frozen=True)
class _Scale:
    """The line of ranks: from `left` to `right`, for ranks 1 to `last`, at the height `y`; in inches."""

    left: float
    right: float
    last: int
    y: float

    def x(self, rank: float) -> float:
        return self.left + (self.right - self.left) * (rank - 1) / (self.last - 1)


@figure_kind
def critical_difference(results: Results, metric: str, labels: Sequence[str] | None = None) -> Figure:
    """Return the mean ranks of the algorithms (all by default) across data sets on a line, 1 the best.

    A bar joins algorithms whose mean ranks differ by no more than the critical difference of
    Nemenyi's test at 5 %.  Ranks are those of the means at the last point and tier; samples of one
    source count once.

    Raises
    ------
    ConfigError
        For fewer than three algorithms, or fewer than three data sets on which all have results.
    """
    chosen = list(results.labels if labels is None else labels)
    test = rank_test(results, metric, chosen)
    if test is None:
        raise ConfigError(
            f"'{results.name}' needs at least three algorithms with '{metric}' on three data sets for ranks."
        )
    ranks = test.mean_ranks.sort_values(kind="stable")
    texts = [f"{results.marks[str(label)]} ({rank:.2f})" for label, rank in ranks.items()]
    narrow = len(texts) <= _FEW and max(len(word) for text in texts for word in text.split()) <= _SHORT
    width = current().column if narrow else current().page
    names = [wrapped(text, int((_NAMES * width - _EDGE) / _LETTER)) for text in texts]
    half = -(-len(names) // 2)
    left, right = names[:half], names[half:]
    margins = [_EDGE + _LETTER * max(len(t) for t in "\n".join(side).split("\n")) for side in (left, right)]
    caption = _caption(results, metric, test)
    drawn = textwrap.fill(caption, int(width * 19)) if current().captions else ""
    bars = alike(ranks.tolist(), test.critical_difference)
    above = 0.72 + (_LINE * (drawn.count("\n") + 1) if drawn else 0.0)
    under = 0.2 + _BAR * len(bars) + max(sum(map(_height, side)) for side in (left, right))
    figure, axes = _inches(width, above + under)
    figure.set_label(caption)
    axes.text(width / 2, above + under - 0.04, drawn, ha="center", va="top", size=7)
    scale = _Scale(margins[0], width - margins[1], len(names), under)
    _draw_scale(axes, scale, test.critical_difference, f"mean rank by {metric_name(metric)}")
    for level, (first, last) in enumerate(bars):
        ends = [scale.x(ranks.iloc[first]) - 0.04, scale.x(ranks.iloc[last]) + 0.04]
        y = under - 0.1 - _BAR * level
        axes.plot(ends, [y, y], color="black", linewidth=2.8, solid_capstyle="butt", zorder=3)
    below = under - 0.1 - _BAR * len(bars)
    places = [scale.x(rank) for rank in ranks]
    _draw_names(axes, scale, places[:half], left, below, "right")
    _draw_names(axes, scale, places[: half - 1 : -1], right[::-1], below, "left")
    return figure


def _caption(results: Results, metric: str, test: Friedman) -> str:
    verdict = "" if test.p < ALPHA else ", not significant"
    text = (
        f"mean rank by {metric_name(metric)} across {test.across}, 1 is best ({place_name(results)}); "
        f"Friedman p = {test.p:.2g}{verdict}; bars join algorithms that are not significantly different "
        f"(Nemenyi, {ALPHA})"
    )
    missing = {"data set": len(test.absent_datasets), "algorithm": len(test.absent_labels)}
    gone = [plural(count, kind) for kind, count in missing.items() if count]
    if gone:
        text += f"; omitted, no results: {' and '.join(gone)}"
    return text + lines.remarks(results, [str(label) for label in test.mean_ranks.index])


def _height(name: str) -> float:
    return _LINE * (name.count("\n") + 1) + _GAP


def _inches(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a new figure and axes that fill it, in inches."""
    figure = new_figure(width, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(0, height))
    return figure, axes


def _draw_scale(axes: Axes, scale: _Scale, difference: float, title: str) -> None:
    """Draw the line of ranks and, above it, what they are and how long the critical difference is."""
    axes.plot([scale.left, scale.right], [scale.y] * 2, color="black", linewidth=0.8)
    every = 1 if scale.x(2) - scale.x(1) > 0.2 else 2
    for rank in range(1, scale.last + 1):
        axes.plot([scale.x(rank)] * 2, [scale.y, scale.y + 0.05], color="black", linewidth=0.8)
        if (rank - 1) % every == 0:
            axes.text(scale.x(rank), scale.y + 0.07, str(rank), ha="center", va="bottom", size=7)
    axes.text((scale.left + scale.right) / 2, scale.y + 0.46, title, ha="center", va="bottom", size=8)
    y, text = scale.y + 0.32, f"CD = {difference:.2f}"
    if difference > scale.last - 1:
        axes.text(scale.x(1), y, f"{text}, more than all ranks", va="center", size=7)
        return
    ends = [scale.x(1), scale.x(1 + difference)]
    axes.plot(ends, [y, y], color="black", linewidth=1.2, marker="|", markersize=5)
    if scale.right - ends[1] > _LETTER * len(text):
        axes.text(ends[1] + 0.06, y, text, va="center", size=7)
    else:
        axes.text(ends[0] - 0.06, y, text, va="center", ha="right", size=7)


def _draw_names(
    axes: Axes, scale: _Scale, places: Sequence[float], names: Sequence[str], y: float, align: str
) -> None:
    """Write names one below another at one side, each with a line to its place on the scale."""
    edge, outwards = (scale.left - 0.1, -0.04) if align == "right" else (scale.right + 0.1, 0.04)
    for x, name in zip(places, names, strict=True):
        middle = y - _height(name) / 2
        axes.plot([x, x, edge], [scale.y, middle, middle], color="0.35", linewidth=0.7, zorder=2)
        axes.text(edge + outwards, middle, name, ha=align, va="center", size=7)
        y -= _height(name)
