"""What the page shows, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cscluster.labelling.clusters import Clusters
from cscluster.labelling.items import Items
from cscluster.labelling.session import Session

SHOWN_TRAITS = 3
SHOWN_CELLS = 6
MAX_POINTS = 2000


class PageState:
    """The state of a session for the page.

    Parameters
    ----------
    session : Session
        Questions and answers.
    items : Items
        What rows look like.
    points : ndarray of shape (n, 2)
        Where rows lie on the map.
    command : callable
        Returns how to make given clusters with the links.
    """

    def __init__(
        self, session: Session, items: Items, points: NDArray[np.float64], command: Callable[[Clusters], str]
    ) -> None:
        self.session, self.items = session, items
        self._command = command
        self._drawn = np.sort(np.random.default_rng(0).permutation(len(points))[:MAX_POINTS])
        low, high = points.min(axis=0), points.max(axis=0)
        self._points = (points[self._drawn] - low) / np.where(high > low, high - low, 1)

    def fixed(self) -> dict[str, Any]:
        """Return what does not change."""
        return {
            "name": self.session.table.name,
            "rows": self.session.table.n_samples,
            "file": str(self.session.path),
            "clusters": self.session.n_clusters,
            "pictures": self.items.pictures is not None,
            "points": np.round(self._points, 3).tolist(),
        }

    def state(self) -> dict[str, Any]:
        """Return what changes with each answer."""
        session = self.session
        clusters, links = session.clusters, session.links
        place = dict(zip(self._drawn.tolist(), range(len(self._drawn)), strict=True))
        return {
            "question": None if session.question is None else [self._item(row) for row in session.question],
            "must": len(links.must_links),
            "cannot": len(links.cannot_links),
            "satisfied": len(links) - len(links.violated(clusters.labels)),
            "groups": session.n_likely_groups,
            "predicted": session.predicted,
            "advice": session.advice,
            "enough": not session.missing,
            "again": bool(session.doubtful),
            "step": session.n_steps,
            "problem": session.problem,
            "canUndo": session.can_undo,
            "upToDate": session.is_up_to_date,
            "method": clusters.algorithm,
            "reason": clusters.reason,
            "news": " ".join([clusters.news, *clusters.notes]).strip(),
            "command": self._command(clusters),
            "clusters": self._clusters(clusters),
            "labels": clusters.colours[clusters.labels[self._drawn]].tolist(),
            "asked": [place.get(row) for row in session.question or ()],
        }

    def answers(self) -> list[dict[str, Any]]:
        """Return all answers: two rows, their names, and whether they belong together."""
        name = self.session.table.row_name
        return [
            {"rows": [link.a, link.b], "names": [name(link.a), name(link.b)], "together": link.together}
            for link in self.session.answers
        ]

    def _item(self, row: int) -> dict[str, Any]:
        shown: dict[str, Any] = {"row": row, "name": self.session.table.row_name(row)}
        if self.items.pictures:
            return {**shown, "image": f"image/{row}.png"}
        return {**shown, "cells": self.items.cells(row), "more": self.items.n_hidden}

    def _clusters(self, clusters: Clusters) -> list[dict[str, Any]]:
        """Return name, colour and size of each cluster, its typical rows, and what sets it apart."""
        name = self.session.table.row_name
        names = self.session.cluster_names
        return [
            {
                "name": names[part.number],
                "colour": int(clusters.colours[part.number]),
                "size": part.size,
                "rows": [[row, name(row), self._summary(row)] for row in part.typical],
                "traits": [
                    f"{trait.title} {trait.shown(trait.inside)} (others {trait.shown(trait.outside)})"
                    for trait in part.traits[: 0 if self.items.pictures else SHOWN_TRAITS]
                ],
            }
            for part in clusters.described
        ]

    def _summary(self, row: int) -> str:
        """Return the first cells of a row in one line."""
        cells = [] if self.items.pictures else self.items.cells(row)[:SHOWN_CELLS]
        return ", ".join(f"{cell.name} {cell.value}" for cell in cells)
