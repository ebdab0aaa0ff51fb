import socket
import time
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from scipy import sparse

from cscluster import load_dataset
from cscluster.data import openml
from cscluster.errors import DataError


@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_an_unreachable_network_is_told(monkeypatch):
    def unreachable(*args, **kwargs):
        raise OSError("Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", unreachable)
    monkeypatch.setattr(socket, "getaddrinfo", unreachable)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(DataError, match=r"OpenML.*'iris'.*network"):
        load_dataset("openml:iris")


@pytest.fixture
def asked(monkeypatch):
    """Stand in for OpenML; the frame to return and what was asked for."""
    state = SimpleNamespace(bunch=None, error=None, calls=[])

    def fetch_openml(**wanted):
        state.calls.append(wanted)
        if state.error is not None:
            raise state.error
        return state.bunch

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "kind": pd.Categorical(["x", "y", "y"])})
    state.bunch = SimpleNamespace(frame=frame, data=frame[["a"]], target=frame["kind"])
    return state


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("iris", {"name": "iris"}),
        ("iris/2", {"name": "iris", "version": 2}),
        ("61", {"data_id": 61}),
    ],
)
def test_names_versions_and_numbers(asked, name, wanted):
    data = load_dataset(f"openml:{name}")
    assert data.X.tolist() == [[1], [2], [3]]
    assert data.classes == ["x", "y"]
    assert wanted.items() <= asked.calls[0].items()
    assert asked.calls[0]["data_home"] == str(openml.cache_directory() / "openml")


def test_a_version_that_is_no_number_is_told(asked):
    with pytest.raises(DataError, match=r"'iris/latest'.*version.*integer"):
        load_dataset("openml:iris/latest")


def test_several_targets_are_refused(asked):
    asked.bunch.target = asked.bunch.frame[["a", "kind"]]
    with pytest.raises(DataError, match=r"target.*\(a, kind\)"):
        load_dataset("openml:toy")


def test_the_checksum_is_of_the_values(asked):
    before = load_dataset("openml:toy").checksum
    assert load_dataset("openml:toy").checksum == before
    asked.bunch.frame.loc[0, "a"] = 7.0
    assert load_dataset("openml:toy").checksum != before


def test_sparse_sets_stay_sparse(asked):
    X = sparse.csr_matrix(np.eye(3))
    asked.bunch = SimpleNamespace(frame=None, data=X, target=np.array(["p", "q", "q"]))
    data = load_dataset("openml:text")
    assert sparse.issparse(data.X)
    assert data.classes == ["p", "q"]
    before = data.checksum
    asked.bunch.data = X * 2
    assert load_dataset("openml:text").checksum != before


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (URLError("no route"), r"OpenML.*'toy' \(<urlopen error no route>\)"),
        (
            ValueError("Dataset toy with version 9 not found."),
            "OpenML.*'toy': Dataset toy with version 9",
        ),
    ],
)
def test_errors_of_the_fetcher_are_explained(asked, error, message):
    asked.error = error
    with pytest.raises(DataError, match=message):
        load_dataset("openml:toy")


def test_the_cache_is_where_the_system_wants_it(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert openml.cache_directory() == tmp_path / "cscluster"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert openml.cache_directory() == tmp_path / ".cache" / "cscluster"
