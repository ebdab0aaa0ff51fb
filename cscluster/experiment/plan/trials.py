"""From an experiment to its trials, each with a key that hashes what it means."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from scipy import sparse

from cscluster.algorithms import registry
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset, outline
from cscluster.data.prepared import DataRef, make_ref
from cscluster.data.preprocessing import STEPS, Step, comparable_features
from cscluster.errors import ConfigError, CsclusterError
from cscluster.experiment import own_metrics
from cscluster.experiment.config.schedules import Schedule
from cscluster.experiment.config.schema import AlgorithmEntry, DatasetEntry, Experiment, candidates
from cscluster.store.cells import changes
from cscluster.store.definition import CellEntry, Plan
from cscluster.store.frame import COSTS, LABELS
from cscluster.store.records import short_hash, storable

MOST_RECORDS = 10_000_000
"""Records that a plan may have."""
GUARD = "cscluster.selection.guarded:Guarded"
"""What an algorithm with ``guard: true`` is wrapped in."""


@dataclass(frozen=True)
class Cell:
    """One data set, one algorithm, one point of its parameter grid; the same in all its trials.

    `sources`: name and hash of the user's own files in it.  `directory`: where the run was started,
    from which these are loaded.  `has_twin`: another label of the experiment means the same.
    `guard`: whether the algorithm is compared with k-means (`selection.guarded`).
    """

    data: DataRef
    algorithm: str
    label: str
    params: dict[str, Any]
    grid: dict[str, Any]
    clusterer: tuple[str, dict[str, Any]] | None
    guard: bool
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
    keep_labels: bool = False

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What the results of the cell depend on."""
        algorithm = registry.find(self.algorithm)
        joined, params = None, dict[str, Any]()
        if algorithm.is_metric:
            name, params = self.clusterer or (registry.JOINED, {})
            joined = registry.find(name)
        return {
            "data": self.data.checksum,
            "recipe": self.data.recipe.identity(),
            "name": self.data.name,
            "preprocess": list(self.data.preprocess),
            "algorithm": self.algorithm,
            "version": storable(getattr(algorithm.load(), "version", 1)),
            **({"source": [list(source) for source in self.sources]} if self.sources else {}),
            "params": resolved_params(algorithm, self.params),
            "clusterer": [joined.name, resolved_params(joined, params)] if joined else None,
            "clusterer_version": storable(getattr(joined.load(), "version", 1)) if joined else None,
            **({"guard": registry.load_class(GUARD).version} if self.guard else {}),
            "n_clusters": self.n_clusters,
            "schedule": self.schedule.identity(),
            "seed": self.seed,
            "repeats": self.repeats,
            "heldout_links": "by samples, each once" if self.heldout_links else False,
            **({"label": self.label} if self.has_twin else {}),
        }

    @property
    def recorded(self) -> frozenset[str]:
        """What a record of the cell must hold besides `COSTS`."""
        return frozenset((*self.metrics, LABELS) if self.keep_labels else self.metrics) - {*COSTS}

    @cached_property
    def hash(self) -> str:
        """Short hash of the identity."""
        return short_hash(self.identity)


class Trial(NamedTuple):
    """One episode of a cell: the unit of work.

    Trials of one `repetition` see the same constraints.  `keys`: the key of the record of each tier.
    """

    cell: Cell
    point: int
    trial: int
    repetition: int
    keys: tuple[str, ...]


