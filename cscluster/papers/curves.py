"""Rules about how a metric goes along points, tiers, parameter values or sample sizes."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from cscluster.metrics.catalogue import lower_is_better
from cscluster.papers.cases import Cases
from cscluster.papers.rule import CountingRule, LimitRule, Outcome, Share, cases_of, number, spread
from cscluster.words import plural

Along = Literal["point", "tier"] | list[str]


def curves(cases: Cases, metric: str, label: str | None, along: Along) -> pd.DataFrame | None:
    """Return one curve for each data set, its steps as columns; None where there is none."""
    table = cases.table(metric)
    if isinstance(along, list):
        if any(name not in table for name in along):
            return None
        found = table[along].groupby(level="dataset", sort=False).mean()
    else:
        if label not in table:
            return None
        found = table[label].groupby(level=["dataset", along], sort=False).mean().unstack(along)
        found = found.sort_index(axis=1)
    found = found.dropna()
    return None if found.empty or found.shape[1] < 2 else found


class Rising(CountingRule):
    """The curve of each data set rises; a step may fall by the tolerance."""

    kind: Literal["rising"]
    label: str | None = None
    along: Along = "point"
    tolerance: float = 0.0

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        found = curves(cases, self.metric, self.label, self.along)
        if found is None:
            return None
        steps = np.diff(found.to_numpy(), axis=1)
        first, last = found.iloc[:, 0], found.iloc[:, -1]
        count = int(((steps >= -self.tolerance).all(axis=1) & (last > first)).sum())
        where = cases_of(count, len(found), "dataset")
        text = f"in {where}; mean {number(first.mean())} to {number(last.mean())}"
        return self.outcome(count, len(found), text)


class LevelsOff(CountingRule):
    """The last step of each curve gains less than its first."""

    kind: Literal["levels_off"]
    label: str | None = None
    along: Along = "point"

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        found = curves(cases, self.metric, self.label, self.along)
        if found is None or found.shape[1] < 3:
            return None
        steps = np.diff(found.to_numpy(), axis=1)
        count = int((steps[:, -1] < steps[:, 0]).sum())
        text = (
            f"in {cases_of(count, len(found), 'dataset')}; mean gain of the first step "
            f"{number(steps[:, 0].mean())}, of the last {number(steps[:, -1].mean())}"
        )
        return self.outcome(count, len(found), text)


class Gain(CountingRule, LimitRule):
    """From the first to the last step of each curve, the metric changes within limits."""

    kind: Literal["gain"]
    label: str
    along: Literal["point", "tier"] = "point"

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        found = curves(cases, self.metric, self.label, self.along)
        if found is None:
            return None
        gains = found.iloc[:, -1] - found.iloc[:, 0]
        count = int(self.within(gains).sum())
        text = f"gain {spread(gains)}; in {cases_of(count, len(gains), 'dataset')}"
        return self.outcome(count, len(gains), text)


class LeadShrinks(CountingRule):
    """The lead of `label` over `than` is larger at the first step than at the last."""

    kind: Literal["lead_shrinks"]
    label: str
    than: str
    along: Literal["point", "tier"] = "point"

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        mine, other = (curves(cases, self.metric, name, self.along) for name in (self.label, self.than))
        if mine is None or other is None:
            return None
        lead = (mine - other).dropna()
        if lead.empty:
            return None
        count = int((lead.iloc[:, 0] > lead.iloc[:, -1]).sum())
        first, last = lead.iloc[:, 0].mean(), lead.iloc[:, -1].mean()
        text = f"in {cases_of(count, len(lead), 'dataset')}; mean lead {number(first)}, then {number(last)}"
        return self.outcome(count, len(lead), text)


class Dip(CountingRule):
    """A curve of `label` falls below its first value by more than the tolerance and ends above it."""

    kind: Literal["dip"]
    label: str | list[str]
    along: Literal["point", "tier"] = "point"
    tolerance: float = 0.0
    share: Share = "some"

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        labels = [self.label] if isinstance(self.label, str) else self.label
        parts = {label: curves(cases, self.metric, label, self.along) for label in labels}
        long = [
            part.assign(label=label)
            for label, part in parts.items()
            if part is not None and part.shape[1] > 2
        ]
        if not long:
            return None
        found = pd.concat(long).set_index("label", append=True)
        start, end = found.iloc[:, 0], found.iloc[:, -1]
        depth = start - found.iloc[:, 1:-1].min(axis=1)
        dips = depth[(depth > self.tolerance) & (end > start)]
        text = f"in {len(dips)} of {plural(len(found), 'curve')}"
        if len(dips):
            dataset, label = dips.idxmax()
            text += f"; deepest {number(dips.max())} ({label} on {dataset})"
        return self.outcome(len(dips), len(found), text)


class Slope(LimitRule):
    """The exponent of the metric over the number of samples, fitted in log-log, keeps to limits.

    A cost that grows more slowly exceeds the claim.
    """

    kind: Literal["slope"]
    label: str
    sizes: dict[str, int]

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        found = exponents(cases, self.metric, self.sizes).get(self.label)
        if found is None:
            return None
        holds = bool(self.within(pd.Series([found]))[0])
        slower = self.at_least is not None and found < self.at_least and lower_is_better(self.metric)
        return Outcome(holds, f"exponent {found:.2f}", slower)


def exponents(cases: Cases, metric: str, sizes: dict[str, int]) -> dict[str, float]:
    """Return for each label with three or more sizes the slope of log metric over log size."""
    table = cases.by_dataset(metric)
    known = table[table.index.isin(list(sizes))]
    found = {}
    for label in known:
        curve = known[label].dropna()
        curve = curve[curve > 0]
        if len(curve) >= 3:
            n = np.log([sizes[str(name)] for name in curve.index])
            found[str(label)] = float(np.polyfit(n, np.log(curve.to_numpy()), 1)[0])
    return found
