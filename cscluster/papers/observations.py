"""The cells and trials of several runs side by side: what the rules of claims look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import pandas as pd

from cscluster.report.aggregate import Place, Results, metric_values
from cscluster.report.statistics import side_by_side

PLACE = ["dataset", "point", "tier"]
By = Literal["case", "dataset"]
"""What counts as one: a data set at a point and a tier, or a data set with the mean over these."""
Unit = Literal["repetition", "trial"]
"""What a test counts as one observation: a random constraint set, or each trial with it."""


@dataclass(frozen=True)
class Observations:
    """Cells and trials of one or more runs.

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
    def cells(self) -> pd.DataFrame:
        """The cells: columns dataset, label, point, tier, metric, mean, std."""
        return self._joined([run.cells for run in self.runs], [*PLACE, "label", "metric"])

    @cached_property
    def trials(self) -> pd.DataFrame:
        """The trials, as in `Results.trials`."""
        return self._joined([run.trials for run in self.runs], [*PLACE, "label", "trial"])

    def _joined(self, parts: list[pd.DataFrame], keys: list[str]) -> pd.DataFrame:
        """Return the rows of some tables that are looked at, each key once."""
        rows = [part for part in parts if len(part)]
        table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=keys)
        for name, values in zip(PLACE, (self.datasets, self.points, self.tiers), strict=True):
            table = table if values is None else table[table[name].isin(values)]
        return table.drop_duplicates(keys)

    def table(self, metric: str, of: str = "mean", by: By = "case") -> pd.DataFrame:
        """Return the mean, the standard deviation or the largest trial: cases or data sets x labels."""
        if of == "max":
            trials = self.trials.assign(max=metric_values(self.trials, metric))
            values = trials.groupby([*PLACE, "label"], sort=False)[of].max()
        else:
            values = self.cells[self.cells["metric"] == metric].set_index([*PLACE, "label"])[of].astype(float)
        table = values.unstack(sort=False)
        return table if by == "case" else table.groupby(level="dataset", sort=False).mean()

    @cached_property
    def labels(self) -> list[str]:
        """The labels that have trials, in the order of the runs."""
        return list(self.trials["label"].unique())

    def scores(self, metric: str, unit: Unit) -> dict[Place, pd.DataFrame]:
        """Return for each case the repetitions or trials (index) of its labels (columns), with gaps."""
        if unit == "trial":
            trials = self.trials.assign(value=metric_values(self.trials, metric))
            return {
                place: part.pivot(index="trial", columns="label", values="value").dropna(axis=1, how="all")
                for place, part in trials.groupby(PLACE, sort=False)
            }
        table = side_by_side(self.trials, self.labels, metric)
        return {place: table.at(place).dropna(axis=1, how="all") for place in table.places}
