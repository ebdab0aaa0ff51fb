"""Committed summaries of reproduced runs, and what has drifted away from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from cscluster.atomic import put
from cscluster.errors import StoreError
from cscluster.report import check
from cscluster.report.aggregate import Results
from cscluster.store.frame import COSTS
from cscluster.words import plural

_COLUMNS = ["item", "dataset", "label", "params", "point", "tier", "metric", "mean", "std", "n"]
_ROUNDING = 1e-6


def write(path: Path, runs: Mapping[str, Results], command: str, made_with: str) -> None:
    """Write the cells of a paper's runs that have values below the command and the versions."""
    parts = [run.cells.assign(item=item) for item, run in runs.items() if len(run.cells)]
    table = pd.concat(parts) if parts else pd.DataFrame(columns=_COLUMNS)
    lines = table.loc[table["n"] > 0, _COLUMNS]
    text = lines.to_csv(index=False, lineterminator="\n", float_format="%.6g")
    put(path, f"# {command}\n# {made_with}\n{text}")


def read(path: Path) -> pd.DataFrame:
    """Return a summary that `write` has written.

    Raises
    ------
    StoreError
        If there is none, or it is not one.
    """
    try:
        missing = {"mean": [""], "std": [""]}
        return pd.read_csv(path, skiprows=2, keep_default_na=False, na_values=missing)[_COLUMNS]
    except FileNotFoundError:
        raise StoreError(f"There is no reference '{path}'. Write one first.") from None
    except (OSError, ValueError, KeyError) as error:
        raise StoreError(f"'{path}' is not a reference of reproduced runs: {error}") from None


def drift(runs: Mapping[str, Results], reference: pd.DataFrame, tolerance: float) -> list[str]:
    """Return one sentence for each score that differs from its reference, and for each failure that is new.

    Times and iterations are not compared: they depend on the machine.  A failure is new where the reference
    has scores of the same method on the same data set.
    """
    sentences = []
    stable = reference[~reference["metric"].isin(COSTS)]
    for item, expected in stable.groupby("item", sort=False):
        if item not in runs:
            sentences.append(f"{item}: has no results")
            continue
        found, _ = check.drift(runs[str(item)], expected, {"": tolerance + _ROUNDING})
        for row in found.itertuples():
            now = "is not there any more" if pd.isna(row.mean) else f"{row.mean:.4f}"
            sentences.append(
                f"{item}: {row.metric} of {row.label} on {row.dataset} "
                f"({row.point} constraints, tier {row.tier}): {now}, reference {row.reference:.4f}"
            )
    scored = set(stable[["item", "dataset", "label"]].itertuples(index=False, name=None))
    for item, run in runs.items():
        for row in run.failures.itertuples():
            if (item, row.dataset, row.label) not in scored:
                continue
            trials = plural(row.count, "trial")
            sentences.append(f"{item}: {trials} of {row.label} on {row.dataset}: {row.message}")
    return sentences
