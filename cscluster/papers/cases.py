"""The cells of several runs side by side: what the rules look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import pandas as pd

from cscluster.report.aggregate import Axes, Place, Results, metric_values
from cscluster.report.statistics import paired

PLACE = ["dataset", "point", "tier"]
Form = Literal["printed", "ours"]
"""Of a method: as its publication describes it, or as this package recommends it."""
Unit = Literal["draw", "trial"]
"""What a test counts as one observation: a draw of links, or each trial on it."""


@dataclass(frozen=True)
class Cases:
    """Cells and trials of one or more runs.

    A case is a data set at a point and a tier; runs that share data sets and points stand side by side
    in it, so that labels of one run can be compared with those of another.

    Attributes
    ----------
    cells : DataFrame
        Columns dataset, label, point, tier, metric, mean, std, n, planned.
    trials : DataFrame
        As in `Results.trials`.
    """

    cells: pd.DataFrame
    trials: pd.DataFrame

    def where(
        self,
        datasets: Sequence[str] | None = None,
        points: Sequence[int] | None = None,
        tiers: Sequence[int] | None = None,
    ) -> Cases:
        """Return the cases of some data sets, points and tiers; None stands for all."""
        chosen = self
        for column, wanted in (("dataset", datasets), ("point", points), ("tier", tiers)):
            if wanted is not None:
                cells, trials = chosen.cells, chosen.trials
                chosen = replace(
                    chosen,
                    cells=cells[cells[column].isin(wanted)],
                    trials=trials[trials[column].isin(wanted)],
                )
        return chosen

    def in_form(
        self, twins: Mapping[str, str], form: Form, counterparts: Mapping[str, str] | None = None
    ) -> Cases:
        """Return the cases with one form of each method: as printed, or ours.

        Methods that have one form only take part in both.

        Parameters
        ----------
        twins : mapping
            The label of each method's printed form, by its label.  A label may be followed by a point of
            a grid, as in ``PMMC (lam=0.1)``.
        form : str
            ``printed`` or ``ours``; the printed form then goes by the method's label.
        counterparts : mapping, optional
            The label of ours, by that of a published method which bears its own name here; ours goes by the
            method's label where `form` is ``ours``.
        """
        names: dict[str, str] = {}
        others = counterparts or {}
        for label in dict.fromkeys([*self.cells["label"], *self.trials["label"]]):
            printed = next((m for m, twin in twins.items() if _is_point_of(label, twin)), None)
            other = next((m for m, ours in others.items() if _is_point_of(label, ours)), None)
            if other is not None or any(_is_point_of(label, m) for m in others):
                if (form == "ours") == (other is not None):
                    names[label] = label if other is None else other + label.removeprefix(others[other])
            elif printed is not None and form == "printed":
                names[label] = printed + label.removeprefix(twins[printed])
            elif printed is None and (form == "ours" or not any(_is_point_of(label, m) for m in twins)):
                names[label] = label
        parts = [part[part["label"].isin(names)] for part in (self.cells, self.trials)]
        return Cases(*(part.assign(label=part["label"].map(names)) for part in parts))

    def table(self, metric: str, value: str = "mean") -> pd.DataFrame:
        """Return the means, or another column of the cells: cases x labels, in the order of the runs."""
        part = self.cells[self.cells["metric"] == metric].drop_duplicates([*PLACE, "label"])
        table = part.pivot(index=PLACE, columns="label", values=value)
        rows = pd.MultiIndex.from_frame(part[PLACE].drop_duplicates())
        return table.reindex(index=rows, columns=list(dict.fromkeys(part["label"]))).astype(float)

    def largest(self, metric: str) -> pd.DataFrame:
        """Return the largest number of all trials: cases x labels."""
        trials = self.trials.assign(value=metric_values(self.trials, metric))
        return trials.pivot_table(index=PLACE, columns="label", values="value", aggfunc="max", sort=False)

    def by_dataset(self, metric: str) -> pd.DataFrame:
        """Return the means over all points and tiers: data sets x labels."""
        return self.table(metric).groupby(level="dataset", sort=False).mean()

    @cached_property
    def labels(self) -> list[str]:
        """The labels that have trials, in the order of the runs."""
        return list(dict.fromkeys(self.trials["label"]))

    @cached_property
    def axes(self) -> Axes:
        """The places and draws that there are, and where each row of `trials` belongs."""
        return Axes.of(self.trials, self.labels)

    def scores(self, metric: str, unit: Unit = "draw") -> dict[Place, pd.DataFrame]:
        """Return for each case the draws of links or trials (index) of its labels (columns), with gaps."""
        if unit == "trial":
            trials = self.trials.assign(value=metric_values(self.trials, metric))
            return {
                place: part.pivot(index="trial", columns="label", values="value").dropna(axis=1, how="all")
                for place, part in trials.groupby(PLACE, sort=False)
            }
        table = paired(self, metric)
        return {place: table.at(place).dropna(axis=1, how="all") for place in table.places}


def methods_of(labels: Iterable[str], methods: Iterable[str]) -> set[str]:
    """Return those of some methods that the labels stand for, with or without a point of a grid."""
    there = list(labels)
    return {method for method in methods if any(_is_point_of(label, method) for label in there)}


def _is_point_of(label: str, method: str) -> bool:
    return label == method or label.startswith(f"{method} (")


def pool(results: Sequence[Results]) -> Cases:
    """Put the cells of some runs side by side."""
    cells = [run.cells for run in results if len(run.cells)]
    trials = [run.trials for run in results if len(run.trials)]
    if not cells:
        columns = [*PLACE, "label", "metric", "mean", "std", "n", "planned"]
        return Cases(pd.DataFrame(columns=columns), pd.DataFrame(columns=[*PLACE, "label", "trial", "draw"]))
    together = pd.concat(trials, ignore_index=True).drop_duplicates([*PLACE, "label", "trial"])
    return Cases(pd.concat(cells, ignore_index=True), together)
