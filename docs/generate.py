"""Pages of the site that follow from the catalogues of the package: algorithms, metrics, keys of a file."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import docstrings
from pydantic import BaseModel
from typer.main import get_command

import cscluster
from cscluster.algorithms import registry
from cscluster.algorithms.base import ConstrainedEstimator
from cscluster.algorithms.registry import Algorithm
from cscluster.cli.commands import app
from cscluster.data import formats, index, preprocessing
from cscluster.data.dataset import Dataset
from cscluster.experiment.config import schedules
from cscluster.experiment.config.schema import AlgorithmEntry, ClustererEntry, DatasetEntry, Experiment
from cscluster.metrics.catalogue import METRICS, SCOPES
from cscluster.papers import benchmark
from cscluster.papers.ranking import BASELINE, Ranking
from cscluster.report.aggregate import Results
from cscluster.store.directory import RunDirectory
from cscluster.tables.result import ClusteringResult
from cscluster.words import setting

FAMILIES = {
    "partition": "Partition: centres and constraints",
    "margin": "Margin: maximum-margin clustering",
    "metric": "Metric: a metric learned from constraints, then a clusterer",
    "spectral": "Spectral: graphs and kernels",
    "hierarchy": "Hierarchy: clusters merged from the samples upwards",
    "density": "Density: clusters of any shape, and noise",
    "ensemble": "Ensemble: many partitions and constraints",
    "selection": "Selection: held-out constraints choose the method",
}

COMMON = ("n_clusters", "random_state", "max_iter", "tol", "kernel", "sigma", "sigma_unit", "n_components")
"""Parameters that many algorithms have."""


def write(docs: Path) -> None:
    """Write every generated page below ``docs/generated``; unchanged pages keep their time."""
    measured = _measurements((docs / "measurements.md").read_text(encoding="utf-8"))
    pages = {"algorithms/index.md": _algorithms()}
    pages |= {f"algorithms/{name}.md": _algorithm(entry, measured) for name, entry in _by_name().items()}
    pages |= {
        "metrics.md": _metrics(),
        "datasets.md": _datasets(),
        "preprocessing.md": _preprocessing(),
        "formats.md": _formats(),
        "schedules.md": _schedules(),
        "experiment_keys.md": _keys(),
        "commands.md": _commands(),
        "api.md": _api(),
    }
    for name, text in pages.items():
        _put(docs / "generated" / name, text)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_examples(docs: Path) -> None:
    """Run each example and write its page: what it is about, the script and what it prints."""
    scripts = sorted((docs / "examples").glob("*.py"))
    for script in scripts:
        about = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
        ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
        source = f"../../examples/{script.name}"
        _put(
            docs / "generated" / "examples" / f"{script.stem}.md",
            f"# {script.stem.replace('_', ' ').capitalize()}\n\n{about}\n\n"
            f"{{download}}`{script.name} <{source}>`\n\n```{{literalinclude}} {source}\n```\n\n"
            f"It prints:\n\n```text\n{ran.stdout}```\n",
        )
    names = "\n".join(script.stem for script in scripts)
    _put(
        docs / "generated" / "examples" / "index.md",
        "# Examples\n\nScripts of about 30 lines, run when these pages are built.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n",
    )


def _by_name() -> dict[str, Algorithm]:
    return {entry.name: entry for entry in registry.BUILT_IN}


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def _words_table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table whose second column is text, which is to be wide enough on a phone."""
    return f":::{{div}} words\n{_table(head, rows)}:::\n"


def _algorithms() -> str:
    parts = [
        "# Algorithms\n",
        "Every algorithm by family, with its name in an experiment file and after `--algorithm`.  The page "
        "of an algorithm explains each parameter, with its default and, where that differs, the value of the "
        "publication (`preset: published`), as `cscluster show NAME` does in the terminal.\n",
    ]
    known = _by_name()
    for family, title in FAMILIES.items():
        rows = []
        for name, entry in known.items():
            if entry.family == family:
                summary = docstrings.summary(inspect.getdoc(entry.load()) or "")
                rows.append([f"[{entry.title}]({name}.md)", summary, f"`{name}`", _short_source(entry)])
        heads = ["algorithm", "idea", "name", "publication"]
        parts.append(f"## {title}\n\n" + _words_table(heads, rows))
    names = "\n".join(_by_name())
    parts.append(f"```{{toctree}}\n:hidden:\n\n{names}\n```\n")
    return "\n".join(parts)


