"""The other end of `isolate`: reads trials from standard input, answers on a pipe."""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import resource
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from cscluster.experiment.engine import isolate, worker
from cscluster.experiment.engine.trial import get_ready

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Run trials until standard input ends; the process ends at once when its parent does."""
    _die_with_parent()
    replies = os.fdopen(int(sys.argv[1]), "wb")
    wanted: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(wanted,), daemon=True).start()
    worker.settle_process()
    while True:
        trial, environment = wanted.get()
        with contextlib.suppress(Exception):  # what goes wrong here goes wrong again below, as a record
            get_ready(trial.cell)
        limit = trial.cell.memory_limit
        allowance = resource.RLIM_INFINITY if limit is None else _in_use() + limit
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (allowance, hard))
        isolate.send(replies, isolate.STARTED)
        for record in worker.run(trial, environment):
            if limit is not None and record["error"] and "MemoryError" in record["error"]["type"]:
                record["error"]["message"] = f"exceeded the memory limit of {limit / 2**20:g} MB"
            isolate.send(replies, record)
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _die_with_parent() -> None:
    """Have Linux kill this process with its parent: compiled code may never let `_listen` run."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _listen(wanted: queue.SimpleQueue[Any]) -> None:
    while True:
        message = isolate.receive(sys.stdin.fileno())
        if message is None:
            os._exit(0)
        wanted.put(message)


def _in_use() -> int:
    """Return the bytes of private memory that the process holds already."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main()
