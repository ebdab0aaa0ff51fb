import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from cscluster import Constraints
from cscluster.metrics.catalogue import METRICS, SCOPES
from cscluster.metrics.scores import contingency, noise, satisfied, score, scores, silhouette
from cscluster.store.frame import COSTS


@st.composite
def partitions(draw):
    """Classes and clusters of the same samples, their names not from 0 to k - 1."""
    n = draw(st.integers(1, 9))
    classes = draw(st.lists(st.sampled_from([0, 3, 5]), min_size=n, max_size=n))
    clusters = draw(st.lists(st.sampled_from([1, 2, 7, 9]), min_size=n, max_size=n))
    return classes, clusters


def pair_counts(classes, clusters):
    """Over all pairs: together in both, in the class only, in the cluster only, in neither."""
    counts = Counter(
        (classes[i] == classes[j], clusters[i] == clusters[j])
        for i, j in itertools.combinations(range(len(classes)), 2)
    )
    return [counts[kind] for kind in ((True, True), (True, False), (False, True), (False, False))]


def share(part, whole):
    return part / whole if whole else 1.0


def best_map(classes, clusters, maps):
    """Largest share of samples whose cluster is mapped to their class."""
    return max(
        sum(to.get(cluster) == label for label, cluster in zip(classes, clusters, strict=True)) / len(classes)
        for to in maps
    )


@given(partitions())
def test_acc_is_the_best_over_all_maps_from_clusters_to_classes(both):
    names, targets = sorted(set(both[1])), sorted(set(both[0]))
    maps = [dict(zip(names, image, strict=True)) for image in itertools.product(targets, repeat=len(names))]
    assert score("acc", *both) == pytest.approx(best_map(*both, maps))


@given(partitions())
def test_acc_hungarian_is_the_best_over_all_one_to_one_maps(both):
    names, targets = sorted(set(both[1])), sorted(set(both[0]))
    padded = targets + [None] * len(names)
    maps = [dict(zip(names, image, strict=True)) for image in set(itertools.permutations(padded, len(names)))]
    assert score("acc_hungarian", *both) == pytest.approx(best_map(*both, maps))
    assert score("error", *both) == pytest.approx(1 - best_map(*both, maps))


@given(partitions())
def test_balanced_error_is_the_mean_over_classes_under_the_best_one_to_one_map(both):
    classes, clusters = np.array(both[0]), np.array(both[1])
    targets, names = np.unique(classes).tolist(), np.unique(clusters).tolist()
    names += [None] * len(targets)  # a class may stay without a cluster
    best = min(
        np.mean([(clusters[classes == t] != name).mean() for t, name in zip(targets, image, strict=True)])
        for image in itertools.permutations(names, len(targets))
    )
    assert score("balanced_error", *both) == pytest.approx(best)


@given(partitions())
def test_nmi_is_mutual_information_over_the_geometric_mean_of_entropies(both):
    n = len(both[0])
    joint, a, b = Counter(zip(*both, strict=True)), Counter(both[0]), Counter(both[1])
    mutual = sum(c / n * math.log(c * n / (a[x] * b[y])) for (x, y), c in joint.items())
    h = math.sqrt(math.prod(-sum(c / n * math.log(c / n) for c in part.values()) for part in (a, b)))
    expected = mutual / h if h > 0 else float(len(a) == len(b) == 1)
    assert score("nmi", *both) == pytest.approx(expected, abs=1e-9)
    if h > 0:
        assert score("nmi", *both) == pytest.approx(
            normalized_mutual_info_score(*both, average_method="geometric"), abs=1e-9
        )


@given(partitions())
def test_scores_over_pairs(both):
    same, only_class, only_cluster, neither = pair_counts(*both)
    total = same + only_class + only_cluster + neither
    found = scores(*both)
    assert found["rand"] == pytest.approx(share(same + neither, total))
    assert found["balanced_rand"] == pytest.approx(
        (share(same, same + only_class) + share(neither, neither + only_cluster)) / 2
    )
    precision, recall = share(same, same + only_cluster), share(same, same + only_class)
    assert found["precision"] == pytest.approx(precision)
    assert found["recall"] == pytest.approx(recall)
    if precision + recall and same + only_class and same + only_cluster:
        assert found["pairwise_f"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert found["ari"] == pytest.approx(adjusted_rand_score(*both))


@given(partitions(), st.randoms())
def test_names_of_clusters_and_order_of_samples_do_not_matter(both, random):
    rows = list(zip(*both, strict=True))
    random.shuffle(rows)
    renamed = dict(zip([1, 2, 7, 9], random.sample(range(20), 4), strict=True))
    after = scores([label for label, _ in rows], [renamed[cluster] for _, cluster in rows])
    assert scores(*both) == pytest.approx(after)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=9).filter(lambda y: len(set(y)) > 1))
