"""Draw all methods side by side on a few sets in the plane, with their links, ARI and time.

python -m cscluster.examples.comparison results/reference
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from cscluster.algorithms import registry
from cscluster.algorithms.build import build
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.constraints.schedules import random_pairs
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset
from cscluster.data.recipe import Recipe
from cscluster.errors import CsclusterError
from cscluster.metrics.scores import score
from cscluster.report.colours import COLOURS
from cscluster.report.figures import FORMATS
from cscluster.report.figures.style import styled

TOYS = ("blobs", "moons", "rings", "xor")
N_SAMPLES, N_LINKS, SEED = 150, 40, 3
_BLOCKS = 3  # columns of methods, each a row of cells


@dataclass(frozen=True)
class Cell:
    """What a method made of a toy set; `problem` says why there is nothing."""

    labels: IntArray | None
    ari: float
    seconds: float
    problem: str = ""


def toy(kind: str) -> tuple[Dataset, Constraints]:
    """Return a toy set and the links that all methods see."""
    data = load_dataset(Recipe.model_validate({"generator": kind, "size": N_SAMPLES, "seed": SEED}))
    pairs = random_pairs(data.n_samples, N_LINKS, np.random.default_rng(SEED))
    return data, Constraints.from_labels(pairs, data.labels)


def fit(name: str, data: Dataset, links: Constraints) -> Cell:
    """Fit a method with its default parameters; a metric learner is joined with k-means.

    The first fit of a compiled method, which compiles it, is not timed.
    """
    joined = ("kmeans", dict[str, object]()) if registry.find(name).is_metric else None
    model = build(name, {}, data.n_classes, SEED, joined)
    try:
        with warnings.catch_warnings(action="ignore"):
            if "compiled" in registry.find(name).tags:
                model.fit(data.X, links)
            start = time.process_time()
            labels = model.fit(data.X, links).labels_
    except CsclusterError as error:
        return Cell(None, float("nan"), 0.0, str(error))
    return Cell(labels, score("ari", data.labels, labels), time.process_time() - start)


def draw(names: Sequence[str], path: Path) -> None:
    """Write the picture of the named methods, one row of cells for each."""
    toys = [toy(kind) for kind in TOYS]
    n_rows = -(-len(names) // _BLOCKS)
    with styled():
        figure = Figure(figsize=(11, 0.92 * n_rows + 0.3), dpi=150)
        blocks: Any = figure.subfigures(1, _BLOCKS, wspace=0.02)
        for block, subfigure in enumerate(blocks):
            panels = subfigure.subplots(
                n_rows, len(TOYS), gridspec_kw={"wspace": 0.05, "hspace": 0.32, "left": 0.01, "right": 0.99}
            )
            subfigure.subplots_adjust(top=0.97, bottom=0.01)
            for row, panel_row in enumerate(panels):
                number = block * n_rows + row
                for axes in panel_row:
                    axes.set_axis_off()
                if number < len(names):
                    name = names[number]
                    cells = [fit(name, *both) for both in toys]
                    panel_row[0].set_title(registry.find(name).title, loc="left", pad=2, fontweight="bold")
                    for axes, cell, (data, links) in zip(panel_row, cells, toys, strict=True):
                        _draw_cell(axes, cell, data, links)
        figure.savefig(path, dpi=100, metadata=FORMATS["png"])


def _draw_cell(axes: Axes, cell: Cell, data: Dataset, links: Constraints) -> None:
    if cell.labels is None:
        axes.text(
            0.5, 0.5, "not for\nthis data", ha="center", va="center", transform=axes.transAxes, color="0.5"
        )
        return
    axes.set_aspect("equal", adjustable="datalim")
    palette = np.array([COLOURS[0], COLOURS[6], COLOURS[2], COLOURS[4]])
    for pairs, style in ((links.must_links, "-"), (links.cannot_links, (0, (3, 2)))):
        axes.add_collection(
            LineCollection(list(data.X[pairs]), colors="0.55", linewidths=0.35, linestyles=[style])
        )
    axes.scatter(
        data.X[:, 0], data.X[:, 1], c=palette[cell.labels % len(palette)], s=3.5, linewidth=0, zorder=2
    )
    for x, side, text, look in (
        (0.99, "right", f"{max(cell.ari, 0):.2f}", {"fontweight": "bold" if cell.ari > 0.9 else "normal"}),
        (0.01, "left", f"{1000 * cell.seconds:.0f} ms", {"fontsize": 5.5, "color": "0.35"}),
    ):
        box = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6}
        axes.text(x, 0, text, {"fontsize": 7, **look}, ha=side, transform=axes.transAxes, zorder=3, bbox=box)


def main() -> None:
    """Write ``comparison.png`` into the directory that the command line names."""
    parser = argparse.ArgumentParser(description="Draw all methods on four sets in the plane.")
    parser.add_argument("directory", type=Path, help="where the picture goes")
    path = parser.parse_args().directory / "comparison.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    draw([entry.name for entry in registry.BUILT_IN if not entry.name.endswith("_printed")], path)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
