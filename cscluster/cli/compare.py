"""``cscluster compare``: what differs between two runs."""

from __future__ import annotations

from typing import Any

from cscluster.cli.console import out
from cscluster.cli.options import CompareOptions
from cscluster.cli.stored import collect, require_run
from cscluster.metrics.catalogue import metric_title
from cscluster.report import compare as comparing
from cscluster.report.compare import RunComparison


def compare(options: CompareOptions) -> None:
    """Say what changed between two runs, and which results moved."""
    old, new = (require_run(name, options.results) for name in (options.before, options.after))
    _show(comparing.compare(old, new, collect(old, options.metric), collect(new, options.metric)))


def _show(comparison: RunComparison) -> None:
    out.print("what changed", style="bold")
    changes = comparison.changes or ["nothing in the experiment, the algorithms and the environment"]
    out.say(*(f"  {line}" for line in changes), "")
    moved = comparison.cells[comparison.cells["verdict"].isin(["better", "worse"])]
    moved = moved.iloc[moved["difference"].abs().argsort()[::-1]]
    if len(moved):
        numbers = ["before", "after", "change", "p"]
        has_tiers = comparison.cells["tier"].max() > 1
        rows = [_row(cell, has_tiers) for cell in moved.itertuples()]
        out.table(["what", *numbers, "verdict"], rows, numbers)
        out.say("")
    out.print(comparison.verdict, style="bold")
    if comparison.cells.empty:
        return
    how = "trial by trial" if comparison.paired else "as independent samples, since their constraints differ"
    out.print(f"t-tests of the trials, {how}, with Holm's correction", style="dim")


def _row(cell: Any, has_tiers: bool) -> list[str]:
    at = f"{cell.point} tier {cell.tier}" if has_tiers else cell.point
    what = f"{metric_title(cell.metric)} of {cell.label} on {cell.dataset} at {at}"
    numbers = f"{cell.before:.3f}", f"{cell.after:.3f}", f"{cell.difference:+.3f}", f"{cell.p:.2g}"
    return [what, *numbers, cell.verdict]
