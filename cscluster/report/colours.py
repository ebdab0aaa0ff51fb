"""The colours of algorithms and clusters, and which algorithms look alike, in figures and on pages.

The colours are those of Okabe and Ito without the yellow, which is too faint for a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9", "#E69F00")
MOST_BANDS = 8
"""Lines that can still have bands; those of more cover each other."""
EMPHASIS = COLOURS[1]  # for what must not be overlooked
CLUSTERS = tuple(i for i, colour in enumerate(COLOURS) if colour not in (EMPHASIS, "#000000"))
"""The numbers of the colours of clusters; links and what is wrong with them have the others."""

_PRINTED = " (as printed)"


class Form(NamedTuple):
    """How an algorithm looks among others: numbers of its colour and marker and of its line style.

    The printed form of a method beside ours has our colour and marker, another line style and a pale marker.
    """

    number: int
    dash: int
    is_printed: bool = False


def forms(labels: Sequence[str]) -> list[Form]:
    """Return the form of each algorithm; the two forms of one method belong together.

    >>> forms(["k-means", "PMMC"])
    [Form(number=0, dash=0, is_printed=False), Form(number=1, dash=1, is_printed=False)]
    >>> [tuple(form) for form in forms(["k-means", "PMMC", "PMMC (as printed)"])]
    [(0, 0, False), (1, 0, False), (1, 1, True)]
    """
    pairs = {label: _other_form(label, labels) for label in labels if _PRINTED in label}
    ours = {label: other for label, other in pairs.items() if other is not None}
    numbers = {label: number for number, label in enumerate(each for each in labels if each not in ours)}
    if not ours:
        return [Form(number, number) for number in numbers.values()]
    return [Form(numbers[ours.get(label, label)], int(label in ours), label in ours) for label in labels]


def _other_form(label: str, labels: Sequence[str]) -> str | None:
    """Return our form of a printed method: with the same clusterer or, where it is the only one, another.

    >>> _other_form("RCA (as printed) + k-means", ["RCA + PCK-Means", "DCA + PCK-Means"])
    'RCA + PCK-Means'
    """
    wanted = label.replace(_PRINTED, "")
    if wanted in labels:
        return wanted
    learner = wanted.split(" + ")[0]
    others = [other for other in labels if " + " in other and other.split(" + ")[0] == learner]
    return others[0] if len(others) == 1 and " + " in wanted else None
