import numpy as np
import pytest

from cscluster.algorithms.margin.alternating._recursive import Split, follow, probabilities


def test_probabilities_are_products_along_the_splits():
    # by hand: x > 1 goes to cluster 1; of the others, x < -1 goes to cluster 2
    splits = [
        Split(0, np.asarray, np.array([1.0]), -1.0),
        Split(0, np.asarray, np.array([-1.0]), -1.0),
    ]
    X = np.array([[0.0], [1.0], [-5.0]])

    def sigma(f):
        return 1 / (1 + np.exp(-f))

    expected = [[(1 - sigma(x - 1)) * (1 - sigma(-x - 1)), sigma(x - 1), (1 - sigma(x - 1)) * sigma(-x - 1)]
                for x in X[:, 0]]  # fmt: skip
    assert probabilities(splits, X) == pytest.approx(np.array(expected))
    assert follow(splits, X).tolist() == [0, 0, 2]
