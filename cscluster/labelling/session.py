"""Answers: taken, checked, saved after each one, changed and taken back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
from filelock import FileLock, Timeout

from cscluster.atomic import put
from cscluster.constraints import Constraints
from cscluster.constraints.files import Link, as_constraints, links_csv, list_links, read_text
from cscluster.data.dataset import Dataset
from cscluster.errors import ContradictionError, StoreError
from cscluster.labelling.clusters import RECENT, AnswerClusterer, Clusters
from cscluster.queries.active import Answer, entailed, find_groups
from cscluster.queries.doubt import Doubt

ENOUGH = f"The latest {RECENT} answers changed next to nothing: this may be enough."

_UNMOVED = 0.005
"""Share of the rows that is next to nothing."""


class AnswerError(ContradictionError):
    """An answer that earlier ones contradict.

    Attributes
    ----------
    numbers : list of int
        Numbers of the answers, a chain of links, that contradict it.
    """

    def __init__(self, message: str, numbers: list[int]) -> None:
        super().__init__(message)
        self.numbers = numbers


class Session:
    """Questions and answers about a table; the file always holds all answers, and no other session writes it.

    Questions follow from the answers alone; the clusters are made in the background.

    Raises
    ------
    StoreError
        If another session has the file, or the directory cannot be written to.
    ConstraintError
        If a line of the file is wrong, or its constraints contradict each other.

    Attributes
    ----------
    table : Dataset
        What is asked about.
    path : Path
        The file of links; answers in it are taken up.
    answers : list of Link
        All answers, in the order in which they were given.
    question : pair of int, optional
        The rows that are asked about.
    clusters : Clusters
        The latest clusters; those of all answers where `is_up_to_date`.
    """

    def __init__(self, clusterer: AnswerClusterer, path: Path) -> None:
        self.table, self.path = clusterer.table, path
        self._clusterer = clusterer
        self._lock = _lock(path)
        self._stored = read_text(path) if path.exists() else None
        self.answers = read_answers(path, self.table)
        linked = {row for link in self.answers for row in (link.a, link.b)}
        self._rule = Doubt(clusterer.X, clusterer.n_clusters, clusterer.seed, linked)
        self._skipped: list[int] = []
        self._earlier: list[tuple[list[Link], list[int]]] = []
        self._predicted: deque[bool] = deque(maxlen=RECENT)
        self.clusters: Clusters = clusterer(self.answers)
        self._worker = ThreadPoolExecutor(1, "clusters")
        self._latest = self._worker.submit(lambda: None)
        self.question = self._next()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other sessions have the file."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._lock.release()

    @property
    def links(self) -> Constraints:
        """All answers as links."""
        return as_constraints(self.answers, self.table.n_samples)

    @property
    def n_groups(self) -> int:
        """Number of groups that are known to be apart."""
        return len(self._groups())

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters, if it is given."""
        return self._clusterer.n_clusters

    @property
    def is_up_to_date(self) -> bool:
        """Whether the clusters are those of all answers."""
        return self._latest.done()

    def finish(self) -> None:
        """Wait for the clusters of all answers.

        Raises
        ------
        CsclusterError
            If the method cannot cluster with them.
        """
        while not self.is_up_to_date:
            wait([self._latest])
        self._latest.result()

    @property
    def predicted(self) -> tuple[int, int]:
        """Of the latest answers of this session, how many the clusters had right beforehand, and all."""
        return sum(self._predicted), len(self._predicted)

    @property
    def is_enough(self) -> bool:
        """Whether the latest answers changed next to nothing."""
        moved = self.clusters.moved
        return moved is not None and moved <= _UNMOVED * self.table.n_samples

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to take back."""
        return bool(self._earlier or self.answers)

    @property
    def problem(self) -> str:
        """Say what is wrong with the answers as a whole, or nothing."""
        groups = self._groups()
        if self._latest.done() and (error := self._latest.exception()):
            return str(error)
        if self.n_clusters is None or len(groups) <= self.n_clusters:
            return ""
        firsts = ", ".join(self.table.row_name(group[0]) for group in groups)
        return (
            f"By your answers {len(groups)} items are all in different groups ({firsts}), but there are "
            f"only {self.n_clusters} clusters: take an answer back, or start again with {len(groups)}."
        )

    def answer(self, a: int, b: int, together: bool) -> None:
        """Take an answer, and save it; one that follows from earlier ones says nothing new.

        Raises
        ------
        AnswerError
            If earlier answers say the opposite; nothing is saved.
        StoreError
            If it cannot be saved.
        """
        new = [*self.answers, Link(a, b, together)]
        self._require_consistent(new, len(self.answers))
        if entailed(_triples(self.answers), a, b) is not None:
            return
        labels = self.clusters.labels
        self._predicted.append(bool(labels[a] == labels[b]) == together)
        self._update(new, self._skipped)

    def change(self, number: int, together: bool) -> None:
        """Give an answer of before, by its number, another sense.

        Raises
        ------
        AnswerError
            If the others say the opposite; nothing is saved.
        """
        new = [*self.answers]
        new[number] = new[number]._replace(together=together)
        self._require_consistent(new, number)
        self._update(new, self._skipped)

    def delete(self, number: int) -> None:
        """Take back an answer of before, by its number."""
        self._update(self.answers[:number] + self.answers[number + 1 :], self._skipped)

    def skip(self, a: int) -> None:
        """Ask no more about a row, until the session ends."""
        self._update(self.answers, [*self._skipped, a])

    def undo(self) -> None:
        """Take back the latest answer, change or skip."""
        if not self.can_undo:
            return
        answers, skipped = self._earlier[-1] if self._earlier else (self.answers[:-1], self._skipped)
        if len(answers) < len(self.answers) and self._predicted:
            self._predicted.pop()
        self._update(answers, skipped)
        del self._earlier[-2:]

    def _update(self, answers: list[Link], skipped: list[int]) -> None:
        """Save answers, ask for their clusters, and find the next question."""
        before = (self.answers, self._skipped)
        if answers != self.answers:
            self._save(answers)
            self._cluster()
        self._earlier.append(before)
        self._skipped = skipped
        self.question = self._next()

    def _cluster(self) -> None:
        """Have the clusters of the answers made in the background, in the place of those that wait."""
        self._latest.cancel()
        self._latest = self._worker.submit(self._make, self.answers)

    def _make(self, answers: list[Link]) -> None:
        self.clusters = self._clusterer(answers)

    def _next(self) -> tuple[int, int] | None:
        return self._rule.next_pair(_triples(self.answers), self._skipped)

    def _groups(self) -> list[list[int]]:
        return find_groups(_triples(self.answers)).groups

    def _require_consistent(self, answers: list[Link], number: int) -> None:
        """Raise a AnswerError that names the answers which one contradicts."""
        link = answers[number]
        others = answers[:number] + answers[number + 1 :]
        if entailed(_triples(others), link.a, link.b) in (None, link.together):
            return
        numbers = _contradicted(answers, number, self.table.n_samples)
        name = self.table.row_name
        said = "apart" if link.together else "together"
        steps = ", ".join(
            f"'{name(answers[at].a)}' {'and' if answers[at].together else 'not'} '{name(answers[at].b)}'"
            for at in numbers
        )
        raise AnswerError(
            f"'{name(link.a)}' and '{name(link.b)}' are {said} by your answers {steps}; "
            "change one of those if it was wrong.",
            numbers,
        )

    def _save(self, answers: list[Link]) -> None:
        """Write all answers, unless somebody else has changed the file."""
        there = read_text(self.path) if self.path.exists() else None
        if there != self._stored:
            raise StoreError(
                f"'{self.path}' was changed by another program; nothing was saved: end and start again."
            )
        text = links_csv(answers, self.table.ids)
        put(self.path, text)
        self.answers, self._stored = answers, text


def _contradicted(answers: list[Link], number: int, n_samples: int) -> list[int]:
    """Return the numbers of the answers, a shortest chain, that one contradicts."""
    a, b, *_ = answers[number]
    places = {frozenset(link[:2]): at for at, link in enumerate(answers) if at != number}
    others = as_constraints(answers[:number] + answers[number + 1 :], n_samples)
    part = others.components

    def steps(one: int, other: int) -> list[int]:
        return [places[frozenset(pair)] for pair in pairwise(others.must_chain(one, other))]

    if part[a] == part[b]:
        return steps(a, b)
    return min(
        (
            [*steps(a, x), places[frozenset((x, y))], *steps(y, b)]
            for x, y in np.vstack([others.cannot_links, others.cannot_links[:, ::-1]]).tolist()
            if (part[x], part[y]) == (part[a], part[b])
        ),
        key=len,
    )


def _triples(answers: Iterable[Link]) -> list[Answer]:
    return [(link.a, link.b, link.together) for link in answers]


def read_answers(path: Path, table: Dataset) -> list[Link]:
    """Return the links in a file, in its order; none if there is no file.

    Raises
    ------
    ConstraintError
        If a line is wrong, or constraints contradict each other.
    """
    return list_links(read_text(path), path, table.n_samples, table.ids) if path.exists() else []


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
