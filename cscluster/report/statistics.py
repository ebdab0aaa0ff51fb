"""Which differences are more than chance: paired tests over repetitions, rank tests across data sets.

Draws are paired: draw t of a data set has the same constraints for every algorithm.  So algorithms are
compared on one data set by tests on the differences of their scores, one for each draw: the mean where
several trials repeat a draw, since those are no independent observations.  Across data sets they are
compared by ranks of their means, one for each source of samples: neither draws nor samples of another
size are taken for data sets.

Places where there is nothing to test do not give NaN: identical scores, and fewer than two draws in
common, have p = 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from cscluster.arrays import BoolArray, FloatArray, IntArray
from cscluster.metrics.catalogue import find_metric, lower_is_better, metric_title
from cscluster.report.aggregate import PLACE, Place, Results, metric_values

ALPHA = 0.05
CONFIDENCE = 0.95
ENOUGH = 3
"""Draws that a confidence interval needs."""
ENOUGH_DATASETS = 5
"""Data sets, or their sources, that tests across them need: of fewer, hardly any ranks are significant."""
TOO_FEW = "too few trials"
"""What is said where a test could not become significant, whatever the scores."""
_PAIR = ["a", "b", "n", "difference", "t_p", "wilcoxon_p", "holm_p", "cohen_dz", "rank_biserial", "winner"]


@dataclass(frozen=True)
class Paired:
    """One metric of all draws, side by side.

    Attributes
    ----------
    places : list of (data set, point, tier)
        In the order of the experiment.
    labels, draws : lists
        The algorithms, in the order of the experiment, and the numbers of the draws.
    values : array of shape (draws, places, labels)
        Means over the trials of a draw; NaN where less than half of those that another label has are
        there.
    """

    places: list[Place]
    labels: list[str]
    draws: list[int]
    values: FloatArray

    @cached_property
    def means(self) -> FloatArray:
        """The mean of each place and label, shape (places, labels); NaN where there is no value."""
        counts = self.counts
        return np.nansum(self.values, axis=0) / np.where(counts, counts, np.nan)

    @cached_property
    def counts(self) -> IntArray:
        """The number of values of each place and label, shape (places, labels)."""
        return np.isfinite(self.values).sum(axis=0)

    def at(self, place: Place) -> pd.DataFrame:
        """Return the draws (index) of all labels (columns) at one place, with gaps."""
        values = self.values[:, self.places.index(place), :]
        return pd.DataFrame(values, pd.Index(self.draws, name="draw"), self.labels)


@lru_cache(maxsize=32)
def paired(results: Results, metric: str) -> Paired:
    """Return one metric of all draws, side by side."""
    trials, labels, there = results.trials, results.labels, results.places
    draws = sorted(trials["draw"].unique())
    place = trials.groupby(PLACE, sort=False).ngroup()
    values = metric_values(trials, metric).groupby([trials["draw"], place, trials["label"]], sort=False)
    every = pd.MultiIndex.from_product([draws, range(len(there)), labels])
    shape = len(draws), len(there), len(labels)
    means, counts = (
        values.agg(how).reindex(every).to_numpy(float).reshape(shape) for how in ("mean", "count")
    )
    counts = np.nan_to_num(counts)
    enough = 2 * counts >= np.maximum(counts.max(axis=2, keepdims=True, initial=0), 1)
    return Paired(there, labels, draws, np.where(enough, means, np.nan))


def at_last(results: Results, metric: str) -> Iterator[tuple[Place, pd.DataFrame]]:
    """Yield the last place of each data set, and the draws (index) that all labels (columns) have there.

    Labels without any value are left out: they would leave no draw for the others.
    """
    scores = paired(results, metric)
    for place in results.last_places.values():
        yield place, _complete(scores.at(place))


def paired_t(differences: FloatArray) -> FloatArray:
    """Return the p-values of paired t-tests, one for each column of differences (draws x cases).

    NaN is a draw that one of the two has not; differences that are all the same but not zero are
    certain (p = 0).
    """
    d: Any = np.ma.masked_invalid(np.round(differences, 12))  # equal scores differ by rounding at most
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.ma.filled(stats.mstats.ttest_1samp(d, 0.0, axis=0).pvalue, 1.0)
    same = np.ma.filled(d.max(axis=0) == d.min(axis=0), True)
    zero = np.ma.filled(d.max(axis=0) == 0, True)
    p = np.where(same, np.where(zero, 1.0, 0.0), p)
    return np.asarray(np.where(d.count(axis=0) < 2, 1.0, p), dtype=float)


def intervals(results: Results, metric: str, by: Sequence[str]) -> pd.DataFrame:
    """Return the mean of each group of trials and the 95 % confidence interval of the mean.

    The interval is Student's, over draws, and ends where the range of the metric ends.  That of
    a positive metric without a largest value, such as seconds, is a factor: it stays positive.

    Parameters
    ----------
    results : Results
        Of a run.
    metric : str
        What is averaged.
    by : sequence of str
        Columns of the trials that tell the groups apart.

    Returns
    -------
    DataFrame
        The columns of `by`, mean, low and high (NaN for fewer than three draws), and n, the
        number of trials.
    """
    trials, values = results.trials, metric_values(results.trials, metric)
    keys = [trials[name] for name in by]
    groups = values.groupby(keys, sort=False)
    of_draws = values.groupby([*keys, trials["draw"]], sort=False).mean()
    draws = of_draws.groupby(level=list(by), sort=False)
    n, mean = draws.count(), groups.mean()
    half = stats.t.ppf((1 + CONFIDENCE) / 2, n.clip(lower=2) - 1) * draws.std() / np.sqrt(n)
    half = half.where(n >= ENOUGH)
    about = find_metric(metric)
    if (about.lowest, about.highest) == (0, np.inf):
        low, high = (mean * np.exp(sign * half / mean.where(mean > 0)) for sign in (-1, 1))
    else:
        low, high = ((mean + sign * half).clip(about.lowest, about.highest) for sign in (-1, 1))
    return pd.DataFrame({"mean": mean, "low": low, "high": high, "n": groups.count()}).reset_index()


def ordering(scores: pd.DataFrame, lower: bool = False) -> str:
    """Return the labels from worst to best mean as a line, ``A < B ~ C``.

    As in Table 5 of baghshah2010, ``x < y`` says that y is significantly better than x by a paired
    t-test, ``x ~ y`` that neighbours are not significantly different.

    Parameters
    ----------
    scores : DataFrame
        Draws x labels, without gaps.
    lower : bool
        Whether small scores are good.
    """
    if scores.empty:
        return ""
    means = scores.mean().round(12).sort_values(ascending=not lower, kind="stable")
    line = str(means.index[0])
    if len(means) == 1:
        return line
    tests = paired_t(np.diff(scores[means.index].to_numpy(), axis=1))
    for better, p in zip(means.index[1:], tests, strict=True):
        line += f" {'<' if p < ALPHA else '~'} {better}"
    return line


def pairwise(scores: pd.DataFrame, lower: bool = False) -> pd.DataFrame:
    """Compare each pair of labels over their draws.

    Parameters
    ----------
    scores : DataFrame
        Draws x labels, without gaps.
    lower : bool
        Whether small scores are good.

    Returns
    -------
    DataFrame
        One row for each pair: a, b, n (draws), difference (mean of a - b), t_p (paired t-test),
        wilcoxon_p (signed ranks), holm_p (the same, corrected for the number of pairs), cohen_dz (mean
        over standard deviation of the differences; infinite where they are all the same),
        rank_biserial (matched pairs, -1 to 1, positive where a is larger), winner (by `holm_p`: a, b,
        ``tie`` or, where there are too few draws for any difference to be significant,
        ``too few trials``).
    """
    rows = []
    for a, b in combinations(scores.columns, 2):
        d = np.round((scores[a] - scores[b]).to_numpy(), 12)
        p, biserial = _wilcoxon(d)
        mean, t_p = (float(d.mean()), float(paired_t(d[:, None])[0])) if len(d) else (0.0, 1.0)
        rows.append([a, b, len(d), mean, t_p, p, 1.0, _cohen(d), biserial, "tie"])
    table = pd.DataFrame(rows, columns=_PAIR)
    if rows:
        table["holm_p"] = holm(table["wilcoxon_p"].to_numpy())
        better = np.where((table["difference"] > 0) != lower, table["a"], table["b"])
        table["winner"] = np.where(table["holm_p"] < ALPHA, better, "tie")
        if len(rows) * 2.0 ** (1 - len(scores)) >= ALPHA:  # the smallest p that n signs can have
            table["winner"] = TOO_FEW
    return table


def holm(p: FloatArray) -> FloatArray:
    """Return p-values corrected for their number by Holm's step-down method.

    The i-th smallest of m is multiplied by m - i + 1, and is no smaller than those before it.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979), 65-70.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return corrected


