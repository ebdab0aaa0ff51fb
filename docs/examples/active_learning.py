"""Active learning in Python: a strategy chooses pairs, an oracle answers, the clusters improve."""

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from cscluster import MPCKMeans, load_dataset
from cscluster.constraints import Constraints
from cscluster.queries.strategies import questions

data = load_dataset("wine")
X = StandardScaler().fit_transform(data.X)


def answer(a, b, number):
    """Say whether two samples belong together; replace this by a person or a program."""
    return bool(data.labels[a] == data.labels[b])


print("strategy             answers   ARI")
for strategy in ("explore_consolidate", "min_max", "doubt"):
    for count in (10, 40, 80):
        answers = questions(strategy, X, 3, count, answer, np.random.default_rng(0))
        must, cannot = ([(a, b) for a, b, same in answers if same == kind] for kind in (True, False))
        constraints = Constraints(must, cannot, n_samples=len(X))
        labels = MPCKMeans(n_clusters=3, random_state=0).fit(X, constraints=constraints).labels_
        print(f"{strategy:20} {count:7}  {adjusted_rand_score(data.labels, labels):.3f}")
