"""Draw the history of measured speed, which `make bench` appends to docs/speed.csv."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from cscluster.report.figures.style import styled
from cscluster.report.styles import FORMATS

_COLUMNS = 3


def draw(docs: Path) -> None:
    """Draw one panel for each measure: its values in order, with dates and versions, and its goal."""
    path = docs / "generated" / "speed.png"
    measures = list(pd.read_csv(docs / "speed.csv", dtype=str).groupby("measure", sort=False))
    rows = -(-len(measures) // _COLUMNS)
    path.parent.mkdir(parents=True, exist_ok=True)
    with styled():
        figure = Figure(figsize=(9, 2.1 * rows), dpi=150, layout="constrained")
        panels = figure.subplots(rows, _COLUMNS, squeeze=False).ravel()
        for axes, (measure, part) in zip(panels, measures, strict=False):
            values, goal = part["value"].astype(float), float(part["goal"].iloc[-1])
            axes.axhline(goal, color="0.5", linestyle="--", linewidth=1)
            axes.plot(range(len(part)), values, marker="o")
            axes.set_xticks(range(len(part)), part["date"] + "\n" + part["version"])
            axes.set_ylim(0, 1.15 * max(goal, values.max()))
            axes.set_title("\n".join(textwrap.wrap(str(measure), 34)), fontsize=8)
            axes.tick_params(labelsize=7)
        for axes in panels[len(measures) :]:
            axes.remove()
        figure.savefig(path, metadata=FORMATS["png"])
