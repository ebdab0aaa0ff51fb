"""One method beside the stored trials of the benchmark."""

import re
import shlex
from pathlib import Path

import pytest

TRIALS = Path(__file__).parents[2] / "results" / "reference" / "trials"
MINE = """\
import numpy as np
from cscluster.algorithms.base import Clusterer

class Mine(Clusterer):
    def fit(self, X, y=None, constraints=None):
        X, constraints = self._validate(X, y, constraints)
        order = np.argsort(X[:, 0])
        labels = np.empty(len(X), dtype=int)
        labels[order] = np.arange(len(X)) * self.n_clusters // len(X)
        return self._set_partition(labels, n_iter=1, converged=True)

class Fails(Mine):
    def fit(self, X, y=None, constraints=None):
        raise ValueError("not today")
"""


@pytest.fixture
def add(cscluster, tmp_path):
    """Return a function that adds a method to the quick form of a track, beside the published trials."""
    (tmp_path / "results" / "reference").mkdir(parents=True)
    (tmp_path / "results" / "reference" / "trials").symlink_to(TRIALS)
    (tmp_path / "mine.py").write_text(MINE)
    common = ("--profile", "quick", "--repetitions", "1", "-j", "1")
    return lambda method, *more: cscluster("benchmark", "links", "--add", method, *common, *more)


def rows(output):
    """Return the cells of the lines of a table."""
    return {
        cells[0]: cells[1:] for line in output.splitlines() if len(cells := re.split(r"\s{2,}", line)) > 4
    }


def test_a_class_of_ones_own_has_its_row_and_rank(add, tmp_path):
    first = add("mine.py:Mine")
    assert first.returncode == 0, first.stderr
    assert "8 to run" in first.stdout  # four data sets, 30 and 100 constraints
    table = rows(first.stdout)
    assert {">Mine", "k-means", "COP-KMeans"} <= set(table)
    folder = tmp_path / "results" / "benchmark-Mine-quick"
    assert "| **Mine** |" in (folder / "BENCHMARK.md").read_text()
    again = add("mine.py:Mine")
    assert "0 to run" in again.stdout
    assert rows(again.stdout) == table
    assert [path.name for path in (tmp_path / "results" / "reference").iterdir()] == ["trials"]


@pytest.mark.parametrize(
    ("method", "stored", "label"),
    [("{name: cop_kmeans, label: again}", "COP-KMeans", ">again"), ("kmeans", "k-means", ">k-means (added)")],
)
def test_it_sees_constraints_and_seeds_of_the_stored_trials(add, method, stored, label):
    table = rows(add(method).stdout)
    assert [float(cell.lstrip(">")) for cell in table[label][:2]] == [
        float(cell.lstrip(">")) for cell in table[stored][:2]
    ]


def test_failures_are_rows_and_an_exit_code(add):
    failed = add("mine.py:Fails")
    assert failed.returncode == 1
    assert "failed: 8 trials of Fails" in failed.stdout

    table = rows(failed.stdout)
    assert table[">Fails"][0].lstrip(">") == "0.000"
    assert table[">Fails"][1].lstrip(">") == "0.000"
    assert table[">Fails"][-1] == "8"


def test_the_commands_of_the_page(cscluster, add, tmp_path):
    (tmp_path / "mine.py").unlink()
    page = (TRIALS.parents[2] / "docs" / "benchmark.md").read_text(encoding="utf-8")
    section = page.partition("## Your method in it")[2]
    (new,) = re.findall(r"`cscluster (new .*?)`", section)
    assert cscluster(*new.split()).returncode == 0
    commands = re.findall(r"(?m)^cscluster (benchmark .*?)(?: +#.*)?$", section)
    assert len(commands) == 3
    for command in commands:
        planned = cscluster(*command.split(), "--dry-run")
        assert planned.returncode == 0, planned.stderr
    first = cscluster(*commands[0].split(), "--profile", "quick")
    assert ">Mine" in rows(first.stdout)
    options = re.findall(r"`--add (.*?)`", section)
    for option in options:
        assert add(shlex.split(option)[0], "--dry-run").returncode == 0


@pytest.mark.parametrize(
    ("method", "more", "message"),
    [
        ("kmens", (), "algorithm 'kmens'.*'kmeans'"),
        ("gone.py:Mine", (), r"no file 'gone\.py'"),
        ("[1, 2]", (), r"'\[1, 2\]'.*method"),
        ("mine.py:Mine", ("--write",), "--write.*--check"),
        ("mine.py:Mine", ("--results", "elsewhere"), "no stored trials"),
    ],
)
def test_what_cannot_be_added(add, method, more, message):
    answer = add(method, *more)
    assert answer.returncode == 2
    assert re.search(message, " ".join(answer.stderr.split()))


def test_the_track_of_given_constraints(cscluster, tmp_path):
    reference = tmp_path / "results" / "reference"
    reference.mkdir(parents=True)
    (reference / "exact.csv").symlink_to(TRIALS.parent / "exact.csv")
    shown = cscluster("benchmark", "exact", "--stored")
    assert shown.returncode == 0, shown.stderr
    table = rows(shown.stdout)
    assert float(table["PCCC"][0]) <= float(table["PCCC, one start"][0])
    assert cscluster("benchmark", "exact", "--dry-run").stdout.strip() == "270 runs"
    refused = cscluster("benchmark", "exact", "--add", "kmeans")
    assert refused.returncode == 2
    assert "takes neither --add" in refused.stderr
