"""Recipes: how the data set of a table is selected from a larger one."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from pydantic import BaseModel, ConfigDict, Field, model_validator
from scipy import sparse
from sklearn.feature_selection import mutual_info_classif

from cscluster import seeds
from cscluster.arrays import IntArray, dense
from cscluster.data import index
from cscluster.data.dataset import Dataset
from cscluster.errors import DataError, did_you_mean

_MOVE = 2  # pixels


class Recipe(BaseModel):
    """A selection from a base data set."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    base: str | None = Field(None, description="data set, file or openml:NAME that is selected from")
    target: str | None = Field(None, description="column of the true classes, where the base is a file")
    id: str | None = Field(None, description="column of the names of the samples, where the base is a file")
    features: list[str] | None = Field(None, description="the only columns to cluster by, by default all")
    ignore: list[str] | None = Field(None, description="columns to leave out")
    generator: Literal["ringnorm", "rings", "moons", "xor", "blobs"] | None = Field(
        None, description="what makes the samples, instead of a base"
    )
    part: Literal["train", "test"] | None = Field(None, description="part of a base that has two")
    classes: list[str] | None = Field(None, description="classes to keep")
    groups: dict[str, list[str]] | None = Field(None, description="new classes made of old ones")
    drop_constant: bool = Field(False, description="leave out columns of one value")
    top_features: int | None = Field(
        None, ge=1, description="number of columns to keep, by information gain with the classes"
    )
    fraction: float | None = Field(None, gt=0, le=1, description="share that is sampled from each class")
    per_class: int | None = Field(None, ge=1, description="number that is sampled from each class")
    first: int | None = Field(None, ge=1, description="number of rows to keep, from the first on")
    size: int | None = Field(None, ge=1, le=10_000_000, description="number that is sampled or made in all")
    enlarge: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        description="number of samples made by taking images in turn, each moved by up to two pixels",
    )
    unseen: Literal["rest", "other_part"] | Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="held out for scores @unseen: rest of the sample, other_part, or a number of each class",
    )
    divide: float | None = Field(None, gt=0, description="divisor of all values")
    seed: int = Field(0, ge=0, description="seed of the sample")

    @model_validator(mode="after")
    def _one_source(self) -> Recipe:
        if (self.base is None) == (self.generator is None):
            raise ValueError("needs either 'base' or 'generator'")
        if sum(v is not None for v in (self.fraction, self.per_class, self.size)) > 1:
            raise ValueError("takes only one of 'fraction', 'per_class' and 'size'")
        by_class = self.fraction is not None or self.per_class is not None
        drawn = by_class or (self.size is not None and self.generator is None)
        if self.unseen == "other_part" and self.part is None:
            raise ValueError("'unseen: other_part' needs 'part: train' or 'part: test'")
        if self.unseen == "rest" and not drawn:
            raise ValueError("'unseen: rest' needs a sample that leaves a rest, such as 'fraction: 0.1'")
        if isinstance(self.unseen, int) and not by_class:
            raise ValueError("an integer for 'unseen' needs 'per_class' or 'fraction'")
        return self

    @property
    def source(self) -> str:
        """What the sample is drawn from, however large it is: data sets of one source differ in size only."""
        left_out = {"base", "generator", "first", "size", "enlarge"}
        left_out |= {"fraction", "per_class", "unseen", "seed"}
        rest = self.model_dump(exclude_defaults=True, exclude=left_out)
        return ", ".join([str(self.base or self.generator), *(f"{k}={v}" for k, v in rest.items())])

    def identity(self) -> dict[str, object]:
        """Return what decides the selection, apart from where the source lies; for hashing."""
        own = self.model_dump(exclude_defaults=True, exclude={"base"})
        if self.base in index.recipes():
            own["base"] = Recipe(**index.recipes()[self.base]).identity()
        return own


def apply(recipe: Recipe, base: Dataset, name: str) -> Dataset:
    """Select from `base`; the same recipe always takes the same samples."""
    data = replace(base, name=name)
    other_part = None
    if recipe.part is not None:
        if data.is_test is None:
            raise DataError(f"Data set '{base.name}' has no train and test part, which '{name}' asks for.")
        wanted = data.is_test == (recipe.part == "test")
        other_part = _relabel(recipe, data.take(np.flatnonzero(~wanted)))
        data = data.take(np.flatnonzero(wanted))
    data = _relabel(recipe, data)
    if recipe.first is not None:
        data = data.take(np.arange(min(recipe.first, data.n_samples)))
    if recipe.unseen == "other_part":
        assert other_part is not None
        data = replace(data, X_unseen=other_part.X, y_unseen=other_part.y)
    data = _sample(recipe, data)
    if recipe.enlarge is not None:
        data = _enlarge(data, recipe.enlarge, seeds.generator(recipe.seed, "enlarge"))
    columns = _columns(recipe, data)
    if columns is not None:
        data = data.with_columns(columns.tolist())
    return data if recipe.divide is None else data.mapped(lambda X: X / recipe.divide)


