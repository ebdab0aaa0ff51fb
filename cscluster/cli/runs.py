"""``cscluster runs``: what is stored."""

from __future__ import annotations

import time

from cscluster.cli.console import out
from cscluster.cli.options import RunsOptions
from cscluster.errors import StoreError
from cscluster.store import run_paths
from cscluster.store.directory import RunDirectory
from cscluster.words import age, size

HEADS = ["run", "done", "failed", "age", "size", "config"]


def runs(options: RunsOptions) -> None:
    """List stored runs, the youngest first; one that is damaged says so."""
    found = map(RunDirectory, run_paths(options.results))
    directories = sorted(found, key=lambda directory: (-_changed(directory), directory.path))
    if directories:
        out.table(HEADS, map(_row, directories))
    else:
        out.say(f"no runs in '{options.results}' yet. Start one with: cscluster run CONFIG")


def _changed(directory: RunDirectory) -> float:
    return (directory.trials if directory.trials.exists() else directory.path).stat().st_mtime


def _row(directory: RunDirectory) -> list[str]:
    n_bytes = sum(path.stat().st_size for path in directory.path.rglob("*") if path.is_file())
    measures = [age(max(0, time.time() - _changed(directory))), size(n_bytes)]
    try:
        stored, planned = directory.planned(), directory.definition.plan.keys()
    except StoreError as error:
        return [directory.path.name, "?", "?", *measures, f"damaged: {error}"]
    failed = int((stored["status"] != "ok").sum())
    done = f"{len(stored)}/{len(planned)}"
    return [directory.path.name, done, str(failed), *measures, directory.definition.source]
