"""Quality against cost: which methods no other beats in both."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from cscluster.report.figures.layout import figure_kind, log_axis, new_figure
from cscluster.report.figures.style import current, looks


def front(quality: pd.Series, cost: pd.Series) -> list[str]:
    """Return the labels that no other label beats in quality at the same or a lower cost, cheapest first.

    >>> front(pd.Series({"a": 0.5, "b": 0.4, "c": 0.9}), pd.Series({"a": 1.0, "b": 2.0, "c": 3.0}))
    ['a', 'c']
    """
    best, labels = -float("inf"), []
    table = pd.DataFrame({"quality": quality, "cost": cost}).dropna()
    for label, row in table.sort_values(["cost", "quality"], ascending=[True, False]).iterrows():
        if row["quality"] > best:
            best = row["quality"]
            labels.append(str(label))
    return labels


@figure_kind
def trade_off(quality: pd.Series, cost: pd.Series, quality_name: str, cost_name: str) -> Figure:
    """Return quality over cost (logarithmic), a point for each label; a line joins the front, which is named.

    Parameters
    ----------
    quality, cost : Series
        By label; large quality and small cost are good.
    quality_name, cost_name : str
        Names of the axes.
    """
    figure = new_figure(current().page, 0.5 * current().page)
    axes = figure.subplots()
    ahead = front(quality, cost)
    axes.plot(cost[ahead], quality[ahead], color="0.6", linewidth=1, zorder=2)
    for label, style in looks(list(quality.index)).items():
        if label in ahead:
            axes.plot(cost[label], quality[label], **{**style, "linestyle": "none"}, label=label, zorder=4)
        else:
            axes.plot(cost[label], quality[label], "o", color="0.7", markersize=3, zorder=3)
    axes.set(xscale="log", xlabel=cost_name, ylabel=quality_name)
    log_axis(axes, "x", cost.dropna().to_numpy())
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    figure.set_label(f"{quality_name} against {cost_name}; named: methods that no other beats in both")
    return figure
