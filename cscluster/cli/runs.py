"""``cscluster runs``: what is stored."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cscluster.cli.report import ResultsOption

if TYPE_CHECKING:
    from cscluster.store.folder import RunFolder

HEADS = ["run", "done", "failed", "age", "size", "config"]


def command(results: ResultsOption = Path("results")) -> None:
    """List stored runs: progress, failures, age, size."""
    from cscluster.cli.listing import print_table

    found = rows(results)
    if found:
        print_table(HEADS, found)
    else:
        typer.echo(f"no runs in '{results}' yet; start one with: cscluster run CONFIG")


def rows(results: Path) -> list[list[str]]:
    """Return a line for each stored run, the youngest first; one that is damaged says so."""
    from cscluster.store.folder import run_folders

    folders = [(time.time() - _latest(folder), folder) for folder in run_folders(results)]
    return [_row(folder, age) for age, folder in sorted(folders, key=lambda pair: (pair[0], pair[1].path))]


def _latest(folder: RunFolder) -> float:
    return (folder.trials if folder.trials.exists() else folder.path).stat().st_mtime


def _row(folder: RunFolder, age: float) -> list[str]:
    from cscluster.errors import StoreError

    size = sum(path.stat().st_size for path in folder.path.rglob("*") if path.is_file())
    times = [_rounded(age, (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)))]
    times.append(_rounded(size, (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1))))
    try:
        config, planned, records = folder.config(), len(folder.plan()), folder.planned_records()
    except StoreError as error:
        return [folder.path.name, "?", "?", *times, f"damaged: {error}"]
    failed = sum(record["status"] != "ok" for record in records)
    progress = [f"{len(records)}/{planned}", str(failed)]
    return [folder.path.name, *progress, *times, config["source"]]


def _rounded(value: float, units: tuple[tuple[str, float], ...]) -> str:
    unit, size = next((pair for pair in units if value >= pair[1]), units[-1])
    return f"{value / size:.0f} {unit}"
