import json
import re

import numpy as np

from cscluster.constraints import Constraints
from cscluster.report.html import scatter_page
from cscluster.report.html.scatter import POINTS_LIMIT

SQUARE = [(0, 0), (0, 1), (1, 0), (1, 1)]
NONE = Constraints.empty(4)


def data(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text)[1])


def test_links_that_the_clusters_break_are_told():
    text = scatter_page(
        SQUARE,
        ["x", "x", "y", "y"],
        Constraints([(0, 1), (1, 2)], [(2, 3), (0, 3)], n_samples=4),
        title="Square",
        ids="abcd",
    )
    found = data(text)
    assert found["clusters"] == ["x", "y"]
    assert found["sizes"] == [2, 2]
    assert found["points"][1] == [0.0, 1.0, 0, "b"]
    assert [link[4:] for link in found["links"]["must"]] == [["a", "b", False], ["b", "c", True]]
    assert [link[4:] for link in found["links"]["cannot"]] == [["a", "d", False], ["c", "d", True]]
    assert "<dd>1 of 2</dd>" in text
    assert "2 of 4 constraints" in text


def test_a_map_without_links():
    text = scatter_page(SQUARE, [0, 0, 1, 1], NONE, title="No links")
    assert "Violated constraints" not in text
    assert data(text)["points"][3] == [1.0, 1.0, 1, "3"]


def test_of_many_samples_all_linked_ones_are_shown():
    n = 2 * POINTS_LIMIT
    linked = [(7, n - 1), (1, 11)]
    constraints = Constraints(linked, n_samples=n)
    found = data(scatter_page(np.zeros((n, 2)), np.zeros(n, dtype=int), constraints, title="Many"))
    names = [point[3] for point in found["points"]]
    assert len(names) == len(set(names)) == POINTS_LIMIT
    assert {"7", "1", "11", str(n - 1)} <= set(names)
    assert found["sizes"] == [n]


def test_names_cannot_become_markup():
    name = "</script><script>alert(1)</script>"
    constraints = Constraints([], [(0, 1)], n_samples=4)
    text = scatter_page(SQUARE, [name] * 4, constraints, title=name, ids=[name] * 4, axes=(name, name))
    assert "<script>alert" not in text


def test_identical_input_gives_identical_bytes():
    assert scatter_page(SQUARE, [0, 1, 0, 1], NONE, title="x") == scatter_page(
        SQUARE, [0, 1, 0, 1], NONE, title="x"
    )
