from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from cscluster.constraints import Constraints
from cscluster.data.features import Features, default_steps
from cscluster.data.table import Columns
from cscluster.errors import DataError
from cscluster.tables import large
from cscluster.tables.cluster import Method, cluster_table

pytest.importorskip("pyarrow")

CENTRES = np.array([[0.0, 0.0], [8.0, 8.0]])


@pytest.fixture(name="file")
def parquet(tmp_path, monkeypatch):
    monkeypatch.setattr(large, "LARGE", 500)
    monkeypatch.setattr(large, "SAMPLE", 60)
    monkeypatch.setattr(large, "_BLOCK", 128)
    y = np.arange(1000) % 2
    X = CENTRES[y] + np.random.default_rng(0).normal(size=(1000, 2))
    known = np.where(np.arange(1000) < 4, np.array(["a", "b"])[y], np.where(y, "", None))
    path = tmp_path / "big.parquet"
    frame = pd.DataFrame({"key": np.arange(1000) + 5000, "x": X[:, 0], "y": X[:, 1], "known": known})
    frame.to_parquet(path, row_group_size=300)
    return path


def fitted(table):
    features, X = Features.fit(table, default_steps(table))
    links = Constraints.empty(table.n_samples)
    return cluster_table(table, features, X, links, Method("kmeans", {}, 2), 0)


def test_only_files_of_many_rows_are_large(file, tmp_path):
    assert large.find(str(file)).n_rows == 1000
    small = tmp_path / "small.parquet"
    pd.DataFrame({"x": [0.0, 1.0]}).to_parquet(small)
    assert large.find(str(small)) is None
    assert large.find("iris") is None
    broken = tmp_path / "broken.parquet"
    broken.write_text("no")
    with pytest.raises(DataError, match=r"broken\.parquet'.*Parquet"):
        large.find(str(broken))


def test_a_sample_has_all_rows_that_are_spoken_of(file):
    named, _ = large.find(str(file)).sample(Columns(id="key", ignore=["known"]), {"5007", "5990"}, 0)
    assert {"5007", "5990"} <= set(named.ids)
    assert 60 <= named.n_samples <= 62
    assert named.features == ["x", "y"]
    counted, _ = large.find(str(file)).sample(Columns(ignore=["key"], labels="known"), {"999"}, 0)
    assert {"0", "1", "2", "3", "999"} <= set(counted.ids)
    assert counted.partial_labels[:4].tolist() == [0, 1, 0, 1]
    assert counted.n_samples <= 65
    again, _ = large.find(str(file)).sample(Columns(ignore=["key"], labels="known"), {"999"}, 0)
    assert again.ids == counted.ids


@pytest.mark.parametrize("columns", [Columns(id="key", ignore=["known"]), Columns(ignore=["key", "known"])])
def test_all_rows_are_labelled_in_their_order(file, columns):
    source = large.find(str(file))
    sample, learned = source.sample(columns, (), 0)
    P = np.tile(np.eye(8)[7], (sample.n_samples, 1))
    outcome = replace(fitted(sample), labels=np.full(sample.n_samples, 7), probabilities=P)
    blocks = list(
        source.labelled(outcome, learned, lambda rows: (np.arange(rows.n_samples), np.zeros(rows.n_samples)))
    )
    names = [name for rows, *_ in blocks for name in rows.ids]
    first = 5000 if columns.id else 0
    assert names == [str(first + row) for row in range(1000)]
    assert max(rows.n_samples for rows, *_ in blocks) <= 128
    assert set(learned.tolist()) == {names.index(name) for name in sample.ids}
    learned = set(sample.ids)
    for rows, labels, confidence in blocks:
        expected = [7 if name in learned else row for row, name in enumerate(rows.ids)]
        assert labels.tolist() == expected
        assert confidence.tolist() == [float(name in learned) for name in rows.ids]


def test_a_name_that_recurs_does_not_give_its_row_the_cluster_of_another(file, tmp_path):
    frame = pd.read_parquet(file)
    learned = large.find(str(file)).sample(Columns(id="key"), (), 0)[1]
    recurs = int(np.setdiff1d(np.arange(1000), learned)[-1])
    frame.loc[recurs, "key"] = frame.loc[learned[0], "key"]
    frame.to_parquet(tmp_path / "twice.parquet")
    source = large.find(str(tmp_path / "twice.parquet"))
    sample, learned = source.sample(Columns(id="key", ignore=["known"]), (), 0)
    outcome = replace(fitted(sample), labels=np.full(sample.n_samples, 7))
    blocks = source.labelled(outcome, learned, lambda rows: (np.zeros(rows.n_samples), None))
    labels = np.concatenate([part for _, part, _ in blocks])
    assert labels[learned].tolist() == [7] * len(learned)
    assert labels.sum() == 7 * len(learned)
    with pytest.raises(DataError, match=r"'key'.*'twice'.*more than once"):
        source.sample(Columns(id="key"), {str(frame.loc[recurs, "key"])}, 0)
