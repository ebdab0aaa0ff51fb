"""Numbers that the papers print, and rules that compare ours with them."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from cscluster.papers.observations import Observations
from cscluster.papers.rules import NOTHING, TINY, ClaimRule, RuleOutcome, enough, number, t_tests
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
    """Ours is within a tolerance of each printed number of a table; ``of: std``: within a factor of it."""

    kind: Literal["numbers"]
    table: str
    tolerance: float = 0.0
    of: Literal["mean", "std"] = "mean"

    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        found = self.beside(observations, printed)
        if found.empty:
            return NOTHING, ""
        if self.of == "std":
            ratio = np.exp(np.abs(np.log(found["ours"] / found["value"])))
            index = pd.MultiIndex.from_frame(found[["dataset", "label"]])
            text = f"{(ratio <= self.tolerance).sum()} of {len(found)} within a factor of {self.tolerance:g}"
            return pd.DataFrame({"margin": self.tolerance - ratio.to_numpy(), "error": np.nan}, index), text
        margin = self.tolerance + TINY - found["difference"].abs()
        far = found.loc[found["difference"].abs().idxmax()]
        where = "in the mean of all data sets" if far["dataset"] == EVERY else f"on {far['dataset']}"
        text = (
            f"{(margin >= 0).sum()} of {len(found)} numbers within {self.tolerance:g}, largest difference "
            f"{number(far['difference'])} ({far['label']} {where}: {number(far['ours'])}, printed "
            f"{number(far['value'])})"
        )
        index = pd.MultiIndex.from_frame(found[["dataset", "label"]])
        return pd.DataFrame({"margin": margin.to_numpy(), "error": np.nan}, index), text

    def beside(self, observations: Observations, printed: pd.DataFrame) -> pd.DataFrame:
        """Return the printed numbers that ours exist for, with columns ours and difference."""
        (name,) = self.metrics
        means = observations.table(name, self.of, by="dataset") * (1 if name == self.metric else 100)
        means = pd.concat([means, means.mean().to_frame(EVERY).T])
        wanted = printed[(printed["table"] == self.table) & (printed["metric"] == self.metric)]
        wanted = wanted.assign(value=wanted["std"]) if self.of == "std" else wanted
        wanted = wanted.astype({"value": float}).join(means.stack().rename("ours"), on=["dataset", "label"])
        wanted = wanted.dropna(subset=["ours"])
        return wanted.assign(difference=wanted["ours"] - wanted["value"])


class Exponent(ClaimRule):
    """The exponent of the metric over the number of samples, fitted in log-log, is as the paper says.

    It is within a tolerance of the value that a table prints for a method, or that `expected` names.  Fewer
    than five sizes, or a standard error of the slope above the tolerance, do not decide.
    """

    kind: Literal["exponent"]
    table: str | None = None
    expected: dict[str, float] = {}
    sizes: dict[str, int]
    tolerance: float

    @property
    def labels(self) -> list[str]:
        return list(self.expected)

    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        lines = printed[(printed["table"] == self.table) & (printed["metric"] == "exponent")]
        paper = {**dict(zip(lines["label"], lines["value"].astype(float), strict=True)), **self.expected}
        table = observations.table(self.metric, by="dataset")
        table = table[table.index.isin(list(self.sizes))]
        rows, listed = {}, []
        for label in (label for label in table if label in paper):
            curve = table[label][table[label] > 0]
            if len(curve) >= 3:
                fit = stats.linregress(np.log([self.sizes[name] for name in curve.index]), np.log(curve))
                rows[label] = (self.tolerance - abs(fit.slope - paper[label]), fit.stderr, len(curve))
                listed.append(f"{label} {fit.slope:.2f} +- {fit.stderr:.2f}, printed {paper[label]:.2f}")
        index = pd.MultiIndex.from_tuples([(label, label) for label in rows], names=["dataset", "label"])
        found = pd.DataFrame(list(rows.values()), index, columns=["margin", "error", "sizes"])
        return found, f"{(found['margin'] >= 0).sum()} of {len(rows)} exponents within " + (
            f"{self.tolerance:g} ({', '.join(listed)})"
        )

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        found, text = self.units(observations, printed)
        if found.empty:
            return None
        count = int((found["margin"] >= 0).sum())
        at_best = int((found["margin"] + 2 * found["error"] >= 0).sum())
        if (found["sizes"] < 5).any() or (found["error"] > self.tolerance).any():
            return RuleOutcome("undecided", f"{text}, {found['sizes'].min()} sizes")
        if enough(count, len(found), self.share):
            return RuleOutcome("holds", text)
        undecided = enough(at_best, len(found), self.share)
        return RuleOutcome("undecided" if undecided else "does not hold", text)


class Order(ClaimRule):
    """Pairs of methods stand to each other as a printed line ``A < B ~ C`` says, by paired t-tests."""

    kind: Literal["order"]
    table: str
    unit: Literal["draw", "trial"] = "draw"

    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        lines = printed[(printed["table"] == self.table) & (printed["metric"] == "order")]
        if lines.empty:
            return NOTHING, ""
        parts = [pd.Series(relations(line.value)) for line in lines.itertuples()]
        expected = pd.concat(parts, keys=lines["dataset"], names=["dataset", "other", "one"])
        pairs = {(one, other): None for _, other, one in expected.index}
        tests = t_tests(observations, self.metric, list(pairs), self.unit)
        tests = tests.join(expected.rename("expected"), how="inner")
        if tests.empty:
            return NOTHING, ""
        alike = tests["sign"] == tests["expected"]
        n_reversed = int(((tests["sign"] < 0) & (tests["expected"] > 0)).sum())
        where = plural(tests.index.get_level_values("dataset").nunique(), "data set")
        text = f"{alike.sum()} of {len(alike)} pairs of methods alike on {where}, "
        return pd.DataFrame({"margin": np.where(alike, 1.0, -1.0), "error": np.nan}, alike.index), (
            text + f"{n_reversed} significantly reversed"
        )


def relations(line: str) -> dict[tuple[str, str], int]:
    """Return for each pair of ``A < B ~ C`` 1 if the second is better and 0 if they are alike.

    >>> relations("A < B ~ C")
    {('A', 'B'): 1, ('A', 'C'): 1, ('B', 'C'): 0}
    """
    parts = re.split(r"\s+([<~])\s+", line.strip())
    names, signs = parts[::2], parts[1::2]
    return {(names[i], names[j]): int("<" in signs[i:j]) for i, j in combinations(range(len(names)), 2)}