def _short_source(entry: Algorithm) -> str:
    """Return authors and year."""
    return re.sub(r"^([^:]*): .*, (\d{4})$", r"\1 \2", _source(entry)) or "ours"


def _source(entry: Algorithm) -> str:
    return registry.PAPERS.get(entry.paper, entry.paper)


def _algorithm(entry: Algorithm, measured: dict[str, str]) -> str:
    cls = entry.load()
    doc = inspect.getdoc(cls) or ""
    others = [other for other in registry.BUILT_IN if other.target == entry.target and other is not entry]
    facts = [
        ["in a configuration", f"`{entry.name}`"],
        ["from Python", f"`cscluster.{cls.__name__}`"],
        ["publication", _source(entry) or "ours"],
        ["tags", ", ".join(entry.tags) or "none"],
        ["preprocessing by default", ", ".join(entry.preprocess) or "none"],
    ]
    if others:
        facts.append(["other forms", ", ".join(f"[{other.title}]({other.name}.md)" for other in others)])
    parts = [f"# {entry.title}\n", docstrings.summary(doc), _table(["", ""], facts), _picture(entry)]
    parts += ["## Parameters\n", _parameters(entry), *docstrings.sections(doc), _benchmark(entry)]
    words = {_bare(cls.__name__), _bare(entry.title)}
    for heading, text in measured.items():
        if words & {_bare(name) for name in re.split(r",| and the | and |\(", heading)}:
            parts.append(f"## Measured\n\n{text}\n")
    return "\n".join(parts)


def _picture(entry: Algorithm) -> str:
    if not (Path(__file__).parent / "figures" / f"{entry.name}.png").exists():
        return ""  # until `make gallery` has drawn it
    return (
        f"![{entry.title} on data that suits it, and on data that does not]"
        f"(../../figures/{entry.name}.png)\n\n"
        f"The sets of [the gallery](../../gallery.md) on which {entry.title}, with its defaults, has the "
        "highest and the lowest ARI.  Lines are the constraints (solid: must-link, dashed: cannot-link).\n"
    )


def _parameters(entry: Algorithm) -> str:
    """Return the table of parameters and, where defaults differ from the publication, that of both values."""
    defaults = entry.defaults()
    parameters = entry.load().parameters
    ordered = sorted(parameters.items(), key=lambda item: item[0] in COMMON)  # its own come first
    rows = [[f"`{name}`", p.meaning, f"`{setting(defaults[name])}`", p.legal] for name, p in ordered]
    table = _words_table(["parameter", "meaning", "default", "legal values"], rows)
    published = [
        [f"`{name}`", parameters[name].why, f"`{setting(defaults[name])}`", f"`{setting(value)}`"]
        for name, value in entry.published().items()
        if value != defaults[name]
    ]
    if not published:
        return table
    heads = ["parameter", "why the default differs", "default", "published"]
    return f"{table}\n### Published values\n\n{_words_table(heads, published)}"


@cache
def _rankings() -> list[tuple[str, int, Results, Ranking]]:
    """Return how the methods compare in each track of the benchmark at each number of constraints."""
    reports = benchmark.choose(None, "full", Path(__file__).parents[1] / "results").outcome()
    return [
        (report.track.title, point, report.results, ranking)
        for report in reports.values()
        for point, ranking in report.rankings.items()
    ]


def _benchmark(entry: Algorithm) -> str:
    """Return the rows of the benchmark that a method has with its present defaults."""
    rows = []
    for title, point, run, ranking in _rankings():
        labels = run.trials.loc[run.trials["algorithm"] == entry.name, "label"].unique()
        baseline = ranking.means.get(BASELINE, float("nan"))
        rows += [
            [
                title,
                label,
                point,
                f"{ranking.means[label]:.3f}",
                f"{baseline:.3f}",
                f"{ranking.ranks.mean_ranks[label]:.1f}" if ranking.ranks else "",
            ]
            for label in labels
        ]
    if not rows:
        return ""
    heads = ["track", "method", "constraints", "mean ARI", "k-means", "mean rank"]
    about = "Means over data sets; see [the benchmark](../../benchmark_results.md)."
    return f"## In the benchmark\n\n{about}\n\n{_table(heads, rows)}"


