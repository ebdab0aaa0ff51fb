"""A child process for trials that may hang, crash or eat the memory.

The child is kept between trials, so its start is paid once; it is killed for real when a trial
exceeds its time, and a new one is started for the next trial.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from typing import IO, Any

from cscluster.experiment.engine import trial as trials
from cscluster.experiment.plan.trials import Trial
from cscluster.store.records import Record, Status

STARTED = "started"
_HEAD = struct.Struct("<Q")
_kept = threading.local()


def run(trial: Trial, environment: str) -> list[Record]:
    """Run a trial in this thread's child process; always returns its records."""
    child: _Child | None = getattr(_kept, "child", None)
    if child is None or not child.alive():
        child = _kept.child = _Child()
    records, problem = child.run(trial, environment)
    if problem is None:
        return records
    child.kill()
    status, message = problem
    return records + trials.failed(trial, environment, status, message, done=len(records))


class _Child:
    """A Python process that runs one trial after another."""

    def __init__(self) -> None:
        self.replies, theirs = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cscluster.experiment.engine.child", str(theirs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs],
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        os.close(theirs)
        atexit.register(self.kill)

    def alive(self) -> bool:
        return self.process.poll() is None

    def run(self, trial: Trial, environment: str) -> tuple[list[Record], tuple[Status, str] | None]:
        """Return the records that came back and, if not all did, a status and a message."""
        assert self.process.stdin is not None
        try:
            send(self.process.stdin, (trial, environment))
        except OSError:
            return [], self._death()
        records: list[Record] = []
        limit, deadline = trial.cell.timeout, math.inf
        while len(records) < len(trial.keys):
            left = deadline - time.monotonic()
            ready = select.select([self.replies], [], [], None if left == math.inf else max(left, 0.0))[0]
            if not ready:
                return records, ("timeout", f"stopped after the limit of {limit:g} s")
            reply = receive(self.replies)
            if reply is None:
                return records, self._death()
            if reply == STARTED:
                deadline = time.monotonic() + (limit or math.inf)
            else:
                records.append(reply)
        return records, None

    def _death(self) -> tuple[Status, str]:
        code = self.process.wait()
        if code < 0:
            return "crashed", f"the process was killed by {signal.Signals(-code).name}"
        return "crashed", f"the process ended with exit code {code}"

    def kill(self) -> None:
        atexit.unregister(self.kill)
        if self.alive():
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        if self.replies >= 0:
            os.close(self.replies)
            self.replies = -1


def send(stream: IO[bytes], value: Any) -> None:
    """Write a value behind its length."""
    data = pickle.dumps(value)
    stream.write(_HEAD.pack(len(data)) + data)
    stream.flush()


def receive(descriptor: int) -> Any:
    """Read a value that `send` wrote; None at the end of the stream."""
    head = _read(descriptor, _HEAD.size)
    if head is None:
        return None
    data = _read(descriptor, _HEAD.unpack(head)[0])
    return None if data is None else pickle.loads(data)


def _read(descriptor: int, size: int) -> bytes | None:
    parts = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
