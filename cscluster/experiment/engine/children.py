"""The one way to run a trial: in a child process that is kept for the next one.

Whatever an algorithm does to its process (it crashes, exits, hangs, eats the memory, forks, closes or
writes to what it should not) costs its own trial.  Algorithms that are not built in have child processes
of their own, those of a file together, so that what they leave behind there reaches no others.  On Linux
child processes are copies of a template that has loaded the libraries.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import psutil

from cscluster.algorithms.registry import BUILT_IN
from cscluster.errors import ConfigError, WorkerError
from cscluster.experiment.engine import trial as trials
from cscluster.experiment.engine.child import ENDED, HEAD, MARK, READY, STARTED, TAKEN, end_all
from cscluster.experiment.plan.trials import Cell, Trial
from cscluster.store.records import Record, Status, from_line

_START = """\
import sys
sys.path += sys.argv[3:]
from cscluster.experiment.engine.child import serve
serve(int(sys.argv[1]), sys.argv[2] == "copies")
"""
_COPIES = sys.platform == "linux"  # on macOS, a process that has loaded numeric libraries must not be copied
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
_STARTS = 3
_PATIENCE = 120.0
_GRACE = 10.0
_TICK = 0.5
_TICK_WITH_MEMORY_LIMIT = 0.05
_LONGEST_LINE = 2**26
_MOST_IDLE = 4 * (os.cpu_count() or 1)
_BUILT_IN = frozenset(algorithm.name for algorithm in BUILT_IN)
_idle: list[_Child] = []
_lock = threading.Lock()
_templates: list[_Template] = []
_starting = threading.Lock()


class StoppedError(Exception):
    """The caller wants no more answers."""


class _EndedError(Exception):
    """The child has ended, or is of no more use."""


def run(trial: Trial, environment: str, stopped: Callable[[], bool] = lambda: False) -> list[Record]:
    """Return the records of a trial, which is run in a child process.

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
        If child processes cannot be started.
    StoppedError
        If the answer is not wanted any more.
    """
    starts = 0
    while True:
        starts += 1
        child = _take(_owner(trial.cell))
        try:
            records, problem = child.run(trial, environment, stopped)
        except BaseException:
            child.end()
            raise
        if problem is None:
            _give_back(child)
            return records
        child.end()
        if child.took_it or starts == _STARTS:
            return records + trials.failed(trial, environment, *problem, done=len(records))


def _owner(cell: Cell) -> tuple[Any, ...]:
    """Return for whom a child works: all built-in algorithms, or one edition of a file of the user's own."""
    names = [cell.algorithm, *(cell.clusterer or ())[:1]]
    own = tuple(name.rpartition(":")[0] or name for name in names if name not in _BUILT_IN)
    return (os.getpid(), *own, cell.directory, cell.sources) if own else (os.getpid(),)


def _take(owner: tuple[Any, ...]) -> _Child:
    """Return a child that waits for work, rather the one that this thread had before, or a new one."""
    with _lock:
        waiting = [child for child in _idle if child.owner == owner]
        if waiting:
            child = max(waiting, key=lambda child: child.thread == threading.get_ident())
            _idle.remove(child)
            child.thread = threading.get_ident()
            return child
    problem = ""
    for _ in range(_STARTS):
        child = _Child(owner)
        try:
            child.wait_until_ready()
            return child
        except _EndedError as error:
            problem = str(error)
            child.end()
        except BaseException:
            child.end()
            raise
    raise WorkerError(f"Processes that run trials cannot be started: {problem}.")


def _give_back(child: _Child) -> None:
    """Keep a child for later; of too many the one that has waited longest ends."""
    with _lock:
        _idle.append(child)
        surplus = _idle.pop(0) if len(_idle) > _MOST_IDLE else None
    if surplus:
        surplus.end()


def end_own() -> None:
    """End the waiting children of the user's own algorithms, with all that these have left behind."""
    _end_idle(lambda child: len(child.owner) > 1)


@atexit.register
def _end_templates() -> None:
    """End the templates of this process, whose children stay; those of a process that forked stay too."""
    with _starting:
        ending, _templates[:] = list(_templates), []
    for template in ending:
        template.end()


