"""What all rules share: how a rule is written and what it answers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict

from cscluster.metrics.catalogue import lower_is_better
from cscluster.papers.cases import Cases
from cscluster.words import plural

Share = Literal["all", "most", "some"] | float
"""How many cases a claim needs: all, more than half, at least one, or at least a share of them."""
By = Literal["case", "dataset"]
"""What counts as one: a data set at a point and a tier, or a data set with the mean over these."""


@dataclass(frozen=True)
class Outcome:
    """What a rule found: whether the claim holds, the numbers in words, and whether they exceed the claim.

    A claim is exceeded where it does not hold only because ours is better than what the paper prints.
    """

    holds: bool
    text: str
    exceeds: bool = False


class Rule(BaseModel):
    """One way to check a claim from cells alone."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    metric: str

    @abstractmethod
    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        """Return the outcome, or None where the cases hold nothing to judge by."""

    @property
    def labels(self) -> list[str]:
        """The labels that the rule names."""
        fields = (getattr(self, name, None) for name in ("label", "than", "among", "along"))
        lists = [[field] if isinstance(field, str) else field or [] for field in fields]
        return [name for names in lists for name in names if name not in ("point", "tier")]

    @property
    def open_to_all(self) -> bool:
        """Whether methods that the rule does not name take part."""
        return not self.labels


class CountingRule(Rule):
    """A rule about each case, each data set, or each of other things; a share of them is enough."""

    share: Share = "all"

    def outcome(self, count: int, total: int, text: str, ahead: int = 0) -> Outcome:
        """Return the outcome where the rule holds for `count` of `total` things, and `ahead` exceed it."""
        holds = enough(count, total, self.share)
        return Outcome(holds, text, exceeds=not holds and enough(count + ahead, total, self.share))


class LimitRule(Rule):
    """A rule about numbers that keep to limits."""

    at_least: float | None = None
    at_most: float | None = None

    def within(self, found: pd.Series) -> pd.Series:
        """Tell which numbers keep to the limits that are given."""
        low = -np.inf if self.at_least is None else self.at_least
        high = np.inf if self.at_most is None else self.at_most
        return (found >= low) & (found <= high)


def enough(count: int, total: int, share: Share) -> bool:
    """Tell whether `count` of `total` cases are the share that a claim needs."""
    if share == "all":
        return count == total
    if share == "most":
        return 2 * count > total
    if share == "some":
        return count > 0
    return count >= share * total


def values(cases: Cases, metric: str, by: By) -> pd.DataFrame:
    """Return the means, cases or data sets x labels."""
    return cases.table(metric) if by == "case" else cases.by_dataset(metric)


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
