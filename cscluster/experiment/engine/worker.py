"""The one way to run a trial: in a worker process, which is kept for the next one.

Whatever an algorithm does to its process (it exits, crashes, hangs, takes too much memory, prints, changes
the directory or the random state, leaves child processes behind) costs its own trial.  Algorithms that are
not built in have workers of their own, those of a file together: what they change in a library reaches no
others.  Workers are forked from the fork server of `multiprocessing`, which has imported the libraries.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np
import psutil
import sklearn.cluster  # noqa: F401  # BLAS and OpenMP must be loaded before their threads are fixed
from threadpoolctl import threadpool_limits

from cscluster import seeds
from cscluster.algorithms.registry import BUILT_IN
from cscluster.errors import ConfigError, WorkerError
from cscluster.experiment import own_metrics
from cscluster.experiment.engine import trial as trials
from cscluster.experiment.plan.trials import Cell, Trial
from cscluster.store.records import Status, key_of, to_line

# On macOS, a process that has loaded numeric libraries must not be forked.
_CONTEXT: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
_READY, _STARTED, _FINISHED, _SPOILED = b"ready", b"started", b"finished", b"spoiled"
_SETTINGS = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "PYTHONSAFEPATH"), "1"
)
_ATTEMPTS = 3
_PATIENCE = 120.0
_GRACE = 10.0
_TICK = 0.5
_TICK_WITH_MEMORY_LIMIT = 0.05
_BUILT_IN = frozenset(algorithm.name for algorithm in BUILT_IN)
_idle: list[_Worker] = []
_idle_lock = threading.Lock()
_process_lock = threading.Lock()  # `multiprocessing` expects that one thread starts and joins all processes


class StoppedError(Exception):
    """The caller wants no more answers."""


class _FailureError(Exception):
    """Why a trial has no result: a status, and an exception or a reason."""

    def __init__(self, status: Status, reason: BaseException | str) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason


def run(trial: Trial, environment: str, stopped: Callable[[], bool] = lambda: False) -> list[bytes]:
    """Run a trial in a worker process and return the lines of its records.

    Parameters
    ----------
    trial : Trial
        What to run.
    environment : str
        Id of the environment of this process, for the records.
    stopped : callable
        Asked now and then whether the answer is still wanted.

    Raises
    ------
    WorkerError
        If worker processes cannot be started.
    StoppedError
        If the answer is not wanted any more.
    """
    lines: list[bytes] = []
    owner = _owner(trial.cell)
    worker = _idle_worker(owner) or _new_worker(owner)
    try:
        reusable = worker.run(trial, environment, stopped, lines)
    except _FailureError as failure:
        worker.end()
        missing = trials.failed(trial, environment, failure.status, failure.reason, done=len(lines))
        return lines + [to_line(record).encode() for record in missing]
    except BaseException:
        worker.end()
        raise
    if reusable:
        with _idle_lock:
            _idle.append(worker)
    else:
        worker.end()
    return lines


def _owner(cell: Cell) -> tuple[Any, ...]:
    """Return for whom a worker works: all built-in algorithms, or one edition of a file of the user's own."""
    names = [cell.algorithm, *(cell.clusterer or ())[:1], *filter(own_metrics.is_own, cell.metrics)]
    own = tuple(name.rpartition(":")[0] or name for name in names if name not in _BUILT_IN)
    return (os.getpid(), *own, cell.directory, cell.sources) if own else (os.getpid(),)


def _idle_worker(owner: tuple[Any, ...]) -> _Worker | None:
    """Return an idle worker, preferably the one that this thread had before: it may hold shared work."""
    while True:
        with _idle_lock:
            suitable = [worker for worker in _idle if worker.owner == owner]
            if not suitable:
                return None
            worker = max(suitable, key=lambda worker: worker.thread == threading.get_ident())
            _idle.remove(worker)
        if worker.is_waiting():
            worker.thread = threading.get_ident()
            return worker
        worker.end()


