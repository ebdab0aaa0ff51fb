"""Running from Python."""

import contextlib
import os
import shutil
import sys

import pytest

from cscluster import run
from cscluster.errors import CsclusterError, StoreError
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import locked, prepare, run_job
from cscluster.report.aggregate import collect
from cscluster.store.directory import RunDirectory
from tests.lines import assert_match
from tests.store.values import values

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
    directory = run(config, out=tmp_path, jobs=1, settings=["trials=1"])
    frame = directory.to_frame()
    assert len(frame) == 3 * 3
    assert set(frame["status"]) == {"ok"}
    assert {"dataset", "label", "grid", "point", "tier", "trial", "acc", "nmi", "seconds"} <= set(frame)


def test_half_an_episode_is_completed_and_nothing_is_stored_twice(config, tmp_path):
    job = prepare(config, out=tmp_path)
    run_job(job, Pool(1))
    store = job.directory.trials
    whole = sorted(store.read_text().splitlines())
    lines = store.read_text().splitlines(keepends=True)
    store.write_text("".join(lines[:-2]))
    again = prepare(config, out=tmp_path)
    assert len(again.difference.todo) == 1
    run_job(again, Pool(1))
    keys = [record["key"] for record in job.directory.records()]
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
    run_job(job, Pool(1))
    after = job.directory.to_frame()
    assert after["label"].tolist() == ["Lloyd", "PCK-Means"]
    assert after["grid"].tolist() == [{}, {"w": 2}]
    assert after[["acc", "nmi", "seconds"]].equals(before[["acc", "nmi", "seconds"]])


