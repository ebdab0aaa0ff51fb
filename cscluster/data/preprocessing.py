"""Preprocessing steps by name; each is fitted to the samples and then applied to unseen ones too."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from scipy import sparse
from sklearn.decomposition import PCA, KernelPCA
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from cscluster.data import STEP_CLASSES
from cscluster.data.dataset import Dataset
from cscluster.errors import DataError, did_you_mean

Step = str | dict[str, Any]
_LARGE = 8 * 2**30
"""Bytes from which samples are left as they are."""


class PreprocessingStep(BaseModel):
    """A step and its parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    densifies: ClassVar[bool] = False

    @abstractmethod
    def transformer(self, X: Any) -> Any:
        """Return the transformer for samples like `X`."""


class Center(PreprocessingStep):
    """Subtract each column's mean."""

    densifies = True

    def transformer(self, X: Any) -> Any:
        return StandardScaler(with_std=False)


class Standardize(PreprocessingStep):
    """Subtract the mean and divide by the standard deviation (sparse data: only divide)."""

    def transformer(self, X: Any) -> Any:
        return StandardScaler(with_mean=not sparse.issparse(X))


class Scale01(PreprocessingStep):
    """Map each column to the range from 0 to 1."""

    def transformer(self, X: Any) -> Any:
        return MaxAbsScaler() if sparse.issparse(X) else MinMaxScaler()


class L2(PreprocessingStep):
    """Divide each sample by its length."""

    def transformer(self, X: Any) -> Any:
        return Normalizer()


class Dense(PreprocessingStep):
    """Turn sparse data into dense."""

    def transformer(self, X: Any) -> Any:
        return FunctionTransformer(lambda Z: Z.toarray() if sparse.issparse(Z) else Z, accept_sparse=True)


class Pca(PreprocessingStep):
    """Principal components."""

    densifies = True
    n: int = Field(ge=1, description="number of components")

    def transformer(self, X: Any) -> Any:
        return PCA(min(self.n, *X.shape), svd_solver="full")


class KernelPca(PreprocessingStep):
    """Principal components in the space of a kernel, exp(-||x-x'||^2 / sigma^2) or linear."""

    densifies = True
    n: int | None = Field(None, ge=1, description="number of components, by default all")
    sigma: float | None = Field(
        None, gt=0, description="width of the kernel. Without it, the kernel is linear"
    )

    def transformer(self, X: Any) -> Any:
        kernel = {"kernel": "linear"} if self.sigma is None else {"kernel": "rbf", "gamma": self.sigma**-2}
        return KernelPCA(self.n or X.shape[0], eigen_solver="dense", **kernel)


class Tfidf(PreprocessingStep):
    """Term frequency times inverse document frequency."""

    def transformer(self, X: Any) -> Any:
        steps = [TfidfTransformer()] if sparse.issparse(X) else [TfidfTransformer(), Dense().transformer(X)]
        return make_pipeline(*steps)


STEPS: dict[str, type[PreprocessingStep]] = {name: globals()[own] for name, own in STEP_CLASSES.items()}


def parse(steps: Sequence[Step]) -> list[tuple[str, dict[str, Any]]]:
    """Return steps in canonical form.

    Raises
    ------
    DataError
        For an unknown step or parameter.
    """
    parsed = []
    for step in steps:
        if not isinstance(step, str) and (not isinstance(step, dict) or len(step) != 1):  # type: ignore[redundant-expr]
            raise DataError(
                f"A preprocessing step is a name or {{name: {{parameter: value}}}}, got {step!r}."
            )
        name, values = (step, None) if isinstance(step, str) else next(iter(step.items()))
        if name not in STEPS:
            raise DataError(f"There is no preprocessing step '{name}'{did_you_mean(name, STEPS)}")
        try:
            model = STEPS[name].model_validate(values or {}, strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "its parameters"
            raise DataError(f"Preprocessing step '{name}': {where}: {first['msg'].lower()}.") from None
        parsed.append((name, model.model_dump(exclude_defaults=True)))
    return parsed


def apply(steps: Sequence[Step], data: Dataset) -> Dataset:
    """Fit the steps to the samples and transform them, and the unseen ones, to float64.

    Without steps, samples that would be too large as float64 keep their type: they are read in blocks.
    """
    if not steps and not sparse.issparse(data.X) and 8 * data.X.size > _LARGE:
        return data
    d = data.n_features - data.n_indicators
    numbers = data.mapped(lambda X: X[:, :d]) if data.n_indicators else data
    X, fitted = fit(steps, numbers) if d else (numbers.X, [])
    unseen = None if data.X_unseen is None else transform(fitted, numbers.X_unseen)
    if data.n_indicators:  # zeros and ones have their scale: steps act on the numbers alone
        X = np.hstack([X, data.X[:, d:]])
        unseen = None if unseen is None else np.hstack([unseen, data.X_unseen[:, d:]])
    same = X.shape[1] == data.n_features
    return replace(
        data,
        X=X,
        X_unseen=unseen,
        features=data.features if same else [],
        image=data.image if same else None,
    )


def fit(steps: Sequence[Step], data: Dataset) -> tuple[Any, list[Any]]:
    """Return the transformed samples, and the transformers that did it.

    Raises
    ------
    DataError
        For a step that does not suit the data.
    """
    X, fitted = _as_float(data.X), []
    for name, values in parse(steps):
        step = STEPS[name](**values)
        if step.densifies and sparse.issparse(X):
            raise DataError(
                f"Step '{name}' would make the sparse data set '{data.name}' dense. "
                "Put 'dense' before it if it fits."
            )
        transformer = step.transformer(X).fit(X)
        X = _as_float(transformer.transform(X))
        if not np.isfinite(X.data if sparse.issparse(X) else X).all():
            raise DataError(
                f"Step '{name}' makes values of data set '{data.name}' infinite. Its numbers are too large."
            )
        fitted.append(transformer)
    return X, fitted


def transform(fitted: Sequence[Any], X: Any) -> Any:
    """Send samples through fitted transformers."""
    X = _as_float(X)
    for transformer in fitted:
        X = _as_float(transformer.transform(X))
    return X


def _as_float(X: Any) -> Any:
    return (
        sparse.csr_array(X, dtype=np.float64)
        if sparse.issparse(X)
        else np.ascontiguousarray(X, dtype=np.float64)
    )


def comparable_features(data: Dataset) -> Any:
    """Return samples whose distances mean something whatever the units of the columns.

    Columns are standardised; rows of sparse data are divided by their length, since that of a
    document says little; pictures stay as they are.
    """
    if data.image is not None:
        return data.X
    return apply(["l2" if sparse.issparse(data.X) else "standardize"], data).X
