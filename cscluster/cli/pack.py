"""``cscluster pack RUN``: what a reviewer needs to judge a run, in one file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cscluster.algorithms import registry
from cscluster.algorithms.sources import own_sources
from cscluster.atomic import put
from cscluster.cli import console
from cscluster.cli.options import PackOptions
from cscluster.cli.stored import require_run
from cscluster.constraints import Constraints
from cscluster.data import formats, index, prepared
from cscluster.errors import StoreError
from cscluster.experiment.config.load import parse
from cscluster.experiment.config.schema import Experiment
from cscluster.experiment.engine.trial import episode
from cscluster.experiment.own_metrics import is_own, without_edition
from cscluster.experiment.plan.trials import Trials, make_plan, resolved
from cscluster.report import aggregate
from cscluster.report.configuration import as_yaml
from cscluster.report.html import page
from cscluster.store import DEFINITION, archive
from cscluster.store.cells import changes
from cscluster.store.definition import Definition
from cscluster.store.directory import RunDirectory
from cscluster.words import size

_LARGEST = 20 * 2**20
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PLACE = ("dataset", "noise", "point", "repetition", "tier")
_README = """\
run.json, {records}  definition and records of the run, 'cscluster report DIRECTORY' shows them
report.html           tables, tests, versions and machine
configuration.yaml    the experiment, every key with its value, 'cscluster run configuration.yaml' repeats it
*.py                  the user's own code
constraints.csv       all constraint sets, a and b are row indices from 0, hard constraints weigh inf
data/                 the user's own files of up to 20 MB

SHA-256 of the source of each data set:"""


def pack(options: PackOptions) -> None:
    """Write the pack of a run.

    Raises
    ------
    CsclusterError
        If there is no such run, or its data or code are not those that were run any more.
    """
    directory = require_run(options.run, options.results)
    with console.out.working("drawing the constraint sets again"):
        content = packed(directory)
    out = options.out or Path(f"{directory.path.resolve().name}.zip")
    put(out, content)
    console.out.whole(f"written: {out} ({size(len(content))})")


def packed(directory: RunDirectory) -> bytes:
    """Return the pack of a run as the content of a zip file; the same run has the same bytes."""
    name = directory.path.resolve().name
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for member, content in sorted(_members(directory).items()):
            file.writestr(zipfile.ZipInfo(f"{name}/{member}", _EPOCH), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _members(directory: RunDirectory) -> dict[str, bytes]:
    definition = directory.definition
    experiment, trials = _planned_again(definition)
    shown = RunDirectory(directory.path)
    shown.definition, files = _relocated(definition)
    records = next(path for path in (directory.trials, directory.path / archive.NAME) if path.is_file())
    texts = {
        DEFINITION: shown.definition.line(),
        "README.txt": _README.format(records=records.name) + _checksums(definition),
        "report.html": page([aggregate.collect(shown)], [shown]),
        "configuration.yaml": _configuration(shown.definition),
        "constraints.csv": pd.concat(_constraints(trials)).to_csv(index=False, lineterminator="\n"),
    }
    encoded = {name: text.encode() for name, text in texts.items()}
    return {**dict(_code(experiment)), **files, records.name: records.read_bytes(), **encoded}


def _configuration(definition: Definition) -> str:
    """Return the resolved experiment as one writes it: functions without their edition."""
    content = definition.experiment.model_dump()
    return as_yaml({**content, "metrics": [without_edition(name) for name in content["metrics"]]})


def _planned_again(definition: Definition) -> tuple[Experiment, Trials]:
    """Plan a run again; refuse it if data, code or versions are not those that were run."""
    experiment = parse(_configuration(definition), source=definition.source)
    trials = make_plan(experiment)
    entries = trials.entries()
    pairs = zip(definition.plan.cells, entries, strict=True)
    why = [
        changes(definition.cells[old].identity, entries[new].identity)[0] for old, new in pairs if old != new
    ]
    if resolved(experiment)["metrics"] != definition.experiment.metrics:
        why.append("the code of a metric changed")
    if why:
        name = definition.experiment.name
        raise StoreError(f"'{name}' cannot be packed as it was run: {why[0]}. Run it again.")
    return experiment, trials


def _relocated(definition: Definition) -> tuple[Definition, dict[str, bytes]]:
    """Return a definition that names the user's files as the pack does, and the content of small ones."""
    text, files = definition.model_dump_json(), dict[str, bytes]()
    content = definition.experiment.model_dump()
    places = [(entry.get("base"), entry.get("name")) for entry in content["datasets"]]
    for place, title in [*places, (content["constraints"].get("path"), None)]:
        path = Path(place or "")
        if place in index.names() or formats.find(path) is None or not path.is_file():
            continue
        name = f"data/{title or path.stem}{path.suffix}"
        text = text.replace(json.dumps(place, ensure_ascii=False)[1:-1], name)
        if path.stat().st_size <= _LARGEST:
            files[name] = path.read_bytes()
    return Definition.model_validate_json(text), files


def _code(experiment: Experiment) -> Iterator[tuple[str, bytes]]:
    """Yield the user's own files, each where a command in the unpacked directory looks for it."""
    joined = [entry.clusterer.name for entry in experiment.algorithms if entry.clusterer]
    names = [*(entry.name for entry in experiment.algorithms), *joined]
    own = [registry.find(name).target for name in names if registry.find(name).family == "own"]
    for target in [*own, *(name.partition("@")[0] for name in experiment.metrics if is_own(name))]:
        module = registry.load_object(target, "name").__module__
        for name, (path, content) in own_sources(module).items():
            inside = path.resolve().is_relative_to(Path.cwd())
            yield path.resolve().relative_to(Path.cwd()).as_posix() if inside else name, content


def _constraints(trials: Trials) -> Iterator[pd.DataFrame]:
    """Yield the constraints of each trial; trials of one repetition share them, whatever the algorithm."""
    cells = {(cell.data.name, str(cell.schedule.identity())): cell for cell in trials.cells.values()}
    for cell in cells.values():
        data = prepared.load(cell.data)
        for point in trials.plan.points:
            for repetition in range(trials.plan.repetitions):
                for tier, links in enumerate(episode(cell, data, point, repetition).tiers, start=1):
                    place = (cell.data.name, cell.schedule.wrong, point, repetition, tier)
                    yield _rows(dict(zip(_PLACE, place, strict=True)), links)


def _rows(place: dict[str, Any], links: Constraints) -> pd.DataFrame:
    (a, b), kinds = links.pairs.T, np.where(links.is_must, "must", "cannot")
    return pd.DataFrame({**place, "a": a, "b": b, "link": kinds, "weight": links.weights})


def _checksums(definition: Definition) -> str:
    cells = [definition.cells[hash_] for hash_ in definition.plan.cells]
    return "".join(dict.fromkeys(f"\n{cell.dataset}: {cell.identity['data']}" for cell in cells)) + "\n"
