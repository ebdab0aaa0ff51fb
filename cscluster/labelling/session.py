"""Answers: taken, checked, saved after each one, and taken back."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Self

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from cscluster.constraints import Constraints
from cscluster.constraints.active import find_groups
from cscluster.constraints.files import Link, as_constraints, links_csv, list_links, read_text
from cscluster.errors import ConstraintError, StoreError
from cscluster.labelling.ensemble import Ensemble, renumbered
from cscluster.labelling.pairs import make_rule, membership
from cscluster.tables import outputs as files
from cscluster.tables.table import Table

IntArray = NDArray[np.int64]

_REMEMBERED = 20


class Session:
    """Questions and answers about a table; the file always holds all answers, and no other session writes it.

    Raises
    ------
    StoreError
        If another session has the file, or the directory cannot be written to.
    ConstraintError
        If a line of the file is wrong, or its links contradict each other.

    Attributes
    ----------
    table : Table
        What is asked about.
    n_clusters : int
        Number of clusters.
    path : Path
        The file of links; answers in it are taken up.
    answers : list of Link
        All answers, in the order in which they were given.
    labels : ndarray of shape (n,)
        The clusters that the answers make.
    """

    def __init__(self, table: Table, ensemble: Ensemble, path: Path) -> None:
        self.table, self.path = table, path
        self.n_clusters = ensemble.n_clusters
        self._lock = _lock(path)
        self._stored = read_text(path) if path.exists() else None
        self.answers = read_answers(path, table)
        self._ensemble = ensemble
        self._rule = make_rule(ensemble.partitions, ensemble.n_clusters)
        self._skipped: list[int] = []
        self._steps: list[str] = ["answer"] * len(self.answers)
        self._foretold: deque[bool] = deque(maxlen=_REMEMBERED)
        self.labels = np.zeros(table.n_rows, dtype=np.int64)
        self._go_on()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other sessions have the file."""
        self._lock.release()

    @property
    def links(self) -> Constraints:
        """All answers as links."""
        return as_constraints(self.answers, self.table.n_rows)

    @property
    def n_groups(self) -> int:
        """Number of groups that are known to be apart."""
        return len(self._groups())

    @property
    def foretold(self) -> tuple[int, int]:
        """Of the latest answers of this session, how many the clusters had right beforehand, and all."""
        return sum(self._foretold), len(self._foretold)

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to take back."""
        return bool(self._steps)

    @property
    def problem(self) -> str:
        """Say what is wrong with the answers as a whole, or nothing."""
        if self.n_groups <= self.n_clusters:
            return ""
        firsts = ", ".join(self.table.row_name(group[0]) for group in self._groups())
        return (
            f"By your answers {self.n_groups} items are all in different groups ({firsts}), but there are "
            f"only {self.n_clusters} clusters: take an answer back, or start again with {self.n_groups}."
        )

    def clusters(self) -> list[list[int]]:
        """Return the rows of each cluster, those first that most partitions put with the others in it."""
        members = [np.flatnonzero(self.labels == cluster) for cluster in range(self.n_clusters)]
        there = [rows for rows in members if len(rows)]
        shares = iter(membership(self._ensemble.partitions, there).T)
        return [
            rows[np.argsort(-next(shares)[rows], kind="stable")].tolist() if len(rows) else []
            for rows in members
        ]

    def answer(self, a: int, b: int, together: bool) -> None:
        """Take an answer, and save it; one that follows from earlier ones says nothing new.

        Raises
        ------
        ConstraintError
            If earlier answers say the opposite; nothing is saved.
        StoreError
            If it cannot be saved.
        """
        new = [*self.answers, Link(a, b, together)]
        links = as_constraints(new, self.table.n_rows)
        if len(links.contradictions):
            said = "apart" if together else "together"
            raise ConstraintError(
                f"'{self.table.row_name(a)}' and '{self.table.row_name(b)}' are {said} by your earlier "
                "answers; take those back if they were wrong."
            )
        if links.closure_size == self.links.closure_size:
            return
        self._save(new)
        self._steps.append("answer")
        self._foretold.append(bool(self.labels[a] == self.labels[b]) == together)
        self._go_on()

    def skip(self, a: int) -> None:
        """Ask no more about a row, until the session ends."""
        self._skipped.append(a)
        self._steps.append("skip")
        self.question = self._next()

    def undo(self) -> None:
        """Take back the latest answer or skip."""
        if not self._steps:
            return
        if self._steps[-1] == "skip":
            self._skipped.pop()
        else:
            self._save(self.answers[:-1])
            if self._foretold:
                self._foretold.pop()
        self._steps.pop()
        self._go_on()

    def _go_on(self) -> None:
        """Cluster with all answers, and find the next question."""
        labels = self._ensemble.labels(self.links)
        self.labels = renumbered(labels, self.labels, self.n_clusters)
        self.question = self._next()

    def _next(self) -> tuple[int, int] | None:
        return self._rule.next_pair(self._triples(), self._skipped)

    def _groups(self) -> list[list[int]]:
        return find_groups(self._triples()).groups

    def _triples(self) -> list[tuple[int, int, bool]]:
        return [(link.a, link.b, link.together) for link in self.answers]

    def _save(self, answers: list[Link]) -> None:
        """Write all answers, unless somebody else has changed the file."""
        there = read_text(self.path) if self.path.exists() else None
        if there != self._stored:
            raise StoreError(
                f"'{self.path}' was changed by another program; nothing was saved: end and start again."
            )
        text = links_csv(answers, self.table.ids)
        files.put(self.path, text.encode())
        self.answers, self._stored = answers, text


def read_answers(path: Path, table: Table) -> list[Link]:
    """Return the links in a file, in its order; none if there is no file.

    Raises
    ------
    ConstraintError
        If a line is wrong, or links contradict each other.
    """
    return list_links(read_text(path), path, table.n_rows, table.ids) if path.exists() else []


def _lock(path: Path) -> FileLock:
    """Return the lock of a file of links; it is held until it is released or the process ends."""
    real = path.resolve()
    lock = FileLock(real.with_name(f".{real.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreError(
            f"Another session is labelling into '{path}'; end it first, or choose another file of links."
        ) from None
    except OSError as error:
        raise StoreError(f"Cannot write beside '{path}': {error.strerror or error}.") from error
    return lock
