"""Observations written by hand: the values of each trial, from which cells follow."""

from types import SimpleNamespace

import pandas as pd

from cscluster.papers.observations import Observations
from cscluster.papers.printed import COLUMNS

NOTHING = pd.DataFrame(columns=COLUMNS)


def observations(values, metric="acc", repeats=1, **more):
    """Return observations from {data set or (data set, point[, tier]): {label: value or values of trials}}.

    So many trials in a row share their constraints.  `more` are means of further metrics.
    """
    cells, trials = [], []
    for where, by_label in values.items():
        place = where if isinstance(where, tuple) else (where,)
        dataset, point, tier = (*place, *(10, 1)[len(place) - 1 :])
        for label, given in by_label.items():
            column = pd.Series(given if isinstance(given, list) else [given], dtype=float)
            case = {"dataset": dataset, "point": point, "tier": tier, "label": label}
            cells.append({**case, "metric": metric, "mean": column.mean(), "std": column.std()})
            trials += [
                {**case, "trial": t, "draw": t // repeats, f"m:{metric}": value}
                for t, value in enumerate(column)
            ]
    runs = [SimpleNamespace(cells=pd.DataFrame(cells), trials=pd.DataFrame(trials))]
    return Observations([*runs, *(observations(given, name).runs[0] for name, given in more.items())])


def printed(*rows):
    """Return printed numbers from (table, data set, label, metric, value)."""
    return pd.DataFrame([{**dict(zip(COLUMNS, map(str, row), strict=False)), "std": ""} for row in rows])