def _new_worker(owner: tuple[Any, ...]) -> _Worker:
    for _ in range(_ATTEMPTS):
        try:
            return _Worker(owner)
        except (OSError, EOFError, _FailureError) as error:
            problem = error.reason if isinstance(error, _FailureError) else error
    raise WorkerError(f"Processes that run trials cannot be started: {problem}.")


def end_own() -> None:
    """End the idle workers of the user's own algorithms."""
    with _idle_lock:
        ending = [worker for worker in _idle if len(worker.owner) > 1]
        _idle[:] = [worker for worker in _idle if len(worker.owner) == 1]
    for worker in ending:
        worker.end()


class _Worker:
    """A process that runs one trial after another; it ends with this process, whatever happens to it."""

    owner: tuple[Any, ...]

    def __init__(self, owner: tuple[Any, ...]) -> None:
        if sys.platform == "win32":
            raise ConfigError("Experiments run on Linux and macOS. On Windows, use the Subsystem for Linux.")
        self.owner = owner
        self.thread = threading.get_ident()
        self.connection, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(target=_work, args=[theirs], daemon=True)
        with theirs, _process_lock, _starting():
            self.process.start()
        try:
            if self._next(_PATIENCE) is None:
                raise _FailureError("crashed", f"one is not ready after {_PATIENCE:g} s")
        except BaseException:
            self.end()
            raise

    def is_waiting(self) -> bool:
        """Tell whether an idle worker is still there: one that has ended can be read from."""
        return not wait([self.connection, self.process.sentinel], 0)

    def run(self, trial: Trial, environment: str, stopped: Callable[[], bool], lines: list[bytes]) -> bool:
        """Append the line of each record as it is made; tells whether the worker can run another trial."""
        cell, keys = trial.cell, iter(trial.keys)
        deadline = allowed = math.inf
        tick = _TICK_WITH_MEMORY_LIMIT if cell.memory_limit else _TICK
        with contextlib.suppress(OSError):  # it has just ended, as the next message will say
            self.connection.send((trial, environment, _surroundings(cell)))
        while (message := self._next(min(deadline - time.monotonic(), tick))) not in (_FINISHED, _SPOILED):
            if stopped():
                raise StoppedError
            if message == _STARTED:
                deadline = time.monotonic() + (cell.timeout or math.inf)
                allowed = self._memory() + (cell.memory_limit or math.inf)
            elif message:
                if key_of(message) != next(keys, None):
                    raise _FailureError("crashed", "the process answered for another trial")
                lines.append(message)
            elif cell.memory_limit and self._memory() > allowed:
                limit = f"{cell.memory_limit / 2**20:g} MB"
                raise _FailureError("error", MemoryError(f"exceeded the memory limit of {limit}"))
            elif time.monotonic() >= deadline:
                raise _FailureError("timeout", f"stopped after the limit of {cell.timeout:g} s")
        return message == _FINISHED

    def _next(self, timeout: float) -> bytes | None:
        """Return the next message, or None if there is none in time."""
        ready = wait([self.connection, self.process.sentinel], timeout)
        if self.connection in ready:
            with contextlib.suppress(EOFError, OSError):
                return self.connection.recv_bytes()
        elif not ready and self._exit_code() is None:
            return None
        raise _FailureError("crashed", self._how_it_ended())

    def _exit_code(self, timeout: float = 0.0) -> int | None:
        with _process_lock:
            self.process.join(timeout)
            return self.process.exitcode

    def _how_it_ended(self) -> str:
        code = self._exit_code(_GRACE)
        if code is None:
            return "the process closed its connection"
        if code >= 0:
            return f"the process ended with exit code {code}"
        return f"the process was killed by {signal.Signals(-code).name}"

    def _memory(self) -> int:
        """Return the bytes that the process holds; on Linux without files that are mapped into its memory."""
        try:
            held = psutil.Process(self.process.pid).memory_info()
        except psutil.Error:  # it has ended, as the next message will say
            return 0
        return getattr(held, "data", held.rss)

    def end(self) -> None:
        """End the process with all that it started."""
        descendants = []
        with contextlib.suppress(psutil.Error):
            descendants = psutil.Process(self.process.pid).children(recursive=True)
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        for process in (self.process, *descendants):
            with contextlib.suppress(psutil.Error):
                process.kill()
        self.connection.close()
        self._exit_code(_GRACE)


