"""``cscluster show NAME``: everything about one algorithm, data set, metric, experiment or run."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable

import pandas as pd

from cscluster import bundle
from cscluster.algorithms import registry
from cscluster.cli import console
from cscluster.cli.console import out
from cscluster.cli.options import ShowOptions
from cscluster.data import index, preprocessing
from cscluster.errors import ConfigError, did_you_mean
from cscluster.experiment.config import schedules
from cscluster.experiment.config.reference import json_schema, schedule_keys
from cscluster.metrics.catalogue import METRICS
from cscluster.report.configuration import as_yaml
from cscluster.store.definition import CellEntry, Definition
from cscluster.store.directory import RunDirectory, find_run
from cscluster.store.environments import facts, version_changes
from cscluster.words import listed, plural, setting


def show(options: ShowOptions) -> None:
    """Print all that has a name.

    Raises
    ------
    ConfigError
        If nothing has.
    """
    name = options.name
    kinds: list[tuple[Iterable[str], Callable[[str], None]]] = [
        (registry.algorithms(), _algorithm),
        (index.names(), _dataset),
        (METRICS, _metric),
        (schedules.MODELS, _schedule),
        (preprocessing.STEPS, _step),
        (["schema"], _schema),
        (bundle.config_names(), _experiment),
    ]
    printers = [show_it for names, show_it in kinds if name in names]
    if ":" in name.removeprefix("openml:") or registry.is_printed_alias(name):
        printers = [_algorithm]
    for show_it in printers:
        show_it(name)
    run = find_run(name, options.results)
    if run is not None:
        _run(run)
    elif not printers:
        hint = did_you_mean(name, [known for names, _ in kinds for known in names])
        raise ConfigError(f"There is nothing called '{name}'{hint}")


def _metric(name: str) -> None:
    better = "higher" if METRICS[name].higher_is_better else "lower"
    out.say(f"metric {name}: {METRICS[name].meaning}, {better} is better")


def _step(name: str) -> None:
    out.say(f"preprocessing step {name}: {_paragraphs(preprocessing.STEPS[name])}")


def _schema(_: str) -> None:
    console.data(json.dumps(json_schema(), indent=1) + "\n")


def _experiment(name: str) -> None:
    text = (bundle.folder("configs") / f"{name}.yaml").read_text(encoding="utf-8")
    out.whole(f"experiment {name}:", text.rstrip())


def _schedule(kind: str) -> None:
    schedule = schedules.MODELS[kind]
    out.say(f"schedule {kind}: {_paragraphs(schedule)}", "")
    out.say(f"points: {schedule.AXIS}", f"example: constraints: {schedule.example()}", "")
    rows = [[k.path.rpartition(".")[2], k.type, k.default, k.meaning] for k in schedule_keys(kind)]
    out.table(["key", "type", "default", "meaning"], rows)


def _paragraphs(described: type) -> str:
    """Return a docstring without the line breaks inside of paragraphs."""
    parts = (inspect.getdoc(described) or "").split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in parts)


def _algorithm(name: str) -> None:
    algorithm = registry.find(registry.find(name).name)
    loaded = algorithm.load()
    out.say(f"algorithm {algorithm.name}: {algorithm.title}")
    out.say((inspect.getdoc(loaded) or "").partition("\n")[0])
    if algorithm.paper:
        out.say(f"paper: {algorithm.paper}")
    out.say(f"class: {algorithm.target.replace(':', '.')}")
    out.say(f"tags: {', '.join(algorithm.tags) or 'none'}")
    if algorithm.preprocess:
        out.say(f"preprocessing by default: {', '.join(algorithm.preprocess)}")
    out.say("")
    defaults = algorithm.defaults()
    table = getattr(loaded, "parameters", {})
    rows = [[name, setting(defaults.get(name)), rule.legal, rule.meaning] for name, rule in table.items()]
    out.table(["parameter", "default", "legal", "meaning"], rows)
    rows = [
        [name, setting(defaults[name]), setting(value), table[name].why]
        for name, value in algorithm.published().items()
        if value != defaults[name]
    ]
    heads = ["parameter", "default", "published", "why"]
    out.table(heads, rows, above="published values (preset: published):")


def _dataset(name: str) -> None:
    if name in index.recipes():
        out.say(f"data set {name}: {index.describe(name)}")
        return
    entry = index.files().get(name) or index.external()[name]
    out.say(f"data set {name}: {entry['title']}")
    out.table(["", ""], [[key, listed(value)] for key, value in entry.items() if key != "title"])


def _run(directory: RunDirectory) -> None:
    run, stored = directory.definition, directory.planned()
    out.say(f"run {directory.path}: {run.experiment.title or run.experiment.name}")
    out.whole(f"made by: {run.command}")
    shard = f"shard {'/'.join(map(str, run.plan.shard))}, " if run.plan.shard else ""
    out.say(f"config: {run.source}, {shard}{len(stored)} of {len(run.plan.keys())} trials stored")
    out.say(*(f"  {status}: {count}" for status, count in stored["status"].value_counts().items() if count))
    _provenance(run, stored)
    out.whole("", "resolved config:", as_yaml(run.experiment.model_dump()).rstrip())


def _methods(cells: Iterable[CellEntry]) -> None:
    """Print what ran: each method with its version, all its parameters, and the user's own files in it."""
    rows, files = dict[str, list[str]](), dict[str, str]()
    for cell in cells:
        what = cell.identity
        files |= dict(what.get("source", ()))
        joined, its_params = what.get("clusterer") or (None, {})
        params = {**what.get("params", {}), **{f"{joined}.{name}": each for name, each in its_params.items()}}
        words = ", ".join(f"{name}={setting(value)}" for name, value in params.items())
        row = [cell.label, cell.algorithm, str(what.get("version", "")), words or "none"]
        rows[json.dumps(row)] = row
    out.table(["method", "algorithm", "version", "parameters, defaults included"], rows.values(), above="")
    out.table(["file of the user", "checksum (SHA-256, 20 digits)"], files.items(), above="")


def _provenance(run: Definition, stored: pd.DataFrame) -> None:
    """Print the data sets with their checksums, and the environments that trials ran in."""
    used = [run.cells[hash_] for hash_ in stored["cell"].unique()]
    data = {cell.dataset: str(cell.identity["data"]) for cell in used}
    out.table(["data set", "checksum of its source (SHA-256)"], data.items(), above="")
    _methods(used)
    counts = stored["environment"].value_counts()
    environments = {id_: value for id_, value in run.environments.items() if id_ in counts}
    for id_, environment in environments.items():
        above = f"environment {id_}: {plural(int(counts[id_]), 'trial')}"
        out.table(["", ""], facts(environment), above=above)
    changes = version_changes(environments.values())
    if changes:
        out.say(f"mixed versions: {', '.join(changes)}")
