"""Clusters of a table of text: embed the texts, then cluster the embeddings with constraints.

Any embedding will do.  This one is latent semantic analysis, which needs no download.  A table of embeddings
with the ids of the texts is a table as any other: ``frame.to_csv("embedded.csv")`` for ``cscluster cluster``
and ``cscluster label``.
"""

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from cscluster import Constraints, cluster

words = {
    "billing": ["invoice", "charged", "refund", "card", "payment", "twice", "price", "receipt"],
    "login": ["password", "account", "reset", "locked", "email", "code", "sign", "user"],
    "delivery": ["parcel", "late", "address", "courier", "tracking", "box", "arrived", "damaged"],
}
rng = np.random.default_rng(1)
topic = rng.permutation(np.repeat(np.arange(3), 40))
common = ["please", "help", "order", "hello", "thanks", "today", "my", "the"]
table = pd.DataFrame(
    {
        "id": [f"T{i}" for i in range(len(topic))],
        "subject": [
            " ".join([*rng.choice(list(words.values())[k], 2), *rng.choice(common, 6)]) for k in topic
        ],
    }
)

embed = make_pipeline(TfidfVectorizer(), TruncatedSVD(20, random_state=0), Normalizer())
frame = pd.DataFrame(embed.fit_transform(table["subject"]), index=table["id"]).add_prefix("dimension ")
pairs = rng.integers(len(table), size=(60, 2))
pairs = pairs[pairs[:, 0] != pairs[:, 1]]
constraints = Constraints.from_labels(pairs, topic)

print("first ticket:", table["subject"][0])
for algorithm in ("kmeans", "pckmeans"):
    found = cluster(frame, constraints, n_clusters=3, algorithm=algorithm, preprocess=["none"])
    print(f"{found.algorithm}: ARI {adjusted_rand_score(topic, found.labels):.2f}")
