"""Conditions on trials: ``dataset=iris``, ``point>=60``, ``label~margin``, ``lam=0.1``."""

from __future__ import annotations

import json
import operator
import re
from typing import Any

import pandas as pd

from cscluster.errors import ConfigError, did_you_mean, require_known
from cscluster.report.aggregate import Results, restrict

_FIELDS = ("dataset", "label", "algorithm", "point", "tier", "trial")
_ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


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
        field, sign, value = _parts(condition)
        values = _column(results, field)
        rows = _matching_rows(values, sign, value)
        if not rows.any():
            hint = did_you_mean(value, map(str, values.dropna().unique()))
            raise ConfigError(f"No trial of '{results.name}' fulfils '{condition}'{hint}")
        results = restrict(results, rows)
    return results


def _parts(condition: str) -> tuple[str, str, str]:
    match = re.fullmatch(r"\s*(\w+)\s*(!=|>=|<=|=|>|<|~)\s*(.*?)\s*", condition)
    if match is None:
        raise ConfigError(
            "A condition is a field, one of = != < <= > >= ~, and a value, as in 'point>=60'. "
            f"Got '{condition}'."
        )
    return match[1], match[2], match[3]


def _matching_rows(values: pd.Series, sign: str, value: str) -> pd.Series:
    bound = _number(value)
    if sign == "~":
        return values.notna() & values.map(lambda each: value.lower() in str(each).lower())
    if sign in _ORDER:
        if bound is None:
            raise ConfigError(f"A condition with {sign} needs a number, got '{value}'.")
        numbers = values.map(_number).astype(float)
        return numbers.notna() & _ORDER[sign](numbers, bound)
    wanted = [value, *value.split(",")]
    known = values.dropna().unique()
    found = values.isin([each for each in known if any(_same(each, one) for one in wanted)])
    return ~found if sign == "!=" else found


def _same(value: Any, wanted: str) -> bool:
    a, b = _number(value), _number(wanted)
    return str(value) == wanted.strip() if a is None or b is None else a == b


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
