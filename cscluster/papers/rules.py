"""Rules that decide claims from trials alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from scipy import stats

from cscluster.metrics.catalogue import lower_is_better
from cscluster.papers.observations import PLACE, By, Observations
from cscluster.report.statistics import ALPHA, holm, paired_t
from cscluster.words import plural

Share = Literal["all", "most", "some"] | float
"""How many cases a claim needs: all, more than half, at least one, or at least a share of them."""
Labels = Annotated[list[str], BeforeValidator(lambda given: [given] if isinstance(given, str) else given)]
Status = Literal["holds", "does not hold", "undecided"]


@dataclass(frozen=True)
class RuleOutcome:
    """What a rule says, and the numbers in words."""

    status: Status
    text: str


class ClaimRule(BaseModel):
    """One way to check a claim: it holds in enough of some units (cases, data sets, printed numbers).

    It is undecided where it would be otherwise if one data set had come out the other way, or, on a single
    unit, where that is within two standard errors.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    metric: str
    share: Share = "all"

    @abstractmethod
    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        """Return the units of a claim, and the numbers in words.

        By how much the claim holds in a unit is its `margin`, negative where it does not; `error` is the
        standard error of that.  The level ``dataset`` of the index names its data set.
        """

    def judge(self, observations: Observations, printed: pd.DataFrame) -> RuleOutcome | None:
        """Return the outcome, or None where there is nothing to judge by."""
        found, text = self.units(observations, printed)
        if found.empty:
            return None
        units = found.dropna(subset="margin")
        if units.empty:
            return RuleOutcome("undecided", text)
        won = units["margin"] >= 0
        holds = enough(won.sum(), len(won), self.share)
        unsure = bool((units["margin"].abs() <= 2 * units["error"]).iloc[0]) if len(units) == 1 else False
        if not unsure and not self._hangs_on_one_data_set(won):
            return RuleOutcome("holds" if holds else "does not hold", text)
        low, high = stats.binomtest(int(won.sum()), len(won)).proportion_ci(method="wilson")
        share = "" if len(units) == 1 else f" (95 % interval {low:.2f} to {high:.2f})"
        return RuleOutcome("undecided", text + share)

    def _hangs_on_one_data_set(self, won: pd.Series) -> bool:
        """Tell whether one data set more or less changes the outcome of units that are not unanimous."""
        names = won.index.get_level_values("dataset")
        if self.share == "some" or won.all() or not won.any() or names.nunique() < 2:
            return False
        held = enough(won.sum(), len(won), self.share)
        flipped = (won.where(names != name, value) for name in names.unique() for value in (True, False))
        return any(enough(each.sum(), len(won), self.share) != held for each in flipped)

    @property
    def labels(self) -> list[str]:
        """The labels that the rule names."""
        fields = (getattr(self, name, None) for name in ("label", "than", "among", "along"))
        lists = [[field] if isinstance(field, str) else field or [] for field in fields]
        return [name for names in lists for name in names if name not in ("point", "tier")]

    @property
    def metrics(self) -> list[str]:
        """The recorded metrics that the rule looks at."""
        return [self.metric.removesuffix("_percent")]


class Compare(ClaimRule):
    """The best of `label` has a better mean than each of `than`, or than all other labels.

    Equal means count with `ties`.  With `clear`, units within two standard errors are ties, which do not
    count.  With `worst`, it is worse than each; with ``of: std``, it has the larger standard deviation.
    Of labels that a unit lacks nothing is said.
    """

    kind: Literal["compare"]
    label: Labels
    than: Labels | None = None
    by: By = "case"
    of: Literal["mean", "std"] = "mean"
    ties: bool = False
    clear: bool = False
    worst: bool = False

    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        table = observations.table(self.metric, self.of, self.by)
        mine = [name for name in self.label if name in table]
        rivals = table.columns if self.than is None else self.than
        others = [name for name in rivals if name in table and name not in mine]
        table = table.dropna(subset=mine, how="all").dropna(subset=others, how="all").round(9)
        if not mine or not others or table.empty:
            return NOTHING, ""
        good = table * (1 if self.of == "std" or lower_is_better(self.metric) == self.worst else -1)
        first, second = good[mine].idxmax(axis=1), good[others].idxmax(axis=1)
        margin = good[mine].max(axis=1) - good[others].max(axis=1)
        margin = margin.where((margin != 0) | self.ties, -np.finfo(float).tiny)
        error = self._errors(observations, first, second)
        units = pd.DataFrame({"margin": margin, "error": error})
        tied = self.clear & ~(margin.abs() > 2 * error)
        text = self._text(units[~tied], table[mine], table[others])
        text += f", {plural(tied.sum(), 'tie')} within two standard errors" if tied.any() else ""
        return units.mask(tied), text

    def _errors(self, observations: Observations, first: pd.Series, second: pd.Series) -> pd.Series:
        """Return the standard error over repetitions of the difference in each unit."""
        if self.of == "std":
            return pd.Series(np.nan, first.index)
        scores = observations.scores(self.metric, self.by)
        parts = dict(list(scores.groupby(level="dataset" if self.by == "dataset" else PLACE)))
        gaps = (parts[unit][first[unit]] - parts[unit][second[unit]] for unit in first.index)
        return pd.Series([gap.sem() for gap in gaps], first.index)

    def _text(self, units: pd.DataFrame, mine: pd.DataFrame, others: pd.DataFrame) -> str:
        """Say in how many units the claim holds, and by how much."""
        won = units["margin"] >= 0
        a, b = (_best_mean(part, self) for part in (mine, others))
        text = f"in {cases_of(int(won.sum()), len(won), self.by)}, mean {number(a)} against {number(b)}"
        error = np.sqrt((units["error"] ** 2).sum()) / max(len(units), 1)
        return text + (f" (s.e. {error:.2g})" if error > 0 else "")


