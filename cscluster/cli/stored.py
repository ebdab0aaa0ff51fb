"""Stored runs as commands name them."""

from __future__ import annotations

from pathlib import Path

from cscluster.errors import ConfigError, StoreError, did_you_mean
from cscluster.report import aggregate
from cscluster.report.aggregate import Results
from cscluster.store.directory import RunDirectory, find_run, run_directories


def require_run(name: str, results: Path) -> RunDirectory:
    """Return the directory of a run by name or path.

    Raises
    ------
    StoreError
        If there is none.
    """
    directory = find_run(name, results)
    if directory is None:
        known = [directory.path.name for directory in run_directories(results)]
        raise StoreError(f"There is no run '{name}' in '{results}'{did_you_mean(name, known)}")
    return directory


def collect(directory: RunDirectory, metrics: list[str] | None, every: bool = False) -> Results:
    """Return the results of a run.

    Raises
    ------
    ConfigError
        For a metric that is not recorded.
    """
    results = aggregate.collect(directory, metrics, every=every)
    known = sorted({*directory.definition.experiment.metrics, *aggregate.recorded(results)})
    for name in results.metrics:
        if name not in known:
            raise ConfigError(
                f"The records of '{directory.path.name}' have no metric '{name}'{did_you_mean(name, known)}"
            )
    return results
