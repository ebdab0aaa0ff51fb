"""Small clusterers with which the tests exercise the engine; used by file path in experiments."""

import ctypes
import os
import time

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin


class Trivial(ClusterMixin, BaseEstimator):
    """Puts everything into one cluster."""

    def fit(self, X, constraints=None):
        self.labels_ = np.zeros(len(X), dtype=int)
        return self


class Sleepy(Trivial):
    """Waits before it answers."""

    def __init__(self, seconds=0.05):
        self.seconds = seconds

    def fit(self, X, constraints=None):
        time.sleep(self.seconds)
        return super().fit(X)


class Busy(Trivial):
    """Computes for about `seconds` of processor time before it answers."""

    def __init__(self, seconds=0.05):
        self.seconds = seconds

    def fit(self, X, constraints=None):
        end = time.process_time() + self.seconds
        while time.process_time() < end:
            pass
        return super().fit(X)


class Broken(Trivial):
    """Fails in the way that `how` names, on odd seeds only if `sometimes`."""

    def __init__(self, how="raise", sometimes=False, random_state=None):
        self.how = how
        self.sometimes = sometimes
        self.random_state = random_state

    def fit(self, X, constraints=None):
        super().fit(X)
        if self.sometimes and self.random_state % 2 == 0:
            return self
        if self.how == "raise":
            raise RuntimeError("out of luck")
        if self.how == "exit":
            os._exit(3)
        if self.how == "segfault":
            ctypes.string_at(0)
        if self.how == "sleep":
            time.sleep(600)
        if self.how == "memory":
            self.hoard_ = [np.ones(2**20) for _ in range(10**6)]
        if self.how == "shape":
            self.labels_ = np.zeros(3, dtype=int)
        if self.how == "nan":
            self.labels_ = np.full(len(X), np.nan)
        if self.how == "none":
            del self.labels_
        return self


class Chatty(Trivial):
    """Prints and warns."""

    def fit(self, X, constraints=None):
        import warnings

        print("noise on standard output")
        warnings.warn("the data look odd", UserWarning, stacklevel=2)
        return super().fit(X)
