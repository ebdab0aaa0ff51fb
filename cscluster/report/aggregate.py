"""From records to one line for each data set, algorithm, point, tier and metric."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cscluster.errors import ConfigError
from cscluster.metrics.catalogue import lower_is_better
from cscluster.store.environments import version_changes
from cscluster.store.folder import RunFolder
from cscluster.store.table import COSTS, RecordTable
from cscluster.words import encodable

Place = tuple[str, int, int]
"""A data set, a point and a tier."""


@dataclass(frozen=True)
class Axes:
    """The places and draws of a run, and for each of its rows the numbers of place, draw and label.

    `tables`: what statistics have made of the metrics so far.
    """

    places: list[Place]
    draws: list[int]
    place: NDArray[np.intp]
    draw: NDArray[np.intp]
    label: NDArray[np.intp]
    tables: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, trials: pd.DataFrame, labels: Sequence[str]) -> Axes:
        """Return the places and draws that there are, and where each trial belongs."""
        grouped = trials.groupby(["dataset", "point", "tier"], sort=False)
        draw, numbers = pd.factorize(trials["draw"], sort=True)
        return cls(
            places=[tuple(place) for place in grouped.groups],
            draws=[int(number) for number in numbers],
            place=grouped.ngroup().to_numpy(),
            draw=draw,
            label=pd.Index(labels).get_indexer(trials["label"]),
        )


@dataclass(frozen=True)
class Results:
    """The results of a run, ready for tables.

    Attributes
    ----------
    name, title : str
        Of the experiment.
    metrics, datasets, labels : lists of str
        In the order of the experiment.
    axis : str
        What the columns are: ``point`` (number of links) or ``tier``.
    schedule : str
        Kind of the constraint schedule.
    planned : int
        Trials planned for each cell of a table.
    cells : DataFrame
        Columns dataset, label, oracle, params, point, tier, metric, mean, std, n, planned.
    failures : DataFrame
        Columns dataset, label, status, message, count.
    trials : DataFrame
        The trials behind the cells: columns dataset, algorithm, label, oracle, grid (as JSON), point,
        tier, trial, status, message, and ``m:NAME`` for every recorded metric; `draw` is the number of
        the trial's draw of links, `entry` the label without the point of a grid that ``select: none``
        adds to it.
    repeats : int
        Trials in a row that share their draw of links.
    families : dict
        For each source of samples, the data sets drawn from it with their numbers of samples.
    mixed : list of str
        What the trials were made with more than one version of.
    """

    name: str
    title: str
    metrics: list[str]
    datasets: list[str]
    labels: list[str]
    axis: str
    schedule: str
    planned: int
    cells: pd.DataFrame
    failures: pd.DataFrame
    trials: pd.DataFrame
    repeats: int = 1
    families: dict[str, dict[str, int]] = field(default_factory=dict)
    mixed: list[str] = field(default_factory=list)

    @cached_property
    def axes(self) -> Axes:
        """The places and draws that there are, and where each row of `trials` belongs."""
        return Axes.of(self.trials, self.labels)

    @cached_property
    def varied(self) -> list[str]:
        """The parameters that were varied."""
        return list(dict.fromkeys(name for grid in self.trials["grid"].unique() for name in json.loads(grid)))

    @property
    def unit(self) -> str:
        """What tests count: trials, or draws of links where several trials share one."""
        return "trials" if self.repeats == 1 else "draws of links"

    @cached_property
    def marks(self) -> dict[str, str]:
        """The name of each label in tables: an oracle has a star."""
        oracles = set(self.trials.loc[self.trials["oracle"], "label"]) if len(self.trials) else set()
        return {label: f"{label} *" if label in oracles else label for label in self.labels}


def collect(
    folder: RunFolder,
    metrics: list[str] | None = None,
    *,
    every: bool = False,
    table: RecordTable | None = None,
) -> Results:
    """Aggregate the records of a run; nothing is recomputed.

    With `every`, all points of the grids are kept, whatever the experiment selects.  `table`: the
    records, if they have been read already.
    """
    config = _legible(folder.config()["experiment"])
    wanted = metrics or config["metrics"]
    frame, environments = _frame(folder.table() if table is None else table, folder.plan())
    rows, labels = [], []
    for entry, title in zip(config["algorithms"], _titles(config["algorithms"], frame), strict=True):
        mine = frame[frame["label"] == title]
        for label, oracle, part in _select(mine, "none" if every else entry["select"]):
            labels.append(label)
            rows.append(part.assign(label=label, entry=title, oracle=oracle))
    chosen = pd.concat(rows) if rows else frame
    planned = config["trials"] * config["repeats"]
    repeats = planned if _same_links(config["constraints"]) else config["repeats"]
    chosen = chosen.assign(draw=chosen["trial"] // repeats)
    return Results(
        name=config["name"],
        title=config["title"] or config["name"],
        metrics=list(wanted),
        datasets=chosen["dataset"].unique().tolist() if len(chosen) else [],
        labels=labels,
        axis="tier" if len(chosen) and chosen["tier"].max() > 1 else "point",
        schedule=config["constraints"]["kind"],
        planned=planned,
        cells=_cells(chosen, list(wanted), planned),
        failures=_failures(frame),
        trials=chosen.reset_index(drop=True),
        repeats=repeats,
        families=_families(folder),
        mixed=version_changes(made for id_, made in folder.environments().items() if id_ in environments),
    )


def _same_links(constraints: dict[str, Any]) -> bool:
    """Tell whether every trial of a run has the same links: those of a file, none of them flipped."""
    return constraints["kind"] == "file" and not constraints.get("noise")


def restrict(results: Results, rows: pd.Series) -> Results:
    """Return the results of some of the trials only."""
    trials = results.trials[rows].reset_index(drop=True)
    return replace(
        results,
        datasets=[name for name in results.datasets if name in set(trials["dataset"])],
        labels=[label for label in results.labels if label in set(trials["label"])],
        cells=_cells(trials, results.metrics, results.planned),
        failures=_failures(trials),
        trials=trials,
    )


def at_last_point(results: Results) -> Results:
    """Return the results of the last point, and of its last tier, of each data set only."""
    trials = results.trials
    rows = trials["point"] == trials.groupby("dataset")["point"].transform("max")
    last = trials["tier"].where(rows).groupby(trials["dataset"]).transform("max")
    return restrict(results, rows & (trials["tier"] == last))


def join(parts: list[Results]) -> Results:
    """Return several runs as one: their data sets below and their algorithms beside each other.

    Raises
    ------
    ConfigError
        If two of them have the same algorithm on the same data set.
    """
    seen: dict[tuple[str, str], str] = {}
    for part in parts:
        for dataset, label in dict.fromkeys(zip(part.cells["dataset"], part.cells["label"], strict=True)):
            if (dataset, label) in seen:
                raise ConfigError(
                    f"Both '{seen[dataset, label]}' and '{part.name}' have results of '{label}' on "
                    f"'{dataset}', which cannot share a table; see: cscluster compare"
                )
            seen[dataset, label] = part.name
    first = parts[0]
    return replace(
        first,
        name=" + ".join(part.name for part in parts),
        title=" + ".join(part.title for part in parts),
        metrics=list(dict.fromkeys(metric for part in parts for metric in part.metrics)),
        datasets=list(dict.fromkeys(name for part in parts for name in part.datasets)),
        labels=list(dict.fromkeys(label for part in parts for label in part.labels)),
        planned=max(part.planned for part in parts),
        repeats=max(part.repeats for part in parts),
        cells=pd.concat([part.cells for part in parts], ignore_index=True),
        failures=pd.concat([part.failures for part in parts], ignore_index=True),
        trials=pd.concat([part.trials for part in parts], ignore_index=True),
        mixed=list(dict.fromkeys(words for part in parts for words in part.mixed)),
        families={
            source: {name: n for part in parts for name, n in part.families.get(source, {}).items()}
            for source in dict.fromkeys(source for part in parts for source in part.families)
        },
    )


def recorded(results: Results) -> list[str]:
    """Return the names of all metrics that the trials have."""
    return [name[2:] for name in results.trials.columns if name.startswith("m:")]


def metric_values(trials: pd.DataFrame, metric: str) -> pd.Series:
    """Return a metric of each trial, nothing where it was not recorded or is not finite."""
    name = f"m:{metric}"
    if name not in trials:
        return pd.Series(np.nan, trials.index)
    values = trials[name].astype(float)
    return values.where(np.isfinite(values))


def draw_means(values: pd.Series, keys: Sequence[Any], draw: Any) -> pd.DataFrame:
    """Return the mean and the count of the trials of each draw of links, which tests take as one.

    Trials that repeat a draw are no independent observations.

    Parameters
    ----------
    values : Series
        One value for each trial.
    keys : sequence of array-like
        What tells apart the groups of trials; `draw` numbers the draws within them.
    draw : array-like
        The draw of each trial.

    Returns
    -------
    DataFrame
        Columns mean and count, by group and draw.
    """
    return values.groupby([*keys, draw], sort=False).agg(["mean", "count"])


_FIELDS = ("dataset", "algorithm", "label", "point", "tier", "trial", "status", "grid")


def _frame(table: RecordTable, plan: list[str]) -> tuple[pd.DataFrame, set[str]]:
    """Return the planned trials, one row each, in plan order, and the environments they were made in."""
    last = {key: row for row, key in enumerate(table.keys)}
    rows = np.array([last[key] for key in plan if key in last], dtype=np.intp)
    group_of = np.empty(len(table.keys), dtype=np.intp)
    places = np.empty((len(table.keys), 3), dtype=np.int64)
    for number, group in enumerate(table.groups):
        block = np.array(group.places).reshape(-1, 4)
        group_of[block[:, 0]] = number
        places[block[:, 0]] = block[:, 1:]
    used = set(group_of[rows].tolist())
    scores: dict[str, NDArray[np.float64]] = {}
    for number in sorted(used):
        group = table.groups[number]
        names = [*group.metrics, *COSTS]
        for name, column in zip(names, np.array(group.scores).reshape(-1, len(names)).T, strict=True):
            scores.setdefault(name, np.full(len(table.keys), np.nan))[group.rows] = column
    fields = {
        "dataset": [_legible(group.dataset) for group in table.groups],
        "algorithm": [_legible(group.algorithm) for group in table.groups],
        "label": [_legible(group.label) for group in table.groups],
        "status": [group.status for group in table.groups],
        "grid": [json.dumps(group.grid, sort_keys=True) for group in table.groups],
    }
    columns = {
        **{name: np.array(values, dtype=object)[group_of[rows]] for name, values in fields.items()},
        **dict(zip(("point", "tier", "trial"), places[rows].T, strict=True)),
    }
    problems = [_legible(_problem(table.errors[row])) if row in table.errors else "" for row in rows.tolist()]
    frame = pd.DataFrame(
        {
            **{name: columns[name] for name in _FIELDS},
            "message": problems,
            **{f"m:{name}": column[rows] for name, column in scores.items()},
        }
    ).infer_objects()
    return frame, {table.groups[number].environment for number in used}


def _problem(error: dict[str, str]) -> str:
    """Return what went wrong, and where in the user's own code."""
    place = f" ({error['place']})" if error.get("place") else ""
    return f"{error['type']}: {error['message']}{place}"


