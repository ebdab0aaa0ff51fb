"""Panels, axes and legends: where things are in a figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, ParamSpec

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from cscluster.report.figures.save import ShownFigure
from cscluster.report.figures.style import current, styled
from cscluster.report.figures.words import number_text, wrapped

P = ParamSpec("P")

_LETTER, _SMALL = 0.062, 0.053  # inches: a letter of a tick label and, on average, of a legend
_HANDLE = 0.46  # inches: the sample of a line in a legend, and the gap before the next
_LINE = 44  # letters of a line in a legend
_TALLEST = 0.5  # height of a legend in that of the panels
_NARROW = 5.0  # a logarithmic axis of a smaller range would have hardly a label


def figure_kind(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Have a function draw in the style of the package, and lay the figure out before it is returned."""

    @wraps(draw)
    def draw_in_style(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with styled():
            figure = draw(*args, **kwargs)
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            return figure

    return draw_in_style


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that arranges what is put in it."""
    figure = ShownFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def panels(
    names: Sequence[str],
    height: Callable[[float], float],
    columns: int | None = None,
    left: float = 0.0,
    share_y: bool = False,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for each name, of the width of a column or, with several, of a page.

    `height` gives the height of a panel by its width; `left` is what words at the left of a row take.
    """
    count = len(names)
    columns = columns or grid_columns(count, 3 if count <= 9 else 5)  # a page is high enough for three rows
    rows = -(-count // columns)
    width = (current().column if count == 1 else current().page) / columns
    letters = max(14, int((width - left / columns) * 13 - 2))
    titles = [wrapped(name, letters) if count > 1 else "" for name in names]
    tallest = max(title.count("\n") + 1 for title in titles)
    figure = new_figure(columns * width, rows * (height(width) + 0.14 * tallest))
    grid = figure.subplots(rows, columns, squeeze=False, sharey=share_y).ravel().tolist()
    for axes, title in zip(grid, titles, strict=False):
        axes.set_title(title)
        axes.xaxis.set_major_locator(_ticks((width - left / columns) / 0.45))
        axes.yaxis.set_major_locator(_ticks(height(width) / 0.3))
    for axes in grid[count:]:
        axes.remove()
    return figure, grid[:count]


def line_height(width: float) -> float:
    """Return the height of a panel of lines by its width."""
    return 0.35 + current().flatness * width


def _ticks(room: float) -> MaxNLocator:
    """Place ticks for which there is room; were their number not fixed, they would undo the layout."""
    return MaxNLocator(max(2, min(7, int(room))), steps=[1, 2, 2.5, 5, 10])


def grid_columns(count: int, most: int) -> int:
    """Return how many panels are side by side: at most `most`, in few rows with few places left empty."""
    return min(range(1, most + 1), key=lambda columns: (-(-count // columns), -count % columns))


def first_in_row(axes: Axes) -> bool:
    """Tell whether a panel is in the first column."""
    place = axes.get_subplotspec()
    return place is not None and place.is_first_col()


def add_legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str], caption: str = "") -> None:
    """Put a legend above the panels, in as many columns as fit, and make the figure higher by as much.

    `caption`, the figure's label, says how to read what is drawn.  A legend that would be half as high as the
    panels or more has the width of a page.
    """
    figure.set_label(caption)
    if not handles:
        return
    texts = [wrapped(label, _LINE) for label in labels]
    widths = [_HANDLE + _SMALL * max(map(len, text.split("\n"))) for text in texts]
    width, height = figure.get_size_inches()
    columns = len(texts) if sum(widths) < width else max(1, int(width / max(widths)))
    legend = figure.legend(
        list(handles),
        texts,
        loc="outside upper center",
        ncols=columns,
        frameon=False,
        handlelength=2.6,
        columnspacing=1.0,
        labelspacing=0.25,
        borderpad=0.1,
        borderaxespad=0.2,
    )
    high = legend.get_window_extent().height / figure.dpi
    if high > _TALLEST * height and width < current().page:
        legend.remove()
        figure.set_size_inches(current().page, height)
        add_legend(figure, handles, labels, caption)
    else:
        figure.set_size_inches(width, height + high)


def is_geometric(values: Iterable[float]) -> bool:
    """Tell whether values lie more evenly on a logarithmic than on a linear axis.

    >>> is_geometric([0.01, 0.1, 1, 10]), is_geometric([50, 100, 150]), is_geometric([0, 1, 10])
    (True, False, False)
    """
    ordered = np.unique(list(values))
    if len(ordered) < 3 or ordered[0] <= 0:
        return bool(len(ordered) == 2 and 0 < 10 * ordered[0] <= ordered[1])
    steps, ratios = np.diff(ordered), np.diff(np.log(ordered))
    return bool(ratios.max() / ratios.min() < steps.max() / steps.min())


def log_axis(axes: Axes, which: str, values: Iterable[float]) -> None:
    """Make an axis (``x`` or ``y``) for these values logarithmic, unless they hardly differ."""
    positive = [value for value in values if value > 0]
    if not positive or max(positive) < _NARROW * min(positive):
        return
    axes.set(**{f"{which}scale": "log"})
    axis = getattr(axes, f"{which}axis")
    decades = math.log10(max(positive) / min(positive))
    axis.set_major_locator(LogLocator(subs=(1,) if decades > 2.5 else (1, 3) if decades > 1 else (1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: number_text(value)))
    axis.set_minor_formatter(NullFormatter())


def number_axis(axes: Axes, values: Iterable[float]) -> None:
    """Set up the horizontal axis for these values, with a tick at each if there is room for them."""
    ordered = np.unique(list(values))
    geometric = is_geometric(ordered)
    if geometric:
        log_axis(axes, "x", ordered)
    if len(ordered) == 1:
        axes.set_xlim(ordered[0] - 1, ordered[0] + 1)
    places, texts = np.log(ordered) if geometric else ordered, [number_text(value) for value in ordered]
    room = axes.bbox.width / axes.figure.dpi / (_LETTER * (max(map(len, texts)) + 1))
    if len(ordered) == 1 or np.ptp(places) <= room * np.diff(places).min():
        axes.set_xticks(ordered, texts)
        axes.xaxis.set_minor_locator(NullLocator())


def say_empty(axes: Axes) -> None:
    """Write into a panel that there is nothing to draw."""
    axes.text(0.5, 0.5, "no result", transform=axes.transAxes, ha="center", va="center", color="0.4")
    axes.grid(visible=False)
    axes.tick_params(left=False, labelleft=False, bottom=False, labelbottom=False)  # panels may share them
