"""From an experiment to its trials, each with a key that hashes what it means."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from scipy import sparse

from cscluster.algorithms import registry
from cscluster.constraints.schedules import Schedule
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset
from cscluster.data.prepared import DataRef, make_ref
from cscluster.data.preprocessing import STEPS, Step, on_one_scale
from cscluster.errors import ConfigError, CsclusterError
from cscluster.experiment.config.schema import AlgorithmEntry, DatasetEntry, Experiment, candidates
from cscluster.store.cells import changes
from cscluster.store.records import make_key, short_hash, storable
from cscluster.store.table import COSTS, Group, RecordTable

_MOST_TRIALS = 10_000_000
_FIRST_JOIN = 4
"""The version of `MetricClusterer` for which keys say only that a metric is joined by default."""


@dataclass(frozen=True)
class Cell:
    """One data set, one algorithm, one point of its parameter grid; the same in all its trials.

    `sources`: file name and hash of the user's own classes in it.  `directory`: where the run was started,
    from which these are loaded.  `has_twin`: another label of the experiment means the same.
    """

    data: DataRef
    algorithm: str
    label: str
    params: dict[str, Any]
    grid: dict[str, Any]
    clusterer: tuple[str, dict[str, Any]] | None
    n_clusters: int
    n_samples: int
    schedule: Schedule
    seed: int
    repeats: int
    metrics: tuple[str, ...]
    heldout_links: bool
    timeout: float | None
    memory_limit: int | None
    threads: int
    directory: str = "."
    sources: tuple[tuple[str, str], ...] = ()
    has_twin: bool = False

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What the results of the cell depend on."""
        algorithm = registry.find(self.algorithm)
        joined, params = None, dict[str, Any]()
        if algorithm.is_metric:
            name, params = self.clusterer or (algorithm.joined, {})
            joined = registry.find(name)
        return {
            "data": self.data.checksum,
            "recipe": self.data.recipe.identity(),
            "name": self.data.name,
            "preprocess": list(self.data.preprocess),
            "algorithm": self.algorithm,
            "version": storable(getattr(algorithm.load(), "version", 1)),
            **({"source": [list(source) for source in self.sources]} if self.sources else {}),
            "params": _resolved(algorithm, self.params),
            "clusterer": [joined.name, _resolved(joined, params)] if joined else None,
            "clusterer_version": storable(getattr(joined.load(), "version", 1)) if joined else None,
            **({"joined_by_default": _join()} if joined and self.clusterer is None else {}),
            "n_clusters": self.n_clusters,
            "schedule": self.schedule.identity(),
            "seed": self.seed,
            "repeats": self.repeats,
            "heldout_links": "by samples" if self.heldout_links else False,
            **({"label": self.label} if self.has_twin else {}),
        }

    @cached_property
    def hash(self) -> str:
        """Short hash of the identity."""
        return short_hash(self.identity)


class Trial(NamedTuple):
    """One episode of a cell: the unit of work.

    `keys`: the key of the record of each tier.
    """

    cell: Cell
    point: int
    trial: int
    keys: tuple[str, ...]


def _join() -> bool | int:
    """Return what a key says of the version that joins a metric with its default clusterer."""
    version: int = registry.load_class("cscluster.algorithms.metric_clusterer:MetricClusterer").version
    return version == _FIRST_JOIN or version


def _resolved(algorithm: registry.Algorithm, params: Mapping[str, Any]) -> dict[str, Any]:
    given = {**algorithm.defaults(), **params}
    return storable(
        {name: value for name, value in given.items() if name not in ("random_state", "n_clusters")}
    )


def sources(algorithm: str, clusterer: tuple[str, Any] | None) -> tuple[tuple[str, str], ...]:
    """Return the files of the user's own classes among an algorithm and its clusterer."""
    names = [algorithm, *([clusterer[0]] if clusterer else [])]
    return tuple(source for name in names if (source := registry.find(name).source()))