def _legible(value: Any) -> Any:
    """Return plain data in which lone surrogates, which no table or file can hold, are spelled out."""
    if isinstance(value, str):
        return value if value.isascii() else encodable(value).decode()
    if isinstance(value, list):
        return [_legible(item) for item in value]
    if isinstance(value, dict):
        return {_legible(key): _legible(item) for key, item in value.items()}
    return value


def _families(folder: RunFolder) -> dict[str, dict[str, int]]:
    families: dict[str, dict[str, int]] = {}
    for name, about in _legible(folder.datasets()).items():
        families.setdefault(about["source"], {})[name] = about["n_samples"]
    return families


def _titles(entries: list[dict[str, Any]], frame: pd.DataFrame) -> list[str]:
    """Return the label that each entry's records carry; those without one of their own in order."""
    given = {entry["label"] for entry in entries}
    others: dict[str, list[str]] = {}
    for name, label in frame[["algorithm", "label"]].drop_duplicates().itertuples(index=False):
        if label not in given:
            others.setdefault(name, []).append(label)
    return [entry["label"] or (others.get(entry["name"]) or [entry["name"]]).pop(0) for entry in entries]


def _select(frame: pd.DataFrame, rule: str) -> list[tuple[str, bool, pd.DataFrame]]:
    """Return the rows of the tables that one entry gives: label, whether oracle, its trials.

    Of a grid, only points with the fewest failed trials can be selected: a mean over survivors is
    no better mean.
    """
    if frame.empty:
        return []
    label = frame["label"].iloc[0]
    if frame["grid"].nunique() == 1:
        return [(label, False, frame)]
    if rule == "none":
        return [
            (f"{label} ({_words(grid)})", False, part) for grid, part in frame.groupby("grid", sort=False)
        ]
    place = ["dataset", "point", "tier"]
    if rule == "heldout":
        place, metric = [*place, "trial"], "heldout_links"
    else:
        metric = rule.partition(":")[2]
    sign = -1.0 if lower_is_better(metric) else 1.0
    values = (sign * metric_values(frame, metric)).groupby([frame[c] for c in [*place, "grid"]], sort=False)
    counts = values.count()
    fullest = counts == counts.groupby(level=place, sort=False).transform("max")
    best = values.mean().where(fullest).fillna(-np.inf).groupby(level=place, sort=False).idxmax()
    chosen = pd.MultiIndex.from_tuples(best.tolist())
    kept = frame[frame.set_index([*place, "grid"]).index.isin(chosen)]
    return [(label, rule.startswith("oracle"), kept)]


