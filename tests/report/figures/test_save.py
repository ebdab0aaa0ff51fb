import inspect
import io
import os
import subprocess
import sys
import time

import matplotlib
import pytest
from PIL import Image

from cscluster.errors import ConfigError, StoreError
from cscluster.report.figures import curves, save

from .runs import run


def paint(folder):
    from pathlib import Path

    import numpy as np

    from cscluster import Constraints
    from cscluster.report.figures import gallery, links_map, save

    X = np.random.default_rng(0).normal(size=(30, 64))
    links = Constraints([(0, 1)], [(2, 3)], n_samples=30)
    figures = {
        "gallery": gallery(X, np.arange(30) % 3, (8, 8)),
        "map": links_map(X[:, :2], np.arange(30) % 3, links),
    }
    for name, figure in figures.items():
        for ending in ("png", "pdf", "svg"):
            save(figure, Path(folder) / f"{name}.{ending}")


def test_the_same_figure_is_the_same_bytes_in_every_format(tmp_path):
    """Now and, with other settings, in another process a second or more later."""
    paint(tmp_path / "now")
    settings = tmp_path / "matplotlibrc"
    settings.write_text("font.size: 20\nsvg.fonttype: none\n")
    program = f"{inspect.getsource(paint)}\npaint({str(tmp_path / 'later')!r})"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(settings)}
    time.sleep(1)
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    now, later = (
        {path.name: path.read_bytes() for path in (tmp_path / f).iterdir()} for f in ("now", "later")
    )
    assert len(now) == 6
    assert now == later


def test_formats_are_what_their_names_say(tmp_path):
    figure = curves(run(tmp_path / "run"), "acc")
    starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}
    for name, start in starts.items():
        path = save(figure, tmp_path / "new" / f"figure.{name}")
        assert path.read_bytes().startswith(start)
    with Image.open(tmp_path / "new" / "figure.png") as picture:
        assert picture.width == pytest.approx(3.5 * 300, abs=1)
    assert b"/Type3" not in (tmp_path / "new" / "figure.pdf").read_bytes()
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "figure.pdf",
        "figure.png",
        "figure.svg",
    ]


def test_settings_of_the_user_are_left_as_they_were(tmp_path):
    before = dict(matplotlib.rcParams)
    save(curves(run(tmp_path / "run"), "acc"), tmp_path / "figure.svg")
    assert dict(matplotlib.rcParams) == before


def test_an_unknown_format_and_a_place_that_cannot_be_written(tmp_path):
    figure = curves(run(tmp_path / "run"), "acc")
    with pytest.raises(ConfigError, match=r"figure format 'gif'.*png, pdf, svg"):
        save(figure, tmp_path / "figure.gif")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"write.*figure\.png'"):
        save(figure, tmp_path / "file" / "figure.png")


def test_notebooks_show_a_figure_without_pyplot(tmp_path):
    figure = curves(run(tmp_path), "acc")
    picture = figure._repr_png_()
    assert picture.startswith(b"\x89PNG")
    with Image.open(io.BytesIO(picture)) as image:
        assert image.width == 3.5 * 150  # a column of a page, half the pixels of a printed one