def _wilcoxon(d: FloatArray) -> tuple[float, float]:
    """Return the p-value of the signed ranks of differences, and their rank-biserial correlation."""
    if not d.any():
        return 1.0, 0.0
    with warnings.catch_warnings():  # about few draws: their p-value is large, as it should be
        warnings.simplefilter("ignore", (UserWarning, RuntimeWarning))
        p = float(stats.wilcoxon(d).pvalue)
    ranks = stats.rankdata(np.abs(d[d != 0]))
    return p, float((np.sign(d[d != 0]) * ranks).sum() / ranks.sum())


def _cohen(d: FloatArray) -> float:
    mean = float(d.mean()) if len(d) else 0.0
    spread = float(d.std(ddof=1)) if len(d) > 1 and np.ptp(d) else 0.0
    return mean / spread if spread else float(np.sign(mean) * np.inf) if mean else 0.0


def leaders(values: FloatArray, lower: bool = False) -> BoolArray:
    """Tell who is best or not significantly worse than the best by a paired t-test.

    Who has less than half of the draws that another has cannot lead: a mean over the few that did not
    fail is no better mean.

    Parameters
    ----------
    values : array of shape (draws, groups, members)
        NaN where there is no value.
    lower : bool
        Whether small values are good.

    Returns
    -------
    array of shape (groups, members)
        Also true for means that read alike with three decimals.
    """
    counts = np.isfinite(values).sum(axis=0)
    if not values.size:
        return counts > 0
    means = np.nansum(values, axis=0) / np.where(counts, counts, np.nan)
    able = (counts > 0) & (2 * counts >= counts.max(axis=1, keepdims=True))
    best = np.where(able, -means if lower else means, -np.inf).argmax(axis=1)[:, None]
    differences = values - np.take_along_axis(values, best[None], axis=2)
    shared = np.isfinite(differences).sum(axis=0)
    p = paired_t(differences.reshape(len(values), -1)).reshape(counts.shape)
    alike = np.round(means, 3) == np.round(np.take_along_axis(means, best, axis=1), 3)
    return np.asarray(able & (alike | ((shared > 1) & (p >= ALPHA))))


