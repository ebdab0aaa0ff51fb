"""Scatter matrices of constrained pairs and of must-link components."""

from __future__ import annotations

import numpy as np

from cscluster.arrays import BoolArray, FloatArray, IntArray
from cscluster.constraints import Constraints
from cscluster.linalg.psd import rank_tolerance, top_eigenpairs

_EQUAL = 1e-4
"""Relative difference of two deviations that counts as none."""
_DIMENSION_SAMPLES = 2000
"""At most so many samples are used to find the effective dimension."""
_RARE = 25
"""A range of so many standard deviations: hardly any sample, one in 600, differs from the others."""
_BLOCK_ROWS = 4096


def deviations(X: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Return which features vary, and the standard deviations of those that do."""
    s = X.std(axis=0)
    varies = s > 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    return varies, s[varies]


def common_scales(X: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Return which features vary, and what puts those that do on one scale, of mean variance one.

    Features that share a standard deviation are on one scale already, and k-means sees them so: the result is
    that deviation.  Others are divided by their ranges, up to a common factor; so are features that share a
    standard deviation if one of them is nearly constant, since a few samples then hold all of its variance.
    """
    varies, deviation = deviations(X)
    span = np.ptp(X, axis=0)[varies]
    is_rare = (span > _RARE * deviation).any()
    if len(deviation) and np.ptp(deviation) <= _EQUAL * deviation.max() and not is_rare:
        return varies, deviation
    return varies, span * np.linalg.norm(deviation / span) / np.sqrt(max(len(span), 1))


def principal_map(X: FloatArray, scales: FloatArray, count: int) -> FloatArray:
    """Return the map, of shape (n_features, count), to the leading principal components of ``X / scales``.

    The components have a mean variance of one.  Directions without variance are left out; the samples are
    read in blocks, so that no copy of them is made.
    """
    mean = X.mean(axis=0)
    C = np.zeros((X.shape[1],) * 2)
    for start in range(0, len(X), _BLOCK_ROWS):
        R = (X[start : start + _BLOCK_ROWS] - mean) / scales
        C += R.T @ R
    values, V = top_eigenpairs(C / len(X), count)
    varies = values > rank_tolerance(values)
    return V[:, varies] / (scales[:, None] * np.sqrt(values[varies].mean()))


def pair_scatter(X: FloatArray, pairs: IntArray, weights: FloatArray) -> FloatArray:
    """Return the sum over pairs of ``w (x_i - x_j)(x_i - x_j)^T``, a d x d matrix."""
    R = (X[pairs[:, 0]] - X[pairs[:, 1]]) * np.sqrt(weights)[:, None]
    return R.T @ R


def chunklet_scatter(X: FloatArray, constraints: Constraints) -> tuple[FloatArray, int]:
    """Return the scatter inside must-link components and its degrees of freedom.

    The scatter is the sum over components and their members of ``(x - m)(x - m)^T``, where m is the
    component's mean; the degrees of freedom are the number of members less the number of components.
    """
    members = np.unique(constraints.must_links)
    groups = constraints.chunklets[members]
    R = X[members] - group_means(X[members], groups)[groups]
    return R.T @ R, len(members) - len(constraints.neighbourhoods)


def separation_scatter(X: FloatArray, constraints: Constraints) -> tuple[FloatArray, int]:
    """Return the scatter between cannot-linked components and the number of such pairs.

    The scatter is the sum over pairs of must-link components (single samples among them) that a
    cannot-link separates of ``(m_a - m_b)(m_a - m_b)^T``, where m are the components' means.
    """
    pairs = constraints.component_cannot_links
    components, ends = np.unique(pairs, return_inverse=True)
    members = np.flatnonzero(np.isin(constraints.components, components))
    M = group_means(X[members], np.searchsorted(components, constraints.components[members]))
    return pair_scatter(M, ends.reshape(-1, 2), np.ones(len(pairs))), len(pairs)


def group_means(X: FloatArray, groups: IntArray) -> FloatArray:
    """Return the mean of each of the groups 0, 1, 2, ... of samples."""
    sizes = np.bincount(groups)
    return group_sums(X, groups, len(sizes)) / sizes[:, None]


def group_sums(X: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Return the sum of the rows of `X` in each group, of shape (n_groups, n_features)."""
    d = X.shape[1]
    places = group[:, None] * d + np.arange(d)
    sums: FloatArray = np.bincount(places.ravel(), X.ravel(), n_groups * d).astype(np.float64, copy=False)
    return sums.reshape(n_groups, d)


def effective_dimension(X: FloatArray) -> float:
    """Return how many uncorrelated features of equal variance spread like those of `X`.

    That is ``tr(C)^2 / tr(C^2)`` with C the covariance of the features: their number where no two are
    correlated, one where a single direction holds all variance.
    """
    S = X[:: X.shape[0] // _DIMENSION_SAMPLES + 1]
    if len(S) < S.shape[1]:  # the Gram matrix has the same trace and the same norm
        R = S - S.mean(axis=0)
        C = R @ R.T
    else:
        C = np.atleast_2d(np.cov(S, rowvar=False))
    return float(np.trace(C) ** 2 / max((C**2).sum(), np.finfo(np.float64).tiny))


def shrunk_covariance(S: FloatArray, freedom: int, shrinkage: float) -> FloatArray:
    """Return the covariance of a scatter, pulled towards the identity.

    The identity counts as ``shrinkage * d`` further degrees of freedom:
    ``(S + shrinkage d I) / (freedom + shrinkage d)``.  On features of unit variance that is a ridge
    which scales with each feature's variance and fades as constraints become more.
    """
    prior = shrinkage * len(S)
    return (S + prior * np.eye(len(S))) / (freedom + prior)
