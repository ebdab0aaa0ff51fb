"""An algorithm of one's own: template, check, experiment."""

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
    assert "0 missing" in call("check", "my_method.py:MyMethod")
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
        (["check", "kmean"], "did you mean 'kmeans'?"),
        (["check", "nowhere:Mine"], "Cannot import 'nowhere'"),
        (["new", "algorithm", "no-name"], "cannot name a Python file"),
        (["new", "algorithm", "a", "--directory", "missing"], "Cannot write"),
        (["new", "example", "--directory", "missing"], "Cannot write 'missing/flowers.csv': No such file"),
    ],
)
def test_bad_input_is_one_sentence(call, words, says):
    said = call(*words, status=2)
    assert says in said
    assert "Traceback" not in said


def test_the_example_is_written_all_or_not_at_all(call, tmp_path):
    (tmp_path / "new.csv").write_text("mine")
    assert "'new.csv' exists already" in call("new", "example", status=2)
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]
