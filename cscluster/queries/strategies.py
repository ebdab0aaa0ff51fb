"""Active strategies beside Explore and Consolidate: Min-Max, NPU and COBRAS.

Min-Max [1]_ and NPU [2]_ choose the next sample of Consolidate.  COBRAS, doubt, and
the placement by which ``cscluster label`` asks, have modules of their own.

References
----------
.. [1] P. Mallapragada, R. Jin, A. Jain, "Active Query Selection for Semi-supervised Clustering", ICPR
   2008. doi:10.1109/ICPR.2008.4761792
.. [2] S. Xiong, J. Azimi, X. Fern, "Active Learning of Constraints for Semi-supervised Clustering", IEEE
   TKDE 26, 2014, sections 3.2 and 3.3. doi:10.1109/TKDE.2013.22
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from cscluster.arrays import FloatArray, dense
from cscluster.queries.active import (
    Answer,
    ExploreConsolidate,
    Interest,
    Oracle,
    ask,
    euclidean,
    farthest,
    uncertainty,
)
from cscluster.queries.cobras import cobras
from cscluster.queries.doubt import Doubt, Placement

_TREES = 50


def questions(
    strategy: str, X: Any, n_clusters: int, count: int, answer: Oracle, rng: np.random.Generator
) -> list[Answer]:
    """Return the answers to the first `count` questions of a strategy, fewer if it runs out.

    Parameters
    ----------
    strategy : str
        A strategy of the schedule `Active`.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_clusters : int
        Number of clusters; COBRAS does without.
    count : int
        Number of questions.
    answer : callable
        The oracle.
    rng : Generator
        Random choices.
    """
    preference = rng.permutation(X.shape[0]).astype(np.float64)
    if strategy == "cobras":
        return cobras(dense(X), count, answer, int(rng.integers(2**31)))[0]
    if strategy in ("doubt", "placement"):
        kind = Doubt if strategy == "doubt" else Placement
        return ask(kind(X, n_clusters, int(rng.integers(2**31))).next_pair, count, answer)
    distance = euclidean(X)
    interest: Interest | None = None
    if strategy == "min_max":
        interest = farthest(distance)
    elif strategy == "npu":
        interest = partial(npu, dense(X), int(rng.integers(2**31)))
    return ask(ExploreConsolidate(n_clusters, distance, preference, interest).next_pair, count, answer)


def npu(X: FloatArray, seed: int, groups: list[list[int]]) -> FloatArray:
    """Return the interest in each sample: its uncertainty for each question it is expected to cost [2]_.

    With p_k the mean share of trees in which it ends in the leaf of the members of group k, normalised
    over the groups, that is the entropy of p over the expected number of questions, groups being
    compared in descending order of p.  The forest is trained on the members of the groups; [2]_ trains it
    on a clustering of all samples.
    """
    members = np.concatenate([np.array(group) for group in groups])
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    forest = RandomForestClassifier(_TREES, random_state=seed).fit(X[members], labels)
    leaves = forest.apply(X)
    p = np.zeros((len(X), len(groups)))
    for number, group in enumerate(groups):
        p[:, number] = np.mean([(leaves == leaves[member]).mean(axis=1) for member in group], axis=0)
    return uncertainty(p)
