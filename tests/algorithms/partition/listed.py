"""The assignment step of bilenko2004 as it reads: step 2a of Figure 1, which lists every pair of the closure."""

import numpy as np


def assign_as_listed(D, labels, constraints, units, f_M, f_C):
    """Return new labels (bilenko2004, section 3.2), each unit in turn going to the cluster h of least cost.

    The cost of sample i is
    ``D[i, h] + sum over must-constraints (i, j) with l_j != h of w_ij (f_M(i, j, h) + f_M(i, j, l_j)) / 2
    + sum over cannot-constraints (i, j) with l_j = h of w_ij f_C(i, j, h)``,

    and a unit stays where it is if no other cluster costs less.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_clusters)
        Cost of each sample in each cluster, without penalties.
    labels : ndarray of shape (n_samples,)
        Current labels, -1 for samples that nobody sees yet.
    constraints : Constraints
        The constraints with all that they entail.
    units : list of ndarrays
        Samples that move together, in the order in which they choose; alone, as the paper has it.
    f_M, f_C : callables
        Costs of violated must-constraints and cannot-constraints, equations (4) and (5), of samples i and j under the metric of
        cluster h.
    """
    labels = labels.copy()
    for unit in units:
        current = labels[unit[0]]
        labels[unit] = -1
        cost = D[unit].sum(axis=0)
        for i, j, w in _ends(constraints.must_links, constraints.must_weights, unit):
            if labels[j] >= 0:
                for h in set(range(len(cost))) - {int(labels[j])}:
                    cost[h] += w * (f_M(i, j, h) + f_M(i, j, labels[j])) / 2
        for i, j, w in _ends(constraints.cannot_links, constraints.cannot_weights, unit):
            if labels[j] >= 0:
                cost[labels[j]] += w * f_C(i, j, labels[j])
        best = max(current, 0)
        labels[unit] = np.argmin(cost) if cost.min() < cost[best] else best
    return labels


def _ends(constraints, weights, unit):
    """Yield each pair (i, j) whose end i belongs to the unit, and its weight."""
    for (a, b), w in zip(constraints, weights, strict=True):
        for i, j in ((a, b), (b, a)):
            if i in unit:
                yield i, j, w
