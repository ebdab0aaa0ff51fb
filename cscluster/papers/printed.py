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
from cscluster.papers.cases import Cases, Unit
from cscluster.papers.curves import exponents
from cscluster.papers.rule import CountingRule, Outcome, number
from cscluster.report.statistics import ALPHA, paired_t
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


class Numbers(CountingRule):
    """Ours is within a tolerance of each printed number of a table, or at most as large."""

    kind: Literal["numbers"]
    table: str
    tolerance: float = 0.0
    or_less: bool = False

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        found = self.beside(cases, printed)
        if found.empty:
            return None
        count, total = int(found["agrees"].sum()), len(found)
        ahead = int((found["better"] & ~found["agrees"]).sum())
        size = found["difference"] if self.or_less else found["difference"].abs()
        far = found.loc[size.idxmax()]
        where = "in the mean of all data sets" if far["dataset"] == EVERY else f"on {far['dataset']}"
        text = (
            f"{count} of {total} numbers {self.words()}"
            + (f", {ahead} better" if ahead else "")
            + (
                f"; largest difference {number(far['difference'])} "
                f"({far['label']} {where}: {number(far['ours'])}, printed {number(far['value'])})"
            )
        )
        return self.outcome(count, total, text, ahead)

    def words(self) -> str:
        """Say what agreement means."""
        return "at most as printed" if self.or_less else f"within {self.tolerance:g}"

    def beside(self, cases: Cases, printed: pd.DataFrame) -> pd.DataFrame:
        """Return the printed numbers that ours exist for, with ours, difference, agrees and better."""
        wanted = printed[(printed["table"] == self.table) & (printed["metric"] == self.metric)]
        name, percent = re.subn("_percent$", "", self.metric)
        means = cases.by_dataset(name) * (100 if percent else 1)
        wanted = wanted.assign(
            value=wanted["value"].astype(float),
            ours=[
                _look_up(means, d, label) for d, label in zip(wanted["dataset"], wanted["label"], strict=True)
            ],
        ).dropna(subset=["ours"])
        gap = wanted["ours"] - wanted["value"]
        agrees = (gap <= 1e-9) if self.or_less else (gap.abs() <= self.tolerance + 1e-9)
        better = gap < 0 if lower_is_better(name) else gap > 0
        return wanted.assign(difference=gap, agrees=agrees, better=better)


def _look_up(means: pd.DataFrame, dataset: str, label: str) -> float:
    if label not in means or (dataset != EVERY and dataset not in means.index):
        return float("nan")
    return float(means[label].mean() if dataset == EVERY else means.loc[dataset, label])


class Exponents(CountingRule):
    """The fitted exponent of each method is within a tolerance of the printed one.

    A smaller one is ahead, unless it is negative: no method is faster on more samples, and what its seconds
    tell is something else.
    """

    kind: Literal["exponents"]
    table: str
    metric: str = "cpu_seconds"
    sizes: dict[str, int]
    tolerance: float

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        wanted = printed[(printed["table"] == self.table) & (printed["metric"] == "exponent")]
        expected = dict(zip(wanted["label"], wanted["value"].astype(float), strict=True))
        ours = {k: v for k, v in exponents(cases, self.metric, self.sizes).items() if k in expected}
        if not ours:
            return None
        count = sum(abs(ours[label] - expected[label]) <= self.tolerance for label in ours)
        ahead = sum(0 <= ours[label] < expected[label] - self.tolerance for label in ours)
        listed = ", ".join(f"{label} {ours[label]:.2f} ({expected[label]:.2f})" for label in ours)
        text = f"{count} of {len(ours)} within {self.tolerance:g}; ours (printed): {listed}"
        return self.outcome(count, len(ours), text, ahead)


class Order(CountingRule):
    """Pairs of methods stand to each other as a printed line ``A < B ~ C`` says, by paired t-tests.

    With `among`, pairs of these methods alone.
    """

    kind: Literal["order"]
    table: str
    among: list[str] | None = None
    unit: Unit = "draw"

    def judge(self, cases: Cases, printed: pd.DataFrame) -> Outcome | None:
        lines = printed[(printed["table"] == self.table) & (printed["metric"] == "order")]
        lines_by_dataset = dict(zip(lines["dataset"], lines["value"], strict=True))
        same = reversed_ = total = datasets = 0
        for (dataset, _, _), scores in cases.scores(self.metric, self.unit).items():
            if dataset not in lines_by_dataset:
                continue
            datasets += 1
            there = set(scores) & set(self.among or scores)
            for (a, b), expected in relations(lines_by_dataset[dataset]).items():
                if {a, b} <= there:
                    found = _relation(scores[a], scores[b])
                    total += 1
                    same += found == expected
                    reversed_ += found == -expected != 0
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


def _relation(a: pd.Series, b: pd.Series) -> int:
    """Return 1 if the trials of `b` are significantly larger, -1 if smaller, 0 if neither."""
    gaps = (b - a).to_numpy(dtype=float)[:, None]
    if not np.isfinite(gaps).any() or paired_t(gaps)[0] >= ALPHA:
        return 0
    return 1 if np.nanmean(gaps) > 0 else -1