def test_two_labels_may_stand_for_the_same(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(
        "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5, 10]}\ntrials: 2\nalgorithms:\n"
        "  - pckmeans\n"
        "  - {name: pckmeans, label: tuned, params: {w: [0.5, 1.0]}, select: oracle:acc}\n"
    )
    job = prepare(str(path), out=tmp_path)
    run_job(job, Pool(1))
    keys = [record["key"] for record in job.directory.records()]
    assert sorted(keys) == sorted(job.directory.definition.plan.keys()) == sorted(set(keys))
    frame = job.directory.to_frame().set_index(["point", "trial"])
    one = frame["grid"].map(lambda grid: grid == {"w": 1.0})
    assert frame[one]["acc"].equals(frame[frame["label"] == "PCK-Means"]["acc"])
    assert collect(job.directory).labels == ["PCK-Means", "tuned"]


def test_errors_are_errors_of_the_package(tmp_path):
    with pytest.raises(CsclusterError, match="no experiment file"):
        run("nowhere.yaml", out=tmp_path)


HEAD = "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\ntrials: 2\n"


@pytest.mark.parametrize("asked", [{}, {"retry_failed": True}, {"fresh": True}], ids=str)
@pytest.mark.parametrize("renamed", [False, True])
def test_what_another_run_has_stored_since_the_plan_was_made_is_kept(tmp_path, asked, renamed):
    path = tmp_path / "x.yaml"
    path.write_text(HEAD + "algorithms: [kmeans]\n")
    run_job(prepare(str(path), out=tmp_path, settings=["trials=1"]), Pool(1))
    first = prepare(str(path), out=tmp_path, settings=["trials=6"])
    if renamed:
        path.write_text(HEAD + "algorithms: [{name: kmeans, label: Lloyd}]\n")
    second = prepare(str(path), out=tmp_path, **asked)
    assert len(second.difference.todo) == (2 if asked.get("fresh") else 1)
    run_job(first, Pool(1))
    before = list(first.directory.records())
    run_job(second, Pool(1))
    keys = [record["key"] for record in second.directory.records()]
    assert len(keys) == len(set(keys)) == (2 if asked.get("fresh") else 6)
    assert len(second.directory.planned()) == 2
    if not asked.get("fresh"):
        assert [record["seconds"] for record in before] == [r["seconds"] for r in second.directory.records()]


def test_a_locked_job_is_up_to_date_and_nobody_else_can_lock_it(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(HEAD + "algorithms: [kmeans]\n")
    job = prepare(str(path), out=tmp_path)
    assert len(job.difference.todo) == 2
    run_job(prepare(str(path), out=tmp_path), Pool(1))
    with locked(job) as mine:
        assert not mine.difference.todo
        with pytest.raises(CsclusterError, match="Another run"):
            run_job(job, Pool(1))


def test_an_edited_class_is_run_again_and_the_reason_is_given(tmp_path):
    own = tmp_path / "mine.py"
    own.write_text(ECHO)
    path = tmp_path / "x.yaml"
    path.write_text(HEAD + f"algorithms: [kmeans, '{own}:Echo']\n")
    run_job(prepare(str(path), out=tmp_path), Pool(1))
    own.write_text(ECHO.replace("% self.n_clusters", "// 75"))
    job = prepare(str(path), out=tmp_path)
    assert len(job.difference.todo) == 2
    assert_match(job.difference.reasons, r"^2 .* mine\.py changed")
    before = collect(job.directory).cells
    run_job(job, Pool(1))
    after = collect(job.directory).cells
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
    run_job(job, Pool(1))
    assert {record["status"] for record in job.directory.records()} == {"ok"}
    assert len(job.directory.planned()) == len(list(job.trials)) == 8
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
        "name: active\ndatasets: [wine]\ntrials: 2\nconstraints: {kind: active, counts: [15, 30]}\nalgorithms:\n"
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


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(HEAD + "algorithms: [kmeans, {name: kmeans, label: grid, params: {n_init: [1, 2]}}]\n")
    return str(path)


class Killed(BaseException):
    """Stands for the end of a process."""


def killed_at(monkeypatch, number):
    """Let the process be killed as it replaces a file for the `number`-th time."""
    replace, calls = os.replace, []

    def dies(*paths):
        calls.append(paths)
        if len(calls) == number:
            raise Killed
        replace(*paths)

    monkeypatch.setattr(os, "replace", dies)


def finished(config, out, **asked):
    """Run an experiment to its end, as a new process would; return the values of its records."""
    job = prepare(config, out=out, **asked)
    run_job(job, Pool(1))
    assert not prepare(config, out=out).difference.todo
    assert set(values(job.directory)) >= set(job.trials.plan.keys())
    return values(job.directory)


def test_a_run_that_is_killed_before_its_definition_is_written_starts_again(small, tmp_path, monkeypatch):
    killed_at(monkeypatch, 1)
    with pytest.raises(Killed):
        run_job(prepare(small, out=tmp_path / "a"), Pool(1))
    monkeypatch.undo()
    directory = RunDirectory(tmp_path / "a" / "x")
    assert not directory.exists()
    directory.path.mkdir(parents=True)
    (directory.path / ".run.json.99999999.part").write_text("half of")
    assert finished(small, tmp_path / "a") == finished(small, tmp_path / "b")
    assert not list(directory.path.glob("*.part"))


def test_every_prefix_of_a_run_is_resumed(small, tmp_path):
    expected = finished(small, tmp_path)
    directory = RunDirectory(tmp_path / "x")
    whole = directory.trials.read_bytes()
    ends = [0, *(place + 1 for place, byte in enumerate(whole) if byte == ord("\n"))]
    assert len(ends) == 1 + 6
    cuts = [0, 1, ends[1] - 1, ends[1], ends[3], ends[3] + 40, ends[5] + 1, len(whole) - 2, len(whole) - 1]
    for cut in cuts:
        directory.trials.write_bytes(whole[:cut])
        n_whole = sum(0 < end <= cut for end in ends)
        assert len(prepare(small, out=tmp_path).difference.todo) == 6 - n_whole
        assert finished(small, tmp_path) == expected
        assert directory.trials.read_bytes().startswith(whole[: ends[n_whole]])
    directory.trials.unlink()
    assert finished(small, tmp_path) == expected


def test_a_larger_plan_that_is_killed_before_its_first_trial_is_resumed(small, tmp_path, monkeypatch):
    for kill in (1, 2):
        out = tmp_path / str(kill)
        before = finished(small, out)
        larger = ["trials=3", "constraints.counts=[5, 6]"]
        killed_at(monkeypatch, kill)
        with contextlib.suppress(Killed):
            run_job(prepare(small, out=out, settings=larger), Pool(1), killer)
        monkeypatch.undo()
        directory = RunDirectory(out / "x")
        assert len(directory.planned()) == 6 + (kill == 2)  # which is told when it is on disk
        after = finished(small, out, settings=larger)
        assert len(after) == 3 * 2 * 3
        assert {key: after[key] for key in before} == before


def killer(records):
    raise Killed


def test_fresh_can_be_killed_at_any_moment(small, tmp_path, monkeypatch):
    expected = finished(small, tmp_path)
    for moment in (1, 2):
        killed_at(monkeypatch, moment)
        with pytest.raises(Killed):
            run_job(prepare(small, out=tmp_path, fresh=True), Pool(1))
        monkeypatch.undo()
        assert finished(small, tmp_path) == expected
    assert finished(small, tmp_path, fresh=True) == expected


def test_a_fresh_run_in_a_new_directory_can_be_killed_at_any_moment(small, tmp_path, monkeypatch):
    for moment in (1, 2):
        killed_at(monkeypatch, moment)
        with contextlib.suppress(Killed):
            run_job(prepare(small, out=tmp_path, fresh=True), Pool(1), killer)
        monkeypatch.undo()
        assert len(finished(small, tmp_path)) == 6
        shutil.rmtree(tmp_path / "x")


def test_fresh_forgets_damaged_records(small, tmp_path):
    expected = finished(small, tmp_path)
    trials = RunDirectory(tmp_path / "x").trials
    trials.write_bytes(trials.read_bytes().replace(b'"point":', b'"poinT":', 1))
    with pytest.raises(StoreError):
        run_job(prepare(small, out=tmp_path), Pool(1))
    assert finished(small, tmp_path, fresh=True) == expected


def test_fresh_forgets_cells_and_environments_of_earlier_plans(small, tmp_path):
    finished(small, tmp_path)
    job = prepare(small, out=tmp_path, settings=["seed=7"], fresh=True)
    assert (job.n_outside(), len(job.difference.todo)) == (0, 6)
    run_job(job, Pool(1))
    assert set(job.directory.definition.cells) == set(job.trials.cells)
    assert len(list(job.directory.records())) == 6


def test_failures_are_retried_on_request_only_and_the_later_record_counts(tmp_path):
    path, sign = tmp_path / "x.yaml", tmp_path / "sign"
    (tmp_path / "moody.py").write_text(
        "import os\nfrom sklearn.base import BaseEstimator\n\n"
        "class Moody(BaseEstimator):\n    def fit(self, X, constraints=None):\n"
        f"        assert os.path.exists({str(sign)!r}), 'not now'\n"
        "        self.labels_ = [0] * len(X)\n        return self\n"
    )
    path.write_text(HEAD + f"algorithms: [kmeans, '{tmp_path}/moody.py:Moody']\n")
    job = prepare(str(path), out=tmp_path)
    stored = run_job(job, Pool(1))
    assert (stored["status"] == "error").sum() == prepare(str(path), out=tmp_path).n_failed() == 2
    sign.touch()
    assert not prepare(str(path), out=tmp_path).difference.todo
    stored = run_job(prepare(str(path), out=tmp_path, retry_failed=True), Pool(1))
    assert stored["status"].tolist() == ["ok"] * 4
    assert len(list(job.directory.records())) == 6  # the file only grows
    assert job.directory.planned()["status"].tolist() == ["ok"] * 4
    assert not prepare(str(path), out=tmp_path, retry_failed=True).difference.todo


def test_an_added_metric_runs_again_what_lacks_it(small, tmp_path):
    before = finished(small, tmp_path)
    settings = ["metrics=[acc@unconstrained]", "trials=1"]
    job = prepare(small, out=tmp_path, settings=settings)
    assert_match(job.difference.reasons, "^3 .*metric was added")
    assert (job.difference.n_stale, job.n_outside()) == (0, 3)  # the three of the second trial
    run_job(job, Pool(1))
    assert job.directory.planned()["m:acc@unconstrained"].notna().all()
    assert not prepare(small, out=tmp_path, settings=settings).difference.todo
    assert {record["key"] for record in job.directory.records()} == set(before)
    removed = prepare(small, out=tmp_path, settings=["metrics=[acc]", "trials=1"])
    assert not removed.difference.todo


def test_a_new_label_changes_no_record_and_is_in_what_is_returned(small, tmp_path):
    finished(small, tmp_path)
    directory = RunDirectory(tmp_path / "x")
    before = directory.trials.read_bytes()
    job = prepare(small, out=tmp_path, settings=["algorithms.0={name: kmeans, label: Lloyd}"])
    stored = run_job(job, Pool(1))
    assert set(stored["label"]) == {"Lloyd", "grid"}
    assert "Lloyd" in collect(job.directory, stored=stored).labels
    assert collect(RunDirectory(directory.path)).labels == collect(job.directory, stored=stored).labels
    assert directory.trials.read_bytes() == before


def test_stale_records_have_a_reason_and_are_kept(small, tmp_path):
    finished(small, tmp_path)
    job = prepare(small, out=tmp_path, settings=["seed=7"])
    assert_match(job.difference.reasons, r"^6 .*seed.*\b0\b.*\b7$")
    assert job.n_outside() == job.difference.n_stale == 6
    run_job(job, Pool(1))
    assert not prepare(small, out=tmp_path).difference.todo  # what was stored with the other seed is there
    assert len(list(job.directory.records())) == 12


def test_another_directory_is_refused_in_one_sentence(small, tmp_path):
    finished(small, tmp_path / "edited")
    file = tmp_path / "edited/x/run.json"
    file.write_text(file.read_text().replace('"seed":0', '"seed":7', 1))
    with pytest.raises(StoreError, match=r"run\.json'.*checksum"):
        prepare(small, out=tmp_path / "edited")
    finished(small, tmp_path / "torn")
    trials = RunDirectory(tmp_path / "torn/x").trials
    lines = trials.read_text().splitlines(keepends=True)
    trials.write_text("".join([*lines[:2], lines[2].replace('"trial":', '"trail":'), *lines[3:]]))
    with pytest.raises(StoreError, match=r"trials\.jsonl:3: .*checksum"):
        _ = prepare(small, out=tmp_path / "torn").difference


def test_data_sets_can_be_left_out(small, tmp_path):
    job = prepare(small, out=tmp_path, settings=["datasets=[iris, wine]"], without=["wine"])
    assert {trial.cell.data.name for trial in job.difference.todo} == {"iris"}


HELPER = "def labels(n):\n    return [i % 2 for i in range(n)]\n"
MINE = """
from sklearn.base import BaseEstimator
from helper_of_mine import labels

class Mine(BaseEstimator):
    def fit(self, X, constraints=None):
        self.labels_ = labels(len(X))
        return self
"""


def test_a_changed_helper_of_an_own_algorithm_is_named_and_its_trials_are_run_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine_with_helper.py").write_text(MINE)
    (tmp_path / "helper_of_mine.py").write_text(HELPER)
    (tmp_path / "x.yaml").write_text(HEAD + "algorithms: [kmeans, 'mine_with_helper:Mine']\n")
    finished("x.yaml", tmp_path)
    (tmp_path / "helper_of_mine.py").write_text(HELPER.replace("% 2", "% 3"))
    job = prepare("x.yaml", out=tmp_path)
    assert {trial.cell.label for trial in job.difference.todo} == {"Mine"}
    assert_match(job.difference.reasons, r"^2 .* helper_of_mine\.py changed")
    monkeypatch.setattr(sys, "modules", {k: v for k, v in sys.modules.items() if not k.endswith("_of_mine")})
    before = collect(job.directory).cells
    assert len(finished("x.yaml", tmp_path)) == 6
    assert len(before) == len(collect(job.directory).cells)


def test_messages_that_no_file_can_hold_are_spelled_out(tmp_path):
    (tmp_path / "odd.py").write_text(
        "from sklearn.base import BaseEstimator\n\n"
        "class Odd(BaseEstimator):\n    def fit(self, X, constraints=None):\n"
        "        raise ValueError('bad ' + chr(0xDCFF))\n"
    )
    path = tmp_path / "x.yaml"
    path.write_text(HEAD + f"algorithms: ['{tmp_path}/odd.py:Odd']\n")
    stored = run_job(prepare(str(path), out=tmp_path), Pool(1))
    assert stored["message"].str.startswith("ValueError: bad \\udcff").tolist() == [True, True]
