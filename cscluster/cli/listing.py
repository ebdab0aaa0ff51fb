"""``cscluster list``: which algorithms, data sets, metrics, experiments and so on there are."""

from __future__ import annotations

import inspect

import yaml

from cscluster import bundle
from cscluster.algorithms.registry import BUILT_IN, algorithms
from cscluster.cli import console
from cscluster.cli.options import KINDS, ListOptions
from cscluster.data import index, preprocessing
from cscluster.errors import require_known
from cscluster.experiment.config import schedules
from cscluster.experiment.config.reference import keys
from cscluster.metrics.catalogue import METRICS

Rows = list[list[str]]


def listing(options: ListOptions) -> None:
    """List what there is of a kind.

    Raises
    ------
    ConfigError
        If there is no such kind.
    """
    kind = options.kind
    require_known("list of", kind, KINDS)
    tables = {
        "datasets": _datasets,
        "metrics": _metrics,
        "configs": _configs,
        "schedules": _schedules,
        "steps": _steps,
        "keys": _keys,
    }
    if kind == "algorithms":
        _print_algorithms()
    else:
        console.out.table(*tables[kind]())


def _print_algorithms() -> None:
    """Print a line for each algorithm that fits into 80 columns, plug-ins apart; the rest is in 'show'."""
    plug_ins = [[a.name, a.target] for a in algorithms().values() if a not in BUILT_IN]
    shown = {"constr.": "constraints", "predict": "inductive"}
    rows = [
        [a.name, a.title, a.family, *("yes" if tag in a.tags else "" for tag in shown.values())]
        for a in BUILT_IN
    ]
    console.out.table(["name", "title", "family", *shown], rows)
    console.out.say("", "constr.: uses constraints, predict: takes new rows, more: cscluster show NAME")
    console.out.table(["name", "class"], plug_ins, above="plug-ins:")


def _datasets() -> tuple[list[str], Rows]:
    rows = [[n, e["n"], e["d"], e["classes"], "bundled", e["title"]] for n, e in index.files().items()]
    for name, e in index.external().items():
        there = "found" if index.find_file(name) else "missing"
        rows.append([name, e["n"], e["d"], e["classes"], there, e["title"]])
    rows += [[name, "", "", "", "recipe", index.describe(name)] for name in index.recipes()]
    return ["name", "n", "d", "classes", "where", "title"], [[str(cell) for cell in row] for row in rows]


def _metrics() -> tuple[list[str], Rows]:
    rows = [[m.name, "higher" if m.higher_is_better else "lower", m.meaning] for m in METRICS.values()]
    return ["name", "better", "meaning"], rows


def _configs() -> tuple[list[str], Rows]:
    rows = []
    for name in bundle.config_names():
        content = yaml.safe_load((bundle.folder("configs") / f"{name}.yaml").read_text(encoding="utf-8"))
        rows.append([name, str(content.get("title", ""))])
    return ["name", "title"], rows


def _schedules() -> tuple[list[str], Rows]:
    known = schedules.MODELS.items()
    return ["name", "meaning", "example"], [[kind, _summary(model), model.example()] for kind, model in known]


def _steps() -> tuple[list[str], Rows]:
    steps = preprocessing.STEPS.items()
    rows = [[name, ", ".join(step.model_fields), _summary(step)] for name, step in steps]
    return ["name", "parameters", "meaning"], rows


def _summary(described: type) -> str:
    return (inspect.getdoc(described) or "").partition("\n")[0]


def _keys() -> tuple[list[str], Rows]:
    return ["key", "default", "meaning"], [[k.path, k.default, f"{k.meaning} ({k.type})"] for k in keys()]
