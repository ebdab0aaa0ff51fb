"""Stored runs as commands name them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from cscluster.errors import ConfigError, ParameterError, StoreError, did_you_mean
from cscluster.experiment import own_metrics
from cscluster.experiment.rescore import needs_only_labels, with_metrics
from cscluster.report import aggregate
from cscluster.report.aggregate import Results
from cscluster.store import run_paths
from cscluster.store.directory import RunDirectory, find_run


def require_run(name: str, results: Path) -> RunDirectory:
    """Return the directory of a run by name or path.

    Raises
    ------
    StoreError
        If there is none.
    """
    directory = find_run(name, results)
    if directory is None:
        known = [path.name for path in run_paths(results)]
        raise StoreError(f"There is no run '{name}' in '{results}'{did_you_mean(name, known)}")
    return directory


def collect(directory: RunDirectory, metrics: list[str] | None) -> Results:
    """Return the results of a run.

    Raises
    ------
    ConfigError
        For a metric that is not recorded, and cannot be computed from kept labels.
    """
    stored = directory.stored()
    metrics = [_recorded_name(name, directory, stored) for name in metrics or ()]
    new = [name for name in metrics if f"m:{name}" not in stored and needs_only_labels(name)]
    if new:
        stored = with_metrics(directory, stored, new)
    results = aggregate.collect(directory, metrics, stored=stored)
    known = sorted({*directory.definition.experiment.metrics, *aggregate.recorded(results)})
    for name in results.metrics:
        if name not in known:
            raise ConfigError(
                f"The records of '{directory.path.name}' have no metric '{name}'{did_you_mean(name, known)}"
            )
    return results


def _recorded_name(name: str, directory: RunDirectory, stored: pd.DataFrame) -> str:
    """Return a metric as records name it; a function that is not here has the edition of the plan."""
    planned = {own_metrics.without_edition(each): each for each in directory.definition.experiment.metrics}
    try:
        if own_metrics.is_own(name) and f"m:{name}" not in stored:
            return own_metrics.edition(name)
    except ParameterError:
        if name not in planned:
            raise
        return planned[name]
    return name
