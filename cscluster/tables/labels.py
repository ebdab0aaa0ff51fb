"""Links from classes that are known of some rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cscluster.constraints import Constraints


def links_of_labels(labels: NDArray[np.int64], hard: bool = False) -> Constraints:
    """Link rows whose classes are known, -1 where they are not; the number of links grows with the rows.

    The links of `Constraints.from_partial_labels` say it all.  Each known row gets one more cannot-link,
    which follows from them: held-out links that choose a method need some of both kinds.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Class of each row, -1 where it is unknown.
    hard : bool
        Whether the links must hold.
    """
    links = Constraints.from_partial_labels(labels)
    members = [np.flatnonzero(labels == number) for number in np.unique(labels[labels >= 0])]
    further = []
    for place, rows in enumerate(members):
        steps = 1 + np.arange(len(rows)) % (len(members) - 1)
        for turn, (row, step) in enumerate(zip(rows.tolist(), steps.tolist(), strict=True)):
            others = members[(place + step) % len(members)]
            further.append((row, int(others[turn % len(others)])))
    links = links | Constraints(cannot_links=further, n_samples=len(labels))
    return links.hardened() if hard else links
