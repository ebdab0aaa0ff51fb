"""From records to one line for each data set, algorithm, point, tier and metric."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from cscluster.errors import ConfigError
from cscluster.metrics.catalogue import lower_is_better
from cscluster.store.definition import Definition
from cscluster.store.directory import RunDirectory
from cscluster.store.environments import version_changes

PLACE = ["dataset", "point", "tier"]
Place = tuple[str, int, int]
"""A data set, a point and a tier."""


@dataclass(frozen=True, eq=False)
class Results:
    """The results of a run, ready for tables.

    Attributes
    ----------
    name, title : str
        Of the experiment.
    metrics, datasets, labels : lists of str
        In the order of the experiment.
    axis : str
        What the columns are: ``point`` (number of constraints) or ``tier``.
    schedule : str
        Kind of the constraint schedule.
    planned : int
        Trials planned for each cell of a table.
    cells : DataFrame
        Columns dataset, label, oracle, params, point, tier, metric, mean, std, n, planned.
    failures : DataFrame
        Columns dataset, label, status, message, count.
    missing : DataFrame
        Planned trials that are not stored: columns dataset, label, count, planned.
    trials : DataFrame
        The trials behind the cells: columns dataset, algorithm, label, oracle, grid (as JSON), point,
        tier, trial, status, message, and ``m:NAME`` for every recorded metric; `draw` is the number of
        the trial's draw of constraints, `entry` the label without the point of a grid that ``select: none``
        adds to it.
    repeats : int
        Trials that share their constraints.
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
    missing: pd.DataFrame
    trials: pd.DataFrame
    repeats: int = 1
    families: dict[str, dict[str, int]] = field(default_factory=dict)
    mixed: list[str] = field(default_factory=list)

    @cached_property
    def places(self) -> list[Place]:
        """The data sets with their points and tiers, in the order of the trials."""
        return list(self.trials[PLACE].drop_duplicates().itertuples(index=False, name=None))

    @cached_property
    def last_places(self) -> dict[str, Place]:
        """The last point, and its last tier, of each data set."""
        last = {place[0]: place for place in sorted(self.places)}
        return {name: last[name] for name in self.datasets if name in last}

    @cached_property
    def varied(self) -> list[str]:
        """The parameters that were varied."""
        return list(dict.fromkeys(name for grid in self.trials["grid"].unique() for name in json.loads(grid)))

    @property
    def nothing_stored(self) -> bool:
        """Whether no planned trial is stored, rather than none selected."""
        return bool(self.trials.empty and (self.missing["count"] == self.missing["planned"]).all())

    @property
    def unit(self) -> str:
        """What tests count: trials, or repetitions where several trials share their constraints."""
        return "trials" if self.repeats == 1 else "repetitions"

    @cached_property
    def marks(self) -> dict[str, str]:
        """The name of each label in tables: an oracle has a star."""
        oracles = set(self.trials.loc[self.trials["oracle"], "label"]) if len(self.trials) else set()
        return {label: f"{label} *" if label in oracles else label for label in self.labels}


def collect(
    directory: RunDirectory, metrics: list[str] | None = None, *, stored: pd.DataFrame | None = None
) -> Results:
    """Aggregate the records of a run; nothing is recomputed.

    `stored`: the records, if they have been read already.
    """
    return collect_trials(directory.definition, directory.planned(stored), metrics)


def collect_trials(definition: Definition, frame: pd.DataFrame, metrics: list[str] | None = None) -> Results:
    """Aggregate the records of a plan, given as a data frame; see `collect`."""
    config, plan = definition.experiment, definition.plan
    wanted = metrics or config.metrics
    of_plan = planned_trials(definition)
    rows, labels = [], []
    for entry in config.algorithms:
        title = entry["label"]
        mine = frame[frame["label"] == title]
        if mine.empty:
            continue
        for label, oracle, part in _select(mine, entry["select"], of_plan[of_plan["label"] == title]):
            labels.append(label)
            rows.append(part.assign(label=label, entry=title, oracle=oracle))
    chosen = pd.concat(rows) if rows else frame.assign(entry=frame["label"], oracle=False)
    families: dict[str, dict[str, int]] = {}
    for name, about in definition.datasets.items():
        families.setdefault(about.source, {})[name] = about.n_samples
    planned = plan.repetitions * plan.repeats
    shared = config.constraints["kind"] == "file" and not config.constraints.get("noise")
    chosen = chosen.assign(draw=0 if shared else chosen["repetition"])
    return Results(
        name=config.name,
        title=config.title or config.name,
        metrics=list(wanted),
        datasets=[name for name in of_plan["dataset"].unique() if name in set(chosen["dataset"])],
        labels=labels,
        axis="tier" if plan.tiers > 1 else "point",
        schedule=config.schedule,
        planned=planned,
        cells=_cells(chosen, list(wanted), planned),
        failures=_failures(frame),
        missing=_missing(of_plan, frame, plan.tiers),
        trials=chosen.reset_index(drop=True),
        repeats=planned if shared else plan.repeats,
        families=families,
        mixed=version_changes(
            made for id_, made in definition.environments.items() if id_ in set(frame["environment"])
        ),
    )


