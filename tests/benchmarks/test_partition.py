"""Speed of the k-means family against scikit-learn and a public package, in CPU seconds."""

import subprocess
import sys
import time

import numpy as np
import pytest
import sklearn.cluster
from threadpoolctl import threadpool_limits

from cscluster import MPCKMeans
from cscluster.metrics.scores import score
from tests.algorithms.samples import with_random_pairs

PACKAGE = "active-semi-supervised-clustering"
THEIR_FIT = """
import sys, time
import numpy as np
from active_semi_clustering.semi_supervised.pairwise_constraints import MPCKMeans, MPCKMeansMF

np.seterr(all="ignore")
case = np.load(sys.argv[1])
np.random.seed(int(case["seed"]))
model = (MPCKMeansMF if case["full"] else MPCKMeans)(int(case["K"]))
links = {name: [tuple(pair) for pair in case[name].tolist()] for name in ("ml", "cl")}
start = time.process_time()
model.fit(case["X"], **links)
np.savez(sys.argv[2], labels=model.labels_, seconds=time.process_time() - start)
"""


def least_seconds(model, *data, repeats=5):
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        model.fit(*data)
        seconds.append(time.process_time() - start)
    return min(seconds)


@pytest.fixture(scope="module")
def their_fit(tmp_path_factory):
    """The package in an environment of its own: a function to labels and seconds, or None and an error."""
    folder = tmp_path_factory.mktemp("package")
    python = folder / "venv" / "bin" / "python"
    try:
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True, capture_output=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]
        subprocess.run(install, check=True, capture_output=True)
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"{PACKAGE} cannot be installed: {error}")
    script, given, result = folder / "fit.py", folder / "case.npz", folder / "result.npz"
    script.write_text(THEIR_FIT, encoding="utf-8")

    def fit(X, K, links, *, full, seed):
        np.savez(given, X=X, K=K, ml=links.must_links, cl=links.cannot_links, full=full, seed=seed)
        done = subprocess.run([python, script, given, result], capture_output=True, text=True, check=False)
        if done.returncode:
            return None, done.stderr.strip().splitlines()[-1]
        with np.load(result) as answer:
            return answer["labels"], float(answer["seconds"])

    return fit


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count", "full", "trials"),
    [("ionosphere", 100, False, 3), ("ionosphere", 100, True, 3), ("optdigits_test", 500, False, 1)],
)
def test_mpckmeans_against_the_package(their_fit, name, count, full, trials):
    scheme = {"metric": "multiple", "matrix": "full"} if full else {}
    ratios, ours, theirs, error = [], [], [], ""
    for trial in range(trials):
        X, y, links = with_random_pairs(name, count, trial)
        K = len(np.unique(y))
        with threadpool_limits(1):
            model = MPCKMeans(n_clusters=K, random_state=trial, **scheme)
            seconds = least_seconds(model, X, None, links)
        ours.append(score("nmi", y, model.labels_))
        labels, answer = their_fit(X, K, links, full=full, seed=trial)
        if labels is None:
            error = answer
        else:
            ratios.append(answer / seconds)
            theirs.append(score("nmi", y, labels))
    print(f"\n{name}, {count} links, {'M-F' if full else 'S-D'}: mean NMI {np.mean(ours):.3f};", end=" ")
    if theirs:
        print(f"{PACKAGE}: {np.mean(theirs):.3f} in {np.median(ratios):.0f} times the CPU time", end=" ")
    print(f"({PACKAGE} failed {trials - len(theirs)} of {trials} times: {error})" if error else "")


@pytest.mark.slow
def test_mpckmeans_against_kmeans():
    X, _, links = with_random_pairs("magic", 1000, 0)
    model, kmeans = (
        MPCKMeans(n_clusters=2, random_state=0),
        sklearn.cluster.KMeans(2, n_init=1, random_state=0),
    )
    with threadpool_limits(1):
        ratio = least_seconds(model, X, None, links) / least_seconds(kmeans, X)
    print(
        f"\nmagic, 1000 links: {ratio:.1f} times scikit-learn's KMeans(n_init=1) "
        f"({model.n_iter_} against {kmeans.n_iter_} iterations)"
    )