def _relabel(recipe: Recipe, data: Dataset) -> Dataset:
    """Keep the wanted classes and join them into groups."""
    if recipe.classes is None and recipe.groups is None:
        return data
    if data.y is None:
        raise DataError(f"Data set '{data.name}' has no target to choose classes from.")
    groups = recipe.groups or {label: [label] for label in recipe.classes or ()}
    new = np.full(data.n_classes, -1, dtype=np.int64)
    for number, members in enumerate(groups.values()):
        for label in members:
            if label not in data.classes:
                raise DataError(
                    f"Data set '{data.name}' has no class '{label}'{did_you_mean(label, data.classes)}"
                )
            new[data.classes.index(label)] = number
    y = new[data.y]
    kept = np.flatnonzero(y >= 0)
    chosen = replace(data.take(kept), y=y[kept], classes=list(groups))
    if data.y_unseen is None:
        return chosen
    y_unseen = new[data.y_unseen]
    kept = np.flatnonzero(y_unseen >= 0)
    return replace(chosen, X_unseen=data.X_unseen[kept], y_unseen=y_unseen[kept])


def _sample(recipe: Recipe, data: Dataset) -> Dataset:
    """Draw the sample and, from what is left, the unseen points."""
    if recipe.fraction is None and recipe.per_class is None and recipe.size is None:
        return data
    rng = seeds.generator(recipe.seed, "sample")
    if recipe.size is not None:
        order = rng.permutation(data.n_samples)
        if recipe.size > len(order):
            raise DataError(f"'{data.name}' asks for {recipe.size} samples, but there are only {len(order)}.")
        rows, rest = np.sort(order[: recipe.size]), np.sort(order[recipe.size :])
    else:
        if data.y is None:
            raise DataError(f"Data set '{data.name}' has no target to sample by class.")
        parts = [rng.permutation(np.flatnonzero(data.y == c)) for c in range(data.n_classes)]
        sizes = [len(part) for part in parts]
        kept = [recipe.per_class or int((recipe.fraction or 0) * size + 0.5) for size in sizes]
        if recipe.per_class is not None and recipe.per_class > (least := min(sizes)):
            raise DataError(
                f"'{data.name}' asks for {recipe.per_class} samples of each class, but one has only {least}."
            )
        rows = np.sort(np.concatenate([part[:k] for part, k in zip(parts, kept, strict=True)]))
        unseen = recipe.unseen if isinstance(recipe.unseen, int) else data.n_samples
        left = min(size - k for size, k in zip(sizes, kept, strict=True))
        if isinstance(recipe.unseen, int) and unseen > left:
            raise DataError(
                f"'{data.name}' asks for {unseen} unseen samples of each class, but one has only {left} left."
            )
        rest = np.sort(np.concatenate([part[k : k + unseen] for part, k in zip(parts, kept, strict=True)]))
    sampled = data.take(rows)
    if recipe.unseen is None or recipe.unseen == "other_part":
        return sampled
    return replace(sampled, X_unseen=data.X[rest], y_unseen=None if data.y is None else data.y[rest])


def _enlarge(data: Dataset, size: int, rng: np.random.Generator) -> Dataset:
    """Take the pictures in turn, each moved by up to two pixels, until there are `size`."""
    outline = enlarged_outline(data, size)
    assert data.image is not None
    pictures = data.X.reshape(data.n_samples, *data.image)
    framed = np.pad(pictures, [(0, 0), (_MOVE, _MOVE), (_MOVE, _MOVE)])
    moved = sliding_window_view(framed, data.image, axis=(1, 2))
    rows = np.arange(size) % data.n_samples
    down, right = rng.integers(0, 2 * _MOVE + 1, (2, size))
    return replace(outline, X=moved[rows, down, right].reshape(size, -1))


def enlarged_outline(data: Dataset, size: int) -> Dataset:
    """Return a data set of `size` pictures that are all the first one: what a plan needs, in no time."""
    if data.image is None or len(data.image) != 2 or sparse.issparse(data.X):
        raise DataError(f"'{data.name}' cannot be enlarged: its samples are not grey images.")
    return replace(
        data,
        X=np.broadcast_to(data.X[:1], (size, data.n_features)),
        y=None if data.y is None else data.y[np.arange(size) % data.n_samples],
        ids=[],
        is_test=None,
    )


def _columns(recipe: Recipe, data: Dataset) -> IntArray | None:
    """Return the columns to keep, or None for all.

    The information gain of a column is the mutual information of its presence with the classes.
    """
    if recipe.top_features is not None:
        if data.y is None:
            raise DataError(f"Data set '{data.name}' has no target to choose features by.")
        gain = mutual_info_classif(data.X > 0, data.y, discrete_features=True)
        return np.sort(np.argsort(-gain, kind="stable")[: recipe.top_features])
    if recipe.drop_constant:
        low, high = (dense(ends).ravel() for ends in (data.X.min(axis=0), data.X.max(axis=0)))
        return np.flatnonzero(low != high)
    return None