def leading(results: Results, metric: str) -> set[tuple[Place, str]]:
    """Return where which label is one of the `leaders`."""
    table = paired(results, metric)
    found = leaders(table.values, lower_is_better(metric))
    return {(table.places[i], table.labels[j]) for i, j in np.argwhere(found)}


def against(table: Paired, i: int, j: int, lower: bool) -> tuple[int, int, int]:
    """Return the numbers of places where label i wins, ties and loses against label j."""
    d = table.values[:, :, i] - table.values[:, :, j]
    both = np.isfinite(d).any(axis=0)
    d = d[:, both] * (-1.0 if lower else 1.0)
    if not d.size:
        return 0, 0, 0
    clear, ahead = paired_t(d) < ALPHA, np.nanmean(d, axis=0) > 0
    return int((clear & ahead).sum()), int((~clear).sum()), int((clear & ~ahead).sum())


@dataclass(frozen=True)
class Friedman:
    """Friedman's test across data sets, with Nemenyi's test between algorithms.

    Attributes
    ----------
    statistic, p : float
        Of Friedman's test that all algorithms are alike.
    n : int
        Number of data sets, or of their sources.
    mean_ranks : Series
        By label; 1 is the best.
    critical_difference : float
        Mean ranks that differ by more are significantly different (Nemenyi).
    across : str
        What was ranked, in words.
    left_out : list of str
        The names of what was omitted because it has no results, algorithms first.
    """

    statistic: float
    p: float
    n: int
    mean_ranks: pd.Series
    critical_difference: float
    across: str
    left_out: list[str] = field(default_factory=list)

    def words(self) -> str:
        """Return the outcome, and what was omitted, in words."""
        alike = "differ" if self.p < ALPHA else "do not differ significantly"
        omitted = f", without {enumerated(self.left_out)}, which have no results" if self.left_out else ""
        return f"Across {self.across} the algorithms {alike} (Friedman, p = {self.p:.2g}{omitted})"

    @cached_property
    def nemenyi(self) -> pd.DataFrame:
        """p-values of Nemenyi's test, label x label."""
        labels = self.mean_ranks.index
        return pd.DataFrame(nemenyi(self.mean_ranks.to_numpy(), self.n), labels, labels)


