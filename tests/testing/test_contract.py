"""The checks themselves: each finds the fault it is there for."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin

from cscluster.algorithms.registry import Algorithm, find
from cscluster.examples import own_algorithm
from cscluster.testing.contract import CHECKS, examine, same_partition

NAMES = {check.name for check in CHECKS}


class Faulty(ClusterMixin, BaseEstimator):
    """Thresholds the first feature, with one fault."""

    def __init__(self, n_clusters=3, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X, constraints=None):
        X = np.array(X, dtype=float)
        if not np.isfinite(X).all():
            raise ValueError("X holds NaN or infinity")
        if constraints is not None and constraints.n_samples != len(X):
            raise ValueError("constraints for other samples")
        if self.n_clusters > len(X):
            raise ValueError("too many clusters")
        self.labels_ = np.minimum((X[:, :1] > X[:, :1].mean()).ravel().astype(int), self.n_clusters - 1)
        return self


class NoSelf(Faulty):
    def fit(self, X, constraints=None):
        super().fit(X, constraints)


class Random(Faulty):
    def fit(self, X, constraints=None):
        super().fit(X, constraints)
        self.labels_ = np.random.default_rng().integers(0, self.n_clusters, len(X))
        return self


class Scaled(Faulty):
    def fit(self, X, constraints=None):
        super().fit(X, constraints)
        self.labels_ = (np.array(X, dtype=float)[:, 0] > 4).astype(int)
        return self


class Floats(Faulty):
    def fit(self, X, constraints=None):
        super().fit(X, constraints)
        self.labels_ = self.labels_.astype(float)
        return self


class Writes(Faulty):
    def fit(self, X, constraints=None):
        if isinstance(X, np.ndarray):
            X -= 1
        return super().fit(X, constraints)


class Careless(Faulty):
    def fit(self, X, constraints=None):
        X = np.array(X, dtype=float)
        self.labels_ = np.zeros(len(X), dtype=int)
        if constraints is not None:
            self.labels_[constraints.touched] = 1
        return self


class Crashes(Faulty):
    def fit(self, X, constraints=None):
        if constraints is None or not len(constraints.must_links):
            raise IndexError("list index out of range")
        return super().fit(X, constraints)


class Labelled(Faulty):
    def fit(self, X, y=None, constraints=None):
        if y is not None:
            raise IndexError("-1")
        return super().fit(X, constraints)


class Positional(Faulty):
    def __init__(self, *args):
        super().__init__()


def broken(cls):
    algorithm = Algorithm("faulty", f"{__file__}:{cls.__name__}", cls.__name__, "own", tags=("constraints",))
    return {
        finding.check.name: finding.reason for finding in examine(algorithm) if finding.outcome == "failed"
    }


def test_a_plain_class_of_version_0_2_keeps_what_is_required():
    """Its `fit` takes constraints second; it is called by keyword."""
    assert set(broken(Faulty)) == {"finds_clear_groups", "tells_how_it_went", "is_documented"}


@pytest.mark.parametrize(
    ("cls", "check", "says"),
    [
        (NoSelf, "gives_a_partition", "fit does not return self"),
        (Random, "is_deterministic", "different labels"),
        (Scaled, "takes_any_scale", "samples times 0.001 give another partition"),
        (Floats, "gives_a_partition", "dtype float64, integers would be right"),
        (Writes, "leaves_input_alone", "writes into X"),
        (Careless, "refuses_foreign_constraints", "IndexError"),
        (Careless, "refuses_missing_values", "samples with nan are accepted"),
        (Careless, "refuses_too_many_clusters", "more clusters than samples are accepted"),
        (Crashes, "works_without_constraints", "IndexError is raised (list index out of range)"),
        (Labelled, "takes_partial_labels", "IndexError is raised: -1"),
        (Positional, "constructor_only_assigns", "takes *args"),
    ],
)
def test_each_fault_is_found_and_named(cls, check, says):
    assert says in broken(cls)[check]


def test_the_template_keeps_every_promise():
    algorithm = find(f"{own_algorithm.__file__}:OwnAlgorithm")
    assert {f.check.name: f.reason for f in examine(algorithm) if f.outcome == "failed"} == {}


def test_own_metric_learners_are_recognised(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from cscluster import RCA, KMeans\nclass Mine(RCA):\n    pass\nclass Other(KMeans):\n    pass\n"
    )
    assert find(f"{path}:Mine").is_metric
    assert not find(f"{path}:Other").is_metric


def test_partitions_are_compared_up_to_names():
    assert same_partition(np.array([0, 0, 1, 2]), np.array([2, 2, 0, 1]))
    assert not same_partition(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    assert not same_partition(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))


def test_a_class_that_ends_the_program_breaks_its_promises(tmp_path):
    path = tmp_path / "leaves.py"
    path.write_text(
        "import sys\n\nfrom cscluster import KMeans\n\n\n"
        "class Leaves(KMeans):\n    def fit(self, X, y=None, constraints=None):\n        sys.exit(0)\n"
    )
    broken = [finding for finding in examine(find(f"{path}:Leaves")) if finding.outcome == "failed"]
    assert any("SystemExit is raised" in finding.reason for finding in broken)


class Noisy(Faulty):
    def fit(self, X, constraints=None):
        super().fit(X, constraints)
        self.labels_[0] = -1
        return self


@pytest.mark.parametrize(("tags", "outcome"), [((), "failed"), (("noise",), "passed")])
def test_minus_one_is_a_label_only_where_the_tag_says_so(tags, outcome):
    algorithm = Algorithm("noisy", f"{__name__}:Noisy", "noisy", family="own", tags=tags)
    findings = {finding.check.name: finding for finding in examine(algorithm)}
    assert findings["gives_a_partition"].outcome == outcome
    assert (findings["gives_a_partition"].reason == "") == (outcome == "passed")
