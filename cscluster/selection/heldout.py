"""How well a method keeps links that it was not shown: the honest measure where there are no labels."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cscluster import seeds
from cscluster.algorithms import registry
from cscluster.algorithms.build import build
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.errors import CsclusterError

FOLDS = 5
MIN_LINKS = 20
MIN_OF_EACH_KIND = 5
MAX_ROWS = 3000

Tick = Callable[[str], None]
"""Told what is being done, once for each fit."""

Split = tuple[Constraints, Constraints]


@dataclass(frozen=True)
class Attempt:
    """What a method made of held-out links.

    Attributes
    ----------
    algorithm : str
        Name in the registry.
    must, cannot : pair of int
        Number of held-out links that were kept, and of all.
    seconds : float
        Time of a fit: the median, so that neither compilation counts nor what fits share with the first one.
    problem : str
        Why there is no result, if there is none.
    """

    algorithm: str
    must: tuple[int, int] = (0, 0)
    cannot: tuple[int, int] = (0, 0)
    seconds: float = 0.0
    problem: str = ""

    @property
    def score(self) -> float:
        """Mean of the shares of must-links and of cannot-links that were kept."""
        if self.problem:
            return -1.0
        shares = [kept / total for kept, total in (self.must, self.cannot) if total]
        return float(np.mean(shares)) if shares else 0.0

    @property
    def exceeds_chance(self) -> bool:
        """Whether the score is above that of labels that know nothing, one half, by two standard errors."""
        totals = [total for _, total in (self.must, self.cannot) if total]
        error = 0.5 / len(totals) * float(np.sqrt(sum(1 / total for total in totals))) if totals else np.inf
        return self.score > 0.5 + 2 * error


def title(name: str) -> str:
    """Return what a method is called in tables."""
    algorithm = registry.find(name)
    joined = registry.find(registry.JOINED).title
    return f"{algorithm.title} + {joined}" if algorithm.is_metric else algorithm.title


def are_enough(links: Constraints) -> bool:
    """Tell whether there are enough links to hold some out."""
    kinds = (len(links.must_links), len(links.cannot_links))
    return sum(kinds) >= MIN_LINKS and min(kinds) >= MIN_OF_EACH_KIND


def splits(links: Constraints, seed: int) -> list[Split]:
    """Set aside a fifth of the linked samples, five times: all their links are asked, none is shown.

    Links that follow from shown ones would be no test; samples without any shown link have none.
    """
    fold = np.full(links.n_samples, -1)
    order = np.arange(len(links.touched)) % FOLDS
    fold[links.touched] = seeds.generator(seed, "held-out links").permutation(order)
    asked = [(fold[links.pairs] == number).any(axis=1) for number in range(FOLDS)]
    return [(links.select(~mask), links.select(mask)) for mask in asked]


def fewer_rows(X: Any, links: Constraints, seed: int) -> tuple[Any, Constraints]:
    """Keep at most `MAX_ROWS`: all linked samples and others at random, or those of links drawn at random.

    All links between the samples that are kept stay.
    """
    n = links.n_samples
    if n <= MAX_ROWS:
        return X, links
    linked = links.touched
    rng = seeds.generator(seed, "rows")
    if len(linked) > MAX_ROWS:
        ends = links.pairs[rng.permutation(len(links))].ravel()
        first = np.sort(np.unique(ends, return_index=True)[1])
        rows = np.sort(ends[first[:MAX_ROWS]])
        links = links.select(np.isin(links.pairs, rows).all(axis=1))
    else:
        others = np.setdiff1d(np.arange(n), linked)
        drawn = rng.choice(others, MAX_ROWS - len(linked), replace=False)
        rows = np.sort(np.concatenate([linked, drawn]))
    return X[rows], links.renumbered(rows)


def kept_of(links: Constraints, labels: IntArray) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the numbers of must-links that labels keep and of all, and those of cannot-links."""
    broken = links.violated(labels)
    n_must, n_cannot = len(links.must_links), len(links.cannot_links)
    return (n_must - len(broken.must_links), n_must), (n_cannot - len(broken.cannot_links), n_cannot)


def agreement(fit: Callable[[Constraints], IntArray], links: Constraints, seed: int) -> float:
    """Return the score of held-out links: `fit` is shown links and returns labels."""
    totals = np.zeros((2, 2), dtype=int)
    for shown, asked in splits(links, seed):
        totals += kept_of(asked, fit(shown))
    must, cannot = map(tuple, totals.tolist())
    return Attempt("", must, cannot).score


def attempt(
    name: str, params: dict[str, Any], X: Any, parts: list[Split], n_clusters: int, seed: int, tick: Tick
) -> Attempt:
    """Fit a method to the shown links of each split, and count which held-out ones it keeps."""
    times = []
    totals = np.zeros((2, 2), dtype=int)
    problem = ""
    for shown, asked in parts:
        tick(title(name))
        if problem:
            continue
        start = time.perf_counter()
        try:
            with warnings.catch_warnings(action="ignore"):
                labels = build(name, params, n_clusters, seed).fit(X, shown).labels_
        except (CsclusterError, np.linalg.LinAlgError) as error:
            problem = str(error)
            continue
        times.append(time.perf_counter() - start)
        totals += kept_of(asked, labels)
    must, cannot = map(tuple, totals.tolist())
    return Attempt(name, must, cannot, float(np.median(times)) if times else 0.0, problem)
