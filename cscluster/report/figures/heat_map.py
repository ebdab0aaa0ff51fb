"""Heat maps of a metric over two parameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cscluster.metrics.catalogue import lower_is_better
from cscluster.report.aggregate import Results
from cscluster.report.figures import lines
from cscluster.report.figures.layout import add_legend, frame, panels, say_empty
from cscluster.report.figures.style import ink_on
from cscluster.report.figures.words import metric_name, number_text, place_name, plain
from cscluster.report.statistics import intervals

_MAP = matplotlib.colormaps["cividis"]  # even steps for all readers, and in grey
_ROOM_FOR_NUMBERS = 7  # columns and rows


def draw_maps(results: Results, metric: str, parameters: Sequence[str], entries: Sequence[str]) -> Figure:
    """Return a heat map for each data set and entry; the best mean has a frame."""
    table = intervals(results, metric, ["dataset", "entry", "p0", "p1"])
    columns, rows = table["p0"].unique(), table["p1"].unique()
    places = list(product(results.datasets, entries))
    titles = [f"{entry} on {dataset}" if len(entries) > 1 else dataset for dataset, entry in places]
    side = min(len(places), 3 if len(columns) <= _ROOM_FOR_NUMBERS else 2)
    figure, grid = panels(titles, lambda _: 0.45 + 0.2 * len(rows), side)
    for axes, (dataset, entry) in zip(grid, places, strict=True):
        mine = table[(table["dataset"] == dataset) & (table["entry"] == entry)]
        means = mine.pivot(index="p1", columns="p0", values="mean")
        _draw_map(figure, axes, means.reindex(index=rows, columns=columns), metric)
    figure.supxlabel(plain(parameters[0]))
    figure.supylabel(plain(parameters[1]))
    best = f"best {metric_name(metric)}" + (" of its panel" if len(places) > 1 else "")
    caption = f"{lines.caption(results, metric, table.assign(low=np.nan))}; {place_name(results)}"
    add_legend(figure, [frame(0, 0)], [best], f"{caption}; colours: lowest to highest mean of a panel")
    return figure


def axis_text(value: Any) -> str:
    """Return the value of a parameter as the text of a tick."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return number_text(value) if is_number else "none" if value is None else plain(value)


def _draw_map(figure: Figure, axes: Axes, means: pd.DataFrame, metric: str) -> None:
    values = means.to_numpy(float)
    axes.grid(visible=False)
    axes.set_xticks(range(values.shape[1]), means.columns)
    axes.set_yticks(range(values.shape[0]), means.index)
    if not np.isfinite(values).any():
        say_empty(axes)
        return
    low, high = np.nanmin(values), np.nanmax(values)
    best = low if lower_is_better(metric) else high
    if low < high:
        for row, column in np.argwhere(np.isclose(values, best, rtol=0, atol=1e-9)).tolist():
            axes.add_patch(frame(column - 0.5, row - 0.5))
    else:  # no cell is the best of a panel whose means are all the same: the colour is the middle one
        low, high = low - 1, high + 1
    image = axes.imshow(values, cmap=_MAP, origin="lower", aspect="auto", vmin=low, vmax=high)
    if max(values.shape) > _ROOM_FOR_NUMBERS:
        figure.colorbar(image, ax=axes, fraction=0.06, pad=0.02)
    else:
        for (i, j), value in np.ndenumerate(values):
            ink = ink_on(image.to_rgba(value)) if np.isfinite(value) else "black"
            text = "–" if np.isnan(value) else f"{value:.3f}" if value < 10 else f"{value:.3g}"
            axes.text(j, i, text, ha="center", va="center", size=6, color=ink)
