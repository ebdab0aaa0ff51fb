"""Choose a parameter without labels: held-out constraints judge each value."""

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from cscluster import PMMC, Constraints, HeldOutSearch, load_dataset

data = load_dataset("ionosphere")
X = StandardScaler().fit_transform(data.X)
pairs = np.random.default_rng(0).integers(len(X), size=(100, 2))
constraints = Constraints.from_labels(pairs[pairs[:, 0] != pairs[:, 1]], data.labels)

search = HeldOutSearch(PMMC(n_clusters=2, random_state=0), {"lam": [0.01, 0.1, 1.0, 10.0]})
search.fit(X, constraints=constraints)

print("lam     held-out constraint accuracy    ARI (not used for the choice)")
for params, score in search.results_:
    labels = PMMC(n_clusters=2, random_state=0, **params).fit(X, constraints=constraints).labels_
    print(f"{params['lam']:<7} {score.value:28.3f} {adjusted_rand_score(data.labels, labels):6.3f}")
print("chosen:", search.best_params_)
