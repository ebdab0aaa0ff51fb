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
from cscluster.metrics import score
from cscluster.report.figures import links_map, save


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
    n_links : int
        Number of links, drawn at random.
    params : mapping
        Parameters of the algorithm.
    """

    name: str
    toy: str
    sentence: str
    n_links: int = 40
    params: Mapping[str, Any] = field(default_factory=dict)


EXHIBITS = (
    Exhibit(
        "mpckmeans",
        "moons",
        "Each cluster has a centre and a metric of its own, and both follow the links.",
    ),
    Exhibit(
        "pmmc",
        "blobs",
        "The clusters are half-spaces with a wide margin, turned until they agree with the links.",
    ),
    Exhibit(
        "trace_ratio_nonlinear",
        "xor",
        "No straight line parts the two groups; the learned map moves opposite corners together, and k-means "
        "does the rest.",
    ),
    Exhibit(
        "ccskl",
        "rings",
        "A graph of nearest neighbours finds round shapes; the links adapt its kernel.",
    ),
    Exhibit(
        "scsc",
        "moons",
        "Many rough partitions vote on each pair of samples, and the links decide how much each vote counts.",
    ),
)
N_SAMPLES = 200
SEED = 3
_HEAD = """# Gallery

One algorithm of each family, on 200 points in the plane that the project generates itself.  Solid lines are must-links,
dashed lines cannot-links; a link that the clusters break is thick and red.  `make gallery` draws this page, and
`cscluster list` names all algorithms.
"""


def draw(exhibit: Exhibit, path: Path) -> dict[str, float]:
    """Write the figure of an exhibit; return ACC of the algorithm, and of k-means, which sees no links."""
    data = load_dataset(Recipe(generator=exhibit.toy, size=N_SAMPLES, seed=SEED))
    links = Constraints.from_labels(
        random_pairs(data.n_samples, exhibit.n_links, np.random.default_rng(SEED)), data.labels
    )
    joined = ("kmeans", {}) if registry.find(exhibit.name).is_metric else None
    made = build(exhibit.name, exhibit.params, data.n_classes, SEED, joined).fit(data.X, links)
    plain = build("kmeans", {}, data.n_classes, SEED).fit(data.X)
    save(links_map(data.X, made.labels_, links), path)
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
        parts.append(
            f"## {algorithm.family}: {algorithm.title}\n\n"
            f"![{algorithm.title} on {exhibit.toy}]({file})\n\n"
            f"{exhibit.sentence}  ACC {acc['own']:.2f} with {exhibit.n_links} links; "
            f"k-means, which sees none, has {acc['kmeans']:.2f}.\n"
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