def test_the_true_classes_score_best(y):
    for name, value in scores(y, [10 - c for c in y]).items():
        assert value == pytest.approx(1.0 if METRICS[name].higher_is_better else 0.0)


@given(partitions())
def test_all_scores_lie_in_their_range(both):
    for name, value in scores(*both).items():
        assert (-1 if name == "ari" else 0) <= value <= 1 + 1e-12, name


def test_worked_example():
    # Two classes of four; one cluster holds three of the first, the other the rest.
    classes, clusters = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1]
    assert contingency(classes, clusters).tolist() == [[3, 1], [0, 4]]
    found = scores(classes, clusters)
    assert found["acc"] == found["acc_hungarian"] == 7 / 8
    assert found["balanced_error"] == pytest.approx((1 / 4 + 0) / 2)
    assert found["rand"] == pytest.approx((3 + 6 + 12) / 28)
    assert found["balanced_rand"] == pytest.approx((9 / 12 + 12 / 16) / 2)
    assert found["precision"] == pytest.approx(9 / 13)
    assert found["recall"] == pytest.approx(9 / 12)


def test_pairs_of_many_samples_do_not_overflow():
    n = 200_000
    labels = np.arange(n) % 2
    assert score("rand", labels, np.zeros(n, dtype=int)) == pytest.approx(0.5, abs=1e-4)
    assert score("ari", labels, np.zeros(n, dtype=int)) == pytest.approx(0.0, abs=1e-9)
    assert score("ari", labels, labels) == 1.0


def test_satisfied_is_the_share_of_links_kept():
    links = Constraints([(0, 1), (1, 2)], [(0, 3), (2, 3)], n_samples=4)
    assert satisfied(links, [0, 0, 0, 1]) == 1.0
    assert satisfied(links, [0, 0, 1, 1]) == 0.5
    assert satisfied(links, [0, 1, 0, 0]) == 0.0
    assert satisfied(Constraints.empty(4), [0, 1, 2, 3]) == 1.0


def test_noise_is_together_with_nothing_and_one_cluster_in_other_scores():
    links = Constraints([(0, 1), (1, 2), (2, 3)], [(0, 2), (0, 3)], n_samples=4)
    labels = [-1, -1, 0, 0]
    assert noise(labels) == 0.5
    assert links.is_violated(labels).tolist() == [True, True, False, False, False]
    assert satisfied(links, labels) == 0.6
    assert satisfied(Constraints([], [(0, 1)], n_samples=4), labels) == 1.0
    assert scores([5, 5, 7, 7], labels) == scores([5, 5, 7, 7], [1, 1, 0, 0])


def test_what_does_not_follow_from_the_partition_is_refused_by_score():
    with pytest.raises(ValueError, match="'seconds'"):
        score("seconds", [0, 1], [0, 1])


def test_names():
    assert all(name == metric.name for name, metric in METRICS.items())
    asked = "acc acc_hungarian error balanced_error nmi ari rand balanced_rand pairwise_f precision recall"
    assert set(METRICS) == {*asked.split(), "satisfied", "noise", *COSTS}
    assert list(SCOPES) == ["all", "unconstrained", "heldout", "unseen"]


def test_the_silhouette_of_many_rows_is_that_of_a_sample(monkeypatch):
    rng = np.random.default_rng(0)
    labels = np.arange(3000) % 2
    rows = rng.normal(size=(3000, 2)) + 10 * labels[:, None]
    sampled = silhouette(rows, labels, seed=1)
    assert sampled == silhouette(rows, labels, seed=1)
    monkeypatch.setattr("cscluster.metrics.scores.SILHOUETTE_ROWS", 3000)
    assert abs(sampled - silhouette(rows, labels, seed=1)) < 0.01
