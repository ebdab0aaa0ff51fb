"""How every figure looks: sizes of a two-column paper, letters, colours, markers and line styles.

Colours are those of Okabe and Ito without the yellow, which is too faint for a line.  An algorithm
has a colour, a marker and a line style of its own, so that a figure can be read in grey and by
colour-blind readers too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import matplotlib
from matplotlib import font_manager

COLUMN, PAGE = 3.4, 7.0  # inches: the widths of one column and of a page
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p", "h")
EMPHASIS = COLOURS[1]  # for what must not be overlooked
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.2)), (0, (1, 1)), (0, (5, 1.2, 1, 1.2)), (0, (8, 2)))

_FONT = "DejaVu Sans"  # comes with matplotlib
_OTHER_FONTS = (  # for letters that it lacks, where installed
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "PingFang SC",
    "Microsoft YaHei",
    "Arial Unicode MS",
    "Noto Emoji",
)


def look(number: int) -> dict[str, Any]:
    """Return colour, marker and line style of the algorithm with this number."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": DASHES[number % len(DASHES)],
    }


@contextmanager
def styled() -> Iterator[None]:
    """Make and save figures with the settings of the package, whatever the user's own matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {
                "font.family": list(fonts()),
                "font.size": 8,
                "axes.titlesize": 8,
                "axes.labelsize": 8,
                "figure.labelsize": 8,
                "xtick.labelsize": 7,
                "ytick.labelsize": 7,
                "legend.fontsize": 7,
                "legend.title_fontsize": 7,
                "axes.linewidth": 0.6,
                "xtick.major.width": 0.6,
                "ytick.major.width": 0.6,
                "xtick.minor.width": 0.4,
                "ytick.minor.width": 0.4,
                "xtick.major.size": 2.5,
                "ytick.major.size": 2.5,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.grid": True,
                "axes.axisbelow": True,
                "grid.color": "0.9",
                "grid.linewidth": 0.5,
                "lines.linewidth": 1.2,
                "lines.markersize": 4,
                "text.parse_math": False,  # names come from files: a $ in them is a dollar
                "savefig.dpi": 300,
                "pdf.fonttype": 42,  # letters stay letters: journals refuse type 3
                "svg.hashsalt": "cscluster",
            }
        )
        yield


@cache
def fonts() -> tuple[str, ...]:
    """Return the fonts in use, the first choice first."""
    installed = set(font_manager.get_font_names())
    return (_FONT, *(name for name in _OTHER_FONTS if name in installed))
