"""Panels, axes and legends: where things are in a figure."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any, ParamSpec

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from cscluster.report.colours import EMPHASIS
from cscluster.report.figures.save import ShownFigure
from cscluster.report.figures.style import current, styled
from cscluster.report.figures.words import number_text, wrapped

P = ParamSpec("P")

_LETTER = 0.062  # inches: a letter of a tick label
_LINE = 44  # letters of a line in a legend
_FILLED = 0.97  # of the width of a figure by a legend: letters are a little wider with more pixels
_TALLEST = 0.5  # height of a legend in that of the panels


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
    names: Sequence[str], height: Callable[[float], float], columns: int | None = None, left: float = 0.0
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
    grid = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
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

    `caption` says how to read what is drawn.  It is the figure's label, and the heading of the legend
    where captions are drawn.  A legend that would be half as high as the panels or more has the width of
    a page.
    """
    figure.set_label(caption)
    width, height = figure.get_size_inches()
    title = textwrap.fill(caption, int(width * 19)) if current().captions else ""
    if not (handles or title):
        return
    texts = [wrapped(label, _LINE) for label in labels]
    rows, fits = 0, False
    while not fits:
        rows += 1
        columns = max(1, -(-len(texts) // rows))
        legend = figure.legend(
            list(handles),
            texts,
            title=title,
            loc="outside upper center",
            ncols=columns,
            frameon=False,
            handlelength=2.6,
            handletextpad=0.5,
            columnspacing=1.0,
            labelspacing=0.25,
            borderpad=0.1,
            borderaxespad=0.2,
        )
        legend.get_title().set_multialignment("center")
        box = legend.get_window_extent()
        fits = box.width <= _FILLED * width * figure.dpi or columns == 1
        if not fits:
            legend.remove()
    tall = box.height > _TALLEST * height * figure.dpi
    if tall and width < current().page:
        legend.remove()
        figure.set_size_inches(current().page, height)
        add_legend(figure, handles, labels, caption)
        return
    figure.set_size_inches(width, height + box.height / figure.dpi)


def is_geometric(values: Sequence[float]) -> bool:
    """Tell whether values lie more evenly on a logarithmic than on a linear axis.

    >>> is_geometric([0.01, 0.1, 1, 10]), is_geometric([50, 100, 150]), is_geometric([0, 1, 10])
    (True, False, False)
    """
    ordered = sorted(set(values))
    if len(ordered) < 2 or ordered[0] <= 0:
        return False
    if len(ordered) == 2:
        return ordered[1] >= 10 * ordered[0]
    steps = [b - a for a, b in pairwise(ordered)]
    ratios = [math.log(b / a) for a, b in pairwise(ordered)]
    return max(ratios) / min(ratios) < max(steps) / min(steps)


def log_axis(axes: Axes, which: str, values: Iterable[float]) -> None:
    """Make an axis (``x`` or ``y``) for these values logarithmic, unless they hardly differ."""
    positive = [value for value in values if value > 0]
    if not positive or max(positive) < 2 * min(positive):
        return
    axes.set(**{f"{which}scale": "log"})
    axis = getattr(axes, f"{which}axis")
    axis.set_major_locator(LogLocator(subs=_steps(min(positive), max(positive))))
    axis.set_major_formatter(FuncFormatter(lambda value, _: number_text(value)))
    axis.set_minor_formatter(NullFormatter())


def _steps(low: float, high: float) -> tuple[int, ...]:
    """Return which multiples of the powers of ten have a label, so that there are two or more.

    >>> _steps(0.01, 10), _steps(2, 30), _steps(2, 5), _steps(3, 4)
    ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 4, 6, 8))
    """
    powers = [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    for steps, labels in (((1,), 3), ((1, 3), 3), ((1, 2, 5), 2)):
        if sum(low <= step * power <= high for power in powers for step in steps) >= labels:
            return steps
    return 1, 2, 3, 4, 6, 8


def number_axis(axes: Axes, values: Sequence[float]) -> None:
    """Set up the horizontal axis for these values, with ticks at as many of them as there is room for."""
    ordered = sorted(set(values))
    place: Callable[[float], float] = float
    if is_geometric(ordered):
        log_axis(axes, "x", ordered)
        place = math.log
    elif len(ordered) > 12:
        axes.xaxis.set_major_locator(MaxNLocator(5))
        return
    if len(ordered) == 1:
        axes.set_xlim(ordered[0] - 1, ordered[0] + 1)
    ticks_at(axes, ordered, place)


def ticks_at(axes: Axes, values: Sequence[float], place: Callable[[float], float]) -> None:
    """Put ticks of the horizontal axis at as many values as there is room for; `place` is their scale.

    The largest value has one, and then as many as do not run into each other.
    """
    ordered = sorted(set(values), reverse=True)
    span = place(ordered[0]) - place(ordered[-1]) or 1.0
    inches = axes.bbox.width / axes.figure.dpi
    kept = ordered[:1]
    for value in ordered[1:]:
        letters = (len(number_text(value)) + len(number_text(kept[-1]))) / 2 + 0.7
        if inches * (place(kept[-1]) - place(value)) / span >= _LETTER * letters:
            kept.append(value)
    axes.set_xticks(kept[::-1], [number_text(value) for value in kept[::-1]])
    axes.xaxis.set_minor_locator(NullLocator())


def frame(x: float, y: float, width: float = 1.0, height: float = 1.0) -> Rectangle:
    """Return a frame around what must not be overlooked."""
    return Rectangle((x, y), width, height, fill=False, edgecolor=EMPHASIS, linewidth=1.5, clip_on=False)


def say_empty(axes: Axes) -> None:
    """Write into a panel that there is nothing to draw."""
    axes.text(0.5, 0.5, "no result", transform=axes.transAxes, ha="center", va="center", color="0.4")
    axes.set(xticks=[], yticks=[])