class Significant(ClaimRule):
    """`label` is better than each of `than` by paired t-tests over repetitions, or over trials.

    With `not_worse`, it is significantly worse than none of them.  With `losses`, it is also significantly
    worse than one of them in at most so many cases.
    """

    kind: Literal["significant"]
    label: str
    than: Labels
    losses: float = np.inf
    not_worse: bool = False
    unit: Literal["draw", "trial"] = "draw"

    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        tests = t_tests(observations, self.metric, [(self.label, name) for name in self.than], self.unit)
        if tests.empty:
            return NOTHING, ""
        signs = tests["sign"] * (-1 if lower_is_better(self.metric) else 1)
        better = (signs > 0).groupby(level=PLACE, sort=False).all()
        worse = (signs < 0).groupby(level=PLACE, sort=False).any()
        text = f"better in {cases_of(int(better.sum()), len(better), 'case')}, worse in {worse.sum()}"
        text += f", not worse in {(~worse).sum()}" if self.not_worse else ""
        won = ~worse if self.not_worse else better & (worse.sum() <= self.losses)
        return pd.DataFrame({"margin": np.where(won, 1.0, -1.0), "error": np.nan}, won.index), text


class Alike(ClaimRule):
    """No pair of methods differs by paired t-tests over repetitions, with Holm's correction for all tests."""

    kind: Literal["alike"]
    pairs: dict[str, str]

    @property
    def labels(self) -> list[str]:
        return [*self.pairs, *self.pairs.values()]

    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        tests = t_tests(observations, self.metric, list(self.pairs.items()))
        if tests.empty:
            return NOTHING, ""
        differ = holm(tests["p"].to_numpy()) < ALPHA
        text = f"{differ.sum()} of {plural(len(tests), 'difference')} significant"
        return pd.DataFrame({"margin": np.where(differ, -1.0, 1.0), "error": np.nan}, tests.index), text


class Limit(ClaimRule):
    """A quantity of `label` keeps to limits in each unit.

    It is the mean of the trials, their standard deviation, that over the mean (``cv``), the largest or the
    95 % quantile; less that of the metric `other`, or divided by that of the label `than`.  By ``all`` it is
    the mean over the data sets.
    """

    kind: Literal["limit"]
    label: str
    than: str | None = None
    other: str | None = None
    of: Literal["mean", "std", "cv", "max", "q95"] = "mean"
    by: By | Literal["all"] = "case"
    at_least: float = -np.inf
    at_most: float = np.inf

    @property
    def metrics(self) -> list[str]:
        return [self.metric, *([self.other] if self.other else [])]

    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        by: By = "case" if self.by == "case" else "dataset"
        table = observations.table(self.metric, self.of, by)
        if any(name is not None and name not in table for name in (self.label, self.than)):
            return NOTHING, ""
        table = table.dropna(subset=[self.label, *([self.than] if self.than else [])])
        if self.by == "all":
            table = pd.DataFrame([table.mean()], pd.Index(["all"], name="dataset"))
        found = table[self.label]
        if self.other:
            found = found - observations.table(self.other, by=by)[self.label]
        if self.than:
            found = found / table[self.than]
        found = found.dropna()
        margin = np.minimum(found - self.at_least, self.at_most - found)
        words = {"std": "standard deviation ", "cv": "standard deviation over mean ", "max": "largest trial "}
        words["q95"] = "95 % quantile "
        name = "difference " if self.other else words.get(self.of, "")
        text = f"{name}{spread(found)}{' times' if self.than else ''}"
        if self.by != "all":
            text += f" in {cases_of(int((margin >= 0).sum()), len(found), by)}"
        return pd.DataFrame({"margin": margin, "error": np.nan}), text


