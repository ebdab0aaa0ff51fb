"""One trial: load, constrain, fit, score.  Pure: the same trial gives the same records anywhere.

Trials that run in one process share work (`algorithms.shared`).  Every record is what it would be alone:
the seconds that shared work took count in full in each record that uses it.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
from sklearn.frozen import FrozenEstimator

from cscluster import seeds
from cscluster.algorithms import registry
from cscluster.algorithms.build import build as build_estimator
from cscluster.algorithms.shared import SharedWork, once, sharing
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.data import prepared
from cscluster.data.dataset import Dataset
from cscluster.data.prepared import DataRef
from cscluster.data.preprocessing import comparable_features
from cscluster.errors import ConfigError, message, raised_at, traceback_of
from cscluster.experiment import own_metrics
from cscluster.experiment.config.schedules import Episode
from cscluster.experiment.plan.trials import Cell, Trial, sources
from cscluster.metrics import scores as metrics
from cscluster.selection import heldout
from cscluster.store.frame import LABELS
from cscluster.store.labels import pack
from cscluster.store.records import Record, Status, check, storable

_MOST_WARNINGS = 20
_LONGEST_TEXT = 2000
_COMPILATION_SAMPLES = 48
_compiled: set[tuple[str, str, str]] = set()


def run(trial: Trial, environment: str) -> Iterator[Record]:
    """Yield one record for each tier; a failure of the algorithm, whatever it raises, is a record too."""
    with warnings.catch_warnings(action="always", record=True) as noted:
        outcomes = _outcomes(trial, noted)
        for done in range(len(trial.keys)):
            try:
                outcome = next(outcomes)
                content = {**blank(trial, done + 1, environment), **outcome, "warnings": _texts(noted)}
                record = check(storable(content))
            except BaseException as error:  # an algorithm may exit, or interrupt itself
                yield from failed(trial, environment, "error", error, _texts(noted), done)
                return
            yield record
            noted.clear()


def _texts(noted: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return the first line of each warning, each once, as long as they are few."""
    texts = (f"{each.category.__name__}: {each.message}".splitlines()[0] for each in noted)
    different = list(dict.fromkeys(text[:_LONGEST_TEXT] for text in texts))
    more = ["further warnings are left out"] if len(different) > _MOST_WARNINGS else []
    return different[:_MOST_WARNINGS] + more


def blank(trial: Trial, tier: int, environment: str) -> Record:
    """Return the record of a tier before its outcome is known."""
    cell = trial.cell
    return {
        "key": trial.keys[tier - 1],
        "status": "ok",
        "dataset": cell.data.name,
        "algorithm": cell.algorithm,
        "label": cell.label,
        "params": storable(cell.params),
        "grid": storable(cell.grid),
        "schedule": cell.schedule.kind,
        "point": trial.point,
        "tier": tier,
        "trial": trial.trial,
        "repetition": trial.repetition,
        "metrics": {},
        "seconds": {},
        "cpu_seconds": None,
        "iterations": None,
        "converged": None,
        "warnings": [],
        "error": None,
        "environment": environment,
        "cell": cell.hash,
    }


def failed(
    trial: Trial,
    environment: str,
    status: Status,
    error: BaseException | str,
    noted: list[str] | None = None,
    done: int = 0,
) -> list[Record]:
    """Return records that say why the tiers after the first `done` have no result."""
    kind, text = (type(error).__name__, message(error)) if not isinstance(error, str) else (status, error)
    problem = {"type": kind, "message": " ".join(text.split())[:_LONGEST_TEXT]}
    if isinstance(error, BaseException) and (place := raised_at(error)):
        problem |= {"place": place, "traceback": traceback_of(error)[-_LONGEST_TEXT:]}
    return [
        storable(
            {**blank(trial, tier, environment), "status": status, "error": problem, "warnings": noted or []}
        )
        for tier in range(done + 1, len(trial.keys) + 1)
    ]


def warm_up(cell: Cell) -> Dataset:
    """Load the data and compile the algorithm; what a process has done before costs nothing."""
    if cell.sources and sources(cell.algorithm, cell.clusterer) != cell.sources:
        names = " or ".join(name for name, _ in cell.sources)
        raise ConfigError(f"{names} changed after the run was planned. Start it again.")
    for metric in map(own_metrics.without_edition, cell.metrics):
        if own_metrics.edition(metric) not in cell.metrics:
            raise ConfigError(f"'{metric}' changed after the run was planned. Start it again.")
    data = prepared.load(cell.data)
    if "compiled" in registry.find(cell.algorithm).tags:
        _compile(cell, data)
    return data