@atexit.register
def _end_idle(which: Callable[[_Child], bool] = lambda child: child.owner[0] == os.getpid()) -> None:
    with _lock:
        chosen = [child for child in _idle if which(child)]
        _idle[:] = [child for child in _idle if child not in chosen]
    for child in chosen:
        child.release()
    for child in chosen:
        child.end()


class _Template:
    """A process that starts children; it ends with this process, and without copies it becomes a child."""

    def __init__(self) -> None:
        if sys.platform == "win32":
            raise ConfigError("Experiments run on Linux and macOS; on Windows, use the Subsystem for Linux.")
        self.owner = os.getpid()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  # read after a failure
        self._channel, theirs = socket.socketpair()
        with theirs:
            words = [str(theirs.fileno()), "copies" if _COPIES else "becomes"]
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, *words, *filter(None, sys.path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={**os.environ, **_ONE_THREAD, "PYTHONSAFEPATH": "1", MARK: uuid.uuid4().hex},
            )

    def start(self, mark: str, descriptors: list[int]) -> None:
        """Ask for a child; if there will be none, its pipes are closed."""
        with contextlib.suppress(OSError):
            socket.send_fds(self._channel, [mark.encode()], descriptors)

    def complaint(self) -> str:
        """Return the last line that the process wrote before it failed."""
        size = os.fstat(self._complaints.fileno()).st_size
        text = os.pread(self._complaints.fileno(), size, 0).decode(errors="replace").strip()
        return text.splitlines()[-1] if text else ""

    def end(self) -> None:
        """End the process; its copies stay."""
        self._channel.close()
        if self.owner != os.getpid():
            return
        if not _COPIES:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE)  # it is the keeper, which ends by itself
        self._process.kill()
        self._process.wait()


def _template() -> _Template:
    """Return the process that starts the next child of this process."""
    if not _COPIES:
        return _Template()
    with _starting:
        if not any(template.owner == os.getpid() for template in _templates):
            _templates.append(_Template())
        return next(template for template in _templates if template.owner == os.getpid())


def _forget(template: _Template) -> None:
    """End a template that is of no more use."""
    with _starting:
        if template in _templates:
            _templates.remove(template)
    template.end()


