"""Rules that compare algorithms, or one algorithm with a limit, case by case."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from cscluster.metrics.catalogue import lower_is_better
from cscluster.papers.cases import Cases, Unit
from cscluster.papers.rule import (
    By,
    CountingRule,
    LimitRule,
    Outcome,
    Rule,
    cases_of,
    enough,
    goodness,
    number,
    spread,
    values,
)
from cscluster.report.statistics import ALPHA, paired_t

Labels = str | list[str]


def _list(labels: Labels) -> list[str]:
    return [labels] if isinstance(labels, str) else labels


class Better(CountingRule):
    """The best of `label` has a better mean than each of `than`; equal ones count only with `ties`.

    Of those that a case lacks nothing is said.
    """

    kind: Literal["better"]
    label: Labels
    than: list[str] = Field(min_length=1)
    by: By = "case"
    ties: bool = False

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        table = values(cases, self.metric, self.by)
        mine = [name for name in _list(self.label) if name in table]
        others = [name for name in self.than if name in table]
        table = table[[*mine, *others]].dropna(subset=mine, how="all").dropna(subset=others, how="all")
        if not mine or not others or table.empty:
            return None
        good = goodness(table, self.metric)
        gap = good[mine].max(axis=1) - good[others].max(axis=1)
        count = int(((gap >= 0) if self.ties else (gap > 0)).sum())
        best_mine, best_other = (table.loc[:, good[names].mean().idxmax()].mean() for names in (mine, others))
        where = cases_of(count, len(table), self.by)
        text = f"in {where}; mean {number(best_mine)} against {number(best_other)}"
        return self.outcome(count, len(table), text)


class Best(CountingRule):
    """One of `label` has the best mean of all, or of `among`; equal ones count."""

    kind: Literal["best"]
    label: Labels
    among: list[str] | None = None
    by: By = "case"

    @property
    def open_to_all(self) -> bool:
        return self.among is None

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        table = values(cases, self.metric, self.by)
        return _leads(goodness(table, self.metric), self, "best")


class Worst(Best):
    """One of `label` has the worst mean of all, or of `among`; equal ones count."""

    kind: Literal["worst"]  # type: ignore[assignment]

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        table = values(cases, self.metric, self.by)
        return _leads(-goodness(table, self.metric), self, "worst")


def _leads(good: pd.DataFrame, rule: Best, word: str) -> Outcome | None:
    mine = [name for name in _list(rule.label) if name in good]
    shown = [name for name in rule.among or good.columns if name in good]
    good = good[list(dict.fromkeys([*mine, *shown]))].dropna(subset=mine, how="all")
    if not mine or len(good.columns) < 2 or good.empty:
        return None
    first = good.eq(good.max(axis=1), axis=0)
    count = int(first[mine].any(axis=1).sum())
    rivals = first.drop(columns=mine).sum()
    text = f"{word} in {cases_of(count, len(good), rule.by)}"
    if len(rivals) and rivals.max():
        text += f"; {rivals.idxmax()} in {int(rivals.max())}"
    return rule.outcome(count, len(good), text)


class Limit(CountingRule, LimitRule):
    """The mean (or the standard deviation over trials, or the largest trial) of `label` keeps to a limit."""

    kind: Literal["limit"]
    label: str
    of: Literal["mean", "std", "max"] = "mean"
    below: float | None = None

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        table = cases.largest(self.metric) if self.of == "max" else cases.table(self.metric, self.of)
        if self.label not in table or table[self.label].dropna().empty:
            return None
        found = table[self.label].dropna()
        count = int(self.within(found).sum())
        what = {"mean": "", "std": "standard deviation ", "max": "largest trial "}[self.of]
        text = f"{what}{spread(found)}; in {cases_of(count, len(found), 'case')}"
        return self.outcome(count, len(found), text)

    def within(self, found: pd.Series) -> pd.Series:
        """Tell which numbers keep to the limits that are given."""
        kept = super().within(found)
        return kept if self.below is None else kept & (found < self.below)


class Spread(Rule):
    """The means of `label` differ between data sets, such as draws from one source, by at least so much."""

    kind: Literal["spread"]
    label: str
    at_least: float

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        table = cases.by_dataset(self.metric)
        if self.label not in table or len(found := table[self.label].dropna()) < 2:
            return None
        text = f"{spread(found)} over {len(found)} data sets"
        return Outcome(bool(found.max() - found.min() >= self.at_least), text)


class Close(CountingRule):
    """Two metrics of `label` differ by at most a tolerance."""

    kind: Literal["close"]
    other: str
    label: str
    tolerance: float

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        one, two = (cases.table(name) for name in (self.metric, self.other))
        if self.label not in one or self.label not in two:
            return None
        gap = (one[self.label] - two[self.label]).dropna()
        if gap.empty:
            return None
        count = int((gap.abs() <= self.tolerance).sum())
        text = f"differ by {spread(gap)}; within {self.tolerance} in {cases_of(count, len(gap), 'case')}"
        return self.outcome(count, len(gap), text)


class Ratio(CountingRule, LimitRule):
    """The mean of `label` divided by that of `than` keeps to a limit, on each data set or over all."""

    kind: Literal["ratio"]
    label: str
    than: str
    by: Literal["dataset", "all"] = "dataset"

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        table = cases.by_dataset(self.metric)
        if self.label not in table or self.than not in table:
            return None
        mine, other = table[[self.label, self.than]].dropna().T.to_numpy()
        if not len(mine):
            return None
        if self.by == "all":
            ratio = pd.Series([mine.mean() / other.mean()])
            means = f"{number(mine.mean())} against {number(other.mean())}"
            over = f" in the mean of {len(mine)} data sets" if len(mine) > 1 else ""
            return Outcome(bool(self.within(ratio)[0]), f"{number(ratio[0])} times; {means}{over}")
        found = pd.Series(mine / other)
        count = int(self.within(found).sum())
        where = cases_of(count, len(found), "dataset")
        median = f", median {number(found.median())}" if len(found) > 2 else ""
        text = f"{spread(found)} times{median}; in {where}"
        return self.outcome(count, len(found), text)


class Significant(CountingRule):
    """`label` is better than each of `than` (all others by default) by paired t-tests over draws of links.

    With `losses`, it is also significantly worse than one of them in at most so many cases.  With `unit`
    ``trial`` each trial on a draw is an observation.
    """

    kind: Literal["significant"]
    label: str
    than: list[str] | None = None
    losses: int | None = None
    unit: Unit = "draw"

    @property
    def open_to_all(self) -> bool:
        return self.than is None

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        wins = losses = total = 0
        for table in cases.scores(self.metric, self.unit).values():
            others = [name for name in self.than or table.columns if name in table and name != self.label]
            if self.label not in table or not others:
                continue
            sign = -1.0 if lower_is_better(self.metric) else 1.0
            gaps = sign * (table[[self.label]].to_numpy() - table[others].to_numpy())
            if not np.isfinite(gaps).any():
                continue
            clear, mean = paired_t(gaps) < ALPHA, np.nanmean(gaps, axis=0)
            total += 1
            wins += bool((clear & (mean > 0)).all())
            losses += bool((clear & (mean < 0)).any())
        if not total:
            return None
        holds = enough(wins, total, self.share) and (self.losses is None or losses <= self.losses)
        return Outcome(holds, f"better in {cases_of(wins, total, 'case')}, worse in {losses}")


class Wider(CountingRule):
    """The standard deviation of `label` over the trials is larger than that of each of `than`."""

    kind: Literal["wider"]
    label: str
    than: list[str]

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        table = cases.table(self.metric, "std")
        others = [name for name in self.than if name in table]
        if self.label not in table or not others:
            return None
        table = table[[self.label, *others]].dropna()
        if table.empty:
            return None
        count = int((table[self.label] > table[others].max(axis=1)).sum())
        mine, largest = table[self.label].mean(), table[others].max(axis=1).mean()
        text = f"in {cases_of(count, len(table), 'case')}; mean {number(mine)} against {number(largest)}"
        return self.outcome(count, len(table), text)
