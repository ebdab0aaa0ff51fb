import pytest

from cscluster import errors
from cscluster.errors import did_you_mean


@pytest.mark.parametrize("kind", ["ConfigError", "DataError", "ConstraintError", "ParameterError"])
def test_all_errors_have_one_base(kind):
    assert issubclass(getattr(errors, kind), errors.CsclusterError)


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("kmean", ["kmeans", "pmmc"], "; did you mean 'kmeans'?"),
        ("KMEANS", ["kmeans", "pmmc"], "; did you mean 'kmeans'?"),
        ("kmean", ["KMeans", "PMMC"], "; did you mean 'KMeans'?"),
        ("letterijl", ["letterIJL", "letter_ab"], "; did you mean 'letterIJL'?"),
        ("xyz", ["kmeans", "pmmc"], ""),
        ("", [], ""),
    ],
)
def test_did_you_mean(name, known, hint):
    assert did_you_mean(name, known) == hint
