"""Draw all methods side by side on a few sets in the plane, with their links, ARI and time.

python docs/comparison.py results/reference --each docs/figures

``--each`` draws also a picture of each method: the set that it suits best, and the one that it suits least.
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
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from PIL import Image

from cscluster.algorithms import registry
from cscluster.algorithms.build import build
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.constraints.sampling import random_pairs
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset
from cscluster.data.recipe import Recipe
from cscluster.errors import CsclusterError
from cscluster.metrics.scores import score
from cscluster.report.colours import COLOURS
from cscluster.report.figures.style import styled
from cscluster.report.styles import FORMATS

TOYS = ("blobs", "moons", "rings", "xor")
N_SAMPLES, N_LINKS, SEED = 150, 40, 3
_GOOD, _POOR = 0.8, 0.5  # ARI above which a method shines, and below which it fails
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
    model = build(name, {}, data.n_classes, SEED)
    try:
        with warnings.catch_warnings(action="ignore"):
            if "compiled" in registry.find(name).tags:
                model.fit(data.X, constraints=links)
            start = time.process_time()
            labels = model.fit(data.X, constraints=links).labels_
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


def draw_each(names: Sequence[str], directory: Path) -> None:
    """Write ``NAME.png`` for each named method: its highest ARI of all toy sets, and its lowest."""
    toys = {kind: toy(kind) for kind in TOYS}
    for name in names:
        cells = {kind: cell for kind, both in toys.items() if not (cell := fit(name, *both)).problem}
        best, worst = (choose(cells, key=lambda kind: cells[kind].ari) for choose in (max, min))
        words = {
            best: "shines" if cells[best].ari > _GOOD else "best here",
            worst: "fails" if cells[worst].ari < _POOR else "worst here",
        }
        with styled():
            figure = Figure(figsize=(5.2, 2.4), dpi=110)
            panels = figure.subplots(1, 2, gridspec_kw={"wspace": 0.05, "left": 0.01, "right": 0.99})
            figure.subplots_adjust(top=0.9, bottom=0.02)
            for axes, kind in zip(panels, (best, worst), strict=True):
                axes.set_axis_off()
                axes.set_title(f"{words[kind]}: {kind}, ARI {max(cells[kind].ari, 0):.2f}", pad=3)
                _draw_points(axes, cells[kind], *toys[kind], size=9)
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
            picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        picture.quantize(64).save(directory / f"{name}.png", optimize=True)


def _draw_cell(axes: Axes, cell: Cell, data: Dataset, links: Constraints) -> None:
    if cell.problem:
        axes.text(
            0.5, 0.5, "not for\nthis data", ha="center", va="center", transform=axes.transAxes, color="0.5"
        )
        return
    _draw_points(axes, cell, data, links, size=3.5)
    for x, side, text, look in (
        (0.99, "right", f"{max(cell.ari, 0):.2f}", {"fontweight": "bold" if cell.ari > 0.9 else "normal"}),
        (0.01, "left", f"{1000 * cell.seconds:.0f} ms", {"fontsize": 5.5, "color": "0.35"}),
    ):
        box = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6}
        axes.text(x, 0, text, {"fontsize": 7, **look}, ha=side, transform=axes.transAxes, zorder=3, bbox=box)


def _draw_points(axes: Axes, cell: Cell, data: Dataset, links: Constraints, size: float) -> None:
    assert cell.labels is not None, "a cell without a problem has labels"
    axes.set_aspect("equal", adjustable="datalim")
    palette = np.array([COLOURS[0], COLOURS[6], COLOURS[2], COLOURS[4]])
    for pairs, style in ((links.must_links, "-"), (links.cannot_links, (0, (3, 2)))):
        axes.add_collection(
            LineCollection(list(data.X[pairs]), colors="0.55", linewidths=0.1 * size, linestyles=[style])
        )
    colours = np.where(cell.labels == -1, "0.35", palette[cell.labels % len(palette)])  # noise is dark
    axes.scatter(data.X[:, 0], data.X[:, 1], c=colours, s=size, linewidth=0, zorder=2)


def main() -> None:
    """Write ``comparison.png`` and the pictures of each method into the directories on the command line."""
    parser = argparse.ArgumentParser(description="Draw all methods on four sets in the plane.")
    parser.add_argument("directory", type=Path, help="where the picture goes")
    parser.add_argument("--each", type=Path, help="where a picture of each method goes")
    given = parser.parse_args()
    names = [entry.name for entry in registry.BUILT_IN]
    for directory in filter(None, (given.directory, given.each)):
        directory.mkdir(parents=True, exist_ok=True)
    draw(names, given.directory / "comparison.png")
    if given.each:
        draw_each(names, given.each)


if __name__ == "__main__":
    main()
