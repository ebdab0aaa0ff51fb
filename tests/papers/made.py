"""Cases written by hand: the values of each trial, from which cells follow."""

import pandas as pd

from cscluster.papers.cases import Cases

NOTHING = pd.DataFrame(columns=["table", "dataset", "label", "metric", "value", "std"])


def cases(values, metric="acc", repeats=1):
    """Return cases from {data set or (data set, point[, tier]): {label: value or values of trials}}.

    So many trials in a row repeat a draw of links.
    """
    cells, trials = [], []
    for where, by_label in values.items():
        place = where if isinstance(where, tuple) else (where,)
        dataset, point, tier = (*place, *(10, 1)[len(place) - 1 :])
        for label, given in by_label.items():
            column = pd.Series(given if isinstance(given, list) else [given], dtype=float)
            case = {"dataset": dataset, "point": point, "tier": tier, "label": label}
            cells.append(
                {
                    **case,
                    "metric": metric,
                    "mean": column.mean(),
                    "std": column.std(),
                    "n": int(column.count()),
                    "planned": len(column),
                }
            )
            trials += [
                {**case, "trial": t, "draw": t // repeats, f"m:{metric}": value}
                for t, value in enumerate(column)
            ]
    return Cases(pd.DataFrame(cells), pd.DataFrame(trials))


def join(*parts):
    """Put the cells of several metrics together."""
    return Cases(pd.concat([p.cells for p in parts], ignore_index=True), parts[0].trials)


def printed(*rows):
    """Return printed numbers from (table, data set, label, metric, value)."""
    return pd.DataFrame(
        [{**dict(zip(NOTHING.columns, map(str, row), strict=False)), "std": ""} for row in rows]
    )