def nemenyi(mean_ranks: FloatArray, n: int) -> FloatArray:
    """Return the p-values of Nemenyi's test between k algorithms, shape (k, k).

    Mean ranks over n data sets are compared by the studentized range of k groups with infinitely many
    degrees of freedom: q = sqrt(2) |R_i - R_j| / sqrt(k (k + 1) / (6 n)).

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine
    Learning Research 7 (2006), 1-30, section 3.2.2.
    """
    k = len(mean_ranks)
    i, j = np.triu_indices(k, 1)
    q = np.sqrt(2) * np.abs(mean_ranks[i] - mean_ranks[j]) / _rank_error(k, n)
    p = np.ones((k, k))
    p[i, j] = p[j, i] = stats.studentized_range.sf(q, k, np.inf)
    return p


def _rank_error(k: int, n: int) -> float:
    """Return the standard error of the difference of two mean ranks of k algorithms on n data sets."""
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def means(results: Results, metric: str) -> pd.DataFrame:
    """Return the mean over draws, data sets x labels, at the last point and tier."""
    table = paired(results, metric)
    rows = {name: table.means[table.places.index(last)] for name, last in results.last_places.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=table.labels)


def friedman(table: pd.DataFrame, lower: bool = False) -> Friedman | None:
    """Compare algorithms across data sets by the ranks of their means.

    Parameters
    ----------
    table : DataFrame
        Data sets x labels, one number each, as `means` returns it; data sets with a gap are left out.
    lower : bool
        Whether small numbers are good.

    Returns
    -------
    Friedman or None
        None for fewer than three algorithms or fewer than three data sets without gaps: ranks then say
        nothing.
    """
    complete: Any = table.dropna()
    n, k = complete.shape
    if n < 3 or k < 3:
        return None
    complete = complete.round(12)
    ranks = complete.rank(axis=1, ascending=lower)
    if (ranks == ranks.iloc[0, 0]).all(axis=None):  # all the same everywhere
        statistic, p = 0.0, 1.0
    else:
        statistic, p = map(float, stats.friedmanchisquare(*complete.to_numpy().T))
    width = float(stats.studentized_range.ppf(1 - ALPHA, k, np.inf)) / np.sqrt(2) * _rank_error(k, n)
    return Friedman(statistic, p, n, ranks.mean(), width, f"{n} data sets")


