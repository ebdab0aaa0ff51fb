"""How every figure looks: sizes, letters, markers and line styles.

An algorithm has a colour, a marker and a line style of its own, so that a figure can be read in grey
and by colour-blind readers too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from matplotlib import style
from matplotlib.colors import to_rgb

from cscluster.errors import require_known
from cscluster.report.colours import COLOURS
from cscluster.report.styles import STYLES, Style

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p", "h")
_DASH_DOT_DOT = (0, (5, 1.2, 1, 1.2, 1, 1.2))
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.2)), (0, (1, 1)), (0, (5, 1.2, 1, 1.2)), _DASH_DOT_DOT)

FONT = "DejaVu Sans"
"""The font, which comes with matplotlib."""

_style: ContextVar[Style] = ContextVar("style", default=STYLES["paper"])


def current() -> Style:
    """Return the style that figures have now."""
    return _style.get()


@contextmanager
def using(name: str) -> Iterator[None]:
    """Draw and save figures in one of `STYLES`.

    Raises
    ------
    ConfigError
        If there is no such style.
    """
    require_known("style of figures", name, STYLES)
    before = _style.set(STYLES[name])
    try:
        yield
    finally:
        _style.reset(before)


def look(number: int) -> dict[str, Any]:
    """Return colour, marker and line style of the algorithm with this number."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": DASHES[number % len(DASHES)],
    }


def looks(labels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the look of each of some algorithms."""
    return {label: look(number) for number, label in enumerate(labels)}


def pale(colour: str, share: float) -> tuple[float, ...]:
    """Return so much of a colour on white paper."""
    return tuple(1 - share * (1 - part) for part in to_rgb(colour))


@contextmanager
def styled() -> Iterator[None]:
    """Make and save figures with the settings of the package, whatever the user's own matplotlibrc says."""
    own = {
        "font.family": FONT,
        "lines.linewidth": current().line_width,
        "savefig.dpi": current().dpi,
    }
    with style.context(["cscluster.report.figures.figures", own], after_reset=True):
        yield