def resolved_params(algorithm: registry.Algorithm, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameter values that results depend on, with the defaults of all but added parameters."""
    given = {**algorithm.defaults(), **params}
    for name in getattr(algorithm.load(), "added_parameters", ()):
        if given[name] == algorithm.defaults()[name]:
            del given[name]
    return storable(
        {name: value for name, value in given.items() if name not in ("random_state", "n_clusters")}
    )


def sources(algorithm: str, clusterer: tuple[str, Any] | None) -> tuple[tuple[str, str], ...]:
    """Return what identifies the code of an algorithm and its clusterer that is not part of this package."""
    names = [algorithm, *([clusterer[0]] if clusterer else [])]
    return tuple(dict.fromkeys(source for name in names for source in registry.find(name).source()))


@dataclass(frozen=True)
class Trials:
    """A plan with its cells, which follow from the experiment."""

    plan: Plan
    cells: dict[str, Cell]

    def __iter__(self) -> Iterator[Trial]:
        return (Trial(self.cells[each.cell], *each[1:]) for each in self.plan.trials())

    def entries(self) -> dict[str, CellEntry]:
        """Return the cells as the definition of a run keeps them."""
        return {
            hash_: CellEntry(
                identity=storable(cell.identity),
                label=storable(cell.label),
                params=storable(cell.params),
                grid=storable(cell.grid),
            )
            for hash_, cell in self.cells.items()
        }


def resolved(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment as the definition of a run keeps it: each algorithm has its name in tables."""
    content: dict[str, Any] = storable(experiment.model_dump(mode="python"))
    for entry, written in zip(experiment.algorithms, content["algorithms"], strict=True):
        written["label"] = storable(entry.title)
    content["metrics"] = [own_metrics.edition(name) for name in experiment.metrics]
    return content


def make_plan(experiment: Experiment, shard: tuple[int, int] | None = None) -> Trials:
    """Return all trials of an experiment, or those of a shard.

    Raises
    ------
    ConfigError
        For data sets that cannot be loaded or are too small for what is asked; all at once.
    """
    _check_size(experiment)
    cells, problems = [], []
    load = load_dataset if experiment.constraints.needs_samples else outline
    for entry in experiment.datasets:
        try:
            source = load(entry.recipe, name=entry.title)
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
    by_hash = {cell.hash: cell for cell in _mark_twins(cells)}
    plan = Plan(
        cells=list(by_hash),
        points=experiment.constraints.points,
        repetitions=experiment.trials,
        repeats=experiment.repeats,
        tiers=experiment.constraints.n_tiers,
        shard=shard,
    )
    return Trials(plan, by_hash)


def _mark_twins(cells: list[Cell]) -> list[Cell]:
    """Mark cells that compute the same under several labels, so that each has records of its own."""
    often = Counter(cell.hash for cell in cells)
    return [replace(cell, has_twin=True) if often[cell.hash] > 1 else cell for cell in cells]


def _check_size(experiment: Experiment) -> None:
    """Refuse a plan that no memory holds, before any of it is made."""
    size = len(experiment.datasets) * sum(n_records(experiment, entry) for entry in experiment.algorithms)
    if size > MOST_RECORDS:
        raise ConfigError(
            f"The experiment asks for {size} trials. The most is {MOST_RECORDS}. Divide it into several."
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
            f"Data set '{source.name}' has no target, so constraints cannot be drawn from it. "
            "Name its 'target' column or use 'constraints: {kind: file, path: ...}'."
        )
    X = comparable_features(source) if schedule.needs_samples else None
    try:
        schedule.episode(max(schedule.points), source.labels, experiment.seed, source.name, 0, source.ids, X)
    except CsclusterError as error:
        raise ConfigError(f"Data set '{source.name}': {error}") from None


def _cells(
    experiment: Experiment, dataset: DatasetEntry, source: Dataset, entry: AlgorithmEntry
) -> list[Cell]:
    entry_params = entry.given
    n_clusters = entry_params.get("n_clusters", experiment.n_clusters or source.n_classes)
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
        clusterer = (entry.clusterer.name, entry.clusterer.given)
    varied = [name for name, value in entry_params.items() if isinstance(value, list)]
    ref = make_ref(dataset.title, dataset.recipe, steps, source)
    own = sources(entry.name, clusterer)
    metrics = tuple(own_metrics.edition(name) for name in experiment.metrics)
    cells = []
    grids = itertools.product(*(entry_params[name] for name in varied))
    for values, (links, schedule) in itertools.product(grids, experiment.constraints.variants()):
        grid = dict(zip(varied, values, strict=True))
        params = {**entry_params, **grid}
        cells.append(
            Cell(
                data=ref,
                algorithm=entry.name,
                label=entry.title,
                params={name: value for name, value in params.items() if name != "n_clusters"},
                grid={**grid, **links},
                clusterer=clusterer,
                guard=entry.guard,
                n_clusters=params.get("n_clusters", n_clusters),
                n_samples=source.n_samples,
                schedule=schedule,
                seed=experiment.seed,
                repeats=experiment.repeats,
                metrics=metrics,
                heldout_links=entry.select == "heldout",
                timeout=entry.timeout or experiment.timeout,
                memory_limit=entry.memory_limit or experiment.memory_limit,
                threads=experiment.threads,
                directory=str(Path.cwd()),
                sources=own,
                keep_labels=experiment.keep == "labels",
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
        Stored records outside of the plan that an earlier form of a planned trial left.
    reasons : list of str
        Why records are stale, the most frequent first.
    """

    todo: list[Trial]
    stored: set[str]
    n_stale: int
    reasons: list[str]


def compare(trials: Trials, stored: pd.DataFrame, known_cells: Mapping[str, CellEntry]) -> Difference:
    """Find out what is new, cached and stale.

    Parameters
    ----------
    trials : Trials
        The plan.
    stored : DataFrame
        The stored records that may be used (`trials_frame`).
    known_cells : mapping
        What the cells of these are.
    """
    wanted = next(iter(trials.cells.values())).recorded if trials.cells else frozenset()
    planned = set(trials.plan.keys())
    done = planned.intersection(stored.loc[is_complete(stored, wanted), "key"])
    if done == planned:
        return Difference([], done, 0, [])
    todo = [trial for trial in trials if not done.issuperset(trial.keys)]
    in_plan = pd.Index(trials.plan.keys(), dtype=object).get_indexer(stored["key"]) >= 0
    reasons = _reasons(todo, stored[~in_plan], known_cells)
    n_stale = reasons.total()
    reasons += Counter(
        _lacks(names, wanted) for names in stored.loc[in_plan & ~is_complete(stored, wanted), "recorded"]
    )
    return Difference(
        todo,
        done,
        n_stale,
        [f"{count} because {reason}" for reason, count in (+reasons).most_common()],
    )


def is_complete(stored: pd.DataFrame, wanted: frozenset[str]) -> pd.Series:
    """Tell which records hold all that is asked of their trials; a failure is all there is."""
    whole = {names for names in stored["recorded"].unique() if wanted.issubset(names)}
    return (stored["status"] != "ok") | stored["recorded"].isin(whole)


def _lacks(recorded: Collection[str], wanted: frozenset[str]) -> str:
    """Say what a record of the plan lacks."""
    missing = sorted(wanted.difference(recorded))
    if missing == [LABELS]:
        return "labels were not kept"
    known = {own_metrics.without_edition(name) for name in recorded}
    changed = [own_metrics.without_edition(name) for name in missing]
    return next((f"the metric '{name}' changed" for name in changed if name in known), "a metric was added")


def _reasons(todo: list[Trial], stale: pd.DataFrame, known_cells: Mapping[str, CellEntry]) -> Counter[str]:
    """Count why stored records do not serve trials that are to be run."""
    settings = {id(trial.cell): _setting(trial.cell) for trial in todo}
    wanted = {(*settings[id(trial.cell)], trial.point, trial.trial): trial.cell for trial in todo}
    reasons: Counter[tuple[str, str]] = Counter()
    columns = ("cell", "dataset", "label", "grid", "point", "trial")
    for hash_, *place in zip(*(stale[name].tolist() for name in columns), strict=True):
        cell = wanted.get(tuple(place))
        if cell is not None:
            reasons[hash_, cell.hash] += 1
    cells = {cell.hash: cell for cell in wanted.values()}
    why: Counter[str] = Counter()
    for (old, new), count in reasons.items():
        found = changes(known_cells[old].identity, cells[new].identity)
        why[found[0] if found else "the parameters of the algorithm changed"] += count
    return why


def _setting(cell: Cell) -> tuple[str, str, str]:
    return storable(cell.data.name), storable(cell.label), json.dumps(storable(cell.grid), sort_keys=True)