@cache
def _words(grid: str) -> str:
    return ", ".join(f"{name}={value}" for name, value in _legible(json.loads(grid)).items())


def _cells(frame: pd.DataFrame, metrics: list[str], planned: int) -> pd.DataFrame:
    place = ["dataset", "label", "oracle", "point", "tier"]
    columns = [*place[:3], "params", *place[3:], "metric", "mean", "std", "n", "planned"]
    if frame.empty or not metrics:
        return pd.DataFrame(columns=columns)
    number = frame.groupby(place, sort=False).ngroup().to_numpy()  # of its cell, for each trial
    firsts = frame[place].iloc[np.unique(number, return_index=True)[1]].reset_index(drop=True)
    grids = frame["grid"].groupby(number).unique()
    params = [" | ".join(sorted({_words(grid) for grid in of_cell} - {""})) for of_cell in grids]
    parts = []
    for metric in metrics:
        table = metric_values(frame, metric).groupby(number).agg(["mean", "std", "count"])
        table = firsts.join(table.rename(columns={"count": "n"}))
        parts.append(table.assign(params=params, metric=metric, planned=planned))
    return pd.concat(parts)[columns].reset_index(drop=True)


def _failures(frame: pd.DataFrame) -> pd.DataFrame:
    columns = ["dataset", "label", "status", "message"]
    bad = frame[frame["status"] != "ok"]
    return bad.groupby(columns, sort=False).size().rename("count").reset_index()