def make_plan(experiment: Experiment) -> list[Trial]:
    """Return all trials of an experiment.

    Trials are ordered so that every algorithm gets its first trials before any gets its last: an
    interrupted run is a smaller run, not a lopsided one.  Repeats on one draw of links follow one
    another.

    Raises
    ------
    ConfigError
        For data sets that cannot be loaded or are too small for what is asked; all at once.
    """
    _check_size(experiment)
    cells, problems = [], []
    for entry in experiment.datasets:
        try:
            source = load_dataset(entry.recipe, name=entry.title)
            _check(experiment, source)
            cells += [
                cell
                for algorithm in experiment.algorithms
                for cell in _cells(experiment, entry, source, algorithm)
            ]
        except CsclusterError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError("\n".join(problems))
    cells = _told_apart(cells)
    points, repeats = experiment.constraints.points, experiment.repeats
    tiers = range(1, experiment.constraints.n_tiers + 1)
    hashed = [(cell, cell.hash) for cell in cells]
    return [
        Trial(cell, point, trial, tuple([make_key(of_cell, point, trial, tier) for tier in tiers]))
        for first in range(0, experiment.trials * repeats, repeats)
        for point in points
        for cell, of_cell in hashed
        for trial in range(first, first + repeats)
    ]


def _told_apart(cells: list[Cell]) -> list[Cell]:
    """Mark cells that compute the same under several labels, so that each has records of its own."""
    often = Counter(cell.hash for cell in cells)
    return [replace(cell, has_twin=True) if often[cell.hash] > 1 else cell for cell in cells]


def _check_size(experiment: Experiment) -> None:
    """Refuse a plan that no memory holds, before any of it is made."""
    size = len(experiment.datasets) * sum(n_records(experiment, entry) for entry in experiment.algorithms)
    if size > _MOST_TRIALS:
        raise ConfigError(
            f"The experiment asks for {size} trials; the most is {_MOST_TRIALS}. Divide it into several."
        )


def n_records(experiment: Experiment, entry: AlgorithmEntry) -> int:
    """Return the number of records that an algorithm has on one data set, all points of its grid together."""
    schedule = experiment.constraints
    return math.prod(
        [
            *(len(candidates(value)) for value in entry.params.values()),
            len(schedule.points),
            len(schedule.variants()),
            schedule.n_tiers,
            experiment.trials,
            experiment.repeats,
        ]
    )


def _check(experiment: Experiment, source: Dataset) -> None:
    """Draw the largest episode once, so that impossible counts are found before anything runs."""
    schedule = experiment.constraints
    if schedule.needs_labels and source.y is None:
        raise ConfigError(
            f"Data set '{source.name}' has no target, so links cannot be drawn from it; "
            "name its 'target' column or use 'constraints: {kind: file, path: ...}'."
        )
    X = on_one_scale(source) if schedule.needs_samples else None
    try:
        schedule.episode(max(schedule.points), source.labels, experiment.seed, source.name, 0, source.ids, X)
    except CsclusterError as error:
        raise ConfigError(f"Data set '{source.name}': {error}") from None


def _cells(
    experiment: Experiment, dataset: DatasetEntry, source: Dataset, entry: AlgorithmEntry
) -> list[Cell]:
    n_clusters = entry.params.get("n_clusters", experiment.n_clusters or source.n_classes)
    for k in candidates(n_clusters):
        if k < 1:
            raise ConfigError(f"Data set '{source.name}' has no target, so 'n_clusters' must be given.")
        if k > source.n_samples:
            raise ConfigError(
                f"{k} clusters are wanted, but '{source.name}' has only {source.n_samples} samples."
            )
    steps = _steps(experiment, entry, source)
    clusterer = None
    if entry.clusterer is not None:
        clusterer = (entry.clusterer.name, entry.clusterer.params)
    varied = [name for name, value in entry.params.items() if isinstance(value, list)]
    ref = make_ref(dataset.title, dataset.recipe, steps, source)
    own = sources(entry.name, clusterer)
    cells = []
    grids = itertools.product(*(entry.params[name] for name in varied))
    for values, (links, schedule) in itertools.product(grids, experiment.constraints.variants()):
        grid = dict(zip(varied, values, strict=True))
        params = {**entry.params, **grid}
        cells.append(
            Cell(
                data=ref,
                algorithm=entry.name,
                label=entry.title,
                params={name: value for name, value in params.items() if name != "n_clusters"},
                grid={**grid, **links},
                clusterer=clusterer,
                n_clusters=params.get("n_clusters", n_clusters),
                n_samples=source.n_samples,
                schedule=schedule,
                seed=experiment.seed,
                repeats=experiment.repeats,
                metrics=tuple(experiment.metrics),
                heldout_links=entry.select == "heldout",
                timeout=entry.timeout or experiment.timeout,
                memory_limit=entry.memory_limit or experiment.memory_limit,
                threads=experiment.threads,
                directory=str(Path.cwd()),
                sources=own,
            )
        )
    return cells