def planned_trials(definition: Definition) -> pd.DataFrame:
    """Return the number of planned trials: columns label, dataset, grid, point, planned."""
    rows = []
    for (hash_, point), count in definition.plan.counts().items():
        cell = definition.cells[hash_]
        rows.append((cell.label, cell.dataset, json.dumps(cell.grid, sort_keys=True), point, count))
    return pd.DataFrame(rows, columns=["label", "dataset", "grid", "point", "planned"])


def _missing(of_plan: pd.DataFrame, frame: pd.DataFrame, n_tiers: int) -> pd.DataFrame:
    """Return how many planned records of each label and data set are not stored."""
    planned = n_tiers * of_plan.groupby(["dataset", "label"], sort=False)["planned"].sum()
    stored = frame.groupby(["dataset", "label"]).size().reindex(planned.index, fill_value=0)
    missing = pd.DataFrame({"count": planned - stored, "planned": planned})
    return missing[missing["count"] > 0].reset_index()


def restrict(results: Results, rows: pd.Series) -> Results:
    """Return the results of some of the trials only."""
    trials = results.trials[rows].reset_index(drop=True)
    pairs, left = (pd.MultiIndex.from_frame(each[["dataset", "entry"]]) for each in (results.trials, trials))
    missing = pd.MultiIndex.from_frame(results.missing[["dataset", "label"]])
    asked = ~missing.isin(pairs.unique().difference(left.unique()))
    return replace(
        results,
        datasets=[name for name in results.datasets if name in set(trials["dataset"])],
        labels=[label for label in results.labels if label in set(trials["label"])],
        cells=_cells(trials, results.metrics, results.planned),
        failures=_failures(trials),
        missing=results.missing[asked],
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
                    f"'{dataset}', which cannot share a table. Use 'cscluster compare'."
                )
            seen[dataset, label] = part.name
    merged: dict[str, Any] = {}
    for name in ("metrics", "datasets", "labels", "mixed"):
        merged[name] = list(dict.fromkeys(it for part in parts for it in getattr(part, name)))
    for name in ("cells", "failures", "missing", "trials"):
        merged[name] = pd.concat([getattr(part, name) for part in parts], ignore_index=True)
    return replace(
        parts[0],
        name=" + ".join(part.name for part in parts),
        title=" + ".join(part.title for part in parts),
        planned=max(part.planned for part in parts),
        repeats=max(part.repeats for part in parts),
        families={
            source: {name: n for part in parts for name, n in part.families.get(source, {}).items()}
            for source in dict.fromkeys(source for part in parts for source in part.families)
        },
        **merged,
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


def _select(frame: pd.DataFrame, rule: str, of_plan: pd.DataFrame) -> list[tuple[str, bool, pd.DataFrame]]:
    """Return the rows of the tables that one entry gives: label, whether oracle, its trials.

    An oracle selects among the grid points of which all planned trials are stored, and of these among those
    with the fewest failures: a mean over survivors is no better mean.  Held-out constraints select where a
    trial is stored at all points of the grid.

    Parameters
    ----------
    frame : DataFrame
        The stored trials of the entry.
    rule : str
        ``none``, ``heldout`` or ``oracle:METRIC``.
    of_plan : DataFrame
        Its planned trials (`planned_trials`).
    """
    label = frame["label"].iloc[0]
    if of_plan["grid"].nunique() == 1:
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
    stored = values.size().rename("stored").reset_index()
    if rule == "heldout":
        stored["stored"] = stored.groupby(place)["grid"].transform("size")
        wanted = of_plan.groupby(["dataset", "point"])["grid"].nunique().rename("planned").reset_index()
    else:
        wanted = of_plan.drop(columns="label")
    complete = (stored["stored"] == stored.merge(wanted, how="left")["planned"]).to_numpy()
    counts, means = values.count()[complete], values.mean()[complete]
    fullest = counts == counts.groupby(level=place, sort=False).transform("max")
    best = means.where(fullest).fillna(-np.inf).groupby(level=place, sort=False).idxmax()
    chosen = pd.MultiIndex.from_tuples(best.tolist(), names=[*place, "grid"])
    kept = frame[frame.set_index([*place, "grid"]).index.isin(chosen)]
    return [(label, rule.startswith("oracle"), kept)]


@cache
def _words(grid: str) -> str:
    return ", ".join(f"{name}={value}" for name, value in json.loads(grid).items())


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
