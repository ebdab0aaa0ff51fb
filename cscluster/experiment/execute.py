"""Runs trials in parallel; the calling process alone writes what comes back."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

from cscluster.errors import ConfigError, did_you_mean
from cscluster.experiment import isolate, worker
from cscluster.experiment.capture import hooked
from cscluster.experiment.plan import Trial
from cscluster.store.records import Record

BACKENDS = ("loky", "threading", "dask")
Done = Callable[[Trial, list[Record]], None]
_is_parent = False


@dataclass(frozen=True)
class Pool:
    """Where trials run.

    Attributes
    ----------
    jobs : int
        Number of workers.
    backend : str
        ``loky`` (processes), ``threading``, or ``dask``.
    scheduler : str, optional
        Address of a Dask scheduler; a local cluster is started where none is given.
    """

    jobs: int = 1
    backend: str = "loky"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            known = ", ".join(BACKENDS)
            hint = did_you_mean(self.backend, BACKENDS) or f"; known: {known}"
            raise ConfigError(f"There is no backend '{self.backend}'{hint}")


def execute(trials: list[Trial], pool: Pool, environment: str, done: Done) -> None:
    """Run all trials and hand each one's records to `done` as soon as they are there.

    A worker that dies does not end the run: from then on each worker runs its trials in a child
    process of its own, so that the culprit gets its record and the others their result.
    """
    global _is_parent
    if pool.jobs == 1 and pool.backend == "loky":
        for trial in trials:
            done(trial, isolate.run(trial, environment))
        return
    _is_parent = True
    rest = {trial.keys: trial for trial in trials}
    guarded = False
    with (
        hooked(),
        threadpool_limits(trials[0].cell.threads),
        _backend(pool) as deaths,
        _noted_interrupts() as interrupts,
    ):
        while rest:
            tasks = (delayed(_run)(trial, environment, guarded) for trial in list(rest.values()))
            try:
                with Parallel(n_jobs=pool.jobs, return_as="generator_unordered", batch_size=1) as parallel:
                    for keys, records in parallel(tasks):
                        done(rest.pop(keys), records)
            except deaths:
                if interrupts:
                    raise KeyboardInterrupt from None
                guarded = True


@contextlib.contextmanager
def _noted_interrupts() -> Iterator[list[int]]:
    """Note each interrupt: the death of a worker that it caused may hide it from the caller."""
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return

    def note(number: int, frame: Any) -> None:
        noted.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def _run(trial: Trial, environment: str, guarded: bool) -> tuple[tuple[str, ...], list[Record]]:
    """Run a trial in a worker; in a child of the worker if it has limits or is under suspicion."""
    if not _is_parent:
        worker.settle_process()
    if guarded or trial.cell.timeout is not None or trial.cell.memory_limit is not None:
        return trial.keys, isolate.run(trial, environment)
    return trial.keys, list(worker.run(trial, environment))


@contextlib.contextmanager
def _backend(pool: Pool) -> Iterator[tuple[type[Exception], ...]]:
    """Choose joblib's backend; yields the exceptions by which it tells that a worker died."""
    if pool.backend != "dask":
        with parallel_config(backend=pool.backend, n_jobs=pool.jobs):
            yield (BrokenProcessPool,)
        return
    try:
        from distributed import Client, KilledWorker, LocalCluster
    except ImportError:
        raise ConfigError("The backend 'dask' needs Dask: pip install 'cscluster[dask]'.") from None
    with contextlib.ExitStack() as stack:
        cluster: Any = pool.scheduler or stack.enter_context(
            LocalCluster(n_workers=pool.jobs, threads_per_worker=1, dashboard_address=None)
        )
        try:
            client = stack.enter_context(Client(cluster, timeout=20, set_as_default=False))
        except OSError as error:
            raise ConfigError(f"No Dask scheduler answers at '{pool.scheduler}': {error}") from error
        stack.enter_context(parallel_config(backend="dask", client=client, pure=False))
        yield (KilledWorker,)
