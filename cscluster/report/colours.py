"""The colours of algorithms and clusters in figures and on pages.

The colours are those of Okabe and Ito without the yellow, which is too faint for a line.
"""

from __future__ import annotations

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9", "#E69F00")
MOST_BANDS = 8
"""Lines that can still have bands; those of more cover each other."""
EMPHASIS = COLOURS[1]  # for what must not be overlooked
CLUSTERS = tuple(i for i, colour in enumerate(COLOURS) if colour not in (EMPHASIS, "#000000"))
"""The numbers of the colours of clusters; links and what is wrong with them have the others."""
