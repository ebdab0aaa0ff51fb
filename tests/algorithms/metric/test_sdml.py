import numpy as np
import pytest

from cscluster import SDML
from cscluster.algorithms.metric.sdml import target
from cscluster.linalg.scatter import common_scales
from tests.algorithms.samples import with_random_pairs


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_optimality_conditions_of_the_sparse_metric(name):
    X, _, links = with_random_pairs(name, 80, seed=5)
    model = SDML(sparsity=0.05).fit(X, constraints=links)
    M = model.precision_
    assert (np.linalg.eigvalsh(M) > 0).all()
    varies, scales = common_scales(X)
    P = target(X[:, varies] / scales, links, model.eta, model.floor)
    G = P - np.linalg.inv(M)  # the gradient of the smooth part
    off = ~np.eye(len(M), dtype=bool)
    assert np.abs(np.diag(G)).max() < 1e-2
    assert (np.abs(G[off]) <= 0.05 + 1e-2).all()
    active = off & (np.abs(M) > 1e-3)
    assert np.allclose(G[active], -0.05 * np.sign(M[active]), atol=1e-2)


def test_more_cost_means_fewer_entries():
    X, _, links = with_random_pairs("wine", 80, seed=5)
    few, many = (np.abs(SDML(sparsity=s).fit(X, constraints=links).precision_) > 1e-6 for s in (0.3, 0.01))
    assert few.sum() < many.sum()


def test_must_links_get_shorter_and_cannot_links_longer():
    X, _, links = with_random_pairs("wine", 100, seed=5)
    Z = SDML().fit(X, constraints=links).transform(X)
    varies, scales = common_scales(X)
    plain = X[:, varies] / scales

    def ratio(Y):
        m, c = (
            ((Y[p[:, 0]] - Y[p[:, 1]]) ** 2).sum(axis=1).mean()
            for p in (links.must_links, links.cannot_links)
        )
        return m / c

    assert ratio(Z) < ratio(plain)


def test_without_constraints_the_metric_is_euclidean():
    with pytest.warns(UserWarning, match="SDML.*no constraints"):
        model = SDML().fit(np.eye(4))
    assert np.array_equal(model.precision_, np.eye(4))
