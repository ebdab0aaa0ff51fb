"""Conditions on trials: ``dataset=iris``, ``point>=60``, ``label~margin``, ``lam=0.1``."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from cscluster.errors import ConfigError, did_you_mean, require_known
from cscluster.report.aggregate import Results, restrict

_FIELDS = ("dataset", "label", "algorithm", "point", "tier", "trial")
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
    "~": lambda text, part: str(part).lower() in str(text).lower(),
}


def where(results: Results, conditions: list[str]) -> Results:
    """Return the results of the trials that fulfil all conditions.

    A condition is FIELD, a sign and a value.  Fields are dataset, label, algorithm, point, tier, trial,
    and the parameters that were varied; signs are = != < <= > >= and ~ (contains).  After = and !=,
    several values can be given with commas between them.

    Raises
    ------
    ConfigError
        For a condition that cannot be read, and for conditions that no trial fulfils.
    """
    for condition in conditions:
        rows = _fulfilled(results, condition)
        if not rows.any():
            raise ConfigError(
                f"No trial of '{results.name}' fulfils '{condition}'{_hint(results, condition)}"
            )
        results = restrict(results, rows)
    return results


def _parts(condition: str) -> tuple[str, str, str]:
    match = re.fullmatch(r"\s*(\w+)\s*(!=|>=|<=|=|>|<|~)\s*(.*?)\s*", condition)
    if match is None:
        raise ConfigError(
            f"A condition is a field, one of {' '.join(_SIGNS)}, and a value, as in 'point>=60'; "
            f"got '{condition}'."
        )
    return match[1], match[2], match[3]


def _fulfilled(results: Results, condition: str) -> pd.Series:
    field, sign, value = _parts(condition)
    values = _column(results, field)
    wanted = [value, *value.split(",")] if sign in ("=", "!=") else [value]
    if sign in ("<", "<=", ">", ">=") and _number(value) is None:
        raise ConfigError(f"Condition '{condition}': '{value}' is not a number.")
    known = values.dropna().unique()
    hits = [v for v in known if any(_compare(v, "=" if sign == "!=" else sign, w) for w in wanted)]
    found = values.isin(hits)
    return ~found if sign == "!=" else found


def _compare(value: Any, sign: str, wanted: str) -> bool:
    a, b = _number(value), _number(wanted)
    if sign == "~":
        return _SIGNS[sign](value, wanted)
    if a is not None and b is not None:
        return _SIGNS[sign](a, b)
    return sign == "=" and str(value) == wanted.strip()


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _column(results: Results, field: str) -> pd.Series:
    if field in _FIELDS:
        return results.trials[field]
    require_known("field", field, [*_FIELDS, *results.varied])
    return results.trials["grid"].map(lambda grid: json.loads(grid).get(field))


def _hint(results: Results, condition: str) -> str:
    field, _, value = _parts(condition)
    known = [str(v) for v in _column(results, field).dropna().unique()]
    return did_you_mean(value, known)
