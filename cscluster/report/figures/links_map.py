"""Samples in the plane: with their clusters and constraints, or with their classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from cscluster.arrays import FloatArray, dense
from cscluster.constraints import Constraints
from cscluster.report.colours import CLUSTERS, COLOURS, EMPHASIS
from cscluster.report.figures.layout import add_legend, figure_kind, new_figure, panels
from cscluster.report.figures.style import MARKERS, current
from cscluster.report.figures.words import plain

_NAMED = 12  # clusters that the legend names
_MUST: dict[str, Any] = {"color": "black", "linewidth": 0.8, "linestyle": "-"}
_CANNOT: dict[str, Any] = {"color": "black", "linewidth": 0.8, "linestyle": (0, (3, 2))}
_BROKEN: dict[str, Any] = {"color": EMPHASIS, "linewidth": 2.4}


def project(X: Any) -> tuple[FloatArray, tuple[str, str]]:
    """Return samples as points in the plane, and what the axes are.

    Samples of two features are taken as they are, of more by their first two principal components;
    a single feature is spread along a line.
    """
    points = dense(X)
    if points.shape[1] == 1:
        return np.column_stack([points[:, 0], np.zeros(len(points))]), ("feature 1", "")
    if points.shape[1] == 2:
        return points, ("feature 1", "feature 2")
    from sklearn.decomposition import PCA

    pca = PCA(n_components=2, random_state=0)
    points = pca.fit_transform(points)
    shares = [f"{100 * share:.0f}\u00a0% of variance" for share in pca.explained_variance_ratio_]
    return points, (f"principal component 1 ({shares[0]})", f"principal component 2 ({shares[1]})")


@figure_kind
def links_map(
    X: ArrayLike,
    labels: ArrayLike,
    constraints: Constraints,
    axes_names: tuple[str, str] = ("feature 1", "feature 2"),
) -> Figure:
    """Return samples in the plane, must-links as solid and cannot-links as dashed lines.

    Constraints that the clusters violate are thick and coloured.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The samples; `project` makes such points of any others.
    labels : array-like of shape (n,)
        Cluster of each sample.
    constraints : Constraints
        The constraints.
    axes_names : pair of str
        What the axes are.
    """
    points, found = np.asarray(X, dtype=float), np.asarray(labels)
    figure = new_figure(current().column, 0.9 * current().column)
    axes = figure.subplots()
    axes.grid(visible=False)
    handles = _draw_links(axes, points, found, constraints)
    handles = _draw_groups(axes, points, found) + handles
    axes.set_xlabel(plain(axes_names[0]))
    axes.set_ylabel(plain(axes_names[1]))
    if axes_names[1] == "":
        axes.set_yticks([])
    add_legend(figure, [handle for handle, _ in handles], [name for _, name in handles])
    return figure


@figure_kind
def samples(sets: Mapping[str, tuple[Any, Any]]) -> Figure:
    """Return a panel for each data set, with its samples in the plane, as in Fig. 1 of baghshah2010.

    Parameters
    ----------
    sets : mapping
        Samples and their classes by the name of the data set; `project` brings samples into the plane.
    """
    figure, grid = panels(list(sets), lambda width: 0.9 * width)
    for axes, (X, classes) in zip(grid, sets.values(), strict=True):
        points, _ = project(X)
        _draw_groups(axes, points, np.asarray(classes))
        axes.grid(visible=False)
        axes.set_aspect("equal", adjustable="datalim")
    figure.set_label("samples, colour and marker by class")
    return figure


def _draw_groups(axes: Axes, points: FloatArray, labels: Any) -> list[tuple[Any, str]]:
    """Draw points by group; return a sample of each for the legend, and its name."""
    handles = []
    clusters = np.unique(labels)
    size = float(np.clip(2500 / max(len(points), 1), 4, 18))
    for number, cluster in enumerate(clusters):
        style: dict[str, Any] = {
            "color": COLOURS[CLUSTERS[number % len(CLUSTERS)]],
            "marker": MARKERS[number % len(MARKERS)],
        }
        mine = labels == cluster
        x, y = points[mine].T
        axes.scatter(x, y, s=size, linewidth=0.3, edgecolor="white", **style, zorder=2)
        handle = Line2D([], [], linestyle="none", **style)
        name = "noise" if cluster == -1 else f"cluster {cluster}"
        handles.append((handle, f"{name} ({int(mine.sum())})"))
    return handles if len(clusters) <= _NAMED else []


def _draw_links(
    axes: Axes, points: FloatArray, labels: Any, constraints: Constraints
) -> list[tuple[Any, str]]:
    handles = []
    is_violated = constraints.is_violated(labels)
    for kind, links, broken, style in (
        ("must-link", constraints.must_links, is_violated[constraints.is_must], _MUST),
        ("cannot-link", constraints.cannot_links, is_violated[~constraints.is_must], _CANNOT),
    ):
        for name, chosen, look in (
            (kind, links[~broken], style),
            (f"violated {kind}", links[broken], {**style, **_BROKEN}),
        ):
            if len(chosen):
                order = 4 if look["linewidth"] > 1 else 3
                axes.add_collection(LineCollection(list(points[chosen]), **look, zorder=order))
                handles.append((Line2D([], [], **look), f"{name} ({len(chosen)})"))
    return handles