def _compile(cell: Cell, data: Dataset) -> None:
    """Fit a small model like the ones to come, unless this process has done so before.

    Algorithms with the tag ``compiled`` hold numba functions, which are compiled at their first call; here
    that is paid outside of any measured time.
    """
    model = build(cell, random_state=0)
    kind = (cell.algorithm, type(model).__name__, type(data.X).__name__)
    if kind in _compiled:
        return
    _compiled.add(kind)
    rows = np.unique(np.linspace(0, data.n_samples - 1, _COMPILATION_SAMPLES).astype(np.int64))
    links = Constraints.from_partial_labels(np.arange(len(rows)) % 2)
    X = data.X[rows]
    if isinstance(X, np.ndarray):
        X.setflags(write=False)
    with suppress(Exception):  # a failure here will show, and be recorded, in the trial itself
        model.fit(X, constraints=links)
        model.predict(X)


def _outcomes(trial: Trial, noted: list[warnings.WarningMessage]) -> Iterator[dict[str, Any]]:
    """Yield the outcome of each tier of the episode; `noted` are the warnings so far."""
    cell = trial.cell
    data = warm_up(cell)
    noted.clear()
    draw = trial.repetition
    with _sharing(cell, data):
        links = episode(cell, data, trial.point, draw)
    random_state = seeds.integer(cell.seed, cell.data.name, "algorithm", trial.trial)
    so_far = Constraints.empty(data.n_samples)
    model: Any = None
    for tier, new in enumerate(links.tiers):
        so_far = so_far | new
        seconds = {"offline": 0.0, "fit": 0.0, "update": 0.0, "predict": 0.0}
        start, cpu_start = time.perf_counter(), time.process_time()
        with _sharing(cell, data) as shared:
            if model is not None and hasattr(model, "partial_fit"):
                step = "update"
                model.partial_fit(constraints=new)
            else:
                step = "fit"
                model = _fit(cell, data, so_far, random_state, (trial.point, tier, draw))
                seconds["offline"] = float(getattr(model, "offline_seconds_", 0.0))
        seconds[step] = time.perf_counter() - start + shared.seconds - seconds["offline"]
        cpu_seconds = time.process_time() - cpu_start + shared.cpu_seconds
        labels = _check_labels(model, data.n_samples)
        scores = _scores(_Scorable(data, model, labels, so_far, links.heldout, seconds), cell.metrics)
        if cell.heldout_links:
            scores["heldout_links"] = _agreement(cell, data, so_far, random_state)
        iterations = getattr(model, "n_iter_", None)
        yield {
            "metrics": scores,
            "seconds": {name: round(value, 6) for name, value in seconds.items()},
            "cpu_seconds": round(cpu_seconds, 6),
            "iterations": None if iterations is None else int(iterations),
            "converged": bool(model.converged_) if hasattr(model, "converged_") else None,
            **({LABELS: pack(labels)} if cell.keep_labels else {}),
        }


def episode(cell: Cell, data: Dataset, point: int, draw: int) -> Episode:
    """Return the links of a draw, the same for all cells."""

    def draw_links() -> Episode:
        X = _comparable_features(replace(cell.data, preprocess=())) if cell.schedule.needs_samples else None
        return cell.schedule.episode(point, data.labels, cell.seed, cell.data.name, draw, data.ids, X)

    schedule = json.dumps(cell.schedule.identity(), sort_keys=True)
    key = ("episode", schedule, cell.schedule.n_tiers, cell.data.name, point, draw)
    return once(data.X, key, cell.seed, draw_links)


@lru_cache(maxsize=4)
def _comparable_features(source: DataRef) -> Any:
    """Return the samples that a schedule sees, the same whatever an algorithm's preprocessing."""
    return comparable_features(prepared.load(source))


def _sharing(cell: Cell, data: Dataset) -> AbstractContextManager[SharedWork]:
    """Let the fits of a process share work, unless a limit is set: then each must do all of it."""
    return nullcontext(SharedWork(data.X)) if cell.timeout or cell.memory_limit else sharing(data.X)


