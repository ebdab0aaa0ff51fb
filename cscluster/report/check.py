"""Comparison with reference values, for continuous integration."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd

from cscluster.errors import ConfigError, did_you_mean
from cscluster.metrics.catalogue import TIMES
from cscluster.report.aggregate import Results
from cscluster.report.formats import spreadsheet

_PLACE = ["dataset", "label", "point", "tier", "metric"]


def parse_tolerances(texts: list[str]) -> dict[str, float]:
    """Read ``0.02`` (for all metrics, whose key is empty) and ``acc=0.01`` (for one).

    Raises
    ------
    ConfigError
        If one is not a number >= 0.
    """
    found = {"": 0.02}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            found[name] = -1.0
        if not 0 <= found[name] < float("inf") or (equals and not name):
            raise ConfigError(f"A tolerance is a number >= 0, or METRIC=NUMBER, got '{text}'.")
    return found


def tolerance_of(metric: str, tolerances: dict[str, float]) -> float | None:
    """Return the tolerance of a metric; None, not checked, for times without one of their own."""
    name = metric.partition("@")[0]
    default = None if name in TIMES else tolerances[""]
    return tolerances.get(metric, tolerances.get(name, default))


def read_reference(path: Path) -> pd.DataFrame:
    """Read a CSV file with the columns of ``summary.csv``: dataset, label, point, tier, metric, mean.

    Raises
    ------
    ConfigError
        If there is no such file, or it has no such table.
    """
    try:
        table = _read(path)
    except OSError as error:
        raise ConfigError(f"Cannot read the reference '{path}': {error.strerror}.") from None
    except ValueError as error:
        raise ConfigError(f"Cannot read the reference '{path}': {error}") from None
    if table.empty or table.duplicated(_PLACE).any():
        problem = "it has no line below its heading" if table.empty else "it has two lines for one cell"
        raise ConfigError(f"Cannot read the reference '{path}': {problem}.")
    return table


def _read(file: Path | io.StringIO) -> pd.DataFrame:
    """Return the cells of a summary, without methods that have no result."""
    numbers = dict.fromkeys(("point", "tier", "mean"), float)
    types = dict.fromkeys(("dataset", "label", "metric"), str)
    columns = [*_PLACE, "mean"]
    table = pd.read_csv(
        file, usecols=columns, dtype={**types, **numbers}, keep_default_na=False, na_values=[""]
    )
    return table[columns].dropna(subset="metric").astype({"point": int, "tier": int})


def drift(
    results: Results, reference: pd.DataFrame, tolerances: dict[str, float]
) -> tuple[pd.DataFrame, int]:
    """Compare results with reference values.

    Cells that the reference lacks are not looked at.

    Returns
    -------
    table : DataFrame
        The cells that drifted, the largest difference first, those that are missing before all: columns
        dataset, label, point, tier, metric, reference, mean, difference.
    checked : int
        Number of cells that were compared.

    Raises
    ------
    ConfigError
        If the reference and the tolerances leave nothing to compare, or name an unknown metric.
    """
    metrics = reference["metric"].unique()
    known = {"", *metrics, *(metric.partition("@")[0] for metric in metrics)}
    for name in tolerances:
        if name not in known:
            raise ConfigError(f"The reference has no metric '{name}'{did_you_mean(name, metrics)}")
    allowed = (
        reference["metric"].map({name: tolerance_of(name, tolerances) for name in metrics}).astype(float)
    )
    expected = reference[allowed.notna()].rename(columns={"mean": "reference"})
    if expected.empty:
        raise ConfigError(
            "The reference has only times, which are checked only with a tolerance of their own."
        )
    table = expected.merge(_read(io.StringIO(spreadsheet.text([results]))), on=_PLACE, how="left")
    table["difference"] = table["mean"] - table["reference"]
    beyond = table["difference"].abs() > allowed[allowed.notna()].to_numpy() + 1e-9
    beyond |= table["mean"].isna() != table["reference"].isna()
    worst_first = table[beyond].sort_values(
        "difference", key=lambda d: -d.abs(), na_position="first", kind="stable"
    )
    return worst_first.reset_index(drop=True), len(table)
