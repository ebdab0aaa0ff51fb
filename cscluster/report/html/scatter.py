"""An interactive map of samples in the plane, with their clusters and constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.report.colours import CLUSTERS
from cscluster.report.html.blocks import render, sections
from cscluster.report.html.document import document
from cscluster.report.html.markup import Markup, facts, tag, text
from cscluster.report.page import Block, Heading, Note
from cscluster.report.table import PlainTable

POINTS_LIMIT = 20_000
"""Samples that a map shows; of more, all that constraints are about and an even selection of the others."""
VIOLATED_LIMIT = 500
"""Violated constraints that a page lists."""


def scatter_page(
    points: ArrayLike,
    labels: Sequence[object] | NDArray[Any],
    constraints: Constraints,
    *,
    title: str,
    ids: Sequence[object] | None = None,
    axes: tuple[str, str] = ("first axis", "second axis"),
    about: Sequence[PlainTable] = (),
) -> str:
    """Return a map of clustered samples as one HTML file.

    Parameters
    ----------
    points : array of shape (n_samples, 2)
        Where the samples are.
    labels : sequence of length n_samples
        The clusters.
    constraints : Constraints
        Drawn as lines; those that the clusters violate are listed.
    title : str
        Of the page.
    ids : sequence of length n_samples, optional
        Names of the samples; their numbers by default.
    axes : two str
        Names of the axes.
    about : sequence of PlainTable
        What is in the clusters, below the map.
    """
    where = np.asarray(points, dtype=float)
    names = [str(i) for i in (range(len(where)) if ids is None else ids)]
    found, cluster = np.unique(np.asarray(labels), return_inverse=True)
    clusters = ["noise" if name == -1 else str(name) for name in found.tolist()]
    rows = _rows_to_show(len(where), constraints.pairs)
    n_clusters = len(set(clusters) - {"noise"})
    counts = [("samples", f"{len(where):,}", False), ("clusters", f"{n_clusters:,}", False)]
    links, violated = {}, []
    for kind, of_kind in (("must", constraints.is_must), ("cannot", ~constraints.is_must)):
        pairs, is_violated = constraints.pairs[of_kind], constraints.is_violated(np.asarray(labels))[of_kind]
        links[kind] = [
            [*where[a].tolist(), *where[b].tolist(), names[a], names[b], bad]
            for (a, b), bad in zip(pairs, is_violated.tolist(), strict=True)
        ]
        for a, b in pairs[is_violated]:
            violated.append([names[a], names[b], kind, clusters[cluster[a]], clusters[cluster[b]]])
        n_satisfied = int((~is_violated).sum())
        satisfied = f"{n_satisfied:,} of {len(pairs):,}"
        counts.append((f"{kind}-links satisfied", satisfied, n_satisfied < len(pairs)))
    data = {
        "clusters": clusters,
        "hues": CLUSTERS,
        "sizes": np.bincount(cluster, minlength=len(clusters)).tolist(),
        "axes": list(axes),
        "points": [[*where[i].tolist(), int(cluster[i]), names[i]] for i in rows],
        "links": links,
    }
    lead = tag("header", tag("h1", text(title)), facts(counts), class_="lead")
    shown = sections([*clusters_blocks(about), *_violated_blocks(violated, len(constraints))])
    body = tag("article", lead, _map(len(rows), len(where)), *shown)
    return document(title, body, data, ["scatter.js"])


def clusters_blocks(tables: Sequence[PlainTable]) -> Iterator[Block]:
    """Yield tables of what is in the clusters, if there are any, below a heading."""
    if tables:
        yield Heading(2, "What is in the clusters")
        yield from tables


def _map(n_shown: int, total: int) -> Markup:
    """Return the place where scripts draw the map; a note says so where not all samples are on it."""
    words = f"The map shows {n_shown:,} of {total:,} samples, among them all that constraints are about."
    chart = tag("div", class_="chart map", role="img")
    return tag(
        "section",
        tag("h2", "Map"),
        tag(
            "div", class_="key only-with-scripts", role="group", aria_label="Clusters and constraints to show"
        ),
        tag("figure", tag("figcaption"), chart, class_="only-with-scripts"),
        render(Note(words)) if n_shown < total else "",
    )


def _rows_to_show(n: int, pairs: IntArray) -> list[int]:
    """Return the samples that the map shows."""
    if n <= POINTS_LIMIT:
        return list(range(n))
    constrained = np.unique(pairs)
    others = np.setdiff1d(np.arange(n), constrained)
    room = max(POINTS_LIMIT - len(constrained), 0)
    even = others[np.linspace(0, len(others), room, endpoint=False).astype(int)]
    return [int(i) for i in np.union1d(constrained, even)]


def _violated_blocks(rows: list[list[str]], total: int) -> Iterator[Block]:
    """Yield a table of the constraints that the clusters violate."""
    if rows:
        first = f", the first {VIOLATED_LIMIT} of them" if len(rows) > VIOLATED_LIMIT else ""
        caption = f"{len(rows):,} of {total:,} constraints{first}"
        yield Heading(2, "Violated constraints")
        heads = ["a", "b", "constraint", "cluster of a", "cluster of b"]
        yield PlainTable(caption, heads, rows[:VIOLATED_LIMIT])
