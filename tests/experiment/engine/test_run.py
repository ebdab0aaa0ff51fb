"""Running from Python."""

import pytest

from cscluster import run
from cscluster.errors import CsclusterError
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import carry_out, prepare
from cscluster.report.aggregate import collect

TEXT = """\
name: api
datasets: [iris]
constraints: {kind: tiers, per_tier: [10], tiers: 3}
algorithms: [kmeans, {name: pckmeans, params: {w: [0.5, 1]}}]
trials: 2
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "api.yaml"
    path.write_text(TEXT)
    return str(path)


def test_results_are_a_table(config, tmp_path):
    folder = run(config, out=tmp_path, jobs=1, settings=["trials=1"])
    frame = folder.to_frame()
    assert len(frame) == 3 * 3
    assert set(frame["status"]) == {"ok"}
    assert {"dataset", "label", "grid", "point", "tier", "trial", "acc", "nmi", "seconds"} <= set(frame)


def test_half_an_episode_is_completed_and_nothing_is_stored_twice(config, tmp_path):
    job = prepare(config, out=tmp_path)
    carry_out(job, Pool(1))
    store = job.folder.trials
    whole = sorted(store.read_text().splitlines())
    lines = store.read_text().splitlines(keepends=True)
    store.write_text("".join(lines[:-2]))
    again = prepare(config, out=tmp_path)
    assert len(again.difference.todo) == 1
    carry_out(again, Pool(1))
    keys = [record["key"] for record in job.folder.records()]
    assert sorted(keys) == sorted(set(keys))
    assert len(keys) == len(whole)


def test_new_labels_and_spellings_rename_what_is_stored(tmp_path):
    path = tmp_path / "x.yaml"
    head = (
        "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\ntrials: 1\nalgorithms: "
    )
    path.write_text(head + "[kmeans, {name: pckmeans, params: {w: 2}}]")
    before = run(str(path), out=tmp_path, jobs=1).to_frame()
    path.write_text(head + "[{name: kmeans, label: Lloyd}, {name: pckmeans, params: {w: [2]}}]")
    job = prepare(str(path), out=tmp_path)
    assert not job.difference.todo
    carry_out(job, Pool(1))
    after = job.folder.to_frame()
    assert after["label"].tolist() == ["Lloyd", "PCK-Means"]
    assert after["grid"].tolist() == [{}, {"w": 2}]
    assert after[["acc", "nmi", "seconds"]].equals(before[["acc", "nmi", "seconds"]])
    assert not prepare(str(path), out=tmp_path).replaces


def test_two_labels_may_stand_for_the_same(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(
        "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5, 10]}\ntrials: 2\nalgorithms:\n"
        "  - pckmeans\n"
        "  - {name: pckmeans, label: tuned, params: {w: [0.5, 1.0]}, select: oracle:acc}\n"
    )
    job = prepare(str(path), out=tmp_path)
    carry_out(job, Pool(1))
    keys = [record["key"] for record in job.folder.records()]
    assert sorted(keys) == sorted(job.folder.plan()) == sorted(set(keys))
    frame = job.folder.to_frame().set_index(["point", "trial"])
    one = frame["grid"].map(lambda grid: grid == {"w": 1.0})
    assert frame[one]["acc"].equals(frame[frame["label"] == "PCK-Means"]["acc"])
    assert collect(job.folder).labels == ["PCK-Means", "tuned"]


def test_errors_are_errors_of_the_package(tmp_path):
    with pytest.raises(CsclusterError, match="no experiment file"):
        run("nowhere.yaml", out=tmp_path)


ECHO = """
import numpy as np
from sklearn.base import BaseEstimator

class Echo(BaseEstimator):
    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit(self, X, constraints):
        self.labels_ = np.arange(len(X)) % self.n_clusters
        pairs = np.vstack([constraints.must_links, constraints.cannot_links])
        self.n_iter_ = int(pairs @ [1000, 1] @ np.arange(len(pairs)))
        return self
"""


def test_active_links_depend_neither_on_the_algorithm_nor_on_its_preprocessing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "echo.py").write_text(ECHO)
    path = tmp_path / "active.yaml"
    path.write_text(
        "name: active\ndatasets: [wine]\ntrials: 2\nconstraints: {kind: active, counts: [5, 30]}\nalgorithms:\n"
        "  - {name: 'echo.py:Echo', preprocess: [standardize]}\n"
        "  - {name: 'echo.py:Echo', label: plain, preprocess: []}\n"
        "  - pckmeans\n"
    )
    found = {}
    for kind in ("active", "random_pairs"):
        changes = [f"name={kind}", f"constraints.kind={kind}"]
        frame = run(str(path), out=tmp_path, jobs=1, settings=changes).to_frame()
        assert len(frame) == 3 * 2 * 2
        assert set(frame["status"]) == {"ok"}
        links = frame[frame["label"] != "PCK-Means"].groupby(["point", "trial"])["iterations"]
        assert (links.nunique() == 1).all()
        found[kind] = set(links.first())
    assert len(found["active"]) == len(found["random_pairs"]) == 4
    assert not found["active"] & found["random_pairs"]
