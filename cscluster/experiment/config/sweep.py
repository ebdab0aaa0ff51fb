"""A sweep: the experiment with some parameters varied over a grid, in a result directory of its own."""

from __future__ import annotations

from cscluster.errors import ConfigError
from cscluster.experiment.config.schema import Experiment, swept_entry


def swept(experiment: Experiment) -> Experiment:
    """Return the experiment that carries out the `sweep` block: only the algorithms it names.

    Raises
    ------
    ConfigError
        If nothing is varied.
    """
    rule = experiment.sweep.get("select", "none")
    grids = {key: values for key, values in experiment.sweep.items() if key != "select"}
    if not grids:
        raise ConfigError(
            f"Experiment '{experiment.name}' varies nothing; name a grid, ALGORITHM.PARAMETER=VALUES, "
            "or write a block 'sweep' into its file."
        )
    varied: dict[str, dict[str, object]] = {}
    for key, values in grids.items():
        entry, parameter = swept_entry(experiment.algorithms, key)
        varied.setdefault(entry.title, {})[parameter] = values
    return experiment.model_copy(
        update={
            "name": f"{experiment.name}-sweep",
            "title": f"{experiment.title or experiment.name} (sweep of {', '.join(grids)})",
            "algorithms": [
                entry.model_copy(update={"params": {**entry.params, **varied[entry.title]}, "select": rule})
                for entry in experiment.algorithms
                if entry.title in varied
            ],
        }
    )
