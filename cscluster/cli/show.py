"""``cscluster show NAME``: everything about one algorithm, data set, metric, experiment or run."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from cscluster.cli import complete
from cscluster.cli.listing import print_table, recipe_words


def command(
    name: Annotated[
        str,
        typer.Argument(help="Algorithm, data set, metric, experiment or run.", autocompletion=complete.names),
    ],
    results: Annotated[Path, typer.Option("--results", help="Folder of results.")] = Path("results"),
) -> None:
    """Explain an algorithm, data set, metric, experiment or run."""
    from cscluster import bundle
    from cscluster.algorithms import registry
    from cscluster.data import index
    from cscluster.errors import ConfigError, did_you_mean
    from cscluster.metrics import METRICS
    from cscluster.store.folder import find_run

    shown = 0
    if name in registry.algorithms() or ":" in name.removeprefix("openml:"):
        _algorithm(registry.find(name))
        shown += 1
    if name in index.names():
        _dataset(name)
        shown += 1
    if name in METRICS:
        metric = METRICS[name]
        typer.echo(
            f"metric {name}: {metric.meaning}; {'higher' if metric.higher_is_better else 'lower'} is better"
        )
        shown += 1
    if name in bundle.config_names():
        typer.echo(
            f"experiment {name}:\n" + (bundle.folder("configs") / f"{name}.yaml").read_text(encoding="utf-8")
        )
        shown += 1
    run = find_run(name, results)
    if run is not None:
        _run(run)
        shown += 1
    if not shown:
        known = [*registry.algorithms(), *index.names(), *METRICS, *bundle.config_names()]
        hint = did_you_mean(name, known) or "; see: cscluster list"
        raise ConfigError(f"There is no algorithm, data set, metric, experiment or run '{name}'{hint}")


def _algorithm(algorithm: Any) -> None:
    loaded = algorithm.load()
    typer.echo(f"algorithm {algorithm.name}: {algorithm.title}")
    typer.echo((inspect.getdoc(loaded) or "").partition("\n")[0])
    if algorithm.paper:
        typer.echo(f"paper: {algorithm.paper}")
    typer.echo(f"class: {algorithm.target.replace(':', '.')}")
    typer.echo(f"tags: {', '.join(algorithm.tags) or 'none'}")
    if algorithm.preprocess:
        typer.echo(f"preprocessing by default: {', '.join(algorithm.preprocess)}")
    typer.echo("")
    defaults = algorithm.defaults()
    table = getattr(loaded, "parameters", {})
    print_table(
        ["parameter", "default", "legal", "meaning"],
        [[name, str(defaults.get(name)), rule.legal, rule.meaning] for name, rule in table.items()],
    )


def _dataset(name: str) -> None:
    from cscluster.data import index

    if name in index.recipes():
        typer.echo(f"data set {name}: {recipe_words(index.recipes()[name])}")
        return
    entry = index.files().get(name) or index.external()[name]
    typer.echo(f"data set {name}: {entry['title']}")
    print_table(["", ""], [[key, str(value)] for key, value in entry.items() if key != "title"])


def _run(folder: Any) -> None:
    records, planned = folder.planned_records(), folder.plan()
    config = folder.config()
    typer.echo(f"run {folder.path}: {config['experiment']['title']}")
    typer.echo(f"config: {config['source']}; {len(records)} of {len(planned)} trials stored")
    for status in ("ok", "error", "timeout", "crashed"):
        count = sum(record["status"] == status for record in records)
        if count:
            typer.echo(f"  {status}: {count}")
    used = {record["environment"] for record in records}
    for key, environment in folder.environments().items():
        if key in used:
            typer.echo(f"environment {key}:")
            print_table(["", ""], [[name, str(value)] for name, value in environment.items()])
