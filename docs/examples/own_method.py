"""Your own method and its rivals: one class, one experiment, one table."""

import sys
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans

from cscluster import run


class Grouped(ClusterMixin, BaseEstimator):
    """k-means in which must-linked samples move together."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X, y=None, constraints=None):
        """Cluster the means of the groups that must-links make."""
        group = constraints.components
        sizes = np.bincount(group)
        means = np.stack([np.bincount(group, column) for column in np.asarray(X).T], axis=1) / sizes[:, None]
        kmeans = KMeans(self.n_clusters, n_init=10, random_state=self.random_state)
        self.labels_ = kmeans.fit_predict(means, sample_weight=sizes)[group]
        return self


if __name__ == "__main__":
    directory = Path(mkdtemp())
    (directory / "mine.yaml").write_text(f"""
name: mine
datasets: [iris, wine]
constraints: {{kind: random_pairs, counts: [50, 100]}}
algorithms: [kmeans, pckmeans, rca, {{name: "{Path(sys.argv[0]).resolve()}:Grouped", label: Grouped}}]
preprocess: [standardize]
trials: 5
metrics: [ari]
""")
    results = run(str(directory / "mine.yaml"), out=directory)
    print(results.to_frame().groupby(["dataset", "label", "point"])["ari"].mean().unstack().round(3))
