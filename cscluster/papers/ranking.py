"""How the methods of a benchmark's track compare, and what a publication prints beside them."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from functools import cache, cached_property

import pandas as pd

from cscluster import bundle
from cscluster.report.aggregate import Results, metric_values, restrict
from cscluster.report.statistics import ENOUGH_DATASETS, Friedman, friedman

METRIC, COST, BASELINE = "ari", "cpu_seconds", "k-means"
TIE = 0.005
"""Differences of a mean ARI up to this are a tie."""
NEAR = 0.02
"""A mean ARI that is lower by no more than this is near: few data sets tell hardly any methods apart."""


@cache
def printed() -> pd.DataFrame:
    """Read the published table: columns collection, share, dataset, algorithm, ari, seconds."""
    return pd.read_csv(bundle.folder("configs") / "benchmark" / "printed.csv")


def of_repetitions(results: Results, repetitions: Set[int]) -> Results:
    """Return some repetitions of a run; a failed trial has the score 0, as in the published table."""
    trials = results.trials
    scores = metric_values(trials, METRIC).where(trials["status"] == "ok", 0.0)
    return restrict(with_scores(results, scores), trials["draw"].isin(repetitions))


def with_scores(results: Results, scores: pd.Series) -> Results:
    """Return a run with other scores of its trials; its cells are still those of before."""
    return replace(results, trials=results.trials.assign(**{f"m:{METRIC}": scores}))


@dataclass(frozen=True)
class Ranking:
    """How methods compare at one point of a track.

    Attributes
    ----------
    table : DataFrame
        Mean ARI, data sets x labels; a printed method without results on a data set counts as 0 there.
    seconds : Series
        Mean CPU seconds of a fit, by label.
    failed : Series
        Number of failed trials, by label.
    ranks : Friedman, optional
        Ranks across data sets.
    """

    table: pd.DataFrame
    seconds: pd.Series
    failed: pd.Series
    ranks: Friedman | None

    @classmethod
    def of(cls, results: Results, point: int) -> Ranking:
        """Compare the methods of a run at a point."""
        cells = results.cells[results.cells["point"] == point]
        quality, cost = (
            cells[cells["metric"] == metric].pivot(index="dataset", columns="label", values="mean")
            for metric in (METRIC, COST)
        )
        table = quality.reindex(index=results.datasets, columns=results.labels)
        there = table.dropna(how="all").fillna(0.0)
        seconds = cost.mean().reindex(results.labels)
        trials = results.trials
        bad = trials[(trials["point"] == point) & (trials["status"] != "ok")]
        failed = bad.groupby("label").size().reindex(results.labels, fill_value=0)
        ranks = friedman(there) if len(there) >= ENOUGH_DATASETS else None
        return cls(there, seconds, failed, ranks)

    @cached_property
    def means(self) -> pd.Series:
        """Mean ARI over data sets, by label."""
        return self.table.mean()

    @cached_property
    def order(self) -> list[str]:
        """The labels, the best mean rank first; the best mean where there are no ranks."""
        if self.ranks is None:
            return list(self.means.sort_values(ascending=False, kind="stable").index)
        return list(self.ranks.mean_ranks.sort_values(kind="stable").index)

    @cached_property
    def leaders(self) -> list[str]:
        """The labels that are not significantly different from the best; that one alone without ranks."""
        if self.ranks is None:
            return self.order[:1]
        ranks = self.ranks.mean_ranks
        return [label for label in self.order if ranks[label] - ranks.min() <= self.ranks.critical_difference]

    @property
    def decides(self) -> bool:
        """Whether the data sets are enough to tell any method from the best."""
        return self.ranks is not None and len(self.leaders) < len(self.order)

    @cached_property
    def fastest(self) -> str:
        """The leader of the fewest CPU seconds, of those whose mean is near that of the first."""
        near = [label for label in self.leaders if self.means[label] >= self.means[self.order[0]] - NEAR]
        return min(near, key=lambda label: self.seconds.fillna(float("inf"))[label])

    @cached_property
    def counts(self) -> pd.DataFrame:
        """The numbers of data sets on which each method (row) wins, ties and loses against the baseline."""
        difference = self.table.sub(self.table[BASELINE], axis=0)
        wins, losses = (difference > TIE).sum(), (difference < -TIE).sum()
        return pd.DataFrame({"wins": wins, "ties": len(difference) - wins - losses, "losses": losses})


def two_digits(seconds: float) -> str:
    """Return a time in two digits, never as a power of ten; nothing for NaN."""
    if seconds != seconds:
        return ""
    return f"{seconds:.2g}" if seconds < 99.5 else f"{float(f'{seconds:.2g}'):.0f}"


def points_of(results: Results) -> list[int]:
    """Return the points of a run."""
    return sorted(int(point) for point in results.cells["point"].unique())


def with_printed(results: Results) -> Results:
    """Return a run on the data sets that the published table has as well, its numbers as further labels."""
    there = printed()["dataset"].isin(results.datasets) & printed()["share"].isin(points_of(results))
    table = printed()[there].rename(columns={"share": "point", METRIC: "mean"}).astype({"point": int})
    table = table.assign(label=table["algorithm"] + " (printed)", metric=METRIC, tier=1)
    added = table[["dataset", "label", "point", "tier", "metric", "mean"]]
    names = [name for name in results.datasets if name in set(table["dataset"])]
    return replace(
        results,
        datasets=names,
        labels=[*results.labels, *dict.fromkeys(table["label"])],
        cells=pd.concat([results.cells[results.cells["dataset"].isin(names)], added], ignore_index=True),
    )
