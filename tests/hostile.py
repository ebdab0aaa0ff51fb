"""Clusterers that harm the process that they run in; used by file path in experiments."""

import ctypes
import os
import random
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin


class Hostile(ClusterMixin, BaseEstimator):
    """Does harm, then puts everything into one cluster; `place` is a directory for signs of life."""

    def __init__(self, place=""):
        self.place = place

    def fit(self, X, constraints=None):
        self.labels_ = np.zeros(len(X), dtype=int)
        self.harm()
        return self

    def harm(self):
        pass

    def sign(self):
        (Path(self.place) / str(os.getpid())).touch()

    def stay(self):
        """Live on as a helper that nobody waits for."""
        self.sign()
        time.sleep(600)
        os._exit(0)


# What these do is a failure of their own trial; their process goes on.


class Exits(Hostile):
    def harm(self):
        sys.exit(0)


class Interrupts(Hostile):
    def harm(self):
        raise KeyboardInterrupt


class NotANumber(Hostile):
    def harm(self):
        self.offline_seconds_ = float("nan")


class Recursive(Hostile):
    def harm(self):
        self.harm()


class Reads(Hostile):
    def harm(self):
        input()


# These change their process, and succeed.


class ChangesDirectory(Hostile):
    def harm(self):
        os.chdir("/")


class ChangesEnvironment(Hostile):
    def harm(self):
        os.environ.clear()
        os.environ["XDG_CACHE_HOME"] = "/nowhere"


class ChangesNumpy(Hostile):
    def harm(self):
        np.seterr(all="raise")


class ChangesRandomness(Hostile):
    def harm(self):
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002


class ChangesWarnings(Hostile):
    def harm(self):
        warnings.simplefilter("error")
        warnings.showwarning = None


class ChangesPath(Hostile):
    def harm(self):
        sys.path.clear()


class ChangesLibraries(Hostile):
    def harm(self):
        import sklearn.cluster

        sklearn.cluster.KMeans.fit = None
        np.mean = None


class Warns(Hostile):
    def harm(self):
        for number in range(2000):
            warnings.warn(f"{number} " + "x" * 5000, stacklevel=1)


class Prints(Hostile):
    def harm(self):
        for _ in range(200):
            print("flood" * 1000)
            print("flood" * 1000, file=sys.stderr)
        os.write(1, b"flood\n")
        os.write(2, b"flood\n")


class Forks(Hostile):
    """Goes on twice, as a program does that forgets to tell a copy to end."""

    def harm(self):
        os.fork()


class LeavesHelpers(Hostile):
    """Leaves a copy, and another one in a session of its own."""

    def harm(self):
        for leave in (int, os.setsid):
            if not os.fork():
                leave()
                self.stay()


class LeavesThread(Hostile):
    def harm(self):
        threading.Thread(target=lambda: (time.sleep(0.05), os._exit(4))).start()


# These cost the process, and with it their own trial.


class ForksAndLeaves(Hostile):
    def harm(self):
        if not os.fork():
            self.stay()
        os._exit(0)


class Dies(Hostile):
    def harm(self):
        os._exit(0)


class Crashes(Hostile):
    def harm(self):
        ctypes.string_at(0)


class Hangs(Hostile):
    """Leaves a helper, then holds the interpreter, as compiled code may: no other thread runs meanwhile."""

    def harm(self):
        if not os.fork():
            self.stay()
        self.sign()
        ctypes.PyDLL(None).sleep(600)  # unlike CDLL, PyDLL keeps the lock of the interpreter


FAILS = (Exits, Interrupts, NotANumber, Recursive, Reads)
SUCCEEDS = (
    ChangesDirectory, ChangesEnvironment, ChangesNumpy, ChangesRandomness, ChangesWarnings, ChangesPath,
    ChangesLibraries, Warns, Prints, Forks, LeavesHelpers,
)  # fmt: skip
CRASHES = (ForksAndLeaves, Dies, Crashes)
EITHER = (LeavesThread,)
EXPECTED = {
    **{kind.__name__: {"error"} for kind in FAILS},
    **{kind.__name__: {"ok"} for kind in SUCCEEDS},
    **{kind.__name__: {"crashed"} for kind in CRASHES},
    **{kind.__name__: {"ok", "crashed"} for kind in EITHER},
}
