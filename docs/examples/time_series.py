"""Clusters of time series: dynamic time warping gives the distances, constraints the clusters.

Any matrix of distances will do; `cscluster cluster --distances FILE` takes one from a file.
"""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from cscluster import Agglomerative, Constraints


def dtw(a, b):
    """Return the least sum of absolute differences over all monotone alignments of two series."""
    cost = np.full((len(a) + 1, len(b) + 1), np.inf)
    cost[0, 0] = 0
    for i, value in enumerate(a):
        for j, other in enumerate(b):
            cost[i + 1, j + 1] = abs(value - other) + min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
    return cost[-1, -1]


rng = np.random.default_rng(0)
time = np.linspace(0, 1, 40)
shapes = [np.sin(6 * time), np.sign(np.sin(6 * time)), 1 - np.abs(2 * time - 1)]
shape = rng.permutation(np.repeat(np.arange(3), 15))
series = [np.roll(shapes[k], rng.integers(-6, 7)) + 0.4 * rng.normal(size=40) for k in shape]
D = np.array([[dtw(a, b) for b in series] for a in series])

pairs = rng.permutation(len(series))[:40].reshape(20, 2)
for constraints in (None, Constraints.from_labels(pairs, shape)):
    model = Agglomerative(n_clusters=3, metric="precomputed").fit(D, constraints=constraints)
    print(f"{constraints}: ARI {adjusted_rand_score(shape, model.labels_):.2f}")
print("the last merges, for scipy.cluster.hierarchy.dendrogram:")
print(model.linkage_matrix_[-3:].round(1))