def _fit(
    cell: Cell, data: Dataset, links: Constraints, random_state: int, place: tuple[int, int, int]
) -> Any:
    """Return the fitted estimator of a cell at a place: point, tier and draw.

    A method that uses no links has the same model at every point.  A repeat is a new start of the clusterer
    on the same links: the metric, whose seed is that of the draw, does not depend on it.
    """
    model = build(cell, random_state)
    if "constraints" not in registry.find(cell.algorithm).tags:
        alike = ("model", cell.hash, len(links.hard) > 0)
        return once(data.X, alike, random_state, lambda: model.fit(data.X, constraints=links))
    if cell.clusterer is not None and cell.repeats > 1 and not cell.guard:
        seed = seeds.integer(cell.seed, cell.data.name, "algorithm", place[-1])
        key = ("metric", cell.hash, *place)
        learned = once(data.X, key, seed, lambda: build(cell, seed).metric.fit(data.X, constraints=links))
        model.metric = _Learned(learned, key, seed)
    return model.fit(data.X, constraints=links)


class _Learned(FrozenEstimator):
    """A metric learned from the links of a draw, which maps the samples once for all repeats."""

    def __init__(self, estimator: Any, key: tuple[Hashable, ...], seed: int) -> None:
        super().__init__(estimator)
        self.key, self.seed = key, seed

    def fit(self, X: Any, y: Any = None, constraints: Any = None) -> Self:
        return self

    def transform(self, X: Any) -> Any:
        return once(X, ("map", *self.key), self.seed, lambda: self.estimator.transform(X))


def build(cell: Cell, random_state: int) -> Any:
    """Return the unfitted estimator of a cell."""
    plain = _build_unguarded(cell, random_state)
    if not cell.guard:
        return plain
    from cscluster.selection.guarded import Guarded  # which imports numba

    return Guarded(plain, random_state=random_state)


def _build_unguarded(cell: Cell, random_state: int) -> Any:
    """Return the unfitted estimator of a cell without its guard."""
    return build_estimator(cell.algorithm, cell.params, cell.n_clusters, random_state, cell.clusterer)


def _check_labels(model: Any, n_samples: int) -> IntArray:
    """Return the labels, or raise an error that says what is wrong with them."""
    labels = np.asarray(model.labels_)
    if labels.shape != (n_samples,):
        raise ValueError(f"labels_ has shape {labels.shape}, expected ({n_samples},)")
    whole = labels.astype(np.int64)
    if not np.array_equal(whole, labels):
        raise ValueError("labels_ holds values that are not integers")
    return whole


@dataclass(frozen=True)
class _Scorable:
    """What is scored: a model after a tier, with its labels, all links so far, and its times."""

    data: Dataset
    model: Any
    labels: IntArray
    links: Constraints
    heldout: IntArray | None
    seconds: dict[str, float]


def _scores(fitted: _Scorable, names: Sequence[str]) -> dict[str, float | None]:
    """Return all scores on the whole data, and those that are wanted on parts of it."""
    data, labels = fitted.data, fitted.labels
    result: dict[str, float | None] = {
        "satisfied": metrics.satisfied(fitted.links, labels),
        "noise": metrics.noise(labels),
    }
    if data.y is None:
        return result
    result |= own_metrics.scores(data.y, labels, names, model=fitted.model, X=data.X)
    for scope in dict.fromkeys(name.partition("@")[2] for name in names if "@" in name):
        classes, clusters = _part(fitted, data.y, scope)
        of_scope = [name.removesuffix(f"@{scope}") for name in names if name.endswith(f"@{scope}")]
        values = own_metrics.scores(classes, clusters, of_scope) if len(classes) else {}
        result |= {f"{name}@{scope}": values.get(name) for name in of_scope}
    return result


def _part(fitted: _Scorable, y: IntArray, scope: str) -> tuple[IntArray, IntArray]:
    """Return classes and clusters of some samples, none where there are no such samples.

    New samples are predicted, and the time is noted.
    """
    data, nothing = fitted.data, np.empty(0, dtype=np.int64)
    if scope == "unseen":
        if data.X_unseen is None or data.y_unseen is None or not hasattr(fitted.model, "predict"):
            return nothing, nothing
        start = time.perf_counter()
        predicted = fitted.model.predict(data.X_unseen)
        fitted.seconds["predict"] = time.perf_counter() - start
        return data.y_unseen, predicted
    rows = np.arange(len(y))
    if scope == "heldout":
        rows = nothing if fitted.heldout is None else fitted.heldout
    elif scope == "unconstrained":
        rows = np.setdiff1d(rows, fitted.links.touched)
    return y[rows], fitted.labels[rows]


def _agreement(cell: Cell, data: Dataset, links: Constraints, random_state: int) -> float:
    """Return the held-out constraint accuracy, by which parameters are chosen without labels."""

    def labels(shown: Constraints) -> IntArray:
        return _check_labels(
            _build_unguarded(cell, random_state).fit(data.X, constraints=shown), data.n_samples
        )

    with _sharing(cell, data):
        return heldout.accuracy(labels, links, random_state).value
