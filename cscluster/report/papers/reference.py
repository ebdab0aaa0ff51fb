"""Committed summaries of reproduced runs, and what has drifted away from them."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from cscluster.errors import StoreError
from cscluster.report.aggregate import Results
from cscluster.report.tables import _put as put

_PLACE = ["item", "dataset", "label", "params", "point", "tier", "metric"]
_COLUMNS = [*_PLACE, "mean", "std", "n"]
_UNSTABLE = ("seconds", "iterations")
_ROUNDING = 1e-6


def summarise(runs: Mapping[str, Results]) -> pd.DataFrame:
    """Return the cells of a paper's runs that have values, one line each, with the parameters selected."""
    parts = [run.cells.assign(item=item) for item, run in runs.items() if len(run.cells)]
    if not parts:
        return pd.DataFrame(columns=_COLUMNS)
    table = pd.concat(parts)
    return table.loc[table["n"] > 0, _COLUMNS].reset_index(drop=True)


def write(path: Path, runs: Mapping[str, Results], command: str, made_with: str) -> None:
    """Write the summary of a paper's runs below comments that name the command and the versions."""
    table = summarise(runs).to_csv(index=False, lineterminator="\n", float_format="%.6g")
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, f"# {command}\n# {made_with}\n{table}")


def read(path: Path) -> pd.DataFrame:
    """Return a summary that `write` has written.

    Raises
    ------
    StoreError
        If there is none, or it is not one.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        text = "".join(line for line in lines if not line.startswith("#"))
        table = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values={"mean": [""], "std": [""]})
        return table[_COLUMNS]
    except FileNotFoundError:
        raise StoreError(f"There is no reference '{path}'; make one with --write.") from None
    except (OSError, ValueError, KeyError) as error:
        raise StoreError(f"'{path}' is not a reference of reproduced runs: {error}") from None


def drift(runs: Mapping[str, Results], reference: pd.DataFrame, tolerance: float) -> list[str]:
    """Return one sentence for each score that differs from its reference, in the order of the reference.

    Times and iterations are not compared: they depend on the machine.  A trial that failed, a cell that is
    gone and one that is new count as well.
    """
    place = [name for name in _PLACE if name != "params"]
    old, new = (
        frame[~frame["metric"].isin(_UNSTABLE)].set_index(place)[["mean", "n"]]
        for frame in (reference, summarise(runs))
    )
    sentences = []
    for where in old.index:
        if where not in new.index:
            sentences.append(f"{_words(where)}: is not there any more")
            continue
        was, now = old.loc[where], new.loc[where]
        if was["n"] != now["n"]:
            sentences.append(f"{_words(where)}: {now['n']:.0f} trials instead of {was['n']:.0f}")
        elif not _alike(was["mean"], now["mean"], tolerance):
            sentences.append(f"{_words(where)}: {now['mean']:.4f}, reference {was['mean']:.4f}")
    sentences += [f"{_words(where)}: is not in the reference" for where in new.index.difference(old.index)]
    return sentences


def _alike(was: float, now: float, tolerance: float) -> bool:
    return bool((pd.isna(was) and pd.isna(now)) or abs(was - now) <= tolerance + _ROUNDING)


def _words(where: Any) -> str:
    item, dataset, label, point, tier, metric = where
    place = f"{point} links" if tier == 1 else f"{point} links, tier {tier}"
    return f"{item}: {metric} of {label} on {dataset} ({place})"
