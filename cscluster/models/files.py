"""Model files: everything that clusters new rows, safe to load from anyone.

A model is an uncompressed zip of ``model.json`` and one NPY file for each array.  Nothing in it is
unpickled or run (see `codec`), nothing is written to disk, and since nothing is compressed it
cannot grow beyond its own size.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cscluster import __version__
from cscluster.algorithms import registry
from cscluster.algorithms.base import Clusterer
from cscluster.algorithms.build import title
from cscluster.algorithms.registry import Algorithm
from cscluster.arrays import FloatArray
from cscluster.atomic import put
from cscluster.data.dataset import Dataset
from cscluster.data.features import Features
from cscluster.errors import CsclusterError, DataError, ParameterError, reason
from cscluster.models import codec
from cscluster.tables.result import ClusteringResult, confidence, probabilities
from cscluster.tables.table import read_new

FORMAT = 2
_JSON = "model.json"
_NOT_INDUCTIVE = (
    "{} cannot predict the clusters of new rows, so there is no model to store.  Choose kmeans, pckmeans, "
    "mpckmeans, pmmc or rca."
)
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class StoredModel:
    """A fitted clusterer with what turns a table into its input.

    Attributes
    ----------
    n_clusters : int
        Number of clusters.
    id_column : str, optional
        Column that named the rows.
    features : Features
        From a table to a matrix.
    estimator : estimator
        From a matrix to clusters.
    names : list of str
        Names of the clusters, if they have any.
    """

    n_clusters: int
    id_column: str | None
    features: Features
    estimator: Any
    names: list[str] = field(default_factory=list)

    @property
    def algorithm(self) -> str:
        """Title of the method."""
        return title(self.estimator)

    def read_new(self, source: str | pd.DataFrame, id_column: str | None = None) -> Dataset:
        """Read new rows of the columns that the model was made from.

        Raises
        ------
        DataError
            If the rows do not suit the model.
        """
        return read_new(source, self.features, id_column, self.id_column)

    def predict(self, table: Dataset | pd.DataFrame | str | Path) -> NDArray[np.int64]:
        """Return the clusters of new rows; see `assign`."""
        return self.assign(table)[0]

    def assign(
        self, table: Dataset | pd.DataFrame | str | Path
    ) -> tuple[NDArray[np.int64], FloatArray | None]:
        """Return the clusters of new rows, and how likely these are where the method tells.

        The rows are a table, a data frame, or the path of a data file.

        Raises
        ------
        DataError
            If the rows do not suit the model, or its parts do not fit together.
        """
        if not isinstance(table, Dataset):
            source = table if isinstance(table, pd.DataFrame) else str(table)
            table = self.read_new(source)
        try:
            X = self.features.transform(table)
            labels = np.asarray(self.estimator.predict(X))
            known = labels.shape == (table.n_samples,) and labels.dtype.kind in "iu"
            if not known or labels.min() < 0 or labels.max() >= self.n_clusters:
                raise codec.DamagedError("invalid labels")
            P = probabilities(self.estimator, X, self.n_clusters)
        except CsclusterError:
            raise
        except Exception as error:  # parts that do not fit together fail in every way
            raise DataError(f"The model cannot be applied to '{table.name}': {reason(error)}") from error
        return labels.astype(np.int64), None if P is None else confidence(P, labels)


def require_inductive(algorithm: Algorithm, *, sees_distances: bool = False) -> None:
    """Raise a ParameterError for an algorithm that has no model to store, as of distances between rows."""
    if algorithm not in registry.BUILT_IN:
        raise ParameterError(f"A model file holds only algorithms of this package, not '{algorithm.name}'.")
    if sees_distances or "inductive" not in algorithm.tags:
        raise ParameterError(_NOT_INDUCTIVE.format(algorithm.title + " of distances" * sees_distances))


def save_model(result: ClusteringResult, path: Path | str) -> None:
    """Write a model that clusters new rows.  See `load_model`.

    Parameters
    ----------
    result : ClusteringResult
        What `cscluster.cluster` returned.
    path : Path or str
        The file.

    Raises
    ------
    ParameterError
        If it is not such an outcome, or its method cannot predict the clusters of new rows or is not of this
        package.
    """
    if not isinstance(result, ClusteringResult):
        raise ParameterError(
            f"save_model takes what cscluster.cluster returned, got {type(result).__name__}. Pickle stores "
            "a fitted estimator."
        )
    put(Path(path), to_bytes(from_result(result)))


def from_result(result: ClusteringResult) -> StoredModel:
    """Return the model that the result of a table holds."""
    sees_distances = getattr(result.estimator, "metric", "") == "precomputed"
    if sees_distances or result.features is None or not hasattr(result.estimator, "predict"):
        raise ParameterError(_NOT_INDUCTIVE.format(result.algorithm))
    return StoredModel(result.n_clusters, result.table.id_column, result.features, result.estimator)


def load_model(path: Path | str) -> StoredModel:
    """Read a model file.  Its `predict` takes new rows.

    Parameters
    ----------
    path : Path or str
        A file of `save_model` or of ``cscluster cluster --model``.

    Raises
    ------
    DataError
        If there is none, or it is damaged, made by another version, or no model at all.
    """
    path = Path(path)
    try:
        return _model(path.read_bytes())
    except OSError as error:
        raise DataError(f"Cannot read model file '{path}': {error.strerror}.") from error
    except CsclusterError as error:
        raise DataError(f"Model file '{path}' {error}") from None
    except Exception as error:  # zip, JSON and array parsers meet a damaged file with errors of every kind
        raise DataError(f"'{path}' is not a model file, or a damaged one ({reason(error)}).") from error


def to_bytes(model: StoredModel) -> bytes:
    """Return the content of a model file; the same model gives the same bytes.

    Raises
    ------
    ParameterError
        For an estimator that is not of this package.
    """
    arrays: codec.Arrays = {}
    try:
        content = {
            "format": FORMAT,
            "cscluster": __version__,
            "n_clusters": int(model.n_clusters),
            "id_column": model.id_column,
            "names": model.names,
            "features": codec.dump(model.features, arrays),
            "estimator": codec.dump(model.estimator, arrays),
        }
    except TypeError as error:
        raise ParameterError(f"A model file holds only algorithms of this package: {error}.") from None
    out = io.BytesIO()
    np.savez(out, **dict[str, Any](arrays))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_STORED) as archive:
        text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
        archive.writestr(zipfile.ZipInfo(_JSON, _EPOCH), text)
    return out.getvalue()


def _model(content: bytes) -> StoredModel:
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        members = file.zip.infolist()
        is_stored = all(member.compress_type == zipfile.ZIP_STORED for member in members)
        if not is_stored or sum(member.file_size for member in members) > len(content):
            raise codec.DamagedError("its parts are larger than the file")
        arrays = dict(file)
    described = json.loads(arrays.pop(_JSON))
    if described.get("format") != FORMAT:
        made = described.get("cscluster")
        raise DataError(
            f"was made by another version of cscluster ({made}), this is {__version__}. Make it again with "
            "'cscluster cluster --model'."
        )
    fields = ("n_clusters", "id_column", "features", "estimator", "names")
    model = StoredModel(*(codec.load(described[name], arrays) for name in fields))
    _check(model, arrays)
    return model


def _check(model: StoredModel, arrays: codec.Arrays) -> None:
    """Check what messages and `Dataset` rely on before any row is seen."""
    n, features = model.n_clusters, model.features
    if not all(array.dtype.kind in codec.NUMBERS for array in arrays.values()):
        raise codec.DamagedError("an array of something else than numbers")
    n_stored = sum(array.size for array in arrays.values())
    if type(n) is not int or getattr(model.estimator, "n_clusters", n) != n or not 1 <= n <= n_stored:
        raise codec.DamagedError(f"an invalid number of clusters, {n}")
    texts = [*features.names, *features.dates, *features.values, *chain(*features.values.values())]
    texts += [model.id_column or "", *model.names]
    if not all(isinstance(text, str) for text in texts) or len(model.names) not in (0, n):
        raise codec.DamagedError("invalid names")
    if not isinstance(model.estimator, Clusterer) or not callable(getattr(model.estimator, "predict", None)):
        raise codec.DamagedError("no estimator")
    _ = model.algorithm  # an estimator without its parts fails here, not later
