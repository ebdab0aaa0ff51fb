"""Tables as people have them, from the command line."""

import pytest

from cscluster import cluster
from cscluster.cli.options import column_names
from cscluster.data.load import load_dataset
from cscluster.errors import DataError, ParameterError
from cscluster.metrics.scores import score
from tests import messy


@pytest.fixture(name="folder")
def tables(tmp_path):
    table = messy.customers()
    table.to_csv(tmp_path / "cust.csv", index=False)
    messy.links(table["customer_id"], table["segment"].to_numpy(), 60).to_csv(
        tmp_path / "links.csv", index=False
    )
    return tmp_path


def test_customers_are_clustered_and_the_screen_says_how(cscluster, folder):
    done = cscluster("cluster", "cust.csv", "--links", "links.csv", "-k", "4", "--target", "segment")
    assert done.returncode == 0, done.stderr
    for line in (
        "column 'customer_id' names the rows, since the constraints name its values",
        "more among numbers, taken as missing",
        "column 'since': dates, taken as days",
        "against k-means without constraints:",
    ):
        assert line in done.stdout
    assert "Warning" not in done.stderr


def test_methods_are_compared_on_every_table_that_is_clustered(cscluster, folder):
    (folder / "study.yaml").write_text(
        "name: study\ndatasets: [{base: cust.csv, target: segment, id: customer_id}]\n"
        "algorithms: [kmeans, pckmeans]\n"
        "constraints: {kind: random_pairs, counts: [30]}\npreprocess: [standardize]\ntrials: 2\nmetrics: [ari]\n"
    )
    done = cscluster("run", "study.yaml")
    assert done.returncode == 0, done.stderr
    data = load_dataset(folder / "cust.csv", target="segment", id_column="customer_id")
    assert data.n_samples == 600
    assert "channel=web" in data.features


def test_a_german_export_is_read(tmp_path):
    content, kind = messy.stores()
    (tmp_path / "stores.csv").write_bytes(content)
    found = cluster(
        tmp_path / "stores.csv", messy.links(range(300), kind, 40), n_clusters=3, algorithm="pmmc"
    )
    assert found.table.features == ["Umsatz (€)", "Anteil", "Fläche", "Eröffnung"]
    assert score("ari", kind, found.labels) > 0.9


def test_a_table_of_text_is_told_what_to_do(tmp_path):
    messy.tickets().to_csv(tmp_path / "tickets.csv", index=False)
    with pytest.raises(DataError, match="embeddings"):
        cluster(tmp_path / "tickets.csv", n_clusters=3)


def test_many_rows(tmp_path):
    table, kind = messy.devices()
    links = messy.links(table["nr"], kind, 100)
    found = cluster(table, links, n_clusters=3, algorithm="pckmeans")
    assert found.table.id_column == "nr"
    assert score("ari", kind, found.labels) > 0.9
    assert found.n_moved is not None


def test_columns_are_shown_with_what_they_are_taken_as(cscluster, folder):
    done = cscluster("data", "info", "cust.csv", "--target", "segment", "--id", "customer_id")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["customer_id", "names", "of", "rows"] in [row[:4] for row in rows]
    assert ["channel", "text"] in [row[:2] for row in rows]
    assert ["since", "dates"] in [row[:2] for row in rows]
    messy.tickets().to_csv(folder / "tickets.csv", index=False)
    done = cscluster("data", "info", "tickets.csv")
    assert done.returncode == 2
    assert "103 different" in done.stdout


def test_names_of_columns_hold_no_bare_line_breaks():
    assert column_names(['"a,b",c', "d"]) == ["a,b", "c", "d"]
    with pytest.raises(ParameterError, match="line break"):
        column_names(["x\ny"])
