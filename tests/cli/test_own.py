"""An algorithm of one's own: template, check, experiment."""

import json
import re

import pytest


@pytest.fixture
def call(cscluster):
    """Return a function that runs the command line and returns all that it prints."""

    def call(*words, status=0):
        done = cscluster(*words)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    return call


def test_from_template_to_table(call, tmp_path):
    said = call("new", "algorithm", "my_method", "--directory", tmp_path)
    assert f"cscluster check {tmp_path}/my_method.py:MyMethod" in said
    yaml = said.partition("cscluster run my_method.yaml\n\n")[2].replace("trials: 10", "trials: 2")
    (tmp_path / "my_method.yaml").write_text("".join(line[2:] + "\n" for line in yaml.splitlines()))
    assert "0 failed" in call("check", "my_method.py:MyMethod")
    assert "MyMethod" in call("run", "my_method.yaml", "--jobs", "1")
    assert "exists already" in call("new", "algorithm", "MyMethod", status=2)


def test_what_is_missing_is_said_in_words(call, tmp_path):
    (tmp_path / "bad.py").write_text(
        "class Bad:\n    def fit(self, X, constraints=None):\n        return 1\n"
    )
    said = " ".join(call("check", "bad.py:Bad", status=1).split())
    assert "fit does not return self" in said
    assert "derive from sklearn.base.BaseEstimator" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["check", "kmean"], "'kmean'.*'kmeans'"),
        (["check", "nowhere:Mine"], "import 'nowhere'"),
        (["new", "algorithm", "no-name"], "'no-name'"),
    ],
)
def test_bad_input_is_one_sentence(call, words, says):
    said = call(*words, status=2)
    assert re.search(says, said)
    assert "Traceback" not in said


def test_the_example_is_written_all_or_not_at_all(call, tmp_path):
    (tmp_path / "new.csv").write_text("mine")
    assert "'new.csv' exists already" in call("new", "example", status=2)
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


def test_from_the_template_of_an_experiment_to_its_schema(call, tmp_path):
    assert "cscluster run mine.yaml" in call("new", "experiment", "mine")
    text = (tmp_path / "mine.yaml").read_text()
    assert "preprocess: [standardize]" in text
    assert text.startswith("# yaml-language-server: $schema=experiment.schema.json")
    assert re.search(r"mine\.yaml: valid.*\b2 data sets.*\b3 algorithms", call("validate", "mine.yaml"))
    schema = json.loads((tmp_path / "experiment.schema.json").read_text())
    assert schema == json.loads(call("show", "schema"))
    assert "'mine.yaml' exists already" in call("new", "experiment", "mine", status=2)
    assert "must start with a letter" in call("new", "experiment", "../mine", status=2)


def test_a_name_may_have_the_ending_of_its_file(call, tmp_path):
    assert "cscluster run mine.yaml" in call("new", "experiment", "mine.yaml")
    assert "cscluster check mine.py:Mine" in call("new", "algorithm", "mine.py")
    written = {"mine.yaml", "mine.py", "experiment.schema.json"}
    assert {path.name for path in tmp_path.iterdir()} == written


def test_schedules_steps_and_keys_are_listed_and_shown(call):
    assert "{kind: tiers, per_tier: [20], tiers: 5}" in call("show", "tiers")
    assert "per_tier" in call("show", "tiers")
    assert "balanced_pairs" in call("list", "schedules")
    assert "kernel_pca" in call("list", "steps")
    assert "preprocessing step l2" in call("show", "l2")
    assert "algorithms[].label" in call("list", "keys")


def test_an_algorithm_that_raises_says_where(call, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from sklearn.base import BaseEstimator\n\n\n"
        "class Mine(BaseEstimator):\n"
        "    def __init__(self, n_clusters=2):\n"
        "        self.n_clusters = n_clusters\n\n"
        "    def fit(self, X, constraints=None):\n"
        "        raise ZeroDivisionError('here')\n"
    )
    (tmp_path / "mine.yaml").write_text(
        "name: mine\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\n"
        "algorithms: [kmeans, {name: 'mine.py:Mine', label: Mine}]\ntrials: 1\n"
    )

    def said(*words, status=0):
        return "".join(call(*words, status=status).split())  # wherever a line ends

    run = said("run", "mine.yaml", "--jobs", "1", status=1)
    assert "preprocessing:none" in run
    for text in (run, said("report", "mine"), said("check", "mine.py:Mine", status=1)):
        assert "mine.py:9,infit" in text
    stored = json.loads((tmp_path / "results/mine/trials.jsonl").read_text().splitlines()[1])
    assert "raise ZeroDivisionError('here')" in stored["error"]["traceback"]
