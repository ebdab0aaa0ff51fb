"""Records as a data frame, one row for each trial and tier."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

import numpy as np
import pandas as pd

from cscluster.store.definition import CellEntry
from cscluster.store.records import Record

COSTS = ("seconds", "fit_seconds", "cpu_seconds", "iterations")
"""Metrics that every record of a finished trial has."""
LABELS = "labels"
"""What `recorded` has where a record holds the labels of its trial."""
_COPIED = ("key", "cell", "point", "tier", "trial", "repetition", "status", "environment", "converged")
_NAMES = ["dataset", "algorithm", "label", "params", "grid"]


def trials_frame(records: Iterable[Record]) -> pd.DataFrame:
    """Return records as a data frame; of two with the same key the later counts.

    Returns
    -------
    DataFrame
        Columns key, cell, point, tier, trial, repetition, status, environment, converged, warnings, message
        (of a failure), recorded (names of the metrics that the trial was scored by, and `LABELS`), and
        ``m:NAME`` for every metric and each of `COSTS`.
    """
    rows, copied = [], itemgetter(*_COPIED)
    scores: dict[tuple[str, ...], tuple[list[int], list[tuple[float | None, ...]]]] = {}
    interned: dict[tuple[str, ...], tuple[str, ...]] = {}
    for number, record in enumerate(records):
        metrics, seconds, error = record["metrics"], record["seconds"], record["error"]
        names = tuple(metrics)
        names = interned.setdefault(names, names)
        held = (*names, LABELS) if "labels" in record else names
        held = interned.setdefault(held, held)
        rows.append((*copied(record), tuple(record["warnings"]), _problem(error) if error else "", held))
        numbers, values = scores.setdefault(names, ([], []))
        numbers.append(number)
        spent = sum(seconds.values()) if seconds else None
        fit = seconds.get("fit", 0.0) + seconds.get("update", 0.0) if seconds else None
        values.append((*metrics.values(), spent, fit, record["cpu_seconds"], record["iterations"]))
    frame = pd.DataFrame(rows, columns=[*_COPIED, "warnings", "message", "recorded"])
    parts = [
        pd.DataFrame(np.array(values, dtype=float), numbers, [f"m:{name}" for name in (*names, *COSTS)])
        for names, (numbers, values) in scores.items()
    ]
    none = pd.DataFrame(columns=[f"m:{name}" for name in COSTS], dtype=float)
    frame = frame.join(pd.concat(parts or [none]))
    return frame.drop_duplicates("key", keep="last", ignore_index=True)


def joined(before: pd.DataFrame, records: Iterable[Record], cells: Mapping[str, CellEntry]) -> pd.DataFrame:
    """Return earlier records, under new names, and later ones."""
    frame, later = with_names(before, cells), with_names(trials_frame(records), cells)
    if frame.empty or later.empty:
        return later if frame.empty else frame
    return pd.concat([frame, later]).drop_duplicates("key", keep="last", ignore_index=True)


def with_names(frame: pd.DataFrame, cells: Mapping[str, CellEntry]) -> pd.DataFrame:
    """Return records with what tables call their cells; those of unknown cells are left out.

    Parameters
    ----------
    frame : DataFrame
        What `trials_frame` returned, or has been named otherwise.
    cells : mapping
        The cells by hash.

    Returns
    -------
    DataFrame
        The same with columns dataset, algorithm, label, params and grid (JSON).
    """
    entries = pd.DataFrame(
        [
            (
                entry.dataset,
                entry.algorithm,
                entry.label,
                json.dumps(entry.params, sort_keys=True),
                json.dumps(entry.grid, sort_keys=True),
            )
            for entry in cells.values()
        ],
        columns=_NAMES,
        dtype=object,
    )
    places = pd.Index(cells.keys(), dtype=object).get_indexer(frame["cell"])
    names = entries.iloc[places[places >= 0]].reset_index(drop=True)
    others = frame.drop(columns=_NAMES, errors="ignore")[places >= 0].reset_index(drop=True)
    return pd.concat([names, others], axis=1)


def planned_rows(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return the rows of a plan, in its order."""
    places = pd.Index(frame["key"]).get_indexer(pd.Index(keys, dtype=object))
    return frame.iloc[places[places >= 0]].reset_index(drop=True)


def _problem(error: Mapping[str, str]) -> str:
    """Return what went wrong, and where in the user's own code."""
    place = f" ({error['place']})" if error.get("place") else ""
    return f"{error['type']}: {error['message']}{place}"
