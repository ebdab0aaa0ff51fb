"""Rules that decide claims from cells and trials alone."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from cscluster.arrays import FloatArray
from cscluster.metrics.catalogue import lower_is_better
from cscluster.papers.observations import By, Observations, Unit
from cscluster.report.statistics import ALPHA, paired_t
from cscluster.words import plural

Share = Literal["all", "most", "some"] | float
"""How many cases a claim needs: all, more than half, at least one, or at least a share of them."""
Labels = Annotated[list[str], BeforeValidator(lambda given: [given] if isinstance(given, str) else given)]


@dataclass(frozen=True)
class RuleOutcome:
    """Whether a claim holds, the numbers in words, and whether they exceed the claim.

    A claim is exceeded where it does not hold only because ours is better than what the paper prints.
    """

    holds: bool
    text: str
    exceeds: bool = False


class ClaimRule(BaseModel):
    """One way to check a claim: it holds for enough of some cases, data sets or numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    metric: str
    share: Share = "all"

    @abstractmethod
    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        """Return the outcome, or None where there is nothing to judge by."""

    def outcome(self, count: int, total: int, text: str, ahead: int = 0) -> RuleOutcome:
        """Return the outcome where the rule holds for `count` of `total`, and `ahead` exceed it."""
        holds = enough(count, total, self.share)
        return RuleOutcome(holds, text, exceeds=not holds and enough(count + ahead, total, self.share))

    @property
    def labels(self) -> list[str]:
        """The labels that the rule names."""
        fields = (getattr(self, name, None) for name in ("label", "than", "among", "along"))
        lists = [[field] if isinstance(field, str) else field or [] for field in fields]
        return [name for names in lists for name in names if name not in ("point", "tier")]

    @property
    def open_to_all(self) -> bool:
        """Whether methods that the rule does not name take part."""
        return not self.labels or getattr(self, "among", ()) is None

    @property
    def metrics(self) -> list[str]:
        """The recorded metrics that the rule looks at."""
        return [self.metric.removesuffix("_percent")]


class LimitRule(ClaimRule):
    """A rule about numbers that keep to limits."""

    at_least: float = -np.inf
    at_most: float = np.inf
    below: float = np.inf

    def within(self, found: pd.Series) -> pd.Series:
        """Tell which numbers keep to the limits."""
        return found.between(self.at_least, self.at_most) & (found < self.below)

    def outcome_of(self, found: pd.Series, by: By, text: str) -> RuleOutcome:
        """Return the outcome for the numbers of cases or data sets."""
        count = int(self.within(found).sum())
        return self.outcome(count, len(found), f"{text}; in {cases_of(count, len(found), by)}")


class Better(ClaimRule):
    """The best of `label` has a better mean than each of `than`; equal ones count only with `ties`.

    With ``of: std`` it has the larger standard deviation over the trials, against the largest of `than` in
    each case.  Of labels that a case lacks nothing is said.
    """

    kind: Literal["better"]
    label: Labels
    than: Labels = Field(min_length=1)
    by: By = "case"
    of: Literal["mean", "std"] = "mean"
    ties: bool = False

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        table = observations.table(self.metric, self.of, self.by)
        mine = [name for name in self.label if name in table]
        others = [name for name in self.than if name in table]
        table = table[[*mine, *others]].dropna(subset=mine, how="all").dropna(subset=others, how="all")
        if not mine or not others or table.empty:
            return None
        good = table if self.of == "std" else goodness(table, self.metric)
        best = good[others].max(axis=1)
        gap = good[mine].max(axis=1) - best
        count = int(((gap >= 0) if self.ties else (gap > 0)).sum())
        ours, rival = (table[good[names].mean().idxmax()].mean() for names in (mine, others))
        against = best.mean() if self.of == "std" else rival
        text = f"in {cases_of(count, len(table), self.by)}; mean {number(ours)} against {number(against)}"
        return self.outcome(count, len(table), text)