def _measurements(page: str) -> dict[str, str]:
    """Return the sections of the page of measurements by their headings."""
    parts = re.split(r"(?m)^## (.*)\n", page)
    return {heading: text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)}


def _bare(name: str) -> str:
    return re.sub(r"\W", "", name).lower()


def _metrics() -> str:
    rows = [
        [f"`{m.name}`", m.meaning, m.title, "higher" if m.higher_is_better else "lower"]
        for m in METRICS.values()
    ]
    scopes = ", ".join(f"`@{scope}` ({words})" for scope, words in SCOPES.items())
    return (
        "# Metrics\n\n"
        + _words_table(["name", "meaning", "title in tables", "better"], rows)
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
    rows = [
        [
            f"`{name}`",
            (inspect.getdoc(step) or "").partition("\n")[0],
            "; ".join(f"`{key}`: {f.description}" for key, f in step.model_fields.items()),
        ]
        for name, step in preprocessing.STEPS.items()
    ]
    return (
        "# Preprocessing\n\n"
        + _table(["step", "meaning", "parameters"], rows)
        + "\nSteps are fitted to the samples, and applied to unseen ones too.  In a file they are written as "
        "`preprocess: [standardize, {pca: {n: 10}}]`, in a terminal as "
        "`--preprocess standardize --preprocess pca=10`.\n"
    )


def _formats() -> str:
    rows = [
        [known.title, ", ".join(f"`{e}`" for e in known.endings), "table" if known.is_table else "arrays"]
        for known in formats.FORMATS
    ]
    return (
        "# File formats\n\n"
        + _table(["format", "endings", "holds"], rows)
        + "\nA table has named columns, which may hold strings and empty cells.  Its header tells the "
        "separator of a CSV file.  Arrays are `X` and, where classes are known, `y`.  Parquet and Excel "
        'need `pip install "cscluster[parquet,excel]"`.\n'
    )


def _schedules() -> str:
    parts = [
        "# Schedules of constraints\n",
        "How constraints are drawn: the key `constraints` of an experiment.  Every algorithm of a trial sees "
        "the same constraints, and larger sets extend smaller ones.\n",
    ]
    for kind, model in schedules.MODELS.items():
        about = docstrings.summary(inspect.getdoc(model) or "")
        parts.append(f"## {kind}\n\n{about}\nOn the axis of a figure: {model.AXIS}.\n\n{_keys_of(model)}")
    return "\n".join(parts)


def _keys() -> str:
    parts = [
        "# Keys of an experiment file\n",
        "`cscluster validate FILE` lists every mistake with its line and column.\n",
    ]
    for title, model in (
        ("The file", Experiment),
        ("An entry of `algorithms`", AlgorithmEntry),
        ("The `clusterer` of a metric learner", ClustererEntry),
        ("An entry of `datasets`", DatasetEntry),
    ):
        parts.append(f"## {title}\n\n{_keys_of(model)}")
    return "\n".join(parts)


def _keys_of(model: type[BaseModel]) -> str:
    """Return the keys of a model, its own before those that it inherits."""
    own_first = sorted(model.model_fields, key=lambda name: name not in model.__annotations__)
    rows = []
    for name in own_first:
        field = model.model_fields[name]
        default = field.get_default(call_default_factory=True)
        shown = "required" if field.is_required() else "" if default is None else f"`{json.dumps(default)}`"
        if name != "kind":
            rows.append([f"`{name}`", field.description or "", _type(field.annotation), shown])
    return _words_table(["key", "meaning", "type", "default"], rows)


_WORDS = {str: "string", int: "integer", float: "number", bool: "true or false", Path: "file", Any: "any"}


def _type(annotation: Any) -> str:
    """Return a type in words: ``list of integer``."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inside[0])
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in inside)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_type(part) for part in inside if part is not NoneType))
    if origin is list:
        return "list of " + re.sub(r"(string|integer|number|mapping|file)", r"\1s", _type(inside[0]))
    if origin is dict:
        return "mapping"
    return _WORDS.get(annotation, "mapping")


def _commands() -> str:
    parts = [
        "# Commands\n",
        "`cscluster COMMAND --help` says the same in the terminal.  `cscluster --install-completion` has the "
        "shell complete commands, options, algorithms, data sets, metrics, backends, preprocessing steps, "
        "stored runs, files and the columns of a CSV file.\n",
        "## Exit codes\n",
        _table(
            ["code", "meaning"],
            [
                ["0", "all trials ok, or what was asked for was done"],
                ["1", "some trials failed, a check found drift, or `cscluster check` a failure"],
                ["2", "bad input: one sentence says what and where"],
                ["130", "interrupted: what is finished is stored, the same command goes on"],
            ],
        ),
    ]
    for name, command in sorted(_leaves(get_command(app), "cscluster")):
        rows = [
            [", ".join(f"`{word}`" for word in _words_of(p)), getattr(p, "help", "") or "", _default_of(p)]
            for p in command.params
            if p.name != "help"
        ]
        about = " ".join(docstrings.summary(block).strip() for block in (command.help or "").split("\n\n"))
        parts.append(
            f"## {name}\n\n{about}\n\n{_words_table(['argument or option', 'meaning', 'default'], rows)}"
        )
    return "\n".join(parts)


API = {
    "Data and constraints": ["Constraints", "load_dataset", "read_constraints"],
    "Clustering a table": ["cluster", "save_model", "load_model"],
    "Experiments": ["run"],
    "Selection and composition": ["HeldOutSearch", "Guarded", "Auto", "MetricClusterer"],
}
"""Public names that are not methods, each of which has a page of its own."""

RESULTS = [Dataset, ClusteringResult, RunDirectory, ConstrainedEstimator]
"""What the public names return, and the base of all methods."""


def _api() -> str:
    parts = [
        "# Python API\n",
        "These names are attributes of the module `cscluster`, and so is each "
        "[algorithm](algorithms/index.md).\n",
    ]
    for title, names in API.items():
        parts.append(f"## {title}\n")
        parts += [_api_entry(getattr(cscluster, name)) for name in names]
    parts.append("## What they return\n")
    parts += [_api_entry(thing) for thing in RESULTS]
    return "\n".join(parts)


def _api_entry(thing: Any) -> str:
    """Return signature and docstring of a function; of a class, those of its public methods too."""
    parts = [f"### {thing.__name__}\n", f"```python\n{thing.__name__}{_signature(thing)}\n```\n"]
    parts.append(docstrings.whole(inspect.getdoc(thing) or ""))
    if inspect.isclass(thing):
        for name, member in vars(thing).items():
            inner = getattr(member, "__func__", getattr(member, "fget", member))
            if not name.startswith("_") and inspect.isfunction(inner) and inspect.getdoc(inner):
                call = f"`{name}`" if isinstance(member, property) else f"`{name}{_signature(inner)}`"
                parts.append(f"{call}\n: {docstrings.summary(inspect.getdoc(inner) or '').strip()}\n")
    return "\n".join(parts)


def _signature(thing: Any) -> str:
    """Return the parameters of a call with their defaults, without types."""
    parameters = [
        p.replace(annotation=p.empty)
        for p in inspect.signature(thing).parameters.values()
        if p.name not in ("self", "cls")
    ]
    return str(inspect.Signature(parameters))


def _leaves(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield name, command
        return
    for word, part in command.commands.items():
        yield from _leaves(part, f"{name} {word}")


def _words_of(parameter: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        return [parameter.metavar or parameter.name.upper()]
    words = [*parameter.opts, *parameter.secondary_opts]
    return words if parameter.is_flag else [f"{word} {parameter.metavar}" for word in words]


def _default_of(parameter: Any) -> str:
    """Return the default of an argument or option, where it has one."""
    if parameter.required:
        return "required"
    if parameter.name == "jobs":
        return "all cores"
    no_default = parameter.default is None or isinstance(parameter.default, bool)
    return "" if no_default else f"`{parameter.default}`"
