"""Answers: taken, checked, saved after each one, changed and taken back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path

from filelock import FileLock, Timeout

from cscluster.atomic import put, remove_abandoned
from cscluster.constraints import Constraints
from cscluster.constraints.files import Link, as_constraints, links_csv, list_links, read_text
from cscluster.data.dataset import Dataset
from cscluster.errors import ConstraintError, ContradictionError, CsclusterError, StoreError
from cscluster.labelling.clusters import AnswerClusterer, Clusters
from cscluster.queries.active import Answer, entailed, find_groups
from cscluster.queries.doubt import Placement
from cscluster.selection import heldout
from cscluster.tables.names import cluster_names, names_csv, read_names
from cscluster.tables.outputs import labels_csv
from cscluster.words import plural

RECENT = 20
PREDICTED = 18
"""Of the last `RECENT` answers, so many must have been predicted before it is said that one can stop."""


class AnswerError(ContradictionError):
    """An answer that earlier ones contradict.

    Attributes
    ----------
    chain : list of Link
        The answers that contradict it.
    """

    def __init__(self, message: str, chain: list[Link]) -> None:
        super().__init__(message)
        self.chain = chain


class Session(AbstractContextManager["Session"]):
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
    n_clusters : int, optional
        Number of clusters, if it is given.
    question : pair of int, optional
        The rows that are asked about.
    clusters : Clusters
        The latest clusters; those of all answers where `is_up_to_date`.
    names : dict of int to str
        Rows, and the names of their clusters.
    names_path : Path
        The file of `names`.
    n_steps : int
        How often the answers were changed, or rows skipped.
    doubtful : list of pair of int
        Rows whose answer is contradicted; they are asked about again first.
    unsaved : CsclusterError, optional
        Why the latest answer could not be saved.
    """

    def __init__(self, clusterer: AnswerClusterer, path: Path) -> None:
        self.table, self.path = clusterer.table, path
        self.n_clusters = clusterer.n_clusters
        self._clusterer = clusterer
        self._lock = _lock(path)
        remove_abandoned(path.resolve().parent, path.resolve().name)
        self._stored = read_text(path) if path.exists() else None
        self.answers = read_answers(path, self.table)
        linked = {row for link in self.answers for row in (link.a, link.b)}
        self._rule = Placement(clusterer.X, clusterer.n_clusters, clusterer.seed, linked)
        self._skipped: list[int] = []
        self._earlier: list[tuple[list[Link], list[int]]] = []
        self._predicted: deque[bool] = deque(maxlen=RECENT)
        self._confirmed: set[tuple[int, int]] = set()
        self.names_path = path.with_name(f"{path.stem}-names.csv")
        self.names = read_names(self.names_path, self.table) if self.names_path.exists() else {}
        self.n_steps = 0
        self.doubtful: list[tuple[int, int]] = []
        self.unsaved: CsclusterError | None = None
        self.clusters: Clusters = clusterer(self.answers)
        self._worker = ThreadPoolExecutor(1, "clusters")
        self._latest = self._worker.submit(lambda: None)
        self.question = self._next()

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
    def groups(self) -> list[list[int]]:
        """The groups that the answers keep apart."""
        return find_groups(_triples(self.answers)).groups

    @property
    def n_likely_groups(self) -> int:
        """Number of groups with those that are apart from the others by all likelihood."""
        return len(self._rule.find_groups(_triples(self.answers)).groups)

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

    def labels_csv(self) -> str:
        """Return the clusters of all answers as the content of a file; see `finish`."""
        self.finish()
        return labels_csv(self.table, self.clusters.labels, names=self.cluster_names)

    @property
    def predicted(self) -> tuple[int, int]:
        """Of the latest answers of this session, how many the clusters had right beforehand, and all."""
        return sum(self._predicted), len(self._predicted)

    @property
    def missing(self) -> list[str]:
        """What is missing before one can stop; nothing if nothing is."""
        n_correct, n_latest = self.predicted
        n_groups = self.n_clusters or 2
        missing = []
        if (n_likely := self.n_likely_groups) < n_groups:
            missing.append(f"{n_likely} of {n_groups} groups found")
        if self._clusterer.algorithm is None and (needed := heldout.n_missing(self.links)):
            missing.append(f"about {plural(needed, 'more answer')} until methods can be compared")
        elif self.clusters.is_baseline:
            missing.append("no method exceeds k-means yet")
        if n_correct < PREDICTED:
            latest = f"{n_correct} of the last {n_latest} answers predicted, " if n_latest else "predicted: "
            missing.append(f"{latest}{PREDICTED} of {RECENT} needed")
        return missing

    @property
    def advice(self) -> str:
        """Say whether one can stop, or what is missing."""
        if missing := self.missing:
            return f"Go on: {', '.join(missing)}."
        return (
            f"All {self.n_likely_groups} groups are found, and {self.predicted[0]} of the last {RECENT} "
            "answers were predicted: you can stop here."
        )

    @property
    def can_undo(self) -> bool:
        """Whether there is anything to take back."""
        return bool(self._earlier or self.answers)

    @property
    def has_too_many_groups(self) -> bool:
        """Whether answers keep more groups apart than there are clusters."""
        return self.n_clusters is not None and len(self.groups) > self.n_clusters

    @property
    def problem(self) -> str:
        """Say what is wrong with the answers as a whole, or nothing."""
        if self._latest.done() and (error := self._latest.exception()):
            return str(error)
        if not self.has_too_many_groups:
            return ""
        groups = self.groups
        firsts = ", ".join(self.table.row_name(group[0]) for group in groups)
        return (
            f"By your answers {len(groups)} items are all in different groups ({firsts}), but there are "
            f"only {self.n_clusters} clusters: take an answer back, or start again with {len(groups)}."
        )

    def answer(self, a: int, b: int, together: bool, weight: float = 1.0) -> None:
        """Take an answer, and save it; one that follows from earlier ones says nothing new.

        Raises
        ------
        AnswerError
            If earlier answers say the opposite; nothing is saved, and those are asked again.
        StoreError
            If it cannot be saved.
        """
        if (a, b) in self.doubtful:
            self._answer_again(a, b, together)
            return
        self._require_consistent(self.answers, Link(a, b, together))
        if entailed(_triples(self.answers), a, b) is not None:
            return
        labels = self.clusters.labels
        self._update([*self.answers, Link(a, b, together, weight)], self._skipped)
        self._predicted.append(bool(labels[a] == labels[b]) == together)

    def _answer_again(self, a: int, b: int, together: bool) -> None:
        """Confirm an answer that is doubtful, or change it."""
        self._confirmed.add((a, b))
        if self._find(a, b).together != together:
            self.doubtful = []
            self.change(a, b, together)
        else:
            self.doubtful.remove((a, b))
            self.question = self._next()

    def change(self, a: int, b: int, together: bool) -> None:
        """Give the answer about two rows another sense.

        Raises
        ------
        AnswerError
            If the others say the opposite; nothing is saved, and those are asked again.
        ConstraintError
            If there is no such answer.
        """
        old = self._find(a, b)
        new = old._replace(together=together)
        self._require_consistent([link for link in self.answers if link != old], new)
        self._update([new if link == old else link for link in self.answers], self._skipped)

    def delete(self, a: int, b: int) -> None:
        """Take back the answer about two rows.

        Raises
        ------
        ConstraintError
            If there is no such answer.
        """
        old = self._find(a, b)
        self._update([link for link in self.answers if link != old], self._skipped)

    @property
    def cluster_names(self) -> list[str]:
        """The name of each cluster, its number where it has none."""
        return cluster_names(self.names, self.clusters.labels, self.clusters.n_clusters)

    def name(self, a: int, name: str) -> None:
        """Name the cluster of a row, or take its name away; the name stays with its typical rows."""
        labels = self.clusters.labels
        typical = self.clusters.described[labels[a]].typical if name else ()
        others = {row: given for row, given in self.names.items() if labels[row] != labels[a]}
        put(self.names_path, names_csv(others | dict.fromkeys(typical, name), self.table))
        self.names = others | dict.fromkeys(typical, name)

    def skip(self, a: int) -> None:
        """Ask no more about a row, until the session ends; nor about doubtful answers."""
        self._update(self.answers, self._skipped if self.doubtful else [*self._skipped, a])

    def _find(self, a: int, b: int) -> Link:
        for link in self.answers:
            if {link.a, link.b} == {a, b}:
                return link
        name = self.table.row_name
        raise ConstraintError(f"There is no answer about '{name(a)}' and '{name(b)}' any more.")

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
            try:
                self._save(answers)
            except CsclusterError as error:
                self.unsaved = error
                raise
            self.unsaved = None
            self._cluster()
        self._earlier.append(before)
        self._skipped = skipped
        self.n_steps += 1
        self.doubtful = self._violated() if self.has_too_many_groups and answers != before[0] else []
        self.question = self._next()

    def _violated(self) -> list[tuple[int, int]]:
        """Return the rows that answers keep apart and clusters do not, where nobody has confirmed them."""
        labels = self.clusters.labels
        pairs = [(link.a, link.b) for link in self.answers if not link.together]
        return [(a, b) for a, b in pairs if labels[a] == labels[b] and (a, b) not in self._confirmed]

    def _cluster(self) -> None:
        """Have the clusters of the answers made in the background, in the place of those that wait."""
        self._latest.cancel()
        self._latest = self._worker.submit(self._make, self.answers)

    def _make(self, answers: list[Link]) -> None:
        self.clusters = self._clusterer(answers)

    def _next(self) -> tuple[int, int] | None:
        if self.doubtful:
            return self.doubtful[0]
        return self._rule.next_pair(_triples(self.answers), self._skipped)

    def _require_consistent(self, others: list[Link], link: Link) -> None:
        """Raise an AnswerError that names the answers which one contradicts, and ask them again."""
        contradicted = _contradicting(others, link, self.table.n_samples)
        if not contradicted:
            return
        self.doubtful = [(each.a, each.b) for each in contradicted]
        self.question = self.doubtful[0]
        name = self.table.row_name
        said = "apart" if link.together else "together"
        steps = ", ".join(
            f"'{name(each.a)}' {'and' if each.together else 'not'} '{name(each.b)}'" for each in contradicted
        )
        raise AnswerError(
            f"'{name(link.a)}' and '{name(link.b)}' are {said} by your answers {steps}. "
            "These are asked again.",
            contradicted,
        )

    def _save(self, answers: list[Link]) -> None:
        """Write all answers, unless somebody else has changed the file."""
        there = read_text(self.path) if self.path.exists() else None
        if there != self._stored:
            raise StoreError(
                f"'{self.path}' was changed by another program. Nothing was saved: end and start again."
            )
        text = links_csv(answers, self.table.ids)
        put(self.path, text)
        self.answers, self._stored = answers, text


def _contradicting(answers: list[Link], link: Link, n_samples: int) -> list[Link]:
    """Return the fewest answers that together contradict another one; none if nothing does."""
    constraints = as_constraints([*answers, link], n_samples)
    apart = constraints.contradictions.tolist()
    chains = [[(a, b), *pairwise(constraints.must_chain(a, b))] for a, b in apart]
    pairs = {frozenset(pair) for pair in min(chains, key=len, default=[])}
    return [each for each in answers if frozenset(each[:2]) in pairs]


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
            f"Another session is labelling into '{path}'. End it first, or choose another constraint file."
        ) from None
    except OSError as error:
        raise StoreError(f"Cannot write next to '{path}': {error.strerror or error}.") from error
    return lock
