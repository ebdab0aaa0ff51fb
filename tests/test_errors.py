import pickle
import warnings

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cscluster import RCA, PCKMeans, errors
from cscluster.errors import ConfigError, DataError, InfeasibleError, did_you_mean, reason, require_known


@pytest.mark.parametrize("kind", ["ConfigError", "DataError", "ConstraintError", "ParameterError"])
def test_all_errors_have_one_base(kind):
    assert issubclass(getattr(errors, kind), errors.CsclusterError)


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("kmean", ["kmeans", "pmmc"], ". Did you mean 'kmeans'?"),
        ("KMEANS", ["kmeans", "pmmc"], ". Did you mean 'kmeans'?"),
        ("kmean", ["KMeans", "PMMC"], ". Did you mean 'KMeans'?"),
        ("letterijl", ["letterIJL", "letter_ab"], ". Did you mean 'letterIJL'?"),
        ("xyz", ["kmeans", "pmmc"], ". There are kmeans, pmmc."),
        ("xyz", [f"name {i}" for i in range(16)], "."),
        ("", [], "."),
    ],
)
def test_did_you_mean(name, known, hint):
    assert did_you_mean(name, known) == hint


def test_a_name_that_is_not_known():
    require_known("profile", "quick", ["full", "quick"])
    with pytest.raises(ConfigError, match=r"profile 'quik'.*'quick'"):
        require_known("profile", "quik", ["full", "quick"])


def test_texts_are_fit_for_a_terminal():
    assert str(DataError("a\x1b[31mred\r\x00\udcff\n\n \nb")) == "a\\x1b[31mred\\r\\x00\\udcff\nb"
    long = str(DataError(f"before {'x' * 10**6} after\nnext"))
    assert len(long) < 1100
    assert long.startswith("before xxx")
    assert long.endswith("x after\nnext")


def test_links_at_fault_are_named_and_travel_between_processes():
    error = InfeasibleError("Nothing keeps", [(i, i + 1) for i in range(8)])
    for copy in (error, pickle.loads(pickle.dumps(error))):
        assert str(copy) == "Nothing keeps 0-1, 1-2, 2-3, 3-4, 4-5, 5-6 and 2 more."
        assert copy.named("abcdefghi").startswith("Nothing keeps a-b, b-c")
    assert str(InfeasibleError("Nothing is left.")) == "Nothing is left."


def test_reasons_show_no_insides():
    assert reason(ValueError("malformed node: <ast.Name object at 0x7f00>\nmore")) == "malformed node"
    assert reason(ValueError("")) == "ValueError"


def test_a_warning_points_to_the_line_of_the_user():
    X = [[0.0, 1.0], [1.0, 0.0], [5.0, 6.0], [6.0, 5.0]]
    steps = make_pipeline(StandardScaler(), RCA(), PCKMeans(n_clusters=2, random_state=0))
    for fit in (RCA().fit, steps.fit):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit(X)
        assert "RCA got no must-links" in str(caught[0].message)
        assert caught[0].filename == __file__


def test_an_error_is_placed_in_the_users_own_code():
    def broken(X):
        raise ZeroDivisionError("no")

    class Mine(PCKMeans):
        def fit(self, X, constraints=None):
            return broken(X)

    with pytest.raises(ZeroDivisionError) as caught:
        make_pipeline(StandardScaler(), Mine(n_clusters=2)).fit([[0.0], [1.0], [2.0]])
    line = broken.__code__.co_firstlineno + 1
    assert errors.raised_at(caught.value) == f"{__file__}:{line}, in broken"
    assert "return broken(X)" in errors.traceback_of(caught.value)
    with pytest.raises(DataError) as purpose:
        raise DataError("no")
    assert errors.raised_at(purpose.value) == ""
