"""``cscluster runs``: what is stored."""

from __future__ import annotations

import time
from pathlib import Path

from cscluster.cli.console import out
from cscluster.errors import StoreError
from cscluster.store.folder import RunFolder, run_folders
from cscluster.words import age, size


def runs(results: Path) -> None:
    """List stored runs, the youngest first; one that is damaged says so."""
    now = time.time()
    folders = sorted(run_folders(results), key=lambda folder: (-_changed(folder), folder.path))
    if folders:
        heads = ["run", "done", "failed", "age", "size", "config"]
        out.table(heads, [_row(folder, now) for folder in folders])
    else:
        out.say(f"no runs in '{results}' yet; start one with: cscluster run CONFIG")


def _changed(folder: RunFolder) -> float:
    return (folder.trials if folder.trials.exists() else folder.path).stat().st_mtime


def _row(folder: RunFolder, now: float) -> list[str]:
    n_bytes = sum(path.stat().st_size for path in folder.path.rglob("*") if path.is_file())
    measures = [age(now - _changed(folder)), size(n_bytes)]
    try:
        config, planned, records = folder.config(), len(folder.plan()), folder.planned_records()
    except StoreError as error:
        return [folder.path.name, "?", "?", *measures, f"damaged: {error}"]
    failed = sum(record["status"] != "ok" for record in records)
    return [folder.path.name, f"{len(records)}/{planned}", str(failed), *measures, config["source"]]
