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
        typer.Argument(
            metavar="NAME",
            help="Algorithm, data set, metric, experiment or run.",
            autocompletion=complete.names,
        ),
    ],
    results: Annotated[Path, typer.Option("--results", help="Folder of results.")] = Path("results"),
) -> None:
    """Explain an algorithm, data set, metric, experiment or run."""
    from cscluster import bundle
    from cscluster.algorithms import registry
    from cscluster.data import index
    from cscluster.errors import ConfigError, did_you_mean
    from cscluster.metrics.catalogue import METRICS
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
    print_table(["", ""], [[key, _words(key, value)] for key, value in entry.items() if key != "title"])


def _run(folder: Any) -> None:
    records, planned = folder.planned_records(), folder.plan()
    config = folder.config()
    experiment = config["experiment"]
    typer.echo(f"run {folder.path}: {experiment['title'] or experiment['name']}")
    if "command" in config:
        typer.echo(f"made by: {config['command']}")
    shard = f"shard {'/'.join(map(str, config['shard']))}; " if "shard" in config else ""
    typer.echo(f"config: {config['source']}; {shard}{len(records)} of {len(planned)} trials stored")
    for status in ("ok", "error", "timeout", "crashed"):
        count = sum(record["status"] == status for record in records)
        if count:
            typer.echo(f"  {status}: {count}")
    _provenance(folder, records)
    typer.echo("\nresolved config:")
    typer.echo(_yaml(experiment))


def _provenance(folder: Any, records: list[Any]) -> None:
    """Print the data sets with their checksums, and the environments that records were made in."""
    from cscluster.store.environments import version_changes

    used = {record["cell"] for record in records}
    data = {cell["name"]: cell["data"] for key, cell in folder.cells().items() if key in used}
    if data:
        typer.echo("")
        print_table(["data set", "checksum of its source (SHA-256)"], [list(item) for item in data.items()])
    made_in = [record["environment"] for record in records]
    environments = {key: value for key, value in folder.environments().items() if key in made_in}
    for key, environment in environments.items():
        typer.echo(f"\nenvironment {key}: {made_in.count(key)} trials")
        print_table(["", ""], [[name, _words(name, value)] for name, value in environment.items()])
    changes = version_changes(environments.values())
    if changes:
        typer.echo(f"mixed versions: {', '.join(changes)}")


def _words(name: str, value: Any) -> str:
    """Return an entry of an environment or of a data set as one reads it."""
    if name == "revision":
        return f"{value['commit']}{' with changes' * value['dirty']}" if value else "installed, no checkout"
    if name == "threads":
        return f"{value} of BLAS and OpenMP for each trial"
    if isinstance(value, dict):
        return ", ".join(f"{package} {version}" for package, version in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _yaml(experiment: dict[str, Any]) -> str:
    import yaml

    def stated(value: Any) -> Any:
        """Leave out keys that say nothing."""
        if isinstance(value, dict):
            return {k: stated(v) for k, v in value.items() if v is not None and v not in ("", {})}
        return [stated(item) for item in value] if isinstance(value, list) else value

    return yaml.safe_dump(
        stated(experiment), sort_keys=False, allow_unicode=True, width=78, default_flow_style=None
    )
