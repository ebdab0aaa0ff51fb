"""Topics of texts, guided by a few labels: what BERTopic asks of its `hdbscan_model`.

BERTopic calls `fit(X, y=y)` with the embeddings and, in its semi-supervised form, with the labels, -1 where
they are unknown; then it reads `labels_`, -1 where there is no topic:

```python
topics, _ = BERTopic(hdbscan_model=HDBSCAN(min_cluster_size=10)).fit_transform(texts, y=partial)
```

A function of a few lines takes its place here.
"""

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from cscluster import HDBSCAN


def topics_of(texts, hdbscan_model, y=None):
    """Embed texts, cluster the embeddings, and print the words of each cluster."""
    tfidf = TfidfVectorizer()
    embed = make_pipeline(tfidf, TruncatedSVD(5, random_state=0), Normalizer())
    topics = hdbscan_model.fit(embed.fit_transform(texts), y=y).labels_
    words, weights = tfidf.get_feature_names_out(), tfidf.transform(texts)
    for topic in sorted(set(topics)):
        mean = np.asarray(weights[topics == topic].mean(axis=0)).ravel()
        print(f"{topic:3}: {(topics == topic).sum():3} texts, {' '.join(words[np.argsort(-mean)[:4]])}")
    return topics


words = {
    "billing": ["invoice", "charged", "refund", "card", "payment", "twice"],
    "login": ["password", "account", "reset", "locked", "email", "code"],
    "delivery": ["parcel", "late", "address", "courier", "tracking", "box"],
    "returns": ["return", "label", "exchange", "size", "broken", "wrong"],
}
rng = np.random.default_rng(2)
known = rng.permutation(np.repeat(np.arange(4), 40))
texts = [" ".join([*rng.choice(list(words.values())[k], 4), rng.choice(["please", "help"])]) for k in known]
partial = np.where(rng.random(len(texts)) < 0.15, known, -1)
for title, y in (("without labels", None), ("with some labels", partial)):
    topics = topics_of(texts, HDBSCAN(min_cluster_size=10, min_samples=3), y)
    print(f"{title}: ARI {adjusted_rand_score(known, topics):.2f}")
