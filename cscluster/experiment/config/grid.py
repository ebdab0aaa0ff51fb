"""The values of a parameter in a sweep, as people write them.

``50:300:50`` stands for 50, 100, ..., 300 and ``0.01:100:x10`` for 0.01, 0.1, ..., 100; the end belongs to
the range if a step meets it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from cscluster import documents

_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_RANGE = re.compile(f"{_NUMBER}:{_NUMBER}:(x)?{_NUMBER}")
_MOST = 1000


def values(written: str, source: str) -> list[Any]:
    """Return the values, each once, of a YAML list without its brackets, whose items may be ranges.

    Raises
    ------
    ValueError
        For a range without an end, or no values at all.
    ConfigError
        For what is not such a list.

    Examples
    --------
    >>> values("0.01:100:x10", "--grid")
    [0.01, 0.1, 1, 10, 100]
    >>> values("1,2,5:20:5", "--grid")
    [1, 2, 5, 10, 15, 20]
    """
    found = [value for item in documents.read(f"[{written}]", source).data for value in _range(item)]
    if not found:
        raise ValueError("a value is missing. Write for example 1,10,100 or 50:300:50 or 0.01:100:x10")
    return list({repr(value): value for value in found}.values())


def _range(item: Any) -> list[Any]:
    """Return the values of a range; anything else stands for itself."""
    match = _RANGE.fullmatch(item) if isinstance(item, str) else None
    if match is None:
        return [item]
    start, stop, step = (Decimal(match[number]) for number in (1, 2, 4))
    try:
        last = (stop / start).ln() / step.ln() if match[3] else (stop - start) / step
    except ArithmeticError:
        last = Decimal(-1)
    if not 0 <= last < _MOST:
        raise ValueError(
            f"'{item}' does not lead from its start to its end in up to {_MOST} steps. "
            "Write START:STOP:STEP or START:STOP:xFACTOR"
        )
    numbers = range(int(last + Decimal("1e-9")) + 1)
    found = (start * step**number if match[3] else start + step * number for number in numbers)
    return [int(value) if value == value.to_integral_value() else float(value) for value in found]
