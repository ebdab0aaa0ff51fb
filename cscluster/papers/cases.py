"""The cells of several runs side by side: what the rules look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from cscluster.report.aggregate import Results

PLACE = ["dataset", "point", "tier"]


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

    def table(self, metric: str, value: str = "mean") -> pd.DataFrame:
        """Return the means, or another column of the cells: cases x labels, in the order of the runs."""
        part = self.cells[self.cells["metric"] == metric]
        return _pivot(part, PLACE, value)

    def by_dataset(self, metric: str) -> pd.DataFrame:
        """Return the means over all points and tiers: data sets x labels."""
        return self.table(metric).groupby(level="dataset", sort=False).mean()

    def scores(self, metric: str) -> dict[tuple[str, int, int], pd.DataFrame]:
        """Return for each case the trials (index) of all labels (columns), with gaps where they failed."""
        name = f"m:{metric}"
        if name not in self.trials:
            return {}
        return {
            (str(place[0]), int(place[1]), int(place[2])): _pivot(part, ["trial"], name)
            for place, part in self.trials.groupby(PLACE, sort=False)
        }


def _pivot(frame: pd.DataFrame, index: list[str], value: str) -> pd.DataFrame:
    """Return a table with a column for each label, rows and columns in the order of the frame."""
    unique = frame.drop_duplicates([*index, "label"])
    table = unique.pivot(index=index, columns="label", values=value)
    rows = pd.MultiIndex.from_frame(unique[index].drop_duplicates())
    if len(index) == 1:
        rows = pd.Index(unique[index[0]].drop_duplicates(), name=index[0])
    return table.reindex(index=rows, columns=list(dict.fromkeys(unique["label"]))).astype(float)


def pool(results: Sequence[Results]) -> Cases:
    """Put the cells of some runs side by side."""
    cells = [run.cells for run in results if len(run.cells)]
    trials = [run.trials for run in results if len(run.trials)]
    if not cells:
        columns = [*PLACE, "label", "metric", "mean", "std", "n", "planned"]
        return Cases(pd.DataFrame(columns=columns), pd.DataFrame(columns=[*PLACE, "label", "trial"]))
    return Cases(pd.concat(cells, ignore_index=True), pd.concat(trials, ignore_index=True))