class Best(ClaimRule):
    """One of `label` has the best (or the worst) mean of all, or of `among`; equal ones count."""

    kind: Literal["best"]
    label: Labels
    among: Labels | None = None
    by: By = "case"
    worst: bool = False

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        good = goodness(observations.table(self.metric, by=self.by), self.metric)
        good = -good if self.worst else good
        mine = [name for name in self.label if name in good]
        shown = [name for name in self.among or good.columns if name in good]
        good = good[list(dict.fromkeys([*mine, *shown]))].dropna(subset=mine, how="all")
        if not mine or len(good.columns) < 2 or good.empty:
            return None
        first = good.eq(good.max(axis=1), axis=0)
        count = int(first[mine].any(axis=1).sum())
        rivals = first.drop(columns=mine).sum()
        text = f"{'worst' if self.worst else 'best'} in {cases_of(count, len(good), self.by)}"
        if len(rivals) and rivals.max():
            text += f"; {rivals.idxmax()} in {int(rivals.max())}"
        return self.outcome(count, len(good), text)


class Limit(LimitRule):
    """A quantity of `label` keeps to limits in each case.

    It is the mean, the standard deviation over the trials, the largest trial, the `difference` of the mean
    from that of the metric `other`, or the `range` of the means of all data sets.
    """

    kind: Literal["limit"]
    label: str
    of: Literal["mean", "std", "max", "difference", "range"] = "mean"
    other: str | None = None

    @property
    def metrics(self) -> list[str]:
        return [self.metric, *([self.other] if self.other else [])]

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        table = observations.table(self.metric, self.of if self.of in ("std", "max") else "mean")
        if self.other:
            table = table - observations.table(self.other)
        if self.label not in table or (found := table[self.label].dropna()).empty:
            return None
        if self.of == "range":
            found = found.groupby(level="dataset").mean()
            if len(found) < 2:
                return None
            kept = int(self.within(pd.Series([found.max() - found.min()])).sum())
            return self.outcome(kept, 1, f"{spread(found)} over {plural(len(found), 'data set')}")
        names = {"std": "standard deviation ", "max": "largest trial ", "difference": "difference "}
        return self.outcome_of(found, "case", f"{names.get(self.of, '')}{spread(found)}")


class Ratio(LimitRule):
    """The mean of `label` divided by that of `than` keeps to limits, on each data set or over all."""

    kind: Literal["ratio"]
    label: str
    than: str
    by: Literal["dataset", "all"] = "dataset"

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        table = observations.table(self.metric, by="dataset")
        if self.label not in table or self.than not in table:
            return None
        table = table[[self.label, self.than]].dropna()
        if table.empty:
            return None
        if self.by == "all":
            mine, other = table.mean()
            over = f" in the mean of {len(table)} data sets" if len(table) > 1 else ""
            text = f"{number(mine / other)} times; {number(mine)} against {number(other)}{over}"
            return self.outcome(int(self.within(pd.Series([mine / other])).sum()), 1, text)
        found = table[self.label] / table[self.than]
        median = f", median {number(found.median())}" if len(found) > 2 else ""
        return self.outcome_of(found, "dataset", f"{spread(found)} times{median}")


