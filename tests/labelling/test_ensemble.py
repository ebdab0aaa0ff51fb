"""The clusters that links make."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from cscluster import Constraints, LandmarkEnsemble
from cscluster.labelling.ensemble import MAX_PAIRS, Ensemble, renumbered, with_entailed
from cscluster.metrics import scores as metrics


def test_clusters_depend_on_the_links_only(beads, heaps):
    links = Constraints([(0, 5)], [(0, 20), (20, 40)], n_samples=60)
    first = heaps.labels(links)
    heaps.labels(Constraints([(0, 30)], n_samples=60))
    assert heaps.labels(links).tolist() == first.tolist()
    assert metrics.score("nmi", beads.y, first) == pytest.approx(1)


def test_clusters_keep_the_numbers_of_most_of_their_rows():
    before = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    assert renumbered(np.array([2, 2, 2, 0, 0, 1, 1, 0]), before, 3).tolist() == [0, 0, 0, 1, 1, 2, 2, 1]


def test_what_follows_from_answers_is_learned_from_too():
    links = Constraints([(0, 1), (1, 2)], [(2, 3)], n_samples=5)
    assert with_entailed(links) == links.closure()


def test_of_very_many_entailed_links_some_of_each_kind_are_enough():
    halves = [range(100), range(100, 200)]
    must = [(half[0], other) for half in halves for other in half[1:]]
    links = Constraints(must, [(0, 100)], n_samples=200)
    used = with_entailed(links)
    assert links.closure_size == (9900, 10_000)
    assert MAX_PAIRS <= len(used.must_links) <= MAX_PAIRS + len(must)
    assert MAX_PAIRS <= len(used.cannot_links) <= MAX_PAIRS + 1
    assert (links | used) == used
    assert len(used.violated(np.repeat([0, 1], 100))) == 0


class Watched(LandmarkEnsemble):
    """Notes the threads that it may use."""

    def partial_fit(self, constraints):
        Watched.seen = {pool["num_threads"] for pool in threadpool_info()}
        return super().partial_fit(constraints)


def test_an_answer_is_worked_on_by_one_thread(beads):
    model = Watched(n_clusters=3, n_partitions=5, random_state=0).fit(beads.numbers)
    Ensemble(model).labels(Constraints([(0, 5)], n_samples=60))
    assert Watched.seen == {1}
