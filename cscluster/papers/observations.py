"""The trials of several runs side by side: what the rules of claims look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import pandas as pd

from cscluster.report.aggregate import Results, metric_values

PLACE = ["dataset", "point", "tier"]
By = Literal["case", "dataset"]
"""What counts as one: a data set at a point and a tier, or a data set with the mean over these."""


@dataclass(frozen=True)
class Observations:
    """Trials of one or more runs.

    A case is a data set with a number of constraints and a tier; runs that share cases stand side by side,
    so that labels of one run can be compared with those of another.

    Attributes
    ----------
    runs : sequence of Results
        The runs.
    datasets, points, tiers : sequences, optional
        What to look at; None stands for all.
    """

    runs: Sequence[Results]
    datasets: Sequence[str] | None = None
    points: Sequence[int] | None = None
    tiers: Sequence[int] | None = None

    @cached_property
    def trials(self) -> pd.DataFrame:
        """The trials, as in `Results.trials`, each once."""
        keys = [*PLACE, "label", "trial"]
        parts = [run.trials for run in self.runs if len(run.trials)]
        table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=[*keys, "draw"])
        for name, values in zip(PLACE, (self.datasets, self.points, self.tiers), strict=True):
            table = table if values is None else table[table[name].isin(values)]
        return table.drop_duplicates(keys)

    def table(self, metric: str, of: str = "mean", by: By = "case") -> pd.DataFrame:
        """Return the mean, ``std``, ``cv``, ``max`` or ``q95`` of the trials: cases or data sets x labels."""
        if of == "cv":
            return self.table(metric, "std", by) / self.table(metric, "mean", by)
        values = metric_values(self.trials, metric).groupby([self.trials[c] for c in [*PLACE, "label"]])
        table = (values.quantile(0.95) if of == "q95" else values.agg(of)).unstack().dropna(axis=1, how="all")
        return table if by == "case" else table.groupby(level="dataset").mean()

    def scores(self, metric: str, by: By = "case", unit: str = "draw") -> pd.DataFrame:
        """Return the means of the draws (repetitions) or trials of each case or data set, x labels."""
        trials = self.trials.rename(columns={unit: "observation"})
        keys = [trials[c] for c in [*PLACE, "observation", "label"]]
        table = metric_values(trials, metric).groupby(keys).mean().unstack()
        return table if by == "case" else table.groupby(level=["dataset", "observation"]).mean()
