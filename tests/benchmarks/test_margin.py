"""Speed of the margin family; prints ratios, both sides measured in the same run on one thread."""

import time

import numpy as np
import pytest
import sklearn.cluster
from threadpoolctl import threadpool_limits

from cscluster import CPCMMC, PMMC, Constraints, load_dataset
from cscluster.algorithms import shared
from cscluster.algorithms.margin.cccp.cccp import from_scores, tangents
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.dual_ascent import dual_ascent
from cscluster.algorithms.margin.cccp.pmmc import constraint_loss, point_loss
from cscluster.algorithms.margin.cccp.starts import ConstraintProjections, short_kmeans_start
from cscluster.algorithms.margin.cccp.subgradient import subgradient
from cscluster.errors import DataError
from cscluster.experiment.config.schedules import RandomPairs

GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
STANDARDISED = {"vehicle", "segment", "mfeat_fac", "magic"}

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


def load(name, count):
    data = load_dataset(name)
    X = data.X
    if name in STANDARDISED:
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    links = RandomPairs(counts=[count]).episode(count, data.y, 2012, name, 0).tiers[0]
    return X, data.n_classes, links


def fastest(action, repeats=3):
    """Return the shortest CPU time of a few, and what the last one returned."""
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        result = action()
        seconds.append(time.process_time() - began)
    return min(seconds), result


@pytest.fixture(scope="module", autouse=True)
def compiled():
    for C in (2, 3):
        PMMC(n_clusters=C, random_state=0).fit(
            np.random.default_rng(0).normal(size=(20, 3)),
            constraints=Constraints([(0, 1)], [(1, 2)], n_samples=20),
        )


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("vehicle", 200),
        ("optdigits_odd_even", 200),
        ("pendigit389", 100),
        ("letterIJL", 200),
        ("ionosphere", 200),
        ("sonar", 200),
        ("mnist0689", 200),
        ("segment", 500),
        ("mfeat_fac", 500),
        ("magic", 1000),
    ],
)
def test_convex_problem_to_the_objective_of_algorithm_2(name, count):
    X, C, links = load(name, count)
    X = np.asarray(X, dtype=np.float64)
    design = Design.of(X, X.mean(axis=0), bias=False)
    rng = np.random.default_rng(0)
    S = short_kmeans_start(design.scores(ConstraintProjections(design, links, rng).weights(C, 0.1)), C, rng)

    losses = tangents([constraint_loss(links), point_loss(links, 1.0, C)], S)
    start = from_scores(design, losses, S)

    for lam in GRID:

        def rival(lam=lam):
            return subgradient(design, losses, lam, start, tol=0.01, max_steps=10_000)

        def default(steps, lam=lam):
            return dual_ascent(
                design, losses, lam, start, rng=np.random.default_rng(0), tol=1e-9, max_steps=steps
            )

        seconds_rival, goal = fastest(rival, 1 if lam == 0.01 else 3)
        steps = 1
        while default(steps).value > goal.value:
            steps += 1 + steps // 8
        seconds_default, found = fastest(lambda steps=steps: default(steps))
        print(
            f"{name} lam={lam:g}: Algorithm 2 takes {seconds_rival / seconds_default:.1f} times as long as "
            f"the dual ascent ({goal.n_steps} steps, {found.n_steps} sweeps, to {goal.value:.4f})"
        )


@pytest.mark.parametrize("name", ["vehicle", "optdigits_odd_even"])
def test_fit_with_either_solver(name):
    X, C, links = load(name, 200)
    for lam in GRID:
        times = {}
        for solver in ("dual", "subgradient"):
            model = PMMC(n_clusters=C, lam=lam, init="paper", solver=solver, random_state=0)
            times[solver] = fastest(
                lambda model=model: model.fit(X, constraints=links), 1 if lam == 0.01 else 3
            )
        (a, dual), (b, rival) = times["dual"], times["subgradient"]
        print(
            f"{name} lam={lam:g}: a fit with Algorithm 2 takes {b / a:.1f} times as long as with the dual "
            f"ascent (objective {rival.objective_[-1]:.4f} against {dual.objective_[-1]:.4f})"
        )


def test_fit_on_magic_against_kmeans():
    X, C, links = load("magic", 1000)
    kmeans, _ = fastest(lambda: sklearn.cluster.KMeans(C, n_init=10, random_state=0).fit(X))
    for lam in GRID:
        seconds, _ = fastest(
            lambda lam=lam: PMMC(n_clusters=C, lam=lam, random_state=0).fit(X, constraints=links)
        )
        print(f"magic, 1000 links, lam={lam:g}: a fit takes {seconds / kmeans:.1f} times KMeans(n_init=10)")


@pytest.mark.parametrize("init", ["auto", "paper"])
def test_fit_grows_linearly(init):
    X, C, _ = load("magic", 1000)
    y = load_dataset("magic").y
    sizes, seconds = (2_000, 6_300, 20_000, 63_000, 200_000), []
    for n in sizes:
        rows = np.random.default_rng(0).integers(0, len(X), n)
        links = RandomPairs(counts=[n // 20]).episode(n // 20, y[rows], 0, "magic", 0).tiers[0]
        model, Z = PMMC(n_clusters=C, lam=0.1, init=init, random_state=0), X[rows]
        seconds.append(fastest(lambda model=model, Z=Z, links=links: model.fit(Z, constraints=links))[0])
    slopes = [np.polyfit(np.log(sizes[k:]), np.log(seconds[k:]), 1)[0] for k in (0, 2)]
    print(
        f"magic, one link for 20 samples, init={init}: log-log slope {slopes[0]:.2f} from 2 000 to 200 000 "
        f"samples, {slopes[1]:.2f} from 20 000 on"
    )


def test_grid_of_lambdas_against_one(record):
    X, C, links = load("mnist0689", 60)
    X = np.asarray(X, dtype=np.float64)

    def fits(method, lams):
        shared.forget()
        with shared.sharing(X):
            for lam in lams:
                method(n_clusters=C, lam=lam, random_state=0).fit(X, constraints=links)

    one, _ = fastest(lambda: fits(PMMC, [1.0]))
    grid, _ = fastest(lambda: fits(PMMC, GRID))
    rival, _ = fastest(lambda: fits(CPCMMC, [1.0]))
    record("PMMC, five values of lambda over one", grid / one, 2)
    record("CPCMMC over PMMC", rival / one, 1.5)


def test_fit_on_many_images_against_kmeans(record):
    data = load_dataset("mnist")
    X, y = data.X[:20_000] / 255.0, data.y[:20_000]
    links = RandomPairs(counts=[1000]).episode(1000, y, 2012, "mnist", 0).tiers[0]
    kmeans, _ = fastest(lambda: sklearn.cluster.KMeans(10, n_init=10, random_state=0).fit(X))
    seconds, _ = fastest(lambda: PMMC(n_clusters=10, random_state=0).fit(X, constraints=links))
    record("PMMC over KMeans(n_init=10), 20,000 x 784, 1,000 constraints", seconds / kmeans, 1)


def test_fit_on_sparse_documents():
    try:
        X, C, links = load("ohscal1000", 1000)
    except DataError as error:
        pytest.skip(str(error))
    model = PMMC(n_clusters=C, lam=0.1, random_state=0)
    seconds, _ = fastest(lambda: model.fit(X, constraints=links), 1)
    kmeans, _ = fastest(lambda: sklearn.cluster.KMeans(C, n_init=10, random_state=0).fit(X.toarray()), 1)
    print(f"ohscal, 11162 x 1000, 1000 links: a fit takes {seconds / kmeans:.2f} times KMeans(n_init=10)")
