"""The experiment file: every key, its type and its legal values.

Validators check names and parameters against the registries here, so that one pass over the file
finds all its errors.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from cscluster.algorithms import parameters, registry
from cscluster.algorithms.registry import Algorithm
from cscluster.data import formats, index, preprocessing
from cscluster.data.recipe import Recipe
from cscluster.errors import DataError, ParameterError, did_you_mean
from cscluster.experiment import own_metrics
from cscluster.experiment.config.schedules import File, Schedule
from cscluster.metrics.catalogue import METRICS, SCOPES
from cscluster.removed import REMOVED
from cscluster.store.directory import RUN_NAME_RULE, is_run_name

Problem = tuple[tuple[str | int, ...], str]
_SHOWN = 60
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def fail(problems: Iterable[Problem]) -> None:
    """Raise one validation error that carries several problems, each with its place."""
    found = list(problems)
    if found:
        raise PydanticCustomError("problems", "several problems", {"problems": found})


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Treatment(_StrictModel):
    """What an experiment says for all algorithms and an algorithm for itself."""

    preprocess: list[str | dict[str, Any]] | None = Field(
        None, description="steps, such as [standardize, {pca: {n: 10}}], by default those of the algorithm"
    )
    timeout: float | None = Field(None, gt=0, le=1e9, description="seconds after which a trial is stopped")
    memory_limit: int | None = Field(
        None, ge=2**20, le=2**50, description="memory of a trial: bytes, or with a unit as in 2GB"
    )

    @field_validator("memory_limit", mode="before")
    @classmethod
    def _bytes(cls, value: Any) -> Any:
        """Turn ``"2 GB"`` into a number of bytes; leave anything else to the type check."""
        if not isinstance(value, str):
            return value
        match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d+)?)\s*([KMG]?)i?B?\s*", value, re.IGNORECASE)
        if match is None:
            raise ValueError(f"must be a size such as 500MB or 2GB, got '{value[:_SHOWN]}'")
        return int(float(match[1]) * _UNITS[match[2].upper()])

    @field_validator("preprocess")
    @classmethod
    def _steps(cls, steps: Any) -> Any:
        problems: list[Problem] = []
        for number, step in enumerate(steps or ()):
            try:
                preprocessing.parse([step])
            except DataError as error:
                problems.append(((number,), str(error)))
        fail(problems)
        return steps


class _Named(_StrictModel):
    """An algorithm with its parameters."""

    name: str = Field(
        description="name from cscluster list, or your own class as module:Class or file.py:Class"
    )
    preset: Literal["published"] | None = Field(
        None, description="published: the parameter values of the method's paper, params override them"
    )
    params: dict[str, Any] = Field(
        default_factory=dict, description="values of its parameters. A list is a grid of values"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        entry = {"name": value} if isinstance(value, str) else value
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(name, str) and registry.is_printed_alias(name):
            return {"preset": "published", **entry, "name": registry.find(name).name}
        return entry

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        try:
            registry.find(name)
        except ParameterError as error:
            text = str(error)
            fail([((), text[0].lower() + text[1:])])
        return name

    @property
    def algorithm(self) -> Algorithm:
        """The registered algorithm."""
        return registry.find(self.name)

    @property
    def given(self) -> dict[str, Any]:
        """The parameter values that differ from the defaults: those of the preset, then `params`."""
        return {**(self.algorithm.published() if self.preset else {}), **self.params}

    @field_validator("params")
    @classmethod
    def _check_params(cls, params: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if "name" in info.data:
            algorithm = registry.find(info.data["name"])
            fail(
                ((name,), message)
                for name, value in params.items()
                for candidate in candidates(value)
                if (message := parameter_problem(algorithm, name, candidate))
            )
        fail(
            ((name,), f"the list of values of '{name}' is empty. Give at least one, or leave the key out")
            for name, value in params.items()
            if value == []
        )
        fail_repeated(params)
        return params


def repeated(values: list[Any]) -> list[int]:
    """Return where a list holds what stood in it before; 1, 1.0 and true are not the same."""
    texts = [json.dumps(value, sort_keys=True, default=repr) for value in values]
    first = {text: number for number, text in reversed(list(enumerate(texts)))}
    return [number for number, text in enumerate(texts) if first[text] < number]


def fail_repeated(values: Mapping[str, Any]) -> None:
    """Raise a validation error for values that a list holds twice."""
    fail(
        ((name, number), f"a second {json.dumps(value[number])} among the values of '{name}'")
        for name, value in values.items()
        if isinstance(value, list)
        for number in repeated(value)
    )


def candidates(value: Any) -> list[Any]:
    """Return the values of a parameter: a list is a grid."""
    return value if isinstance(value, list) else [value]


def parameter_problem(algorithm: Algorithm, name: str, value: Any) -> str | None:
    """Return what is wrong with a parameter value, or None."""
    if name == "random_state":
        return "'random_state' is set by the experiment's seed and the trial. Remove it here"
    advice = REMOVED.get(name) if name not in algorithm.defaults() else None
    if advice:
        return f"'{algorithm.name}' has no parameter '{name}'. {advice}"
    loaded = algorithm.load()
    table: Mapping[str, Any] | None = getattr(loaded, "parameters", None)
    if table is not None:
        return parameters.problem(f"'{algorithm.name}'", table, name, value)
    known = inspect.signature(loaded).parameters
    if name not in known:
        return f"'{algorithm.name}' has no parameter '{name}'{did_you_mean(name, known)}"
    return None


def metric_problem(name: str) -> str | None:
    """Return what is wrong with a name unless it is ``METRIC`` or ``METRIC@SCOPE``, also the user's own."""
    metric, at, scope = name.partition("@")
    if own_metrics.is_own(metric):
        try:
            own_metrics.check(metric)
        except ValueError as error:
            return str(error)
    elif metric not in METRICS:
        hint = did_you_mean(metric, METRICS).rstrip(".") or ". 'cscluster list metrics' names all"
        return f"there is no metric '{metric}'{hint}"
    if at and scope not in SCOPES:
        return f"'{metric}@{scope}': the scope must be one of {', '.join(SCOPES)}"
    return None


