"""Spectral projected gradient for smooth functions over a convex set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cscluster.arrays import FloatArray

_MEMORY = 10
_SUFFICIENT = 1e-4


@dataclass(frozen=True)
class Descent:
    """Where a descent stopped: the point, the values on the way, whether they came to rest."""

    x: FloatArray
    values: FloatArray
    converged: bool


def minimise(
    function: Callable[[FloatArray], tuple[float, FloatArray]],
    project: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    *,
    tol: float,
    max_iter: int,
) -> Descent:
    """Minimise a function, given with its gradient, over the set that `project` projects onto.

    Steps along the projected gradient have the length of Barzilai and Borwein and are halved until the
    value falls below the largest of the last ten; where no such step is found (the function has a
    kink there) the descent ends without having converged.  Converged when the values of the last ten
    iterations span no more than `tol` times the present one.

    References
    ----------
    .. [1] E. Birgin, J. Martinez, M. Raydan, "Nonmonotone Spectral Projected Gradient Methods on Convex
       Sets", SIAM Journal on Optimization 10, 2000, algorithm SPG2. doi:10.1137/S1052623497330963
    """
    x = project(start)
    value, gradient = function(x)
    values = [value]
    best_x, best = x, value
    step = 1.0 / max(float(np.abs(gradient).max(initial=0.0)), np.finfo(np.float64).tiny)
    for iteration in range(max_iter):
        direction = project(x - step * gradient) - x
        slope = float(np.vdot(gradient, direction))
        size = float(np.vdot(direction, direction))
        recent = values[-_MEMORY:]
        rest = iteration >= _MEMORY and max(recent) - min(recent) <= tol * abs(value)
        if rest or size == 0:
            return Descent(best_x, np.array(values), True)
        length = 1.0
        while True:
            new_x = x + length * direction
            value, new_gradient = function(new_x)
            if value <= max(recent) + _SUFFICIENT * length * slope:
                break
            length /= 2
            if length < 1e-12:
                return Descent(best_x, np.array(values), False)
        curvature = float(np.vdot(new_x - x, new_gradient - gradient))
        step = length**2 * size / curvature if curvature > 0 else 10 * step
        x, gradient = new_x, new_gradient
        values.append(value)
        if value < best:
            best_x, best = x, value
    return Descent(best_x, np.array(values), False)
