"""Metrics of the user's own: a function of true classes and clusters, as ``file.py:function``.

A function with the parameters `model` or `X` also gets the fitted estimator or the samples.

Plans and records name a function with its edition, a hash of the user's files that it consists of, as in
``mine.py:score#1a2b3c4d``: a score of changed code is another score.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cscluster.algorithms import registry
from cscluster.algorithms.sources import own_files
from cscluster.errors import message
from cscluster.metrics import scores as metrics
from cscluster.store.records import short_hash

_CLASSES, _CLUSTERS = [0, 0, 1, 1], [0, 1, 1, 1]


def is_own(name: str) -> bool:
    """Tell whether a metric is a function of the user's own."""
    return ":" in name


def check(name: str) -> None:
    """Try a function on four samples.

    Raises
    ------
    ParameterError
        If there is no such function.
    ValueError
        If it does not return a number.
    """
    function = registry.load_object(name, "function")
    try:
        float(function(np.array(_CLASSES), np.array(_CLUSTERS)))
    except Exception as error:
        raise ValueError(
            f"'{name}' must return a number for classes {_CLASSES} and clusters {_CLUSTERS}, "
            f"but: {type(error).__name__}: {message(error)}"
        ) from error


def edition(name: str) -> str:
    """Return a metric as plans and records name it; other metrics than the user's own keep their names."""
    if not is_own(name):
        return name
    base, at, scope = without_edition(name).partition("@")
    files = own_files(registry.load_object(base, "function").__module__)
    return f"{base}#{short_hash(files)[:8]}{at}{scope}" if files else f"{base}{at}{scope}"


def without_edition(name: str) -> str:
    """Return a metric as experiments name it.

    Examples
    --------
    >>> without_edition("mine.py:score#1a2b3c4d@unseen")
    'mine.py:score@unseen'
    """
    base, at, scope = name.partition("@")
    return f"{base.partition('#')[0]}{at}{scope}"


def scores(
    y_true: ArrayLike, labels: ArrayLike, names: Iterable[str], **fitted: Any
) -> dict[str, float | None]:
    """Return every score of the catalogue, and those of the user's functions in `names`.

    A value that is not finite is no score.  `fitted` may hold `model` and `X`, for functions that ask for
    them.
    """
    found: dict[str, float | None] = dict(metrics.scores(y_true, labels))
    for name in names:
        if is_own(name) and "@" not in name:
            function = registry.load_object(without_edition(name), "function")
            wanted = inspect.signature(function).parameters
            also = {name: value for name, value in fitted.items() if name in wanted}
            value = float(function(np.array(y_true), np.array(labels), **also))
            found[name] = value if math.isfinite(value) else None
    return found
