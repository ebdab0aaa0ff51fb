"""The gallery shows every family, and its page says what was drawn."""

import re
from pathlib import Path

import pytest

from cscluster.algorithms import registry
from cscluster.examples.gallery import EXHIBITS, N_LINKS, draw

STORED = Path(__file__).parents[2] / "results" / "reference"


def test_every_family_has_one_figure():
    families = [registry.find(exhibit.name).family for exhibit in EXHIBITS]
    assert sorted(families) == sorted({algorithm.family for algorithm in registry.BUILT_IN})


def test_the_stored_page_shows_the_stored_figures():
    page = (STORED / "GALLERY.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[.*?\]\((.*?)\)", page)
    assert shown == [f"gallery-{registry.find(exhibit.name).family}.png" for exhibit in EXHIBITS]
    assert {path.name for path in STORED.glob("gallery-*.png")} == set(shown)
    assert all(exhibit.sentence in page for exhibit in EXHIBITS), "run: make gallery"
    assert sum((STORED / name).stat().st_size for name in shown) < 600_000


@pytest.mark.parametrize("name", ["trace_ratio_nonlinear", "ccskl"])
def test_the_stored_scores_are_those_of_today(name, tmp_path):
    (exhibit,) = (exhibit for exhibit in EXHIBITS if exhibit.name == name)
    acc = draw(exhibit, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    page = (STORED / "GALLERY.md").read_text(encoding="utf-8")
    said = f"{exhibit.sentence}\nACC {acc['own']:.2f} with {N_LINKS} links; k-means, which sees none, has {acc['kmeans']:.2f}."
    assert said in page, "run: make gallery"
    assert acc["own"] > acc["kmeans"] + 0.1
