"""The picture of all methods: every method gets a row, what it cannot do is said in its cell."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np

comparison = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[2] / "docs" / "comparison.py")))


def test_methods_see_the_same_links():
    (first, links), (second, again) = comparison.toy("moons"), comparison.toy("moons")
    assert np.array_equal(first.X, second.X)
    assert np.array_equal(links.must_links, again.must_links)
    assert len(links) == comparison.N_LINKS


def test_a_cell_holds_labels_and_score():
    cell = comparison.fit("kmeans", *comparison.toy("blobs"))
    assert cell.labels.shape == (comparison.N_SAMPLES,)
    assert cell.ari > 0.8


def test_what_a_method_cannot_do_is_kept_as_a_reason():
    cell = comparison.fit("gmmc_sdp", *comparison.toy("blobs"))  # two clusters only, blobs are three
    assert cell.labels is None
    assert "2" in cell.problem or "two" in cell.problem


def test_the_picture_is_drawn(tmp_path):
    comparison.draw(["kmeans", "pckmeans", "gmmc_sdp", "rca"], tmp_path / "comparison.png")
    assert (tmp_path / "comparison.png").read_bytes().startswith(b"\x89PNG")


def test_each_method_is_drawn_on_its_best_and_its_worst_set(tmp_path):
    comparison.draw_each(["kmeans"], tmp_path)
    assert (tmp_path / "kmeans.png").read_bytes().startswith(b"\x89PNG")
