"""The parameters that all kernel methods share."""

from __future__ import annotations

from cscluster.algorithms.base import ConstrainedEstimator, Samples
from cscluster.algorithms.parameters import Choice, Real, parameter
from cscluster.linalg.kernels import Kernel

SIGMA = parameter(1.0, "width of the Gaussian kernel exp(-||x - z||^2 / sigma^2)", Real(0, open_low=True))
SIGMA_UNIT = parameter(
    "median",
    "whether sigma is a multiple of the median distance between samples or in the data's unit",
    Choice("median", "data"),
)


class GaussianEstimator(ConstrainedEstimator):
    """An estimator with a Gaussian kernel."""

    sigma: float = SIGMA
    sigma_unit: str = SIGMA_UNIT

    def _kernel_for(self, X: Samples) -> Kernel:
        """Return the kernel with the width that suits the samples."""
        return Kernel.of("gaussian", X, self.sigma, self.sigma_unit)


class KernelEstimator(ConstrainedEstimator):
    """An estimator with a choice of kernels."""

    sigma: float = SIGMA
    sigma_unit: str = SIGMA_UNIT
    kernel: str = parameter(
        "gaussian",
        "kernel function: 'gaussian' is exp(-||x - z||^2 / sigma^2), 'linear' is x^T z",
        Choice("gaussian", "linear"),
    )

    def _kernel_for(self, X: Samples) -> Kernel:
        """Return the kernel with the width that suits the samples."""
        return Kernel.of(self.kernel, X, self.sigma, self.sigma_unit)
