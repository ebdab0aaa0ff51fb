"""From records to one line for each data set, algorithm, point, tier and metric."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from cscluster.store.folder import RunFolder

LOWER_IS_BETTER = ("error", "balanced_error", "seconds", "iterations")


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
        tier, trial, status, message, and ``m:NAME`` for every recorded metric; `entry` is the label
        without the point of a grid that ``select: none`` adds to it.
    repeats : int
        Trials in a row that share their draw of links.
    families : dict
        For each source of samples, the data sets drawn from it with their numbers of samples.
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

    @property
    def marks(self) -> dict[str, str]:
        """The name of each label in tables: an oracle has a star."""
        oracles = set(self.trials.loc[self.trials["oracle"], "label"]) if len(self.trials) else set()
        return {label: f"{label} *" if label in oracles else label for label in self.labels}


def lower_is_better(metric: str) -> bool:
    """Tell whether small values of a metric are good."""
    return metric.partition("@")[0] in LOWER_IS_BETTER


def collect(folder: RunFolder, metrics: list[str] | None = None) -> Results:
    """Aggregate the records of a run; nothing is recomputed."""
    config = folder.config()["experiment"]
    wanted = metrics or config["metrics"]
    frame = _frame(folder)
    rows, labels = [], []
    for entry, title in zip(config["algorithms"], _titles(config["algorithms"], frame), strict=True):
        mine = frame[frame["label"] == title]
        for label, oracle, part in _select(mine, entry):
            labels.append(label)
            rows.append(part.assign(label=label, entry=title, oracle=oracle))
    chosen = pd.concat(rows) if rows else frame
    planned = config["trials"] * config["repeats"]
    return Results(
        name=config["name"],
        title=config["title"] or config["name"],
        metrics=list(wanted),
        datasets=list(dict.fromkeys(chosen["dataset"])) if len(chosen) else [],
        labels=labels,
        axis="tier" if len(chosen) and chosen["tier"].max() > 1 else "point",
        schedule=config["constraints"]["kind"],
        planned=planned,
        cells=_cells(chosen, list(wanted), planned),
        failures=_failures(frame),
        trials=chosen.reset_index(drop=True),
        repeats=config["repeats"],
        families=_families(folder),
    )


def _frame(folder: RunFolder) -> pd.DataFrame:
    rows = []
    for record in folder.planned_records():
        values = {f"m:{name}": value for name, value in record["metrics"].items()}
        values["m:seconds"] = sum(record["seconds"].values()) if record["seconds"] else None
        values["m:iterations"] = record["iterations"]
        rows.append(
            {
                "dataset": record["dataset"],
                "algorithm": record["algorithm"],
                "label": record["label"],
                "grid": json.dumps(record["grid"], sort_keys=True),
                "point": record["point"],
                "tier": record["tier"],
                "trial": record["trial"],
                "status": record["status"],
                "message": f"{record['error']['type']}: {record['error']['message']}"
                if record["error"]
                else "",
                **values,
            }
        )
    columns = ["dataset", "algorithm", "label", "grid", "point", "tier", "trial", "status", "message"]
    return pd.DataFrame(rows, columns=None if rows else columns)


def _families(folder: RunFolder) -> dict[str, dict[str, int]]:
    families: dict[str, dict[str, int]] = {}
    for name, about in folder.datasets().items():
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


def _select(frame: pd.DataFrame, entry: dict[str, Any]) -> list[tuple[str, bool, pd.DataFrame]]:
    """Return the rows of the tables that one entry gives: label, whether oracle, its trials.

    Of a grid, only points with the fewest failed trials can be selected: a mean over survivors is
    no better mean.
    """
    if frame.empty:
        return []
    label, rule = frame["label"].iloc[0], entry["select"]
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
    values = (sign * _values(frame, metric)).groupby([frame[c] for c in [*place, "grid"]], sort=False)
    counts = values.count()
    fullest = counts == counts.groupby(level=place, sort=False).transform("max")
    best = values.mean().where(fullest).fillna(-np.inf).groupby(level=place, sort=False).idxmax()
    chosen = pd.MultiIndex.from_tuples(best.tolist())
    kept = frame[frame.set_index([*place, "grid"]).index.isin(chosen)]
    return [(label, rule.startswith("oracle"), kept)]


def _values(frame: pd.DataFrame, metric: str) -> pd.Series:
    """Return a metric of each trial, nothing where it was not recorded."""
    name = f"m:{metric}"
    return frame[name].astype(float) if name in frame else pd.Series(np.nan, frame.index)


def _words(grid: str) -> str:
    return ", ".join(f"{name}={value}" for name, value in json.loads(grid).items())


def _cells(frame: pd.DataFrame, metrics: list[str], planned: int) -> pd.DataFrame:
    columns = [
        "dataset",
        "label",
        "oracle",
        "params",
        "point",
        "tier",
        "metric",
        "mean",
        "std",
        "n",
        "planned",
    ]
    parts = []
    for metric in metrics if len(frame) else []:
        grouped = _values(frame, metric).groupby(
            [frame[c] for c in ("dataset", "label", "oracle", "point", "tier")], sort=False
        )
        table = grouped.agg(["mean", "std", "count"]).reset_index().rename(columns={"count": "n"})
        params = frame.groupby(["dataset", "label", "oracle", "point", "tier"], sort=False)["grid"]
        table["params"] = params.agg(lambda g: " | ".join(sorted({_words(v) for v in g} - {""}))).to_numpy()
        parts.append(table.assign(metric=metric, planned=planned))
    return pd.concat(parts)[columns].reset_index(drop=True) if parts else pd.DataFrame(columns=columns)


def _failures(frame: pd.DataFrame) -> pd.DataFrame:
    columns = ["dataset", "label", "status", "message"]
    bad = frame[frame["status"] != "ok"]
    return bad.groupby(columns, sort=False).size().rename("count").reset_index()
