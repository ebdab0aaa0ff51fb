"""``cscluster sweep``: an experiment with parameters varied over a grid."""

from __future__ import annotations

from typing import Annotated

import typer

from cscluster.cli import run


def command(
    config: run.Config,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            "-g",
            metavar="ALGORITHM.PARAMETER=VALUES",
            help="Values to try, e.g. pmmc.lam=0.1,1,10 or 0.01:100:x10, or scsc.n_partitions=50:300:50.",
        ),
    ] = None,
    select: Annotated[
        str | None,
        typer.Option(
            metavar="none|oracle:METRIC|heldout",
            help="Show each point of the grid (none), or the best by the labels or by held-out links.",
        ),
    ] = None,
    settings: run.Settings = None,
    trials: run.Trials = None,
    seed: run.Seed = None,
    jobs: run.Jobs = run.CORES,
    backend: run.Backend = "local",
    scheduler: run.Scheduler = None,
    shard: run.ShardOf = None,
    out: run.Out = run.RESULTS,
    dry_run: run.DryRun = False,
    fresh: run.Fresh = False,
    retry: run.Retry = None,
    allow_failures: run.AllowFailures = False,
) -> None:
    """Run an experiment's algorithms over grids of their parameters.

    The grids are those of --grid and of the block 'sweep' in the file; algorithms without one are left
    out.  Results go to NAME-sweep; the same command resumes.
    """
    run.start(
        config,
        run.changes(settings, trials, seed),
        pool=(jobs, backend, scheduler),
        shard=shard,
        out=out,
        dry_run=dry_run,
        fresh=fresh,
        retry=retry,
        allow_failures=allow_failures,
        sweep=[*(grid or ()), *([f"select={select}"] if select is not None else [])],
    )
