"""What figures are for, and how large that makes them; known without importing what draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FORMATS: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    "svg": {"Creator": None, "Date": None},
}
"""The file formats of figures, and the metadata left out of each: what a day or a version changes."""


@dataclass(frozen=True)
class Style:
    """What a figure is for.

    Attributes
    ----------
    column, page : float
        Widths of a figure of one panel and of several, in inches.
    flatness : float
        Height of a panel of lines over its width.
    dpi : int
        Pixels of an inch in PNG files.
    line_width : float
        Of the lines of algorithms, in points.
    """

    column: float
    page: float
    flatness: float
    dpi: int
    line_width: float


STYLES = {
    "paper": Style(column=3.5, page=7.0, flatness=0.62, dpi=300, line_width=1.2),  # two columns of 3.5 inches
    "page": Style(column=3.5, page=7.0, flatness=0.62, dpi=150, line_width=1.2),  # half the pixels
    "slides": Style(column=6.0, page=6.0, flatness=0.4, dpi=320, line_width=1.8),  # 1920 pixels wide
}
