"""``cscluster pack`` and what ``cscluster show`` says of a run."""

import io
import json
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from cscluster.experiment.config.load import load
from cscluster.experiment.plan.trials import make_plan
from cscluster.store.directory import RunDirectory

FILES = {
    "mine.py": """\
from sklearn.cluster import KMeans
from starts_of_mine import STARTS
class Mine(KMeans):
    def __init__(self, n_clusters=2, n_init=STARTS, random_state=None):
        super().__init__(n_clusters, n_init=n_init, random_state=random_state)
    def fit(self, X, y=None, constraints=None):
        return super().fit(X)
""",
    "starts_of_mine.py": "STARTS = 3\n",
    "score.py": "def share(y, labels):\n    return (y == labels).mean()\n",
    "table.csv": "x,y,kind\n" + "".join(f"{i % 2 * 9 + i / 50},{i},{'ab'[i % 2]}\n" for i in range(40)),
    "paper.yaml": """\
name: paper
datasets: [iris, {base: table.csv, target: kind, name: mine}]
constraints: {kind: tiers, per_tier: [4], tiers: 2, noise: [0, 0.5], weight: hard}
algorithms: [kmeans, {name: 'mine.py:Mine', label: Mine}, {name: rca, clusterer: {name: pckmeans}}]
trials: 2
metrics: [ari, 'score.py:share']
""",
}


@pytest.fixture
def call(cscluster, tmp_path, monkeypatch):
    """Return a function that runs the command line beside a run called ``paper``."""
    monkeypatch.delitem(sys.modules, "starts_of_mine", raising=False)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def call(*words, status=0):
        done = cscluster(*words)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    call("run", "paper.yaml", "-j", "1", "--allow-failures")
    return call


def test_a_pack_is_all_that_a_reviewer_needs(call, tmp_path, monkeypatch):
    call("pack", "paper")
    first = (tmp_path / "paper.zip").read_bytes()
    call("pack", tmp_path / "results" / "paper", "--out", "again/p.zip")
    assert (tmp_path / "again" / "p.zip").read_bytes() == first
    elsewhere = tmp_path / "elsewhere"
    zipfile.ZipFile(io.BytesIO(first)).extractall(elsewhere)
    shown = call("report", "paper", "-f", "csv")

    monkeypatch.chdir(elsewhere)
    assert call("report", "paper", "-f", "csv", "--results", ".") == shown
    monkeypatch.chdir("paper")
    for name in ("mine.py", "starts_of_mine.py", "score.py"):
        assert (elsewhere / "paper" / name).read_text() == FILES[name]
    assert (elsewhere / "paper" / "data" / "mine.csv").read_text() == FILES["table.csv"]
    for name in ("run.json", "configuration.yaml", "report.html"):
        text = (elsewhere / "paper" / name).read_text()
        assert str(tmp_path) not in text  # a reviewer need not know whose machine it was
        assert "data/mine.csv" in text

    planned = RunDirectory(elsewhere / "paper").definition
    assert list(make_plan(load("configuration.yaml")).cells) == planned.plan.cells
    readme = (elsewhere / "paper" / "README.txt").read_text()
    assert all(f"{each.dataset}: {each.identity['data']}" in readme for each in planned.cells.values())


def test_the_packed_constraints_are_those_that_the_methods_saw(call, tmp_path):
    """The share of satisfied constraints that a trial stored follows from its labels and the packed set."""
    call("run", "paper.yaml", "-j", "1", "--allow-failures", "--set", "keep=labels")
    call("pack", "paper")
    from cscluster.store.labels import unpack

    with zipfile.ZipFile(tmp_path / "paper.zip") as file:
        sets = pd.read_csv(file.open("paper/constraints.csv"))
    assert len(sets) == 2 * 2 * 2 * 8  # data sets, shares of noise, trials, constraints of two tiers
    assert np.isinf(sets["weight"]).all()
    records = {record["key"]: record for record in RunDirectory(tmp_path / "results/paper").records()}
    ok = [record for record in records.values() if record["status"] == "ok"]
    assert len(ok) >= 16
    for record in ok:
        seen = sets[
            (sets["dataset"] == record["dataset"])
            & (sets["noise"] == record["grid"]["noise"])
            & (sets["repetition"] == record["repetition"])
            & (sets["tier"] <= record["tier"])
        ]
        labels = unpack(record["labels"], {"iris": 150, "mine": 40}[record["dataset"]])
        together = labels[seen["a"]] == labels[seen["b"]]
        assert record["metrics"]["satisfied"] == (together == (seen["link"] == "must")).mean()


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("starts_of_mine.py", ("3", "4"), "starts_of_mine.py changed"),
        ("score.py", ("mean", "sum"), "metric changed"),
        ("table.csv", ("0.0,0,a", "0.5,0,a"), "data set 'mine' changed"),
    ],
)
def test_what_was_not_run_is_not_packed(call, tmp_path, name, change, says):
    (tmp_path / name).write_text(FILES[name].replace(*change))
    assert says in " ".join(call("pack", "paper", status=2).split())
    assert not (tmp_path / "paper.zip").exists()


def test_there_is_nothing_to_pack(call):
    assert "no run 'papr'" in call("pack", "papr", status=2)
    assert "is a directory" in call("pack", "paper", "--out", "results", status=2)


def test_show_names_every_parameter_and_the_user_s_files(call):
    said = "".join(call("show", "paper").split())
    run = RunDirectory("results/paper").definition
    for cell in run.cells.values():
        joined, params = cell.identity["clusterer"] or ("", {})
        named = {**cell.identity["params"], **{f"{joined}.{name}": value for name, value in params.items()}}
        assert all(f"{name}=" in said for name in named)
    assert "n_init=3" in said  # a default of the user's own class
    for file, hash_ in next(each.identity["source"] for each in run.cells.values() if each.label == "Mine"):
        assert file + hash_ in said
    assert json.dumps(run.experiment.metrics[1]).strip('"') in said  # with its edition
