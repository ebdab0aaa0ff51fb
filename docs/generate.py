"""Pages of the site that follow from the catalogues of the package: algorithms, metrics, keys of a file."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path

import docstrings
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from cscluster.algorithms import registry
from cscluster.algorithms.registry import Algorithm
from cscluster.data import index, preprocessing
from cscluster.experiment.config.schema import AlgorithmEntry, ClustererEntry, DatasetEntry, Experiment
from cscluster.metrics.catalogue import METRICS, SCOPES

FAMILIES = {
    "partition": "Partition: centres and links",
    "margin": "Margin: boundaries that links shape",
    "metric": "Metric: a distance learned from links, then a clusterer",
    "spectral": "Spectral: graphs and kernels",
    "ensemble": "Ensemble: many partitions and links",
}


def write(docs: Path) -> None:
    """Write every generated page below ``docs/generated``; unchanged pages keep their time."""
    pages = {"algorithms/index.md": _algorithms()}
    pages |= {f"algorithms/{name}.md": _algorithm(entry) for name, entry in _by_name().items()}
    pages |= {
        "metrics.md": _metrics(),
        "datasets.md": _datasets(),
        "preprocessing.md": _preprocessing(),
        "experiment_keys.md": _keys(),
    }
    for name, text in pages.items():
        path = docs / "generated" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _by_name() -> dict[str, Algorithm]:
    return {entry.name: entry for entry in registry.BUILT_IN}


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def _algorithms() -> str:
    parts = [
        "# Algorithms\n",
        "Every algorithm by family.  `cscluster show NAME` prints the same parameters in the terminal.\n",
    ]
    for family, title in FAMILIES.items():
        entries = [entry for entry in registry.BUILT_IN if entry.family == family]
        rows = [
            [f"[{entry.name}]({entry.name}.md)", entry.title, _source(entry), ", ".join(entry.tags)]
            for entry in entries
        ]
        parts.append(f"## {title}\n\n" + _table(["name", "title", "publication", "tags"], rows))
    names = "\n".join(_by_name())
    parts.append(f"```{{toctree}}\n:hidden:\n\n{names}\n```\n")
    return "\n".join(parts)


def _source(entry: Algorithm) -> str:
    return registry.PAPERS.get(entry.paper, entry.paper)


def _algorithm(entry: Algorithm) -> str:
    cls = entry.load()
    forms = [other for other in registry.BUILT_IN if other.target == entry.target and other is not entry]
    facts = [
        ["in a configuration", f"`{entry.name}`"],
        ["from Python", f"`cscluster.{cls.__name__}`"],
        ["publication", _source(entry)],
        ["tags", ", ".join(entry.tags) or "none"],
        ["preprocessing by default", ", ".join(entry.preprocess) or "none"],
    ]
    if entry.caveat:
        facts.append(["caveat", entry.caveat])
    if entry.preset:
        facts.append(["preset", ", ".join(f"`{name}={value!r}`" for name, value in entry.preset.items())])
    if forms:
        facts.append(["other forms", ", ".join(f"[{form.title}]({form.name}.md)" for form in forms)])
    defaults = entry.defaults()
    rows = [[f"`{name}`", f"`{defaults[name]!r}`", p.legal, p.meaning] for name, p in cls.parameters.items()]
    return "\n".join(
        [
            f"# {entry.title}\n",
            docstrings.summary(inspect.getdoc(cls) or ""),
            _table(["", ""], facts),
            "## Parameters\n",
            _table(["parameter", "default", "legal values", "meaning"], rows),
            *docstrings.sections(inspect.getdoc(cls) or ""),
        ]
    )


def _metrics() -> str:
    rows = [
        [f"`{m.name}`", m.title, "higher" if m.higher_is_better else "lower", m.meaning]
        for m in METRICS.values()
    ]
    scopes = ", ".join(f"`@{scope}`" for scope in SCOPES)
    return (
        "# Metrics\n\n"
        + _table(["name", "title", "better", "meaning"], rows)
        + f"\nA metric may name the samples that it scores, as in `acc@unseen`: {scopes}.\n"
    )


def _datasets() -> str:
    rows = [
        [f"`{name}`", entry["title"], entry.get("n", ""), entry.get("d", ""), entry.get("classes", "")]
        for name, entry in index.files().items()
    ]
    return (
        "# Bundled data sets\n\n"
        + _table(["name", "title", "samples", "features", "classes"], rows)
        + "\n`cscluster show NAME` names the source and the licence of each.\n"
    )


def _preprocessing() -> str:
    rows = [[f"`{name}`", (inspect.getdoc(step) or "").partition("\n")[0]] for name, step in _steps().items()]
    return "# Preprocessing\n\n" + _table(["step", "meaning"], rows)


def _steps() -> dict[str, object]:
    return dict(preprocessing.STEPS)


def _keys() -> str:
    parts = ["# Keys of an experiment file\n"]
    for title, model in (
        ("The file", Experiment),
        ("An entry of `algorithms`", AlgorithmEntry),
        ("The `clusterer` of a metric learner", ClustererEntry),
        ("An entry of `datasets`", DatasetEntry),
    ):
        parts.append(f"## {title}\n\n" + _table(["key", "type", "default", "meaning"], _fields(model)))
    return "\n".join(parts)


def _fields(model: type[BaseModel]) -> list[list[str]]:
    return [
        [
            f"`{name}`",
            f"`{_type(field.annotation)}`",
            "required" if field.is_required() else f"`{_default(field)}`",
            field.description or "",
        ]
        for name, field in model.model_fields.items()
    ]


def _type(annotation: object) -> str:
    text = (
        getattr(annotation, "__name__", str(annotation)) if isinstance(annotation, type) else str(annotation)
    )
    return text.replace("typing.", "").replace("cscluster.experiment.config.schema.", "")


def _default(field: object) -> object:
    default = field.default  # type: ignore[attr-defined]
    return field.default_factory() if default is PydanticUndefined else default  # type: ignore[attr-defined]
