"""Reports as JSON, for other programs.

::

    {"runs": [{
      "name", "title", "schedule",
      "axis":       what varies, "point" or "tier",
      "planned":    trials of each cell,
      "metrics", "datasets", "labels": lists of names,
      "cells":      [{"dataset", "label", "oracle", "params", "point", "tier", "metric", "mean", "std", "n",
                      "planned", "best"}],
      "failures":   [{"dataset", "label", "status", "message", "count"}],
      "missing":    [{"dataset", "label", "count", "planned"}], planned trials that are not stored,
      "statistics": [{"metric", "sentence",
                      "datasets": [{"dataset", "point", "tier", "n", "ordering", "pairs": [{"a", "b", "n",
                                    "difference", "t_p", "wilcoxon_p", "holm_p", "cohen_dz",
                                    "rank_biserial", "winner"}]}],
                      "friedman":   null or {"p", "statistic", "n", "mean_ranks": {label: rank},
                                     "critical_difference", "nemenyi": {label: {label: p}},
                                     "left_out": [name]}}]
    }]}

Whatever is not a finite number is null.  What the tests mean is said in `cscluster.report.statistics`.
"""

from __future__ import annotations

import json
import math
from typing import Any

import pandas as pd

from cscluster.metrics.catalogue import lower_is_better
from cscluster.report import statistics
from cscluster.report.aggregate import Results


def text(runs: list[Results]) -> str:
    """Return runs as JSON."""
    return (
        json.dumps({"runs": [_run(run) for run in runs]}, indent=1, ensure_ascii=False, allow_nan=False)
        + "\n"
    )


def _run(results: Results) -> dict[str, Any]:
    names = ("name", "title", "schedule", "axis", "planned", "metrics", "datasets", "labels")
    return {
        **{name: getattr(results, name) for name in names},
        "cells": _rows(_with_best(results)),
        "failures": _rows(results.failures),
        "missing": _rows(results.missing),
        "statistics": [_statistics(results, metric) for metric in results.metrics],
    }


def _with_best(results: Results) -> pd.DataFrame:
    best = {metric: statistics.leading(results, metric) for metric in results.metrics}
    places = [((r.dataset, r.point, r.tier), r.label) for r in results.cells.itertuples()]
    rows = zip(places, results.cells["metric"], strict=True)
    return results.cells.assign(best=[place in best[metric] for place, metric in rows])


def _statistics(results: Results, metric: str) -> dict[str, Any]:
    lower, test = lower_is_better(metric), statistics.rank_test(results, metric)
    names = ("p", "statistic", "n", "critical_difference", "left_out")
    return {
        "metric": metric,
        "sentence": statistics.sentence(results, metric),
        "datasets": [
            {
                "dataset": dataset,
                "point": point,
                "tier": tier,
                "n": len(scores),
                "ordering": statistics.ordering(scores.rename(columns=results.marks), lower),
                "pairs": _rows(statistics.pairwise(scores, lower)),
            }
            for (dataset, point, tier), scores in statistics.at_last(results, metric)
        ],
        "friedman": test
        and {
            **{name: getattr(test, name) for name in names},
            "mean_ranks": test.mean_ranks.to_dict(),
            "nemenyi": test.nemenyi.to_dict("index"),
        },
    }


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{key: _plain(value) for key, value in row.items()} for row in table.to_dict("records")]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
