"""Legal values of the parameters that all kernel methods share."""

from __future__ import annotations

from cscluster.algorithms.parameters import Choice, Parameter, Real

KERNEL = Parameter("kernel function", Choice("gaussian", "linear"))
SIGMA = Parameter("width of the Gaussian kernel exp(-||x - z||^2 / sigma^2)", Real(0, open_low=True))
SIGMA_UNIT = Parameter(
    "whether sigma is a multiple of the median distance between samples or in the data's unit",
    Choice("median", "data"),
)
