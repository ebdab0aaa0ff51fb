"""Clusters of text: embed the texts, then cluster the embeddings with constraints.

Any embedding will do.  This one is latent semantic analysis, which needs no download.
"""

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from cscluster import Constraints, KMeans, PCKMeans

words = {
    "billing": ["invoice", "charged", "refund", "card", "payment", "twice", "price", "receipt"],
    "login": ["password", "account", "reset", "locked", "email", "code", "sign", "user"],
    "delivery": ["parcel", "late", "address", "courier", "tracking", "box", "arrived", "damaged"],
}
rng = np.random.default_rng(1)
topic = rng.permutation(np.repeat(np.arange(3), 40))
common = ["please", "help", "order", "hello", "thanks", "today", "my", "the"]
tickets = [" ".join([*rng.choice(list(words.values())[k], 2), *rng.choice(common, 6)]) for k in topic]

embed = make_pipeline(TfidfVectorizer(), TruncatedSVD(20, random_state=0), Normalizer())
X = embed.fit_transform(tickets)
constraints = Constraints.from_labels(rng.integers(len(X), size=(60, 2)), topic)

print("first ticket:", tickets[0])
for clusterer in (KMeans(n_clusters=3, random_state=0), PCKMeans(n_clusters=3, random_state=0)):
    labels = clusterer.fit(X, constraints=constraints).labels_
    print(f"{type(clusterer).__name__}: ARI {adjusted_rand_score(topic, labels):.2f}")