def check_rule(rule: str) -> str:
    """Return a rule; raise a ValueError unless it says how to choose from a grid."""
    kind, _, metric = rule.partition(":")
    problem = None
    if own_metrics.is_own(metric):
        problem = f"'oracle' chooses by a metric of 'cscluster list metrics', got '{metric}'"
    elif kind == "oracle":
        problem = (
            metric_problem(metric) if metric else "'oracle' needs the metric to choose by: write oracle:ari"
        )
    elif rule not in ("none", "heldout"):
        problem = f"must be none, heldout or oracle:METRIC, got '{rule}'"
    if problem:
        raise ValueError(problem)
    return rule


class ClustererEntry(_Named):
    """The clusterer that a metric learner is joined with."""


class AlgorithmEntry(_Named, _Treatment):
    """One row of the tables."""

    label: str = Field("", description="name in tables, by default the title of the algorithm")
    select: Annotated[str, AfterValidator(check_rule)] = Field(
        "none",
        description="choice from a grid: none (a row for each value), "
        "oracle:METRIC (by the true classes) or heldout (by held-out constraint accuracy)",
    )
    clusterer: ClustererEntry | None = Field(
        None, description="what a metric learner is joined with, such as {name: pckmeans}, by default kmeans"
    )
    guard: bool = Field(
        False, description="use k-means instead where held-out constraints do not support the algorithm"
    )

    @field_validator("clusterer")
    @classmethod
    def _check_clusterer(
        cls, clusterer: ClustererEntry | None, info: ValidationInfo
    ) -> ClustererEntry | None:
        name = info.data.get("name")
        if clusterer is not None and name and not registry.find(name).is_metric:
            fail([((), f"'{name}' is a clusterer itself. Only metric learners take one")])
        if clusterer is not None:
            fail(
                (("params", name), "a grid is possible only in the metric learner's own params")
                for name, value in clusterer.params.items()
                if isinstance(value, list)
            )
        return clusterer

    @field_validator("guard")
    @classmethod
    def _check_guard(cls, guard: bool, info: ValidationInfo) -> bool:
        if guard and "name" in info.data:
            from cscluster.selection.guarded import guard_problem

            problem = guard_problem(registry.find(info.data["name"]))
            fail([((), problem)] if problem else [])
        return guard

    @property
    def title(self) -> str:
        """Name in tables."""
        if self.label:
            return self.label
        title = self.algorithm.title
        if self.algorithm.is_metric:
            joined = self.clusterer.algorithm if self.clusterer else registry.find(registry.JOINED)
            title = f"{title} + {joined.title}"
        forms = [form for form in (self.preset, "guarded" if self.guard else None) if form]
        return f"{title} ({', '.join(forms)})" if forms else title


class DatasetEntry(Recipe):
    """A data set: a recipe and its name in tables."""

    name: str = Field("", description="name in tables, by default that of the base")

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value in index.recipes():
            return {**index.recipes()[value], "name": value}
        return {"base": value}

    @field_validator("base")
    @classmethod
    def _check_base(cls, base: str | None, info: ValidationInfo) -> str | None:
        if base is None or base in index.names() or base.startswith("openml:"):
            return base
        if formats.find(base) is not None:
            return str(near_config(Path(base), info))
        if index.find_file(base) is not None:
            return base
        fail([((), f"there is no data set '{base}'{did_you_mean(base, index.names())}")])
        return base

    @property
    def title(self) -> str:
        """Name in tables and in the seed tree."""
        return self.name or (Path(self.base).stem if self.base else str(self.generator))

    @property
    def recipe(self) -> Recipe:
        """The recipe alone; a name of the registry stands for its own recipe."""
        values = self.model_dump(exclude={"name"}, exclude_defaults=True)
        if self.base in index.recipes() and set(values) == {"base"}:
            values = index.recipes()[str(self.base)]
        return Recipe(**values)


