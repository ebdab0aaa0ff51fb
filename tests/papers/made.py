"""Observations written by hand: the values of each trial, from which cells follow."""

from types import SimpleNamespace

import pandas as pd

from cscluster.papers.observations import Observations
from cscluster.papers.printed import COLUMNS

NOTHING = pd.DataFrame(columns=COLUMNS)


def observations(values, metric="acc", repeats=1, **more):
    """Return observations from {data set or (data set, point[, tier]): {label: value or values of trials}}.

    So many trials in a row share their constraints.  `more` are values of further metrics.
    """
    trials = []
    for name, given in {metric: values, **more}.items():
        for where, by_label in given.items():
            place = where if isinstance(where, tuple) else (where,)
            dataset, point, tier = (*place, *(10, 1)[len(place) - 1 :])
            for label, scores in by_label.items():
                case = {"dataset": dataset, "point": point, "tier": tier, "label": label}
                scores = scores if isinstance(scores, list) else [scores]
                trials += [
                    {**case, "trial": t, "draw": t // repeats, f"m:{name}": float(value)}
                    for t, value in enumerate(scores)
                ]
    table = pd.DataFrame(trials).groupby(["dataset", "point", "tier", "label", "trial", "draw"], sort=False)
    return Observations([SimpleNamespace(trials=table.first().reset_index())])


def printed(*rows):
    """Return printed numbers from (table, data set, label, metric, value)."""
    return pd.DataFrame([{**dict(zip(COLUMNS, map(str, row), strict=False)), "std": ""} for row in rows])
