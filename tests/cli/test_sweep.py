"""``cscluster sweep`` as its user meets it."""

import re

import pytest

from cscluster.store.directory import RunDirectory

CONFIG = """\
name: small
datasets: [iris]
constraints: {kind: random_pairs, counts: [10, 20]}
algorithms: [kmeans, {name: kmeans, label: Lloyd, params: {tol: [0.1, 1]}, select: oracle:acc}]
trials: 2
"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.yaml").write_text(CONFIG)
    return tmp_path


def test_a_sweep_has_a_row_for_each_point_and_resumes(cscluster, small):
    arguments = [
        "sweep",
        "small.yaml",
        "-g",
        "Lloyd.n_init=1:5:2",
        "-g",
        "Lloyd.tol=0.01:1:x10",
        "--backend",
        "local",
    ]
    planned = cscluster(*arguments, "--dry-run")
    assert re.search(r"36 trials.*\b9 settings x 2\b.* x 2 trials", planned.stdout)
    assert not (small / "results").exists()
    done = cscluster(*arguments)
    assert done.returncode == 0, done.stderr
    assert "Lloyd (n_init=3, tol=0.1)" in done.stdout
    assert "k-means" not in done.stdout
    assert "report: results/small-sweep/report.md" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "nothing to compute" in cscluster(*arguments).stdout
    wider = cscluster(*arguments[:3], "Lloyd.n_init=1:7:2", *arguments[4:], "--dry-run")
    assert "36 stored, 12 to run" in wider.stdout


def test_a_selection_is_one_row_and_an_oracle_is_marked(cscluster, small):
    arguments = ["sweep", "small.yaml", "-g", "Lloyd.n_init=1,2", "--backend", "local", "--set", "trials=1"]
    done = cscluster(*arguments, "--select", "oracle:acc")
    assert "Lloyd *" in done.stdout
    assert "n_init=" not in done.stdout
    stored = RunDirectory(small / "results/small-sweep").definition.experiment
    assert stored.algorithms[0]["params"] == {
        "tol": [0.1, 1],
        "n_init": [1, 2],
    }


def test_a_sweep_may_be_sharded(cscluster, small):
    for number in (1, 2):
        part = cscluster(
            "sweep", "small.yaml", "-g", "Lloyd.tol=1,2", "--backend", "local", "--shard", f"{number}/2"
        )
        assert f"4 of 8 trials in shard {number}/2" in part.stdout
        assert "cscluster merge results/small-sweep.shard-*-of-2" in part.stdout
    merged = cscluster("merge", "small-sweep.shard-1-of-2", "small-sweep.shard-2-of-2")
    assert re.search(r"\b2 runs.*results/small-sweep: 8 of 8\b.*\b0 failed", merged.stdout)
    again = cscluster("sweep", "small.yaml", "-g", "Lloyd.tol=1,2", "--backend", "local")
    assert "nothing to compute" in again.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sweep", "small.yaml"], "nothing varies. Name a grid"),
        (["sweep", "small.yaml", "-g", "Loyd.tol=1"], "Did you mean 'Lloyd'?"),
        (["sweep", "small.yaml", "-g", "Lloyd.tool=1"], "Did you mean 'tol'?"),
        (["sweep", "small.yaml", "-g", "Lloyd.tol=1", "--shard", "3/2"], "such as 2/8, got '3/2'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(cscluster, small, arguments, says):
    done = cscluster(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert not (small / "results").exists()


def test_how_to_run_it_again_is_stored(cscluster, small):
    cscluster(
        "sweep",
        "small.yaml",
        "-g",
        "Lloyd.tol=1",
        "--select",
        "none",
        "--backend",
        "local",
        "--set",
        "trials=1",
    )
    stored = RunDirectory(small / "results/small-sweep").definition
    assert stored.command == "cscluster sweep small.yaml --grid Lloyd.tol=1 --select none --set trials=1"
