"""The table that ``cscluster new example`` writes."""

import csv
from pathlib import Path

from cscluster import load_dataset
from cscluster.constraints.files import as_constraints, list_links
from cscluster.tables.example import N_LINKS, N_NEW, example_files


def test_the_links_are_true_of_the_flowers_and_there_are_enough_to_choose_by():
    texts = example_files()
    flowers, new = (list(csv.reader(texts[name].splitlines())) for name in ("flowers.csv", "new.csv"))
    assert flowers[0] == new[0] == ["id", "sepal_length", "sepal_width", "petal_length", "petal_width"]
    assert (len(flowers), len(new)) == (1 + 150 - N_NEW, 1 + N_NEW)
    ids = [row[0] for row in flowers[1:]]
    links = as_constraints(list_links(texts["links.csv"], Path("links.csv"), len(ids), ids), len(ids))
    assert len(links) == N_LINKS
    assert min(len(links.must_links), len(links.cannot_links)) >= 10
    iris = load_dataset("iris")
    species = {tuple(f"{value:.1f}" for value in x): y for x, y in zip(iris.X.tolist(), iris.y, strict=True)}
    assert len(links.violated([species[tuple(row[1:])] for row in flowers[1:]])) == 0
