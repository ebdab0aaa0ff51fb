"""Runs trials in parallel; the calling process alone writes what comes back."""

from __future__ import annotations

import contextlib
import itertools
import logging
import multiprocessing
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from joblib import Parallel, delayed

from cscluster.errors import ConfigError, require_known
from cscluster.experiment.engine import BACKENDS, worker
from cscluster.experiment.engine import environment as environments
from cscluster.experiment.engine.trial import failed
from cscluster.experiment.plan.trials import Trial
from cscluster.store.records import short_hash, to_line

Done = Callable[[Trial, list[bytes]], None]
Register = Callable[[dict[str, Any]], None]
_IN_FLIGHT = 1000
_NO_WORKERS = "The Dask cluster at %s has no workers. Trials wait until one joins, such as: dask worker %s"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pool:
    """Where trials run.

    Attributes
    ----------
    jobs : int
        Number of workers.
    backend : str
        ``local`` (processes of this machine) or ``dask`` (a cluster).
    scheduler : str, optional
        Address of a Dask scheduler; a local cluster is started where none is given.
    """

    jobs: int = 1
    backend: str = "local"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        require_known("backend", self.backend, BACKENDS)
        if self.scheduler is not None and self.backend != "dask":
            raise ConfigError("The address of a Dask scheduler was given. It needs the backend 'dask'.")


def execute(trials: list[Trial], pool: Pool, environment: str, done: Done, register: Register) -> None:
    """Run all trials and hand the lines of each one's records to `done` as soon as they are there.

    Parameters
    ----------
    trials : list of Trial
        What to run.
    pool : Pool
        Where to run it.
    environment : str
        Id of the environment of this process, for the records.
    done : callable
        Takes a trial and the lines of its records.
    register : callable
        Takes the description of another environment before `done` takes records that were made in it.
    """
    if pool.backend == "dask":
        _on_dask(trials, pool, environment, done, register)
        return
    stop = threading.Event()
    agenda = _Agenda(trials)

    def run_next() -> tuple[Trial, list[bytes]]:
        trial = agenda.next_of(threading.get_ident())
        return trial, worker.run(trial, environment, stop.is_set)

    threads = Parallel(
        n_jobs=pool.jobs, backend="threading", return_as="generator_unordered", batch_size=1
    )  # one for each worker process: it waits for the answer
    results = threads(delayed(run_next)() for _ in trials)
    try:
        for trial, lines in results:
            done(trial, lines)
    finally:
        stop.set()
        worker.end_own()
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # joblib counts what is left
            results.close()


class _Agenda:
    """Deals out trials so that those of one draw, which share work, go to one worker.

    A worker goes through a draw in plan order, then takes the next draw; when there is none left, it helps
    the worker that has most left to do.
    """

    def __init__(self, trials: Iterable[Trial]) -> None:
        draws: dict[tuple[str, int], deque[Trial]] = {}
        for trial in trials:
            place = (trial.cell.data.name, trial.repetition)
            draws.setdefault(place, deque()).append(trial)
        self._waiting = deque(draws.values())
        self._taken: dict[int, deque[Trial]] = {}
        self._lock = threading.Lock()

    def next_of(self, worker: int) -> Trial:
        """Return the next trial for a worker; there must be one."""
        with self._lock:
            mine = self._taken.get(worker)
            if mine:
                return mine.popleft()
            if self._waiting:
                self._taken[worker] = self._waiting.popleft()
                return self._taken[worker].popleft()
            return max(self._taken.values(), key=len).pop()


def _on_dask(trials: list[Trial], pool: Pool, environment: str, done: Done, register: Register) -> None:
    """Run trials on a Dask cluster, which runs those of a lost worker again elsewhere."""
    with _client(pool) as client:
        from distributed import KilledWorker, as_completed

        planned: dict[str, Trial] = {}

        def submit(some: Iterable[Trial]) -> list[Any]:
            futures = {client.submit(_run_on_dask, trial, pure=False): trial for trial in some}
            planned.update({future.key: trial for future, trial in futures.items()})
            return list(futures)

        left = iter(trials)
        finished = as_completed(
            submit(itertools.islice(left, _IN_FLIGHT)),
            with_results=True,
            raise_errors=False,
            loop=client.loop,
        )
        for future, outcome in finished:
            trial = planned.pop(future.key)
            if isinstance(outcome, BaseException):  # the trial was cancelled
                raise ConfigError(
                    "The connection to the Dask scheduler was lost. Finished trials are stored, and the "
                    "same command goes on with the others."
                )
            if isinstance(outcome[0], dict):  # the future itself may be lost again, with its worker
                elsewhere, lines = outcome
                register(elsewhere)
            elif isinstance(outcome[1], KilledWorker):
                records = failed(trial, environment, "crashed", "every Dask worker that ran it died")
                lines = [to_line(record).encode() for record in records]
            else:
                raise ConfigError(
                    f"A Dask worker cannot run trials ({outcome[0].__name__}: {outcome[1]}). It needs the "
                    "same Python and cscluster as here."
                )
            done(trial, lines)
            finished.update(submit(itertools.islice(left, 1)))


def _run_on_dask(trial: Trial) -> tuple[dict[str, Any], list[bytes]]:
    """Run a trial for a Dask worker; returns the environment and the lines of the records."""
    multiprocessing.current_process().daemon = False  # a daemon, as Dask makes them, may start no process
    environment = environments.describe(trial.cell.threads)
    return environment, worker.run(trial, short_hash(environment))


@contextlib.contextmanager
def _client(pool: Pool) -> Iterator[Any]:
    """Connect to the Dask cluster that the pool names, or start one on this machine."""
    try:
        from distributed import Client, LocalCluster
        from distributed.comm import resolve_address
    except ImportError:
        raise ConfigError("The backend 'dask' needs Dask: pip install 'cscluster[dask]'.") from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # its tracebacks say what we say
    with contextlib.ExitStack() as stack:
        cluster: Any = pool.scheduler or stack.enter_context(
            LocalCluster(
                n_workers=pool.jobs,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.ERROR,
                preload=["import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"],
            )
        )
        try:
            if pool.scheduler is not None:
                resolve_address(pool.scheduler)
            client = stack.enter_context(Client(cluster, timeout=20, set_as_default=False))
        except (OSError, ValueError) as error:
            raise ConfigError(f"No Dask scheduler answers at '{pool.scheduler}': {error}") from error
        if not client.scheduler_info()["workers"]:
            _log.warning(_NO_WORKERS, client.scheduler.address, client.scheduler.address)
        yield client
