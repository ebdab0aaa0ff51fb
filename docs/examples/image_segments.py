"""Segments of an image by the colours of its pixels, as in Fig. 10 of Zhang et al. (2009).

The width of the kernel and C are the paper's.  A hundred landmarks stand in for a kernel matrix of all pairs
of pixels.  With the name of a file, the script draws each segment in its mean colour.
"""

import sys

import numpy as np
from matplotlib.image import imsave

from cscluster import IterSVR, load_dataset

data = load_dataset("landscape")
model = IterSVR(
    n_clusters=4, C=500, sigma=500, sigma_unit="data", balance=0.45, n_landmarks=100, random_state=0
)
labels = model.fit(data.X).labels_
side = int(np.sqrt(data.n_samples))
colours = np.array([data.X[labels == segment].mean(axis=0) for segment in range(4)])
for path in sys.argv[1:]:
    imsave(path, colours[labels].reshape(side, side, 3).round().astype(np.uint8))
print("share of the pixels:", ", ".join(f"{share:.0%}" for share in np.bincount(labels) / len(labels)))