def ranks(results: Results, metric: str) -> pd.DataFrame:
    """Return the rank (1 is the best) of each algorithm on each data set, at its last point and tier.

    Data sets that are samples of one source and differ in size count once, by the mean over them.
    Algorithms without any result are left out, and then data sets where one of the rest has none.
    """
    table = _by_source(results, _complete(means(results, metric)))
    return table.round(12).rank(axis=1, ascending=lower_is_better(metric))


def _complete(table: pd.DataFrame) -> pd.DataFrame:
    return table.dropna(axis=1, how="all").dropna()


def _by_source(results: Results, table: pd.DataFrame) -> pd.DataFrame:
    source_of = {name: source for source, names in results.families.items() for name in names}
    sources = pd.Index([source_of.get(name, name) for name in table.index])
    return table.groupby(sources, sort=False).mean()


def rank_test(results: Results, metric: str) -> Friedman | None:
    """Compare algorithms across data sets by their `ranks`; None for too few of either."""
    everything = means(results, metric)
    table = _complete(everything)
    by_source = _by_source(results, table)
    test = friedman(by_source, lower_is_better(metric)) if len(by_source) >= ENOUGH_DATASETS else None
    if test is None:
        return None
    return replace(
        test,
        across=test.across if len(table) == test.n else f"{test.n} sources of {len(table)} data sets",
        left_out=[
            *(results.marks[name] for name in everything.columns if name not in table),
            *(name for name in everything.index if name not in table.index),
        ],
    )


def too_few_datasets(results: Results, metric: str) -> str:
    """Say that there are several data sets but too few to test across them; nothing if that is not so."""
    n, k = ranks(results, metric).shape
    if k < 3 or not 1 < n < ENOUGH_DATASETS:
        return ""
    return f"{n} data sets are too few to test differences across them (at least {ENOUGH_DATASETS})."


def sentence(results: Results, metric: str) -> str:
    """Return the outcome in words: who is best how often, and against whom that is no chance."""
    table, lower = paired(results, metric), lower_is_better(metric)
    marks = results.marks
    shared = (table.counts > 0).sum(axis=1) >= 2
    if not shared.any():
        return ""
    values = np.where(lower, -1.0, 1.0) * np.round(table.means[shared], 12)
    best = np.nanmax(values, axis=1, keepdims=True)
    firsts = (values == best).sum(axis=0)
    winner = int(firsts.argmax())
    total = int(shared.sum())
    extreme = "lowest" if lower else "highest"
    first = table.places[int(shared.argmax())]
    where = f"in {firsts[winner]} of {total} cases" if total > 1 else f"on {first[0]}"
    parts = []
    for j, label in enumerate(table.labels):
        if j == winner:
            continue
        wins, ties, losses = against(table, winner, j, lower)
        if wins or losses or ties:
            worse = f" (worse in {losses})" if losses else ""
            parts.append(f"{marks[label]} in {wins} of {wins + ties + losses}{worse}")
    text = f"{marks[table.labels[winner]]} has the {extreme} {metric_title(metric)} {where}"
    if parts and table.counts.max() < 2:
        text += f", {TOO_FEW} to test differences"
    elif parts:
        text += f". By paired t-tests at {ALPHA} it is significantly better than {enumerated(parts)}"
    return f"{text}.{_across(results, metric)}"


def _across(results: Results, metric: str) -> str:
    """Return the outcome of Friedman's test in words, where there is one."""
    test = rank_test(results, metric)
    if test is None:
        return f" {too_few_datasets(results, metric)}".rstrip()
    names = [
        f"{results.marks[label]} {rank:.2f}"
        for label, rank in test.mean_ranks.sort_values(kind="stable").items()
    ]
    return (
        f" {test.words()}. Mean ranks: {', '.join(names)}. "
        f"Critical difference: {test.critical_difference:.2f} (Nemenyi)."
    )


def enumerated(parts: list[str]) -> str:
    """Return names as a sentence has them.

    >>> enumerated(["A", "B", "C"])
    'A, B and C'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