class Trend(ClaimRule):
    """The curve of each data set has a shape.

    A curve is the metric of `label`, or its difference from `than`, along points or tiers, or the metric of
    the labels that `along` lists.

    ``rises``: no step falls by more than the tolerance, and the last value is above the first.
    ``shrinks``: the last value is below the first.
    ``levels_off``: the last step gains less than the first.
    ``dips``: a value is below the first by more than the tolerance, and the last is above the first.
    ``gains``: the last value is above the first by `at_least`, and by `at_most`.
    ``flat``: no value is further than the tolerance from the first.
    ``varies``: one is.
    """

    kind: Literal["trend"]
    shape: Literal["rises", "shrinks", "levels_off", "dips", "gains", "flat", "varies"]
    label: Labels = Field(default_factory=list)
    than: str | None = None
    along: Literal["point", "tier"] | list[str] = "point"
    tolerance: float = 0.0
    at_least: float = -np.inf
    at_most: float = np.inf

    def units(self, observations: Observations, printed: pd.DataFrame) -> tuple[pd.DataFrame, str]:
        n_steps = 3 if self.shape in ("levels_off", "dips") else 2
        found = self._curves(observations.table(self.metric)).dropna(thresh=n_steps)
        if found.empty:
            return NOTHING, ""
        first, last = found.iloc[:, 0], found.ffill(axis=1).iloc[:, -1]
        steps, gain = found.diff(axis=1).iloc[:, 1:], last - first
        lowest, last_step = found.iloc[:, 1:].min(axis=1), steps.ffill(axis=1).iloc[:, -1]
        furthest = found.sub(first, axis=0).abs().max(axis=1)
        margin = {
            "rises": np.minimum(steps.min(axis=1) + self.tolerance, gain - TINY),
            "shrinks": -gain - TINY,
            "levels_off": steps.iloc[:, 0] - last_step - TINY,
            "dips": np.minimum(first - lowest - self.tolerance, gain) - TINY,
            "gains": np.minimum(gain - self.at_least, self.at_most - gain),
            "flat": self.tolerance + TINY - furthest,
            "varies": furthest - self.tolerance,
        }[self.shape]
        count = f"in {(margin >= 0).sum()} of {plural(len(found), 'curve')}"
        means = f"mean {'difference ' if self.than else ''}{number(first.mean())} to {number(last.mean())}"
        if self.shape == "levels_off":
            means = f"mean gain of the first step {number(steps.iloc[:, 0].mean())}, "
            means += f"of the last {number(last_step.mean())}"
        return pd.DataFrame({"margin": margin, "error": np.nan}), f"{count}, {means}"

    def _curves(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the curves: labels and data sets x steps, of which some data sets have fewer."""
        if isinstance(self.along, list):
            steps = table.reindex(columns=self.along)
            curves = steps.groupby(level="dataset", sort=False).mean().dropna()
            return pd.concat({self.along[0]: curves}, names=["label"])
        if self.than:
            table = table.sub(table.get(self.than, np.nan), axis=0)
        parts = {name: table[name] for name in self.label if name in table}
        if not parts:
            return pd.DataFrame()
        values = pd.concat(parts, names=["label"]).dropna()
        curves = values.groupby(level=["label", "dataset", self.along]).mean().rename("value").to_frame()
        curves["step"] = curves.groupby(level=["label", "dataset"]).cumcount()
        return curves.droplevel(self.along).set_index("step", append=True)["value"].unstack()


TINY = 1e-12
"""What a strict inequality asks for."""
NOTHING = pd.DataFrame(columns=["margin", "error"])


def t_tests(
    observations: Observations,
    metric: str,
    pairs: Sequence[tuple[str, str]],
    unit: Literal["draw", "trial"] = "draw",
) -> pd.DataFrame:
    """Compare pairs of labels in each case that has both, by paired t-tests.

    Returns
    -------
    DataFrame
        By case and pair (``one``, ``other``): p, and the sign of the mean of one less that of the other, 0
        where p is not below `ALPHA`.
    """
    rows = {}
    for place, scores in observations.scores(metric, unit=unit).groupby(level=PLACE, sort=False):
        there = scores.dropna(axis=1, how="all")
        for one, other in pairs:
            if {one, other} <= set(there):
                gap = (there[one] - there[other]).to_numpy()
                p = float(paired_t(gap[:, None])[0])
                rows[*place, one, other] = (p, np.sign(np.nansum(gap)) if p < ALPHA else 0.0)
    index = pd.MultiIndex.from_tuples(list(rows), names=[*PLACE, "one", "other"]) if rows else None
    return pd.DataFrame(list(rows.values()), index, columns=["p", "sign"])


def _best_mean(part: pd.DataFrame, rule: Compare) -> float:
    """Return the mean of the best label; of standard deviations that of the largest."""
    if rule.of == "std":
        return float(part.max(axis=1).mean())
    means = part.mean()
    return float(means.min() if lower_is_better(rule.metric) != rule.worst else means.max())


def enough(count: int, total: int, share: Share) -> bool:
    """Tell whether `count` of `total` cases are the share that a claim needs."""
    if share == "most":
        return bool(2 * count > total)
    if share == "some":
        return bool(count > 0)
    return bool(count >= (1 if share == "all" else share) * total)


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
