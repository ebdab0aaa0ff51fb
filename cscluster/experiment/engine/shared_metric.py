"""The metric that all repeats on one draw of links share, learned once in a process.

A repeat is a new start of the clusterer on the same links.  The metric does not depend on it: its
seed is that of the draw, and the repeats of a draw are planned one after another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from cscluster.experiment.engine.capture import note, noted

_last = threading.local()


def shared_metric(place: tuple[Any, ...], learn: Callable[[], Any]) -> tuple[Any, float]:
    """Return the fitted metric of a place (cell, point, tier, draw) and the seconds its fit took.

    Where a trial has a time limit, its place is its own: every repeat pays for the fit.  Otherwise
    the metric is learned unless it was the last one of this thread; its warnings are given again, so that
    a record does not tell which repeat came first.
    """
    if getattr(_last, "place", None) != place:
        _last.place = None
        start = time.perf_counter()
        _last.metric = learn()
        _last.seconds = time.perf_counter() - start
        _last.warnings = noted()
        _last.place = place
    for text in _last.warnings:
        note(text)
    return _last.metric, _last.seconds
