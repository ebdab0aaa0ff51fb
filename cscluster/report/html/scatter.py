"""An interactive map of samples in the plane, with their clusters and links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cscluster.arrays import BoolArray, IntArray
from cscluster.report.colours import CLUSTERS
from cscluster.report.html.document import document
from cscluster.report.html.markup import Markup, facts, note, tag, text
from cscluster.report.html.sortable import Cell, PlainTable, filter_box, table
from cscluster.words import plural

POINTS_LIMIT = 20_000
"""Samples that a map shows; of more, every linked one and an even selection of the others."""
BROKEN_LIMIT = 500
"""Broken links that a page lists."""


def scatter_page(
    points: ArrayLike,
    labels: Sequence[object] | NDArray[Any],
    *,
    title: str,
    must_links: ArrayLike = (),
    cannot_links: ArrayLike = (),
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
    title : str
        Of the page.
    must_links, cannot_links : arrays of shape (n_links, 2)
        Numbers of the samples that each link joins.
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
    clusters = [str(name) for name in found.tolist()]
    links = {
        "must": np.asarray(must_links, dtype=np.int64).reshape(-1, 2),
        "cannot": np.asarray(cannot_links, dtype=np.int64).reshape(-1, 2),
    }
    broken = {
        "must": cluster[links["must"][:, 0]] != cluster[links["must"][:, 1]],
        "cannot": cluster[links["cannot"][:, 0]] == cluster[links["cannot"][:, 1]],
    }
    rows = _rows_to_show(len(where), links)
    data = {
        "clusters": clusters,
        "hues": CLUSTERS,
        "sizes": np.bincount(cluster, minlength=len(clusters)).tolist(),
        "axes": list(axes),
        "points": [[*where[i].tolist(), int(cluster[i]), names[i]] for i in rows],
        "links": {
            kind: [
                [*where[a].tolist(), *where[b].tolist(), names[a], names[b], bool(bad)]
                for (a, b), bad in zip(pairs, broken[kind], strict=True)
            ]
            for kind, pairs in links.items()
        },
    }
    counts = [("samples", f"{len(where):,}", False), ("clusters", f"{len(clusters):,}", False)]
    for kind, pairs in links.items():
        n_kept = len(pairs) - int(broken[kind].sum())
        counts.append((f"{kind}-links kept", f"{n_kept:,} of {len(pairs):,}", n_kept < len(pairs)))
    body = tag(
        "article",
        tag("header", tag("h1", text(title)), facts(counts), class_="lead"),
        _map(len(rows), len(where)),
        _about(about),
        _broken_links(links, broken, names, [clusters[c] for c in cluster]),
    )
    return document(title, body, data, ["scatter.js"])


def clusters_page(title: str, tables: Sequence[PlainTable]) -> str:
    """Return tables of what is in the clusters as one HTML file.

    Parameters
    ----------
    title : str
        Of the page.
    tables : sequence of PlainTable
        The tables.
    """
    return document(title, tag("article", _lead(title), _about(tables)))


def index_page(
    title: str, heads: list[str], rows: Sequence[Sequence[str]], links: Sequence[str | None]
) -> str:
    """Return a table of runs as one HTML file; the first cell of a row may be a link.

    Parameters
    ----------
    title : str
        Of the page.
    heads, rows : lists of str
        The table.
    links : sequence of str or None
        Where the first cell of each row leads to.
    """
    cells = [
        [Cell(tag("a", text(first), href=link) if link else text(first)), *(Cell(text(c)) for c in rest)]
        for (first, *rest), link in zip(rows, links, strict=True)
    ]
    runs = tag("section", filter_box("Filter runs"), table(plural(len(cells), "run"), heads, cells))
    return document(title, tag("article", _lead(title), runs))


def _lead(title: str) -> Markup:
    return tag("header", tag("h1", text(title)), class_="lead")


def _about(tables: Sequence[PlainTable]) -> Markup:
    if not tables:
        return Markup()
    shown = [
        table(
            found.caption,
            found.heads,
            [[Cell(text(cell), _number(cell)) for cell in row] for row in found.rows],
            numbers=found.numbers,
        )
        for found in tables
    ]
    return tag("section", tag("h2", "What is in the clusters"), filter_box("Filter clusters"), *shown)


def _number(cell: str) -> float | None:
    try:
        return float(cell.removesuffix("%"))
    except ValueError:
        return None


def _map(n_shown: int, total: int) -> Markup:
    """Return the place where scripts draw the map; a note says so where not all samples are on it."""
    words = f"The map shows {n_shown:,} of {total:,} samples, all linked ones among them."
    chart = tag("div", class_="chart map", role="img")
    return tag(
        "section",
        tag("h2", "Map"),
        tag("div", class_="key only-with-scripts", role="group", aria_label="Clusters and links to show"),
        tag("figure", tag("figcaption"), chart, class_="only-with-scripts"),
        note(words) if n_shown < total else "",
    )


def _rows_to_show(n: int, links: dict[str, IntArray]) -> list[int]:
    """Return the samples that the map shows."""
    if n <= POINTS_LIMIT:
        return list(range(n))
    linked = np.unique(np.concatenate([pairs.ravel() for pairs in links.values()]))
    others = np.setdiff1d(np.arange(n), linked)
    room = max(POINTS_LIMIT - len(linked), 0)
    even = others[np.linspace(0, len(others), room, endpoint=False).astype(int)]
    return [int(i) for i in np.union1d(linked, even)]


def _broken_links(
    links: dict[str, IntArray], broken: dict[str, BoolArray], names: list[str], labels: list[str]
) -> Markup:
    """Return a table of the links that the clusters break."""
    found = [(kind, a, b) for kind, pairs in links.items() for a, b in pairs[broken[kind]].tolist()]
    if not found:
        return Markup()
    rows = [
        [Cell(text(names[a])), Cell(text(names[b])), Cell(kind), Cell(text(labels[a])), Cell(text(labels[b]))]
        for kind, a, b in found[:BROKEN_LIMIT]
    ]
    caption = f"{len(found):,} of {sum(map(len, links.values())):,} links" + (
        f"; the first {BROKEN_LIMIT} of them" if len(found) > BROKEN_LIMIT else ""
    )
    heads = ["a", "b", "link", "cluster of a", "cluster of b"]
    return tag("section", tag("h2", "Broken links"), filter_box("Filter links"), table(caption, heads, rows))
