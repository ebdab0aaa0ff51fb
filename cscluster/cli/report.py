"""``cscluster report``: tables from stored results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cscluster.cli import complete

if TYPE_CHECKING:
    from cscluster.store.folder import RunFolder


def command(
    runs: Annotated[
        list[str],
        typer.Argument(help="Runs: names in the results folder, or folders.", autocompletion=complete.runs),
    ],
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="Metric to show.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of results.")] = Path("results"),
) -> None:
    """Show the tables of stored runs; nothing is recomputed."""
    from rich.console import Console

    from cscluster.report import aggregate, tables

    console = Console()
    for name in runs:
        folder = require_run(name, out)
        results = aggregate.collect(folder, metric)
        _check(results.metrics, folder)
        console.print(results.title, style="bold", highlight=False, markup=False)
        console.print()
        tables.show(results, console)


def require_run(name: str, out: Path) -> RunFolder:
    """Return the folder of a run by name or path.

    Raises
    ------
    StoreError
        If there is none.
    """
    from cscluster.errors import StoreError, did_you_mean
    from cscluster.store.folder import find_run, run_folders

    folder = find_run(name, out)
    if folder is not None:
        return folder
    known = [folder.path.name for folder in run_folders(out)]
    hint = did_you_mean(name, known) or (
        f" (there are: {', '.join(known)})" if known else " (there is none yet)"
    )
    raise StoreError(f"There is no run '{name}' in '{out}'{hint}")


def _check(metrics: list[str], folder: RunFolder) -> None:
    from cscluster.errors import ConfigError, did_you_mean

    known = {"seconds", "iterations"}
    for record in folder.planned_records():
        known |= set(record["metrics"])
    for name in metrics:
        if name not in known:
            hint = did_you_mean(name, known) or f"; recorded: {', '.join(sorted(known))}"
            raise ConfigError(f"The records of '{folder.path.name}' have no metric '{name}'{hint}")
