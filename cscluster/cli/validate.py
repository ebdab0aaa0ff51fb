"""``cscluster validate``: check an experiment without running it."""

from __future__ import annotations

from typing import Annotated

import typer

from cscluster.cli import complete


def command(
    config: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG",
            help="Experiment: a YAML file or the name of a bundled one.",
            autocompletion=complete.configs,
        ),
    ],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key first.")
    ] = None,
) -> None:
    """Check an experiment file and its data.

    Every problem is listed with its line and column.
    """
    from cscluster.experiment.config.load import load
    from cscluster.experiment.plan.trials import make_plan

    experiment = load(config, list(settings or ()))
    plan = make_plan(experiment)
    typer.echo(
        f"{config}: valid: {len(experiment.datasets)} data sets, {len(experiment.algorithms)} algorithms, "
        f"{sum(len(trial.keys) for trial in plan)} trials"
    )
