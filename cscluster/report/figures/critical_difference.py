"""The critical-difference diagram: mean ranks across data sets, and bars that join similar ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from cscluster.errors import ConfigError
from cscluster.report.aggregate import Results
from cscluster.report.figures import lines
from cscluster.report.figures.layout import figure_kind, new_figure
from cscluster.report.figures.style import current
from cscluster.report.figures.words import metric_name, place_name, wrapped
from cscluster.report.statistics import ALPHA, ENOUGH_DATASETS, Friedman, rank_test

_FEW = 8  # so many algorithms fit a column
_NAME = 22  # letters of a line of a name
_LINE = 0.125  # inches
_CD, _ABOVE = -3.2, 36  # the critical difference: lines above the ranks; points that it takes with the ticks


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


@figure_kind
def critical_difference(results: Results, metric: str) -> Figure:
    """Return the mean ranks of the algorithms across data sets on a line, 1 the best.

    A bar joins algorithms whose mean ranks differ by no more than the critical difference of
    Nemenyi's test at 5 %.  Ranks are those of the means at the last point and tier; samples of one
    source count once.

    Raises
    ------
    ConfigError
        For fewer than three algorithms, or fewer than five data sets on which all have results.
    """
    test = rank_test(results, metric)
    if test is None:
        needs = f"three algorithms with '{metric}' on {ENOUGH_DATASETS} data sets"
        raise ConfigError(f"Ranks of '{results.name}' need {needs}.")
    ranks = test.mean_ranks.sort_values(kind="stable")
    names = [wrapped(f"{results.marks[str(label)]} ({rank:.2f})", _NAME) for label, rank in ranks.items()]
    half = math.ceil(len(names) / 2)
    placed = list(zip(ranks, names, strict=True))
    sides = (1, "right", placed[:half]), (len(names), "left", placed[: half - 1 : -1])
    bars = alike(ranks.tolist(), test.critical_difference)
    depth = 1 + len(bars) + max(sum(map(_lines, names[:half])), sum(map(_lines, names[half:])))
    narrow = len(names) <= _FEW and not any("\n" in name for name in names)
    figure = new_figure(current().column if narrow else current().page, 0.6 + _LINE * depth)
    figure.set_label(_caption(results, metric, test))
    axes = _rank_axis(figure, len(names), depth, metric_name(metric))
    _draw_difference(axes, test.critical_difference, len(names))
    for level, (first, last) in enumerate(bars, start=1):
        ends = [ranks.iloc[first], ranks.iloc[last]]
        axes.plot(ends, [level, level], color="black", linewidth=2.8, zorder=3)
    for edge, align, side in sides:
        _draw_names(axes, side, edge, align, len(bars) + 1)
    return figure


def _rank_axis(figure: Figure, last: int, depth: float, metric: str) -> Axes:
    """Return axes with ranks along their upper edge, in lines of text from there down to `depth`."""
    axes = figure.subplots()
    axes.set(xlim=(1, last), ylim=(depth, 0), yticks=[])
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.tick_top()
    axes.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    axes.set_title(f"mean rank by {metric}", pad=_ABOVE)
    return axes


def _draw_difference(axes: Axes, difference: float, last: int) -> None:
    """Draw above the ranks how long the critical difference is."""
    text = f"CD = {difference:.2f}"
    if difference > last - 1:
        axes.text(1, _CD, f"{text}, more than all ranks", size=7, va="center")
        return
    axes.plot([1, 1 + difference], [_CD, _CD], color="black", linewidth=1.2, marker="|", clip_on=False)
    _write_beside(axes, text, (1 + difference, _CD), "left")


def _write_beside(axes: Axes, text: str, at: tuple[float, float], align: str) -> None:
    shift = (4 if align == "left" else -4, 0)
    note = axes.annotate(text, at, shift, textcoords="offset points", size=7, va="center", ha=align)
    note.set_annotation_clip(False)


def _caption(results: Results, metric: str, test: Friedman) -> str:
    text = (
        f"{test.words()}. Mean rank by {metric_name(metric)}, 1 is best ({place_name(results)}). "
        f"Bars join algorithms that are not significantly different (Nemenyi, {ALPHA})"
    )
    return text + lines.remarks(results)


def _lines(name: str) -> float:
    return name.count("\n") + 1.4


def _draw_names(axes: Axes, side: Iterable[tuple[float, str]], edge: float, align: str, y: float) -> None:
    """Write names one below another beside an edge, each with a line to its place on the scale."""
    for rank, name in side:
        middle = y + _lines(name) / 2
        axes.plot([rank, rank, edge], [0, middle, middle], color="0.35", linewidth=0.7, clip_on=False)
        _write_beside(axes, name, (edge, middle), align)
        y += _lines(name)
