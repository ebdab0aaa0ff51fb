"""Growth of time and memory: measured once, resumed, and written into its page."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

scale = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[2] / "docs" / "scale.py")))


def test_what_is_stored_is_not_measured_again(tmp_path):
    stored = tmp_path / "scale.csv"
    scale.complete(stored, [scale.MEASURE], {"n": (100, 200)})
    before = stored.read_text()
    scale.complete(stored, [scale.MEASURE, "pckmeans"], {"n": (100, 200), "d": (5,)})
    assert stored.read_text().startswith(before)
    rows = pd.read_csv(stored)
    assert rows.groupby("method").size().to_dict() == {scale.MEASURE: 3, "pckmeans": 3}
    assert (rows["seconds"] >= 0).all()
    scale.draw(rows, tmp_path / "scale.png")
    assert (tmp_path / "scale.png").read_bytes().startswith(b"\x89PNG")


def test_a_fit_over_its_time_ends_the_axis(tmp_path):
    stored = tmp_path / "scale.csv"
    scale.complete(stored, ["kernel_kmeans"], {"n": (9000, 10_000)}, limit=1)
    rows = pd.read_csv(stored)
    assert rows["size"].tolist() == [9000]
    assert rows["problem"].tolist() == ["more than 1 CPU s"]


def test_the_exponent_is_that_of_a_power():
    sizes = np.array([10, 100, 1000, 10_000])
    assert scale.exponent(sizes, 3.0 * sizes**2) == "2.0"
    assert scale.exponent(sizes[:2], sizes[:2]) == "–"


def test_the_page_keeps_what_is_around_the_section():
    rows = pd.DataFrame(
        [["kmeans", "n", n, n / 1000, n / 100, ""] for n in (10, 100, 1000)], columns=scale.COLUMNS
    )
    page = scale.write(rows, f"before\n{scale.BEGIN}old\n{scale.END}after\n")
    assert page.startswith("before\n")
    assert page.endswith("after\n")
    assert "old" not in page
    assert "| kmeans | 1,000 | 1.00 | 1.0 | 10 | 1.0 |" in page
    assert scale.write(rows, page) == page
