"""The process that runs trials for `children`, its keeper, and the template of which both are copies.

The template loads the numeric libraries, which takes two seconds, and is copied for each child.  The keeper
starts the process that does the work, waits for its end and says how it ended.  Whatever the work started
and left behind ends with it, and all of it ends with the process that asked for it: the keeper's standard
input is held open by that process and by no other.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import random
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

import psutil

# Without a template, numeric libraries are imported by the working process alone, after it has been forked.

READY, TAKEN, STARTED, ENDED = b"ready", b"taken", b"started", b"ended"
HEAD = struct.Struct("<Q")
MARK = "CSCLUSTER_CHILD"
"""Variable that all processes which descend from a child inherit, and by which they are found."""
MARK_SIZE = 32
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PATIENCE = 10.0


def serve(channel: int, copies: bool) -> NoReturn:
    """Start a child for each request that comes through a socket, until its other end is closed.

    A request is the mark of the child, with the descriptors of its standard input and of the pipes that
    `_keep` takes.

    Parameters
    ----------
    channel : int
        Descriptor of the socket.
    copies : bool
        Whether children are copies of this process, or it becomes the one child itself.
    """
    if copies:
        _load()
        gc.freeze()
        signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(fileno=channel) as asked:
        while True:
            mark, descriptors, _, _ = socket.recv_fds(asked, MARK_SIZE, 4)
            if not mark:
                os._exit(0)
            if not copies or not os.fork():
                break
            for descriptor in descriptors:
                os.close(descriptor)
    if copies:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
    _take_mark(mark)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    os.dup2(descriptors[0], 0)
    os.close(descriptors[0])
    _keep(*descriptors[1:])


def _load() -> None:
    """Import what trials need; that starts no thread of ours, which a copy of this process would not have."""
    import sklearn.cluster  # noqa: F401  # BLAS and OpenMP must be loaded before their threads are fixed

    from cscluster.experiment.engine import trial  # noqa: F401
    from cscluster.store import records  # noqa: F401


def _reap(*_: Any) -> None:
    """Take note of the keepers that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _take_mark(mark: bytes) -> None:
    """Write the mark over that of the template, where other processes look for it."""
    find = ctypes.CDLL(None).getenv
    find.restype = ctypes.c_void_p
    ctypes.memmove(find(MARK.encode()), mark, MARK_SIZE)
    os.environ[MARK] = mark.decode()


def _keep(requests: int, replies: int, life: int) -> NoReturn:
    """Run trials, in a process of its own, until the other end of the pipe `requests` is closed.

    Parameters
    ----------
    requests, replies : int
        Descriptors of pipes, for pickled trials behind their length and for lines of text.
    life : int
        Descriptor of a pipe that this process alone holds open; a byte says that it has ended all the
        others.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = os.fork()
    if not worker:
        os.close(life)
        _work(requests, replies)
    os.close(requests)
    threading.Thread(target=_end_with_parent, args=[life], daemon=True).start()
    process = status = 0
    while process != worker:  # Linux makes orphans children of the keeper
        process, status = os.wait()
    end_all(_descendants)
    with contextlib.suppress(OSError):
        os.write(replies, b"\n%s %d\n" % (ENDED, os.waitstatus_to_exitcode(status)))
    _leave(life)


def _end_with_parent(life: int) -> NoReturn:
    """Wait for the end of standard input, then end everything."""
    while os.read(0, 1):
        pass
    end_all(_descendants)
    _leave(life)


def _leave(life: int) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(life, b".")
    os._exit(0)


def end_all(find: Callable[[], list[psutil.Process]]) -> None:
    """Kill the processes that `find` finds, until it finds none."""
    end = time.monotonic() + _PATIENCE
    while (left := find()) and time.monotonic() < end:
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
        time.sleep(0.02)


def _descendants() -> list[psutil.Process]:
    """Return all that descends from this process and lives."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value)


def _work(requests: int, replies: int) -> NoReturn:
    """Run one trial after another; what algorithms print is dropped."""
    os.setpgid(0, 0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # should an algorithm kill the keeper
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    worker = _Worker(replies)
    _load()
    from cscluster.experiment.engine import trial as trials
    from cscluster.store.records import to_line

    worker.reply(b"%s %d" % (READY, os.getpid()))
    for descriptor in (1, 2):
        os.dup2(nothing, descriptor)
    with os.fdopen(requests, "rb") as stream:
        while head := stream.read(HEAD.size):
            trial, environment, surroundings = pickle.loads(stream.read(HEAD.unpack(head)[0]))
            worker.reply(TAKEN)
            worker.settle(trial, *surroundings)
            with contextlib.suppress(
                BaseException
            ):  # what goes wrong here goes wrong again below, as a record
                trials.get_ready(trial.cell)
            worker.reply(STARTED)
            for record in trials.run(trial, environment):
                worker.reply(to_line(record).encode().rstrip(b"\n"))
            if any(not thread.daemon for thread in threading.enumerate()[1:]):
                break  # an algorithm has left work behind that may spoil the next trial
    os._exit(0)


class _Worker:
    """The process that runs trials: how it answers, and what it restores before each of them."""

    def __init__(self, replies: int) -> None:
        self.replies = replies
        self.process = os.getpid()
        self.pipe = self._identity()
        self.path = list(sys.path)
        self.mark = os.environ[MARK]
        self.threads = 0

    def _identity(self) -> tuple[int, int]:
        status = os.fstat(self.replies)
        return status.st_dev, status.st_ino

    def reply(self, line: bytes) -> None:
        """Answer with a line; a copy of this process, or one that has lost its pipe, ends instead."""
        try:
            if os.getpid() != self.process or self._identity() != self.pipe:
                os._exit(1)
            left = memoryview(line + b"\n")
            while left:
                left = left[os.write(self.replies, left) :]
        except OSError:
            os._exit(1)

    def settle(self, trial: Any, directory: str, environ: dict[str, str], path: list[str]) -> None:
        """Make this process what it was before any algorithm changed it.

        The path ends with the directories that only the caller knows: they shadow no installed module.
        """
        import numpy as np
        from threadpoolctl import threadpool_limits

        from cscluster import seeds

        environ = {**environ, MARK: self.mark}
        if dict(os.environ) != environ:
            os.environ.clear()
            os.environ.update(environ)
        sys.path[:] = [*self.path, *(place for place in path if place not in self.path)]
        with contextlib.suppress(OSError):  # on another machine it may not exist
            os.chdir(directory)
        cell = trial.cell
        if self.threads != cell.threads:
            threadpool_limits(cell.threads)
            self.threads = cell.threads
        np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
        seed = seeds.integer(cell.seed, cell.data.name, "process", trial.trial)
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002  # for algorithms that use the global generator