class _Child:
    """A process that runs one trial after another; it ends with this process, whatever happens to it."""

    owner: tuple[Any, ...]

    def __init__(self, owner: tuple[Any, ...]) -> None:
        self._template = _template()
        self.owner = owner
        self.thread = threading.get_ident()
        self.took_it = False
        self._worker: int | None = None
        self._unread = bytearray()
        self._mark = uuid.uuid4().hex
        pipes = [os.pipe() for _ in range(4)]
        self._input: int | None
        (input_, self._input), (requests, self._requests) = pipes[:2]
        (self._replies, replies), (self._life, life) = pipes[2:]
        theirs = [input_, requests, replies, life]
        try:
            self._template.start(self._mark, theirs)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        self._poll = select.poll()
        self._poll.register(self._replies, select.POLLIN)
        self._poll.register(self._life, select.POLLIN)

    def wait_until_ready(self) -> None:
        """Wait until everything is loaded; raises `_EndedError` with the reason if that fails."""
        end = time.monotonic() + _PATIENCE
        try:
            while (line := self._next(_TICK)) is None:
                if time.monotonic() > end:
                    raise _EndedError(f"they are not ready after {_PATIENCE:g} s")
            word, _, number = line.partition(b" ")
            if word != READY:
                raise _EndedError("they end while they start")
            self._worker = int(number)
        except _EndedError as error:
            reason = self._template.complaint() or str(error)
            _forget(self._template)
            raise _EndedError(reason) from None

    def run(
        self, trial: Trial, environment: str, stopped: Callable[[], bool]
    ) -> tuple[list[Record], tuple[Status, BaseException | str] | None]:
        """Return the records that came back and, if not all did, a status and its reason."""
        self.took_it = False
        records: list[Record] = []
        limit, most = trial.cell.timeout, trial.cell.memory_limit
        deadline, allowed = math.inf, math.inf
        try:
            self._send((trial, environment, _surroundings(trial.cell)))
            while len(records) < len(trial.keys):
                left = deadline - time.monotonic()
                line = self._next(min(max(left, 0.0), _TICK_WITH_MEMORY_LIMIT if most else _TICK))
                if stopped():
                    raise StoppedError
                if line is None:
                    if most and self._memory() > allowed:
                        return records, (
                            "error",
                            MemoryError(f"exceeded the memory limit of {most / 2**20:g} MB"),
                        )
                    if time.monotonic() >= deadline:
                        return records, ("timeout", f"stopped after the limit of {limit:g} s")
                elif line == TAKEN:
                    self.took_it = True
                elif line == STARTED and deadline == math.inf:
                    deadline = time.monotonic() + (limit or math.inf)
                    allowed = self._memory() + most if most else math.inf
                else:
                    records.append(_checked(line, trial.keys[len(records)]))
        except _EndedError as error:
            return records, ("crashed", str(error))
        return records, None

    def _send(self, request: Any) -> None:
        data = pickle.dumps(request)
        left = memoryview(HEAD.pack(len(data)) + data)
        try:
            while left:
                left = left[os.write(self._requests, left) :]
        except OSError:
            raise _EndedError("the process ended before its trial") from None

    def _next(self, seconds: float) -> bytes | None:
        """Return the next line, or None if there is none in time; raises `_EndedError` after the last."""
        if b"\n" not in self._unread and (ready := dict(self._poll.poll(1000 * seconds))):
            part = os.read(self._replies, 1 << 16) if self._replies in ready else b""
            self._unread += part
            if not part:  # else the keeper would have said how the process ended
                raise _EndedError("the process was killed together with its keeper")
        line, found, rest = self._unread.partition(b"\n")
        if not found:
            if len(self._unread) > _LONGEST_LINE:
                raise _EndedError("the process answered with too much")
            return None
        self._unread = rest
        if line.startswith(ENDED):
            raise _EndedError(_end(int(line.split()[1])))
        return bytes(line) or None

    def _memory(self) -> int:
        """Return the bytes that the process holds; on Linux without files that are mapped into its memory."""
        try:
            held = psutil.Process(self._worker).memory_info()
        except psutil.Error:  # it has just ended, as the next line will say
            return 0
        return getattr(held, "data", held.rss)

    def release(self) -> None:
        """Tell the keeper to end the process and all that it started."""
        if self._input is not None:
            os.close(self._input)
            self._input = None

    def end(self) -> None:
        """End the process and all that it started."""
        self.release()
        if self._worker is not None and not self._is_ended():  # the keeper was killed, and has ended nothing
            end_all(lambda: [process for process in psutil.process_iter() if _has_mark(process, self._mark)])
        for descriptor in (self._requests, self._replies, self._life):
            os.close(descriptor)
        if not _COPIES:
            _forget(self._template)

    def _is_ended(self) -> bool:
        """Wait for the keeper, and tell whether it says that all is ended."""
        self._poll.unregister(self._replies)
        return bool(self._poll.poll(1000 * _PATIENCE) and os.read(self._life, 1))


def _has_mark(process: psutil.Process, mark: str) -> bool:
    """Tell whether a process descends from a child, whoever its parent is now, and lives."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == mark
    except (psutil.Error, OSError):  # it has ended, or belongs to somebody else
        return False


def _surroundings(cell: Cell) -> tuple[str, dict[str, str], list[str]]:
    """Return the directory, the environment variables and the module path that a trial finds."""
    return cell.directory, dict(os.environ), [place for place in sys.path if place]


def _checked(line: bytes, key: str) -> Record:
    """Return the record on a line; raises `_EndedError` unless it is that of the key."""
    try:
        record = from_line(line)
    except (ValueError, RecursionError):
        raise _EndedError("the process answered with something other than a record") from None
    if record["key"] != key:
        raise _EndedError("the process answered for another trial")
    return record


def _end(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"the process ended with exit code {code}"
    try:
        return f"the process was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"the process was killed by signal {-code}"
