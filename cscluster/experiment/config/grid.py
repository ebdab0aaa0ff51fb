"""The values of a parameter in a sweep, as people write them.

Values are separated by commas.  ``50:300:50`` stands for 50, 100, ..., 300 and ``0.01:100:x10`` for
0.01, 0.1, ..., 100; the end belongs to the range if a step meets it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

_NUMBER = r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*"
_RANGE = re.compile(rf"{_NUMBER}:{_NUMBER}:(\s*x)?{_NUMBER}")
_WORDS = {"true": True, "false": False, "null": None}
_MOST = 1000


def values(written: Any) -> list[Any]:
    """Return the values, each once; a list may hold ranges beside plain values.

    Raises
    ------
    ValueError
        For a range without an end, or no values at all.

    Examples
    --------
    >>> values("0.01:100:x10")
    [0.01, 0.1, 1, 10, 100]
    >>> values("1,2,5:20:5")
    [1, 2, 5, 10, 15, 20]
    """
    if isinstance(written, str):
        found = [value for part in written.split(",") for value in _range(part) or [_scalar(part.strip())]]
    else:
        items = written if isinstance(written, list) else [written]
        found = [v for item in items for v in (isinstance(item, str) and _range(item)) or [item]]
    if not found or "" in found:
        raise ValueError("a value is missing; write for example 1,10,100 or 50:300:50 or 0.01:100:x10")
    return list({repr(value): value for value in found}.values())


def _range(text: str) -> list[Any]:
    """Return the values of a range; none if the text is not a range."""
    match = _RANGE.fullmatch(text)
    if match is None:
        if re.fullmatch(r"[^:]*\d\s*:[^:]*(:[^:]*)?", text):
            raise ValueError(f"'{text}' is not a range; write START:STOP:STEP or START:STOP:xFACTOR")
        return []
    start, stop, step = (Decimal(match[number]) for number in (1, 2, 4))
    by_factor = bool(match[3])
    if step == 0 or (by_factor and (min(start, stop, step) <= 0 or step == 1)):
        raise ValueError(f"'{text}' has no end; write START:STOP:STEP or START:STOP:xFACTOR")
    rises = step > (1 if by_factor else 0)
    found: list[Any] = []
    while start <= stop if rises else start >= stop:
        if len(found) == _MOST:
            raise ValueError(f"'{text}' has more than {_MOST} values")
        found.append(int(start) if start == start.to_integral_value() else float(start))
        start = start * step if by_factor else start + step
    if not found:
        raise ValueError(f"'{text}' never gets from its start to its end; turn the sign or the factor")
    return found


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
