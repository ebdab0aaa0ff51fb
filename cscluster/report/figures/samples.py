"""Data sets in the plane with their classes, as in Fig. 1 of baghshah2010."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from cscluster.report.figures.layout import figure_kind, panels
from cscluster.report.figures.links_map import draw_groups, project


@figure_kind
def samples(sets: Mapping[str, tuple[Any, Any]]) -> Figure:
    """Return a panel for each data set, with its samples in the plane.

    Parameters
    ----------
    sets : mapping
        Samples and their classes by the name of the data set; `project` brings samples into the plane.
    """
    figure, grid = panels(list(sets), lambda width: 0.9 * width)
    for axes, (X, classes) in zip(grid, sets.values(), strict=True):
        points, _ = project(X)
        draw_groups(axes, points, np.asarray(classes))
        axes.grid(visible=False)
        axes.set_aspect("equal", adjustable="datalim")
    figure.set_label("samples, colour and marker by class")
    return figure
