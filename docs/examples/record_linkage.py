"""Record linkage: records of one source are never the same person, so they are cannot-linked."""

from itertools import combinations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score

from cscluster import Constraints, COPKMeans

records = [
    ("shop", "Anna Meyer, Bonn"), ("shop", "Anne Mayer, Bonn"), ("shop", "Jon Smith, Leeds"),
    ("shop", "Joan Smith, Leeds"), ("crm", "A. Meyer, Bonn"), ("crm", "Anne Mayr, Bonn"),
    ("crm", "John Smith, Leeds"), ("crm", "Joanna Smith, Leeds"), ("mail", "Meyer Anna, Bonn"),
    ("mail", "Mayer Anne, Bonn"), ("mail", "Jon Smyth, Leeds"), ("mail", "Joan Smythe, Leeds"),
]  # fmt: skip
person = np.tile(np.arange(4), 3)  # the truth, for the score alone

names = [text for _, text in records]
X = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)).fit_transform(names).toarray()
apart = [(i, j) for i, j in combinations(range(len(records)), 2) if records[i][0] == records[j][0]]
constraints = Constraints(cannot_links=apart, n_samples=len(records)).hardened()

for title, given in (("without constraints", None), ("one record of each source", constraints)):
    labels = COPKMeans(n_clusters=4, random_state=0).fit(X, constraints=given).labels_
    print(f"{title}: ARI {adjusted_rand_score(person, labels):.2f}")
for k in range(4):
    print(k, "; ".join(name for name, label in zip(names, labels, strict=True) if label == k))
