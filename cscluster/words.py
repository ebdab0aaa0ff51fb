"""Small pieces of text: numbers as people write them, and pieces of sentences that messages share."""

from __future__ import annotations

import html
import unicodedata


def plural(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 row``, ``2 rows``, ``1,000 rows``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def integer(text: str) -> int | None:
    """Return the integer that up to 18 digits from 0 to 9 write; None for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def size(n_bytes: float) -> str:
    """Return a number of bytes in a unit that leaves few digits: ``3 MB``."""
    return _rounded(n_bytes, {"GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1})


def age(seconds: float) -> str:
    """Return a time in a unit that leaves few digits: ``5 min``."""
    return _rounded(seconds, {"d": 86400, "h": 3600, "min": 60, "s": 1})


def _rounded(value: float, units: dict[str, float]) -> str:
    unit = next((unit for unit, measure in units.items() if value >= measure), list(units)[-1])
    return f"{value / units[unit]:.0f} {unit}"


def listed(value: object) -> str:
    """Return a value as people read it; the parts of a list or of a mapping follow one another.

    Examples
    --------
    >>> listed({"numpy": "2.1.0", "blas": ["openblas", "mkl"]})
    'numpy 2.1.0, blas openblas, mkl'
    """
    if isinstance(value, dict):
        return ", ".join(f"{name} {listed(part)}" for name, part in value.items())
    return ", ".join(map(listed, value)) if isinstance(value, list) else str(value)


def setting(value: object) -> str:
    """Return the value of a parameter as an experiment file has it.

    >>> [setting(value) for value in (None, True, 0.5, "auto")]
    ['null', 'true', '0.5', "'auto'"]
    """
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def html_table(caption: str, facts: dict[str, object]) -> str:
    """Return facts as a small HTML table, as notebooks show it."""
    rows = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>"
        for name, value in facts.items()
    )
    return f"<table><caption>{html.escape(caption)}</caption>{rows}</table>"


def encodable(text: str) -> bytes:
    """Return text as UTF-8; lone surrogates, which have no code there, are escaped as JSON does it."""
    return text.encode("utf-8", "backslashreplace")


def printable(text: str) -> str:
    r"""Return a text with its control characters shown as text, so that it cannot steer a terminal.

    Line breaks and tabs stay.

    Examples
    --------
    >>> print(printable("\x1b[31mred"))
    \x1b[31mred
    """
    if text.isprintable():
        return text
    return "".join(ascii(c)[1:-1] if _is_control(c) else c for c in text)


def _is_control(character: str) -> bool:
    category = unicodedata.category(character)
    return character not in "\n\t" and (category[0] == "C" or category in ("Zl", "Zp"))
