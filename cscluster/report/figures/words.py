"""Words and numbers in figures; names come from files and may hold any letter."""

from __future__ import annotations

import re
from functools import cache

from matplotlib import font_manager

from cscluster.metrics.catalogue import metric_title
from cscluster.report.aggregate import Results
from cscluster.report.figures.style import FONT
from cscluster.report.means import points_word

_LONGEST = 88  # letters of a name
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@cache
def _letters() -> frozenset[int]:
    """Return the codes of all letters that the font has."""
    return frozenset(font_manager.get_font(font_manager.findfont(FONT)).get_charmap())


def plain(text: object) -> str:
    """Return a name as it can be drawn: on one line, not too long, letters that the font lacks by code."""
    line = " ".join(str(text).split())
    line = "".join(c if ord(c) in _letters() else f"[U+{ord(c):04X}]" for c in line)
    half = (_LONGEST - 1) // 2
    return line if len(line) <= _LONGEST else f"{line[:half]}…{line[-half:]}"


def wrapped(text: object, width: int) -> str:
    r"""Return a name in lines of at most `width` letters.

    >>> wrapped("optdigits_3_9_test", 14)
    'optdigits_3_9_\ntest'
    """
    lines = [""]
    for part in re.findall(r"[^ _]*[ _]?", plain(text)):
        for piece in (part[i : i + width] for i in range(0, len(part), width)):
            if lines[-1] and len((lines[-1] + piece).rstrip()) > width:
                lines.append("")
            lines[-1] += piece
    return "\n".join(line.strip() for line in lines)


def metric_name(metric: str) -> str:
    """Return the title of a metric as it can be drawn."""
    return plain(metric_title(metric))


def place_name(results: Results) -> str:
    """Return the words for the last point and tier, which figures without an axis for them show."""
    text = f"{points_word(results)}: {results.trials['point'].max()}"
    return f"{text}, tier {results.trials['tier'].max()}" if results.axis == "tier" else text


def number_text(value: float) -> str:
    """Return a number in plain letters; very large and small ones as a power of ten.

    >>> [number_text(value) for value in (0, 0.01, 60, 1e5, 2.5e-6)]
    ['0', '0.01', '60', '10⁵', '2.5·10⁻⁶']
    """
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:g}"
    mantissa, _, power = f"{value:.1e}".partition("e")
    mantissa, raised = mantissa.removesuffix(".0"), f"10{str(int(power)).translate(_RAISED)}"
    return raised if mantissa == "1" else f"{mantissa}·{raised}"
