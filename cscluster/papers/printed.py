"""Numbers that the papers print, and rules that compare ours with them."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from cscluster.metrics.catalogue import lower_is_better
from cscluster.papers.observations import Observations, Unit
from cscluster.papers.rules import ClaimRule, Labels, RuleOutcome, number, signs
from cscluster.words import plural

COLUMNS = ["table", "dataset", "label", "metric", "value", "std"]
EVERY = "*"
"""As a data set: the mean over all data sets."""


@cache
def read(folder: Path) -> pd.DataFrame:
    """Return the printed numbers of the paper in a directory, by the names that its experiments use."""
    path = folder / "printed.csv"
    if not path.is_file():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(path, dtype={name: str for name in COLUMNS if name != "std"})


class Numbers(ClaimRule):
    """Ours is within a tolerance of each printed number of a table, or at most as large."""

    kind: Literal["numbers"]
    table: str
    tolerance: float = 0.0
    or_less: bool = False

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        found = self.beside(observations, printed)
        if found.empty:
            return None
        count, total = int(found["agrees"].sum()), len(found)
        ahead = int((found["better"] & ~found["agrees"]).sum())
        size = found["difference"] if self.or_less else found["difference"].abs()
        far = found.loc[size.idxmax()]
        where = "in the mean of all data sets" if far["dataset"] == EVERY else f"on {far['dataset']}"
        text = (
            f"{count} of {total} numbers "
            + ("at most as printed" if self.or_less else f"within {self.tolerance:g}")
            + (f", {ahead} better" if ahead else "")
            + f"; largest difference {number(far['difference'])} "
            f"({far['label']} {where}: {number(far['ours'])}, printed {number(far['value'])})"
        )
        return self.outcome(count, total, text, ahead)

    def beside(self, observations: Observations, printed: pd.DataFrame) -> pd.DataFrame:
        """Return the printed numbers that ours exist for, with ours, difference, agrees and better."""
        (name,) = self.metrics
        means = observations.table(name, by="dataset") * (1 if name == self.metric else 100)
        means.loc[EVERY] = means.mean()
        wanted = printed[(printed["table"] == self.table) & (printed["metric"] == self.metric)]
        wanted = wanted.astype({"value": float}).join(means.stack().rename("ours"), on=["dataset", "label"])
        wanted = wanted.dropna(subset=["ours"])
        gap = wanted["ours"] - wanted["value"]
        agrees = (gap <= 1e-9) if self.or_less else (gap.abs() <= self.tolerance + 1e-9)
        better = gap < 0 if lower_is_better(name) else gap > 0
        return wanted.assign(difference=gap, agrees=agrees, better=better)


class Exponent(ClaimRule):
    """The exponent of the metric over the number of samples, fitted in log-log, is as the paper says.

    It is within a tolerance of the value that a table prints for a method, or that `expected` names.  A
    smaller one is ahead, unless it is negative: no method is faster on more samples, and what its seconds
    tell is something else.
    """

    kind: Literal["exponent"]
    table: str | None = None
    expected: dict[str, float] = {}
    sizes: dict[str, int]
    tolerance: float

    @property
    def labels(self) -> list[str]:
        return list(self.expected)

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        lines = printed[(printed["table"] == self.table) & (printed["metric"] == "exponent")]
        paper = {**dict(zip(lines["label"], lines["value"].astype(float), strict=True)), **self.expected}
        table = observations.table(self.metric, by="dataset")
        table = table[table.index.isin(list(self.sizes))]
        ours = {}
        for label in (label for label in table if label in paper):
            curve = table[label][table[label] > 0]
            if len(curve) >= 3:
                n = [self.sizes[name] for name in curve.index]
                ours[label] = float(np.polyfit(np.log(n), np.log(curve), 1)[0])
        if not ours:
            return None
        count = sum(abs(found - paper[label]) <= self.tolerance for label, found in ours.items())
        ahead = sum(0 <= found < paper[label] - self.tolerance for label, found in ours.items())
        listed = ", ".join(f"{label} {found:.2f} ({paper[label]:.2f})" for label, found in ours.items())
        text = f"{count} of {len(ours)} within {self.tolerance:g}; ours (the paper's): {listed}"
        return self.outcome(count, len(ours), text, ahead)


class Order(ClaimRule):
    """Pairs of methods stand to each other as a printed line ``A < B ~ C`` says, by paired t-tests.

    With `among`, pairs of these methods alone.
    """

    kind: Literal["order"]
    table: str
    among: Labels | None = None
    unit: Unit = "repetition"

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        lines = printed[(printed["table"] == self.table) & (printed["metric"] == "order")]
        line_of = dict(zip(lines["dataset"], lines["value"], strict=True))
        same = reversed_ = total = datasets = 0
        for (dataset, _, _), scores in observations.scores(self.metric, self.unit).items():
            datasets += dataset in line_of
            there = set(scores) & set(self.among or scores)
            line = relations(line_of.get(dataset, ""))
            if pairs := [pair for pair in line if there.issuperset(pair)]:
                worse, better = (scores[list(names)].to_numpy() for names in zip(*pairs, strict=True))
                found, expected = signs(better - worse), np.array([line[pair] for pair in pairs])
                total += len(pairs)
                same += int((found == expected).sum())
                reversed_ += int((found < 0)[expected > 0].sum())
        if not total:
            return None
        where = plural(datasets, "data set")
        text = f"{same} of {total} pairs of methods alike on {where}, {reversed_} significantly reversed"
        return self.outcome(same, total, text)


def relations(line: str) -> dict[tuple[str, str], int]:
    """Return for each pair of ``A < B ~ C`` 1 if the second is better and 0 if they are alike.

    >>> relations("A < B ~ C")
    {('A', 'B'): 1, ('A', 'C'): 1, ('B', 'C'): 0}
    """
    parts = re.split(r"\s+([<~])\s+", line.strip())
    names, signs = parts[::2], parts[1::2]
    return {(names[i], names[j]): int("<" in signs[i:j]) for i, j in combinations(range(len(names)), 2)}
