"""Metrics of the user's own."""

import numpy as np
import pytest
from sklearn.metrics import v_measure_score

from cscluster.errors import ConfigError, ParameterError
from cscluster.experiment import own_metrics
from cscluster.experiment.config.load import parse
from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.metrics.scores import score

FILE = """\
import numpy as np
def worst_class(y, labels):
    return min(np.bincount(labels[y == c]).max() / (y == c).sum() for c in np.unique(y))
def my_loss(y, labels):
    labels += 1
    return np.float32(0.25)
def undefined(y, labels):
    return float("nan")
def one(y):
    return 1
def words(y, labels):
    return "good"
def steps(y, labels, model=None, X=()):
    return 10 * len(X) + model if model else 0
"""
CONFIG = """\
name: x
datasets: [iris]
constraints: {kind: random_pairs, counts: [5]}
algorithms: [kmeans]
metrics: [ari, 'METRIC']
"""


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    return tmp_path / "mine.py"


def test_own_and_built_in_scores_of_a_partition():
    y, labels = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1])
    names = ["ari", "mine.py:worst_class#0", "mine.py:my_loss", "mine.py:undefined", "mine.py:my_loss@unseen"]
    found = own_metrics.scores(y, labels, names)
    assert found["mine.py:worst_class#0"] == pytest.approx(2 / 3)
    assert found["mine.py:my_loss"] == 0.25
    assert found["mine.py:undefined"] is None
    assert "mine.py:my_loss@unseen" not in found
    assert found["ari"] == score("ari", y, labels)
    assert labels.tolist() == [0, 0, 1, 1, 1]  # a function changes nothing here


def test_a_function_that_asks_for_the_model_and_the_samples_gets_them():
    names = ["mine.py:steps", "mine.py:my_loss"]
    found = own_metrics.scores(np.array([0, 1]), np.array([0, 1]), names, model=5, X=[1, 2])
    assert (found["mine.py:steps"], found["mine.py:my_loss"]) == (25.0, 0.25)


def test_a_function_of_a_library_is_a_metric():
    y, labels = [0, 0, 1, 1], [0, 1, 1, 1]
    name = "sklearn.metrics:v_measure_score"
    assert own_metrics.edition(name) == name
    assert own_metrics.scores(y, labels, [name])[name] == v_measure_score(y, labels)


def test_the_edition_follows_the_files_of_the_function(file):
    before = own_metrics.edition("mine.py:my_loss@unseen")
    assert own_metrics.without_edition(before) == "mine.py:my_loss@unseen"
    assert own_metrics.edition(before) == before
    file.write_text(FILE.replace("0.25", "0.5"))
    assert own_metrics.edition("mine.py:my_loss@unseen") != before


def test_name_and_direction_follow_from_the_function():
    assert lower_is_better("mine.py:my_loss#12345678")
    assert not lower_is_better("mine.py:worst_class#12345678")
    assert metric_title("mine.py:my_loss#12345678@unseen") == "my loss (unseen samples)"


@pytest.mark.parametrize("name", ["mine.py:my_loss", "mine.py:worst_class@unconstrained"])
def test_an_experiment_names_a_function(name):
    assert parse(CONFIG.replace("METRIC", name), source="x").metrics[1] == name


@pytest.mark.parametrize(
    "name",
    ["mine.py:one", "mine.py:words", "mine.py:my_los", "there.py:m", "mine.py:my_loss@there", "there:m"],
)
def test_what_is_no_metric_is_refused_with_its_place(name):
    with pytest.raises(ConfigError, match=r"x:5:16: ") as caught:
        parse(CONFIG.replace("METRIC", name), source="x")
    assert len(str(caught.value).splitlines()) == 1


def test_an_oracle_cannot_choose_by_a_function():
    text = CONFIG.replace("METRIC", "nmi").replace(
        "[kmeans]", "[{name: kmeans, select: 'oracle:mine.py:one'}]"
    )
    with pytest.raises(ConfigError, match=r"'oracle'.*metric"):
        parse(text, source="x")


def test_there_is_no_file():
    with pytest.raises(ParameterError):
        own_metrics.edition("there.py:m")