class Experiment(_Treatment):
    """A whole experiment file."""

    name: str = Field(description="name of the run and of its directory in the results")
    title: str = Field("", description="heading of reports")
    paper: str = Field("", description="publication that the experiment belongs to")
    datasets: list[DatasetEntry] = Field(
        min_length=1,
        description="names from cscluster list datasets, files, openml:NAME, or selections from them",
    )
    constraints: Schedule = Field(description="how constraints are drawn: kind, and the keys of that kind")
    algorithms: list[AlgorithmEntry] = Field(
        min_length=1, description="names from cscluster list, or entries with the keys below"
    )
    trials: int = Field(10, ge=1, description="number of trials, each with constraints of its own")
    repeats: int = Field(
        1, ge=1, description="trials that share their constraints and differ in the seed of the algorithm"
    )
    seed: int = Field(0, ge=0, description="seed of all constraints and starts")
    metrics: list[str] = Field(
        default=["acc_hungarian", "nmi", "rand", "seconds"],
        min_length=1,
        description="names from cscluster list metrics, or your own function of true classes and clusters as "
        "file.py:function. METRIC@SCOPE scores some of the samples",
    )
    keep: Literal["labels"] | None = Field(
        None, description="labels: store the labels of each trial, so that a new metric needs no rerun"
    )
    n_clusters: int | None = Field(
        None, ge=1, description="number of clusters, by default the number of true classes"
    )
    threads: int = Field(1, ge=1, description="BLAS and OpenMP threads of a trial")

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if not is_run_name(name):
            raise ValueError(f"{RUN_NAME_RULE}, got {name!r}")
        return name

    @field_validator("metrics")
    @classmethod
    def _check_metrics(cls, metrics: list[str]) -> list[str]:
        said = [metric_problem(name) for name in metrics]
        problems: list[Problem] = [((number,), text) for number, text in enumerate(said) if text]
        fail([*problems, *(((number,), f"a second '{metrics[number]}'") for number in repeated(metrics))])
        return metrics

    @field_validator("constraints")
    @classmethod
    def _find_file(cls, schedule: Any, info: ValidationInfo) -> Any:
        if isinstance(schedule, File):
            path = near_config(schedule.path, info)
            if not path.is_file():
                fail([(("path",), f"there is no constraint file '{schedule.path}'")])
            return schedule.model_copy(update={"path": path})
        points = schedule.points
        fail(
            ((), f"a second {points[number]} among the numbers of constraints") for number in repeated(points)
        )
        fail_repeated({name: getattr(schedule, name) for name in schedule.VARIED})
        return schedule

    @field_validator("datasets", "algorithms")
    @classmethod
    def _check_titles(cls, entries: list[Any], info: ValidationInfo) -> list[Any]:
        what, key = ("data set", "name") if info.field_name == "datasets" else ("algorithm", "label")
        titles = [entry.title for entry in entries]
        fail(
            ((number,), f"a second {what} called '{titles[number]}'. Give it a '{key}' of its own")
            for number in repeated(titles)
        )
        return entries

    @field_validator("algorithms")
    @classmethod
    def _check_choice(cls, entries: list[AlgorithmEntry], info: ValidationInfo) -> list[AlgorithmEntry]:
        """Refuse to choose from a grid where links vary too: their share of noise is no choice."""
        schedule = info.data.get("constraints")
        varied = schedule.variants()[0][0] if schedule is not None else {}
        fail(
            ((number, "select"), f"'constraints' has lists ({', '.join(varied)}), so 'select' must be none")
            for number, entry in enumerate(entries)
            if varied and entry.select != "none"
        )
        return entries

    def swept(self, varied: Sequence[int]) -> Experiment:
        """Return a sweep: the experiment with some of its algorithms, and a result directory of its own."""
        return self.model_copy(
            update={
                "name": f"{self.name}-sweep",
                "title": f"{self.title or self.name} (sweep)",
                "algorithms": [self.algorithms[number] for number in varied],
            }
        )

    def without(self, names: Collection[str]) -> Experiment:
        """Return the experiment without some of its data sets."""
        left = [entry for entry in self.datasets if entry.title not in names]
        return self.model_copy(update={"datasets": left})


def near_config(path: Path, info: ValidationInfo) -> Path:
    """Return a path from the file as seen from the directory that the file lies in, fit for any worker."""
    directory = (info.context or {}).get("directory")
    return path if directory is None or path.is_absolute() else Path(directory).absolute() / path
