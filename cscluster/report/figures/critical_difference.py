"""The critical-difference diagram: mean ranks across data sets, with bars that join what is alike."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cscluster.errors import ConfigError
from cscluster.report.aggregate import Results, lower_is_better
from cscluster.report.figures import lines
from cscluster.report.figures.layout import figure_kind, new_figure
from cscluster.report.figures.style import COLUMN, PAGE
from cscluster.report.figures.words import metric_name, points_name, wrapped
from cscluster.report.statistics import ALPHA, Friedman, friedman, means

_NAME = 30  # letters of a line of a name


def test_across(results: Results, metric: str) -> Friedman | None:
    """Return Friedman's test at the last point and tier; None where there is too little for one.

    An algorithm that has no result on some data set is left out: its rank there is not known.
    """
    table = means(results, metric)
    return friedman(table.dropna(axis=1), lower=lower_is_better(metric))


@figure_kind
def critical_difference(results: Results, metric: str) -> Figure:
    """Return the mean ranks of the algorithms across data sets on a line, 1 the best.

    A bar joins algorithms whose mean ranks differ by less than the critical difference of Nemenyi's
    test at 5 %.  Ranks are those of the means over trials at the last point and tier.

    Raises
    ------
    ConfigError
        For fewer than three data sets or algorithms with results on all of them.
    """
    test = test_across(results, metric)
    if test is None:
        raise ConfigError(
            f"'{results.name}' has fewer than three data sets or algorithms with '{metric}' on all of them: "
            "there are no ranks to compare."
        )
    ranks = test.mean_ranks.sort_values(kind="stable")