@contextlib.contextmanager
def _starting() -> Iterator[None]:
    """Keep from a new process, and from the fork server, what is the caller's own business.

    This is its script, which `multiprocessing` would import again, an interrupt while libraries are loaded,
    the current directory in front of the module path, and threads of BLAS, which cannot be forked.
    """
    _CONTEXT.set_forkserver_preload([__name__])
    main = sys.modules["__main__"]
    settings = {name: os.environ[name] for name in _SETTINGS if name in os.environ}
    sys.modules["__main__"] = types.ModuleType("__main__")
    os.environ.update(_SETTINGS)
    resource_tracker.ensure_running()  # if `multiprocessing` did it below, that would end the blocking
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        sys.modules["__main__"] = main
        for name in _SETTINGS:
            del os.environ[name]
        os.environ.update(settings)


def _surroundings(cell: Cell) -> tuple[str, dict[str, str], list[str]]:
    """Return the directory, the environment variables and the module path that a trial finds."""
    with _process_lock:  # `_starting` changes the environment for a moment
        environ = dict(os.environ)
    return cell.directory, environ, [place for place in sys.path if place]


def _work(connection: Connection) -> None:
    """Run one trial after another, in the worker process; what algorithms print is dropped."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    multiprocessing.current_process().daemon = False  # algorithms may start processes
    _end_with_parent()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    this_process, threads = os.getpid(), 0

    def answer(message: bytes) -> None:
        if os.getpid() != this_process:  # an algorithm has forked, and its copy went on
            os._exit(1)
        connection.send_bytes(message)

    answer(_READY)
    while True:
        try:
            trial, environment, surroundings = connection.recv()
        except EOFError:
            return
        _restore(trial, *surroundings)
        if threads != trial.cell.threads:
            threads = trial.cell.threads
            threadpool_limits(threads)
        with contextlib.suppress(BaseException):  # what fails here fails again below, as a record
            trials.warm_up(trial.cell)
        answer(_STARTED)
        for record in trials.run(trial, environment):
            answer(to_line(record).encode())
        answer(_SPOILED if _has_left_something() else _FINISHED)


def _end_with_parent() -> None:
    """Have the process group killed when the parent ends, even while compiled code holds the interpreter.

    The kernel sends SIGIO when the other end of the pipe is closed that the parent alone holds open.
    """
    import fcntl

    os.setsid()
    if sys.platform != "linux":  # where this signal kills nothing by itself
        signal.signal(signal.SIGIO, lambda *_: os.killpg(0, signal.SIGKILL))
    parent: Any = multiprocessing.parent_process()
    with contextlib.suppress(OSError):  # without the signal, the process ends after its trial
        fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, -os.getpid())
        fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, os.O_ASYNC)


def _restore(trial: Trial, directory: str, environ: dict[str, str], path: list[str]) -> None:
    """Undo what algorithms may have changed in this process."""
    if dict(os.environ) != environ:
        os.environ.clear()
        os.environ.update(environ)
    sys.path[:] = path
    with contextlib.suppress(OSError):  # on another machine it may not exist
        os.chdir(directory)
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
    seed = seeds.integer(trial.cell.seed, trial.cell.data.name, "process", trial.trial)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002  # for algorithms that use the global generator


def _has_left_something() -> bool:
    """Tell whether an algorithm has left threads or child processes that may disturb the next trial."""
    if any(not thread.daemon for thread in threading.enumerate()[1:]):
        return True
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True
