"""Stored runs as commands name them."""

from __future__ import annotations

from pathlib import Path

from cscluster.errors import ConfigError, StoreError, did_you_mean
from cscluster.report import aggregate
from cscluster.report.aggregate import Results
from cscluster.store.folder import RunFolder, find_run, run_folders


def require_run(name: str, results: Path) -> RunFolder:
    """Return the directory of a run by name or path.

    Raises
    ------
    StoreError
        If there is none.
    """
    folder = find_run(name, results)
    if folder is None:
        known = [folder.path.name for folder in run_folders(results)]
        raise StoreError(f"There is no run '{name}' in '{results}'{did_you_mean(name, known)}")
    return folder


def collect(folder: RunFolder, metrics: list[str] | None, every: bool = False) -> Results:
    """Return the results of a run.

    Raises
    ------
    ConfigError
        For a metric that is not recorded.
    """
    results = aggregate.collect(folder, metrics, every=every)
    known = sorted({*folder.config()["experiment"]["metrics"], *aggregate.recorded(results)})
    for name in results.metrics:
        if name not in known:
            raise ConfigError(
                f"The records of '{folder.path.name}' have no metric '{name}'{did_you_mean(name, known)}"
            )
    return results
