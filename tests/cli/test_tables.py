"""The commands read the same tables."""

import json

import numpy as np
import pytest

ROWS = [
    "id,name,since,spent,city,segment",
    *(
        f"c{i:02d},Person {i},2024-0{1 + i % 3}-1{i % 9},{'' if i == 7 else 10 * (i % 3) + i / 50},"
        f"{('Rome', 'Oslo', '')[i % 3]},{'ABC'[i % 3]}"
        for i in range(30)
    ),
]


@pytest.fixture
def messy(tmp_path):
    """Write a table of strings, dates and gaps."""
    (tmp_path / "cust.csv").write_text("\n".join(ROWS) + "\n")


def test_data_info_says_what_is_made_of_each_column(cscluster, messy):
    done = cscluster("data", "info", "cust.csv", "--target", "segment")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    for part in (
        "features 5",
        "column 'since': dates, taken as days",
        "left out: name (text with 30 different values)",
        "1 empty cell filled with the median",
        "text column 'city': a 0/1 column for each of its 3 values ((empty), Oslo, Rome)",
    ):
        assert part in said


def test_methods_are_compared_on_a_table_that_cluster_reads(cscluster, messy, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "run.yaml").write_text(
        "name: run\ndatasets: [{base: cust.csv, target: segment, id: id, ignore: [city]}]\n"
        "preprocess: [standardize]\nconstraints: {kind: random_pairs, counts: [4]}\n"
        "algorithms: [kmeans]\nmetrics: [ari]\ntrials: 1\n"
    )
    done = cscluster("run", "run.yaml", "-j", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    record = json.loads((tmp_path / "results" / "run" / "trials.jsonl").read_text().splitlines()[0])
    words = ["cluster", "cust.csv", "--target", "segment", "--ignore", "city", "-k", "3", "-a", "kmeans"]
    clustered = cscluster(*words).stdout
    assert "ARI 1.000" in clustered
    assert np.isclose(record["metrics"]["ari"], 1)
