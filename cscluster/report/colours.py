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
    ours = {label: label.replace(_PRINTED, "") for label in labels}
    paired = {label for label, other in ours.items() if other != label and other in ours}
    numbers = {label: number for number, label in enumerate(each for each in labels if each not in paired)}
    if not paired:
        return [Form(number, number) for number in numbers.values()]
    return [Form(numbers[ours[x] if x in paired else x], int(x in paired), x in paired) for x in labels]
