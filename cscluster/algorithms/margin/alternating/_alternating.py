"""Alternating optimisation of labels and machine (zhang2009, Algorithms 1 and 2).

A *learner* trains a machine on the labels, the bias search of section III-D relabels the samples,
and so on until labels repeat.  iterSVM, iterSVR and iterLS-SVM differ in the learner alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.margin.alternating._bias_search import Loss, search_bias
from cscluster.arrays import require_memory
from cscluster.linalg.kernels import Kernel

Basis = Callable[[Samples], FloatArray]
"""Maps samples to the values of the basis functions, of shape (n_samples, n_basis)."""


@dataclass(frozen=True)
class KernelBasis:
    """The kernel at each fitted sample: ``k(x, x_1), ..., k(x, x_n)``."""

    kernel: Kernel
    X: Samples

    def __call__(self, X: Samples) -> FloatArray:
        """Return ``k(x, x_i)`` for new samples."""
        return self.kernel(X, self.X)


@dataclass(frozen=True)
class Trained:
    """Machines trained on r labellings, one in each column.

    Attributes
    ----------
    coefficients : ndarray of shape (n_basis, r)
        Weights of the basis functions.
    scores : ndarray of shape (n_samples, r)
        ``w^T phi(x_i)``, without the bias.
    objective : ndarray of shape (r,)
        Least value, over w and b, of the method's objective for these labels.
    """

    coefficients: FloatArray
    scores: FloatArray
    objective: FloatArray


Train = Callable[[FloatArray, FloatArray | None], Trained]
"""Trains on each column of labels Y; the second argument is the coefficients of the iteration before."""


@dataclass(frozen=True)
class Learner:
    """Trains machines on fixed samples; what does not depend on the labels is computed once.

    Attributes
    ----------
    loss : {'hinge', 'absolute', 'squared'}
        Loss of the bias search.
    basis : callable
        The basis functions that the coefficients belong to.
    train : callable
        Trains a machine on each labelling.
    """

    loss: Loss
    basis: Basis
    train: Train


def one_by_one(
    train_one: Callable[[FloatArray, FloatArray | None], tuple[FloatArray, FloatArray, float]],
) -> Train:
    """Return the training of labellings one after another; each gives coefficients, scores and objective."""

    def train(Y: FloatArray, start: FloatArray | None) -> Trained:
        starts = [None] * Y.shape[1] if start is None else start.T
        columns = [train_one(y, w) for y, w in zip(Y.T, starts, strict=True)]
        return Trained(*(np.stack(parts, axis=-1) for parts in zip(*columns, strict=True)))

    return train


def kernel_matrix(kernel: Kernel, X: Samples) -> FloatArray:
    """Return the kernel matrix of samples, if memory allows."""
    require_memory("A kernel matrix", (X.shape[0],) * 2, "use IterSVR or IterLSSVM with n_landmarks")
    return kernel(X)


@dataclass
class AlternatingRun:
    """The course of one start: labels t train machine t, which yields labels t + 1."""

    labels: list[FloatArray]
    machines: list[tuple[FloatArray, float]] = field(default_factory=list)
    objective: list[float] = field(default_factory=list)
    cycle_length: int = 0
    _seen: dict[bytes, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._seen[_key(self.labels[0])] = 0

    def step(self, coefficients: FloatArray, bias: float, objective: float, y: FloatArray) -> None:
        """Record an iteration; labels that were there before close a cycle, a fixed point one of length 1."""
        self.machines.append((coefficients, bias))
        self.objective.append(objective)
        self.labels.append(y)
        t = len(self.machines)
        self.cycle_length = t - self._seen.setdefault(_key(y), t)

    def result(self) -> tuple[float, FloatArray, tuple[FloatArray, float]]:
        """Return objective, labels and the machine that yields them: the last, or the best of a cycle."""
        if self.cycle_length == 0:
            return self.objective[-1], self.labels[-1], self.machines[-1]
        first = len(self.machines) - self.cycle_length
        best = first + int(np.argmin(self.objective[first:]))
        machine = self.machines[best - 1] if best > first else self.machines[-1]
        return self.objective[best], self.labels[best], machine


def _key(y: FloatArray) -> bytes:
    return np.packbits(y > 0).tobytes()


def alternate(learner: Learner, starts: FloatArray, balance: float, max_iter: int) -> list[AlternatingRun]:
    """Run all starts, the columns of `starts`, side by side, so that they share each training."""
    runs = [AlternatingRun([y]) for y in starts.T]
    for _ in range(max_iter):
        active = [run for run in runs if run.cycle_length == 0]
        if not active:
            break
        Y = np.column_stack([run.labels[-1] for run in active])
        before = [run.machines[-1][0] for run in active if run.machines]
        trained = learner.train(Y, np.column_stack(before) if before else None)
        for j, run in enumerate(active):
            bias, y = search_bias(trained.scores[:, j], learner.loss, balance)
            run.step(trained.coefficients[:, j], bias, float(trained.objective[j]), y)
    return runs
