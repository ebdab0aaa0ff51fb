"""``cscluster validate``: check an experiment without running it."""

from __future__ import annotations

from cscluster.cli.console import out
from cscluster.cli.options import ValidateOptions
from cscluster.experiment.config.load import load
from cscluster.experiment.plan.trials import make_plan
from cscluster.words import plural


def validate(options: ValidateOptions) -> None:
    """Check an experiment file and its data.

    Raises
    ------
    ConfigError
        With every problem, its line and column.
    """
    experiment = load(options.config, options.settings)
    n_trials = sum(len(trial.keys) for trial in make_plan(experiment))
    out.say(
        f"{options.config}: valid: {plural(len(experiment.datasets), 'data set')}, "
        f"{plural(len(experiment.algorithms), 'algorithm')}, {plural(n_trials, 'trial')}"
    )
