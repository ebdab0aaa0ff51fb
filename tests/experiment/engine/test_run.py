"""Running from Python."""

import sys

import pytest

from cscluster import run
from cscluster.errors import CsclusterError
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import carry_out, locked, prepare
from cscluster.report.aggregate import collect
from cscluster.store import index
from cscluster.store.folder import Writer

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


def test_a_run_that_is_killed_leaves_an_index_of_what_was_done(config, tmp_path, monkeypatch):
    monkeypatch.setattr(index, "_LEAST", 6)

    def kill(records):
        if len(job.folder.trials.read_text().splitlines()) == 9:
            assert job.folder.table().n_indexed == 6
            raise SystemExit

    job = prepare(config, out=tmp_path)
    monkeypatch.setattr(Writer, "put_progress", lambda *_: sys.exit())  # nothing is tidied up
    with pytest.raises(SystemExit):
        carry_out(job, Pool(1), kill)
    monkeypatch.undo()
    again = prepare(config, out=tmp_path)
    assert (again.table.n_indexed, len(again.difference.stored)) == (6, 9)
    table = carry_out(again, Pool(1))
    assert table.keys == [record["key"] for record in job.folder.records()]
    assert sorted(table.keys) == sorted(job.folder.plan())


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


HEAD = "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\ntrials: 2\n"


@pytest.mark.parametrize("asked", [{}, {"retry_failed": True}, {"fresh": True}], ids=str)
@pytest.mark.parametrize("renamed", [False, True])
def test_what_another_run_has_stored_since_the_plan_was_made_is_kept(tmp_path, asked, renamed):
    path = tmp_path / "x.yaml"
    path.write_text(HEAD + "algorithms: [kmeans]\n")
    carry_out(prepare(str(path), out=tmp_path, settings=["trials=1"]), Pool(1))
    first = prepare(str(path), out=tmp_path, settings=["trials=6"])
    if renamed:
        path.write_text(HEAD + "algorithms: [{name: kmeans, label: Lloyd}]\n")
    second = prepare(str(path), out=tmp_path, **asked)
    assert len(second.difference.todo) == (2 if asked.get("fresh") else 1)
    carry_out(first, Pool(1))
    before = list(first.folder.records())
    carry_out(second, Pool(1))
    keys = [record["key"] for record in second.folder.records()]
    assert len(keys) == len(set(keys)) == (2 if asked.get("fresh") else 6)
    assert len(second.folder.planned_records()) == 2
    if not asked.get("fresh"):
        assert [record["seconds"] for record in before] == [r["seconds"] for r in second.folder.records()]


def test_a_locked_job_is_up_to_date_and_nobody_else_can_lock_it(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(HEAD + "algorithms: [kmeans]\n")
    job = prepare(str(path), out=tmp_path)
    assert len(job.difference.todo) == 2
    carry_out(prepare(str(path), out=tmp_path), Pool(1))
    with locked(job) as mine:
        assert not mine.difference.todo
        with pytest.raises(CsclusterError, match="Another run is writing to"):
            carry_out(job, Pool(1))


def test_an_edited_class_is_run_again_and_the_reason_is_given(tmp_path):
    own = tmp_path / "mine.py"
    own.write_text(ECHO)
    path = tmp_path / "x.yaml"
    path.write_text(HEAD + f"algorithms: [kmeans, '{own}:Echo']\n")
    carry_out(prepare(str(path), out=tmp_path), Pool(1))
    own.write_text(ECHO.replace("% self.n_clusters", "// 75"))
    job = prepare(str(path), out=tmp_path)
    assert len(job.difference.todo) == 2
    assert job.difference.reasons == ["2 because mine.py changed"]
    before = collect(job.folder).cells
    carry_out(job, Pool(1))
    after = collect(job.folder).cells
    assert before["mean"].tolist() != after["mean"].tolist()
    assert not prepare(str(path), out=tmp_path).difference.todo


ODD = """
import numpy as np
from sklearn.base import BaseEstimator

class Odd(BaseEstimator):
    def __init__(self, odd=None, kind=len):
        self.odd, self.kind = odd, kind

    def fit(self, X, constraints):
        self.labels_ = np.zeros(len(X), dtype=int)
        return self
"""


def test_own_parameters_of_any_kind_are_stored(tmp_path):
    own = tmp_path / "mine.py"
    own.write_text(ODD)
    path = tmp_path / "x.yaml"
    values = {"date": "2020-01-02", "nan": ".nan", "inf": "[.inf, 1]"}
    path.write_text(
        HEAD
        + "algorithms:\n"
        + "".join(f"  - {{name: '{own}:Odd', label: {n}, params: {{odd: {v}}}}}\n" for n, v in values.items())
    )
    job = prepare(str(path), out=tmp_path)
    carry_out(job, Pool(1))
    assert {record["status"] for record in job.folder.records()} == {"ok"}
    assert len(job.folder.planned_records()) == len(job.plan) == 8
    assert not prepare(str(path), out=tmp_path).difference.todo


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


def test_what_is_stored_of_data_that_are_gone_stays_until_a_method_lacks_it(config, tmp_path):
    carry_out(prepare(config, settings=["datasets=[iris, wine]"], out=tmp_path), Pool(1))
    settings = ["datasets=[iris, wine]", "trials=3"]
    job = prepare(config, settings=settings, out=tmp_path, fresh=True, absent=["wine"])
    assert {trial.cell.data.name for trial in job.difference.todo} == {"iris"}
    carry_out(job, Pool(1))
    records = job.folder.planned_records()
    assert sum(record["dataset"] == "iris" for record in records) == 3 * 9
    assert sum(record["dataset"] == "wine" for record in records) == 2 * 9
    assert job.folder.progress().stored == 5 * 9
    assert list(job.folder.datasets()) == ["iris", "wine"]
    assert collect(job.folder).datasets == ["iris", "wine"]

    settings.append("algorithms=[kmeans, lcvqe]")
    job = prepare(config, settings=settings, out=tmp_path, absent=["wine"])
    carry_out(job, Pool(1))
    assert {record["dataset"] for record in job.folder.planned_records()} == {"iris"}
    assert [entry["base"] for entry in job.folder.config()["experiment"]["datasets"]] == ["iris"]
    assert sum(record["dataset"] == "wine" for record in job.folder.records()) == 2 * 9
