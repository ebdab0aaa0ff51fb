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

_PUBLISHED = " (published)"


class Form(NamedTuple):
    """How an algorithm looks among others: numbers of its colour and marker and of its line style.

    The published form of a method beside its default has the same colour and marker, another line style and
    a pale marker.
    """

    number: int
    dash: int
    is_published: bool = False


def forms(labels: Sequence[str]) -> list[Form]:
    """Return the form of each algorithm; default and published form of one method belong together.

    >>> forms(["k-means", "PMMC"])
    [Form(number=0, dash=0, is_published=False), Form(number=1, dash=1, is_published=False)]
    >>> [tuple(form) for form in forms(["k-means", "PMMC", "PMMC (published)"])]
    [(0, 0, False), (1, 0, False), (1, 1, True)]
    """
    defaults = {label: label.removesuffix(_PUBLISHED) for label in labels if label.endswith(_PUBLISHED)}
    paired = {label: default for label, default in defaults.items() if default in labels}
    numbers = {label: number for number, label in enumerate(each for each in labels if each not in paired)}
    if not paired:
        return [Form(number, number) for number in numbers.values()]
    return [
        Form(numbers[paired.get(label, label)], int(label in paired), label in paired) for label in labels
    ]
