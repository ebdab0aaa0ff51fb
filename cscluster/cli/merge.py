"""``cscluster merge``: shards of a run, or several runs of one experiment, become one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cscluster.cli import complete
from cscluster.cli.report import require_run
from cscluster.cli.run import RESULTS, option


def command(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN",
            help="Runs: names in the results folder, or folders.",
            autocompletion=complete.runs,
        ),
    ],
    into: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the joined run; the experiment's by default.")
    ] = None,
    out: Annotated[Path, typer.Option("--results", "--out", help="Folder of results.")] = RESULTS,
) -> None:
    """Join shards, or any runs of the same experiment, into one run.

    A trial that several runs hold is taken once: a result before a failure, then from the run named
    first.  The runs are left as they are; a joined run that is there already is added to.
    """
    from cscluster.errors import StoreError
    from cscluster.report import aggregate, write
    from cscluster.store.folder import RUN_NAME_RULE, RunFolder, is_run_name
    from cscluster.store.merge import merge

    if into is not None and not is_run_name(into):
        raise StoreError(f"--into {RUN_NAME_RULE}, got {into!r}.")
    folders = [require_run(name, out) for name in runs]
    config = folders[0].config()
    merged = merge(folders, RunFolder(out / (into or config["experiment"]["name"])))
    results = aggregate.collect(merged.folder)
    typer.echo(
        f"joined {len(folders)} run{'s' * (len(folders) > 1)} in {merged.folder.path}: "
        f"{merged.found} of {merged.planned} trials, {merged.failed} failed"
        + (f", {merged.repeated} found in several runs" if merged.repeated else "")
    )
    if results.mixed:
        typer.echo(f"warning: these runs mix versions: {', '.join(results.mixed)}", err=True)
    for gap in merged.gaps:
        typer.echo(f"missing: {gap}")
    if merged.found < merged.planned and into is None:
        typer.echo(f"run what is missing with: {config['command']}{option(out)}")
    typer.echo(f"report: {write.into_folder(results, merged.folder.path)}")
