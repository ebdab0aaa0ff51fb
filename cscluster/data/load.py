"""From a name, a file or a recipe to a data set."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from cscluster import seeds
from cscluster.data import formats, index, openml, readers, recipe, synthetic
from cscluster.data.dataset import Dataset
from cscluster.data.recipe import Recipe
from cscluster.errors import DataError, did_you_mean


def load_dataset(
    source: str | Path | Recipe,
    *,
    name: str | None = None,
    target: str | None = None,
    id_column: str | None = None,
) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    source : str, Path or Recipe
        A name from ``cscluster list datasets``, ``openml:NAME``, the path of a data file, or a
        recipe that selects from one of these.
    name : str, optional
        Name in tables; taken from the source by default.
    target, id_column : str, optional
        For files: the columns of the true classes and of the samples' names.

    Examples
    --------
    >>> from cscluster import load_dataset
    >>> data = load_dataset("letterIJL")
    >>> data.X.shape, data.classes, data.X_unseen.shape
    ((227, 16), ['I', 'J', 'L'], (2036, 16))
    """
    if isinstance(source, Recipe):
        return _cook(source, name or "recipe")
    source = str(source)
    if source in index.recipes():
        return _cook(Recipe(**index.recipes()[source]), name or source)
    if source.startswith("openml:"):
        return openml.fetch(source.removeprefix("openml:"), name or source)
    known = index.files().get(source) or index.external().get(source) or {}
    file = index.find_file(source)
    path = Path(source).expanduser()
    if file is None and (formats.find(path) or os.path.isfile(path)):
        file = path
    if file is None:
        raise DataError(missing(source, known))
    data = readers.read(file, name=name or path.stem, target=target, id_column=id_column)
    if known.get("sha256", data.checksum) != data.checksum:
        raise DataError(
            f"The bundled file of '{source}' is damaged: its checksum is not the one in index.yaml."
        )
    return replace(data, image=tuple(known["image"]) if "image" in known else None)


def missing(name: str, known: dict[str, Any]) -> str:
    """Say why a data set is not there and what would bring it.

    Parameters
    ----------
    name : str
        What was asked for.
    known : dict
        Its entry in the index; empty if it has none.
    """
    if not known:
        return f"There is no data set '{name}'{did_you_mean(name, index.names())}"
    where = f"put {name}.npz into the directory that CSCLUSTER_DATA names"
    if "openml" in known:
        where += f", or run 'cscluster data fetch {name}' and call it openml:{known['openml']['id']}"
    return f"Data set '{name}' is not bundled: {where}."


def _cook(wanted: Recipe, name: str) -> Dataset:
    if wanted.generator is not None:
        rng = seeds.generator(wanted.seed, "generate", wanted.generator)
        made = synthetic.generate(wanted.generator, wanted.size or 400, rng)
        return recipe.apply(wanted.model_copy(update={"size": None}), made, name).check()
    assert wanted.base is not None
    base = load_dataset(wanted.base, target=wanted.target, id_column=wanted.id)
    if wanted.id is not None and not base.ids:
        raise DataError(f"'{wanted.base}' has no column '{wanted.id}' that names the samples.")
    return recipe.apply(wanted, base, name).check()
