"""Draw the gallery: one algorithm of each family on a toy set that shows what it is for.

python -m cscluster.examples.gallery results/reference
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cscluster.algorithms import registry
from cscluster.algorithms.build import build
from cscluster.constraints import Constraints
from cscluster.constraints.schedules import random_pairs
from cscluster.data.load import load_dataset
from cscluster.data.recipe import Recipe
from cscluster.metrics.scores import score
from cscluster.report.figures import FORMATS, links_map


@dataclass(frozen=True)
class Exhibit:
    """One figure of the gallery.

    Attributes
    ----------
    name : str
        The algorithm; a metric learner is joined with k-means.
    toy : str
        Kind of generated data.
    sentence : str
        What there is to see.
    params : mapping
        Parameters of the algorithm.
    """

    name: str
    toy: str
    sentence: str
    params: Mapping[str, Any] = field(default_factory=dict)


EXHIBITS = (
    Exhibit(
        "mpckmeans",
        "moons",
        "Each cluster has a centre and a metric of its own, and both follow the links.",
    ),
    Exhibit(
        "pmmc",
        "moons",
        "The boundary runs where the margin is wide and the links are kept; the kernel lets it bend.",
        {"kernel": "gaussian", "sigma": 2**0.5, "sigma_unit": "data", "lam": 0.1},
    ),
    Exhibit(
        "trace_ratio_nonlinear",
        "xor",
        "No straight line parts the two groups; the learned map moves opposite corners together, and "
        "k-means does the rest.",
    ),
    Exhibit(
        "ccskl",
        "rings",
        "A graph of nearest neighbours follows the rings; the links choose among its eigenvectors.",
        {"n_neighbors": 10},
    ),
    Exhibit(
        "scsc",
        "xor",
        "Many rough partitions say which samples are alike, and the links learn what makes them a cluster.",
        {"partitions": "kernel", "features": 2},
    ),
)
N_LINKS = 24
N_SAMPLES = 200
SEED = 3
_HEAD = """# Gallery

One algorithm of each family, on 200 points in the plane that the project generates itself.  Solid lines are
must-links, dashed lines cannot-links; a link that the clusters break is thick and coloured.  `make gallery`
draws this page, and `cscluster list` names all algorithms.  Data, settings and links were chosen with the
true labels, to show each family at its best: these are pictures, not measurements.
"""


def draw(exhibit: Exhibit, path: Path) -> dict[str, float]:
    """Write the figure of an exhibit; return ACC of the algorithm, and of k-means, which sees no links."""
    recipe = {"generator": exhibit.toy, "size": N_SAMPLES, "seed": SEED}
    data = load_dataset(Recipe.model_validate(recipe))
    links = Constraints.from_labels(
        random_pairs(data.n_samples, N_LINKS, np.random.default_rng(SEED)), data.labels
    )
    joined: tuple[str, dict[str, Any]] | None = (
        ("kmeans", {}) if registry.find(exhibit.name).is_metric else None
    )
    made = build(exhibit.name, exhibit.params, data.n_classes, SEED, joined).fit(data.X, links)
    plain = build("kmeans", {}, data.n_classes, SEED).fit(data.X)
    figure = links_map(data.X, made.labels_, links)
    figure.savefig(path, dpi=150, metadata=FORMATS["png"])
    return {
        "own": score("acc", data.labels, made.labels_),
        "kmeans": score("acc", data.labels, plain.labels_),
    }


def page(folder: Path) -> str:
    """Draw all figures into a folder and return the page that shows them, as Markdown."""
    parts = [_HEAD]
    for exhibit in EXHIBITS:
        algorithm = registry.find(exhibit.name)
        file = f"gallery-{algorithm.family}.png"
        acc = draw(exhibit, folder / file)
        params = ", ".join(f"{name}: {value}" for name, value in exhibit.params.items())
        entry = f"{{name: {exhibit.name}, params: {{{params}}}}}" if params else exhibit.name
        parts.append(
            f"## {algorithm.title} ({algorithm.family})\n\n"
            f"![{algorithm.title} on {exhibit.toy}]({file})\n\n"
            f"{exhibit.sentence}\n"
            f"ACC {acc['own']:.2f} with {N_LINKS} links; k-means, which sees none, has {acc['kmeans']:.2f}.\n"
            f"In an experiment: `{entry}` on `{{generator: {exhibit.toy}, size: {N_SAMPLES}}}`.\n"
        )
    return "\n".join(parts)


def main() -> None:
    """Write the gallery into the folder that the command line names."""
    parser = argparse.ArgumentParser(description="Draw one figure for each family of algorithms.")
    parser.add_argument("folder", type=Path, help="where the page and its figures go")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "GALLERY.md").write_text(page(folder), encoding="utf-8")
    print(f"wrote {folder / 'GALLERY.md'}")


if __name__ == "__main__":
    main()
