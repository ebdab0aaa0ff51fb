"""What a worker does for a trial, whatever the backend."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from functools import cache

import sklearn.cluster  # noqa: F401  # BLAS and OpenMP must be loaded before their threads are fixed
from threadpoolctl import threadpool_limits

from cscluster.experiment.engine import trial
from cscluster.experiment.engine.capture import hooked
from cscluster.experiment.plan.trials import Trial
from cscluster.store.records import Record

_thread = threading.local()
_for_good = contextlib.ExitStack()


@cache
def settle_process() -> None:
    """Make this process a worker: warnings go to records, and an interrupt is the parent's business."""
    _for_good.enter_context(hooked())
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def run(planned: Trial, environment: str) -> Iterator[Record]:
    """Run a trial in this process, with a fixed number of BLAS and OpenMP threads.

    OpenMP keeps that number for each thread, so it is set once in every thread that runs trials.
    """
    threads = planned.cell.threads
    if getattr(_thread, "threads", None) != threads:
        threadpool_limits(threads)
        _thread.threads = threads
    return trial.run(planned, environment)
