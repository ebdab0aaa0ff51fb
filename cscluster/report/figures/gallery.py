"""Pictures by cluster: a row for each cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from cscluster.arrays import FloatArray, dense
from cscluster.report.figures.layout import figure_kind, new_figure
from cscluster.report.figures.style import current
from cscluster.report.figures.words import plain


@figure_kind
def gallery(
    images: Any,
    labels: ArrayLike,
    shape: tuple[int, ...],
    per_cluster: int = 10,
) -> Figure:
    """Return a row of pictures for each cluster, from the nearest to its mean to the farthest.

    Parameters
    ----------
    images : array-like of shape (n, pixels)
        The samples.
    labels : array-like of shape (n,)
        Cluster of each sample.
    shape : tuple of int
        Height and width of a picture, and 3 if it has colours.
    per_cluster : int
        Pictures in a row; larger clusters are sampled evenly over the distance from their mean.
    """
    pixels, found = dense(images), np.asarray(labels)
    clusters = np.unique(found)
    members = [np.flatnonzero(found == cluster) for cluster in clusters]
    shown = [_spread(pixels, rows, per_cluster) for rows in members]
    height, width = shape[0] + 1, shape[1] + 1
    names = [plain(f"{cluster}: {len(rows)}") for cluster, rows in zip(clusters, members, strict=True)]
    side = (current().column - 0.2 - 0.06 * max(map(len, names))) / per_cluster
    figure = new_figure(current().column, len(clusters) * side * height / width + 0.1)
    axes = figure.subplots()
    axes.imshow(_mosaic(pixels, shown, shape, per_cluster), cmap="gray_r", interpolation="nearest")
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xticks([])
    axes.set_yticks([(i + 0.5) * height - 1 for i in range(len(clusters))], names)
    figure.set_label("each row a cluster and its size, from its nearest to its farthest sample from the mean")
    return figure


def _spread(pixels: FloatArray, rows: Any, count: int) -> Any:
    """Return at most `count` of the rows, evenly over their order by distance from the mean."""
    distance = np.linalg.norm(pixels[rows] - pixels[rows].mean(axis=0), axis=1)
    order = rows[np.argsort(distance, kind="stable")]
    return order[np.linspace(0, len(order) - 1, min(count, len(order))).astype(int)]


def _mosaic(pixels: FloatArray, rows_of: list[Any], shape: tuple[int, ...], columns: int) -> Any:
    """Return all pictures side by side, a pixel apart; what is no picture is empty."""
    low, high = float(pixels.min()), float(pixels.max())
    scaled = (pixels - low) / ((high - low) or 1.0)
    canvas = np.full((len(rows_of), columns, shape[0] + 1, shape[1] + 1, *shape[2:]), np.nan)
    for place, rows in zip(canvas, rows_of, strict=True):
        place[: len(rows), :-1, :-1] = scaled[rows].reshape(-1, *shape)
    n_rows, n_columns = len(rows_of) * (shape[0] + 1), columns * (shape[1] + 1)
    canvas = canvas.swapaxes(1, 2).reshape(n_rows, n_columns, *shape[2:])
    return np.nan_to_num(canvas, nan=1.0) if len(shape) == 3 else canvas