def _steps(experiment: Experiment, entry: AlgorithmEntry, source: Dataset) -> list[Step]:
    """Return the preprocessing: the entry's own, else the experiment's, else the algorithm's.

    Sparse data stays sparse where the algorithm allows: its default steps that would fill it are
    left out.  For other algorithms it is made dense first.
    """
    given = entry.preprocess if entry.preprocess is not None else experiment.preprocess
    if not sparse.issparse(source.X):
        return list(entry.algorithm.preprocess if given is None else given)
    if "sparse" not in entry.algorithm.tags:
        return ["dense", *(entry.algorithm.preprocess if given is None else given)]
    if given is None:
        return [step for step in entry.algorithm.preprocess if not STEPS[step].densifies]
    return list(given)


@dataclass(frozen=True)
class Difference:
    """What a store has of a plan.

    Attributes
    ----------
    todo : list of Trial
        Trials with at least one record missing.
    stored : set of str
        Keys of the planned records that are there.
    n_stale : int
        Stored records that an earlier form of a planned trial left.
    reasons : list of str
        Why records are stale, the most frequent first.
    """

    todo: list[Trial]
    stored: set[str]
    n_stale: int
    reasons: list[str]


def compare(plan: list[Trial], table: RecordTable, known_cells: Mapping[str, Any]) -> Difference:
    """Find out what is new, cached and stale."""
    metrics = plan[0].cell.metrics if plan else ()
    planned = {key for trial in plan for key in trial.keys}
    stored = {key for group in table.groups if complete(group, metrics) for key in table.keys_of(group)}
    stored &= planned
    todo = [trial for trial in plan if not stored.issuperset(trial.keys)]
    reasons: Counter[str] = Counter()
    if todo and table.groups:
        reasons = _reasons(todo, planned, stored, table, known_cells)
    return Difference(
        todo,
        stored,
        reasons.total(),
        [f"{count} because {reason}" for reason, count in reasons.most_common()],
    )


def complete(group: Group, metrics: Sequence[str]) -> bool:
    """Tell whether records hold all that is asked of their trials; a failure is all there is."""
    return group.status != "ok" or all(name in group.metrics or name in COSTS for name in metrics)


def _reasons(
    todo: list[Trial], planned: set[str], stored: set[str], table: RecordTable, known_cells: Mapping[str, Any]
) -> Counter[str]:
    """Count why stored records do not serve trials that are to be run."""
    cells = {trial.cell.hash: trial.cell for trial in todo}
    settings = {key: _setting(cell.data.name, cell.label, cell.grid) for key, cell in cells.items()}
    wanted = {(settings[t.cell.hash], t.point, t.trial): t.cell.hash for t in todo}
    reasons: Counter[str] = Counter()
    for group in table.groups:
        setting = _setting(group.dataset, group.label, group.grid)
        others: Counter[str] = Counter()
        points, trials = group.places[1::4], group.places[3::4]
        for key, point, trial in zip(table.keys_of(group), points, trials, strict=True):
            if key in planned:
                reasons["a metric was added"] += key not in stored
            elif (setting, point, trial) in wanted:
                others[wanted[setting, point, trial]] += 1
        for cell_hash, count in others.items():
            reasons[_why(known_cells.get(group.cell, {}), cells[cell_hash].identity)] += count
    return +reasons


def _setting(dataset: str, label: str, grid: Mapping[str, Any]) -> tuple[str, str, str]:
    return dataset, label, json.dumps(storable(grid), sort_keys=True)


def _why(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Say what makes a stored record stale."""
    found = changes(old, new) if old else []
    return found[0] if found else "its earlier definition is not known"
