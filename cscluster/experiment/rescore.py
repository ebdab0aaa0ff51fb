"""Metrics that are computed from the labels that a run has kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import pandas as pd

from cscluster.errors import ConfigError, message
from cscluster.experiment import own_metrics
from cscluster.metrics.catalogue import METRICS
from cscluster.store.directory import RunDirectory
from cscluster.store.frame import LABELS
from cscluster.store.labels import unpack
from cscluster.store.records import Record


def needs_only_labels(name: str) -> bool:
    """Tell whether a metric is a function of all classes and clusters."""
    metric = METRICS.get(name)
    return own_metrics.is_own(name) and "@" not in name if metric is None else metric.of is not None


def rescored(directory: RunDirectory, keys: Collection[str], names: Sequence[str]) -> Iterator[Record]:
    """Yield the records of trials whose labels were kept with further metrics.

    Parameters
    ----------
    directory : RunDirectory
        The run.
    keys : collection of str
        Keys of the records.
    names : list of str
        Further metrics, those of the user's own with their edition.

    Raises
    ------
    ConfigError
        If a function of the user's own fails.
    """
    datasets = directory.definition.datasets
    for record in directory.records():
        facts = datasets.get(record["dataset"])
        if record["key"] not in keys or LABELS not in record or facts is None or facts.classes is None:
            continue
        n = facts.n_samples
        try:
            scores = own_metrics.scores(unpack(facts.classes, n), unpack(record["labels"], n), names)
        except Exception as error:
            said = ", ".join(map(own_metrics.without_edition, names))
            where = f"the labels of '{record['label']}' on '{record['dataset']}'"
            raise ConfigError(
                f"{said} failed on {where}: {type(error).__name__}: {message(error)}."
            ) from error
        yield {**record, "metrics": {**record["metrics"], **scores}}


def with_metrics(directory: RunDirectory, stored: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return stored records (`trials_frame`) with further metrics as columns.

    Raises
    ------
    ConfigError
        If no labels were kept, or a function of the user's own fails.
    """
    found = {record["key"]: record["metrics"] for record in rescored(directory, set(stored["key"]), names)}
    if not found:
        missing = own_metrics.without_edition(names[0])
        raise ConfigError(
            f"'{directory.path.name}' has no labels to compute '{missing}' from. "
            "Run it again with 'keep: labels' in the experiment."
        )
    values = {f"m:{name}": [found.get(key, {}).get(name) for key in stored["key"]] for name in names}
    return stored.assign(**values).astype(dict.fromkeys(values, float))
