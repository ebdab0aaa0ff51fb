import numpy as np
import pytest

from cscluster import load_dataset
from cscluster.data.recipe import Recipe
from cscluster.data.synthetic import GENERATORS, generate


def test_ringnorm_has_the_moments_of_its_definition():
    data = load_dataset("ringnorm")
    assert data.X.shape == (7400, 20)
    assert np.bincount(data.y).tolist() == [3700, 3700]
    wide, narrow = data.X[data.y == 0], data.X[data.y == 1]
    # 3700 draws: standard errors 2 / sqrt(3700) = 0.033 and 1 / sqrt(3700) = 0.016, four of them allowed.
    assert np.abs(wide.mean(axis=0)).max() < 0.14
    assert np.abs(narrow.mean(axis=0) - 2 / np.sqrt(20)).max() < 0.07
    for part, variance in ((wide, 4.0), (narrow, 1.0)):
        covariance = np.cov(part.T)
        assert np.abs(np.diag(covariance) / variance - 1).max() < 0.12
        assert np.abs(covariance - np.diag(np.diag(covariance))).max() / variance < 0.08


@pytest.mark.parametrize("kind", GENERATORS)
def test_same_generator_same_samples_in_random_order(kind):
    first, second = (generate(kind, 60, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(first.X, second.X)
    assert np.array_equal(first.y, second.y)
    assert not np.array_equal(first.X, generate(kind, 60, np.random.default_rng(4)).X)
    assert np.ptp(np.bincount(first.y)) == 0
    assert first.classes == [str(c) for c in np.unique(first.y)]
    assert len(set(first.y[:10].tolist())) > 1


@pytest.mark.parametrize("name", ["synthetic_rings", "synthetic_moons", "synthetic_xor"])
def test_the_papers_synthetic_sets_have_no_straight_border(name):
    data = load_dataset(name)
    assert data.X.shape == (400, 2)
    t = 2 * data.y - 1.0
    X = np.column_stack([data.X, np.ones(400)])
    linear = X @ np.linalg.lstsq(X, t, rcond=None)[0]
    assert np.mean(np.sign(linear) != t) > 0.05
    # The nearest other sample tells the class, so the classes are apart.
    distance = np.linalg.norm(data.X[:, None] - data.X[None], axis=2) + np.diag(np.full(400, np.inf))
    assert np.mean(data.y[distance.argmin(axis=1)] == data.y) > 0.97


def test_size_and_seed_come_from_the_recipe():
    sets = [load_dataset(Recipe(generator="blobs", size=90, seed=seed), name="b") for seed in (0, 0, 1)]
    assert sets[0].X.shape == (90, 2)
    assert np.array_equal(sets[0].X, sets[1].X)
    assert not np.array_equal(sets[0].X, sets[2].X)