class Trend(LimitRule):
    """The curve of each data set has a shape.

    A curve is the metric of `label`, or its lead over `than`, along points or tiers, or the metric of the
    labels that `along` lists.

    ``rises``: no step falls by more than the tolerance, and the last value is above the first.
    ``shrinks``: the last value is below the first.
    ``levels_off``: the last step gains less than the first.
    ``dips``: a value is below the first by more than the tolerance, and the last is above the first.
    ``gains``: the difference of the last value and the first keeps to limits.
    """

    kind: Literal["trend"]
    shape: Literal["rises", "shrinks", "levels_off", "dips", "gains"]
    label: Labels = Field(default_factory=list)
    than: str | None = None
    along: Literal["point", "tier"] | list[str] = "point"
    tolerance: float = 0.0

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        found = self._curves(observations.table(self.metric))
        if found.empty or found.shape[1] < (3 if self.shape in ("levels_off", "dips") else 2):
            return None
        first, last = found.iloc[:, 0], found.iloc[:, -1]
        steps = found.diff(axis=1).iloc[:, 1:]
        depth = first - found.iloc[:, 1:-1].min(axis=1)
        means = f"mean {'lead ' if self.than else ''}{number(first.mean())} to {number(last.mean())}"
        holds, numbers = {
            "rises": ((steps >= -self.tolerance).all(axis=1) & (last > first), means),
            "shrinks": (last < first, means),
            "levels_off": (
                steps.iloc[:, -1] < steps.iloc[:, 0],
                f"mean gain of the first step {number(steps.iloc[:, 0].mean())}, "
                f"of the last {number(steps.iloc[:, -1].mean())}",
            ),
            "dips": ((depth > self.tolerance) & (last > first), ""),
            "gains": (self.within(last - first), f"gain {spread(last - first)}"),
        }[self.shape]
        count = int(holds.sum())
        if self.shape == "dips" and count:
            label, dataset = depth[holds].idxmax()
            numbers = f"deepest {number(depth[holds].max())} ({label} on {dataset})"
        where = f"in {count} of {plural(len(found), 'curve' if self.shape == 'dips' else 'data set')}"
        return self.outcome(count, len(found), f"{where}; {numbers}" if numbers else where)

    def _curves(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the curves: labels and data sets x steps."""
        if isinstance(self.along, list):
            steps = table.reindex(columns=self.along)
            curves = steps.groupby(level="dataset", sort=False).mean().dropna()
            return pd.concat({self.along[0]: curves}, names=["label"])
        if self.than:
            table = table.sub(table.get(self.than, np.nan), axis=0)
        parts = {name: table[name] for name in self.label if name in table}
        if not parts:
            return pd.DataFrame()
        values = pd.concat(parts, names=["label"])
        curves = values.groupby(level=["label", "dataset", self.along], sort=False).mean()
        return curves.unstack(self.along).sort_index(axis=1).dropna()


class Significant(ClaimRule):
    """`label` is better than each of `than` by paired t-tests over repetitions, or over trials.

    With `losses`, it is also significantly worse than one of them in at most so many cases.
    """

    kind: Literal["significant"]
    label: str
    than: Labels
    losses: float = np.inf
    unit: Unit = "repetition"

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        wins = losses = total = 0
        for table in observations.scores(self.metric, self.unit).values():
            others = [name for name in self.than if name in table]
            if self.label not in table or not others:
                continue
            gaps = table[[self.label]].to_numpy() - table[others].to_numpy()
            if np.isfinite(gaps).any():
                found = signs(-gaps if lower_is_better(self.metric) else gaps)
                total += 1
                wins += bool((found > 0).all())
                losses += bool((found < 0).any())
        if not total:
            return None
        holds = enough(wins, total, self.share) and losses <= self.losses
        return RuleOutcome(holds, f"better in {cases_of(wins, total, 'case')}, worse in {losses}")


def enough(count: int, total: int, share: Share) -> bool:
    """Tell whether `count` of `total` cases are the share that a claim needs."""
    if share == "most":
        return 2 * count > total
    if share == "some":
        return count > 0
    return count >= (1 if share == "all" else share) * total


def signs(gaps: FloatArray) -> FloatArray:
    """Return the sign of the mean of each column where a t-test finds it different from zero, else 0."""
    return np.where(paired_t(gaps) < ALPHA, np.sign(np.nansum(gaps, axis=0)), 0.0)


def goodness(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Turn a table so that larger is better; rounded, because equal means differ in the last digit."""
    return (-table if lower_is_better(metric) else table).round(9)


def number(value: float) -> str:
    """Write a number with three digits."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def spread(found: pd.Series) -> str:
    """Write the range of some numbers."""
    low, high = number(found.min()), number(found.max())
    return low if low == high else f"{low} to {high}"


def cases_of(count: int, total: int, by: By) -> str:
    """Write a count: 3 of 5 data sets."""
    return f"{count} of {plural(total, 'case' if by == 'case' else 'data set')}"
