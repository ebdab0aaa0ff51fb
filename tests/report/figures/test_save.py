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

PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from cscluster import Constraints
from cscluster.report.figures import gallery, links_map, save
folder = Path(sys.argv[1])
X = np.random.default_rng(0).normal(size=(30, 64))
for name in ("png", "pdf", "svg"):
    save(gallery(X, np.arange(30) % 3, (8, 8)), folder / f"gallery.{name}")
    save(links_map(X[:, :2], np.arange(30) % 3, Constraints([(0, 1)], [(2, 3)], n_samples=30)), folder / f"map.{name}")
"""


def test_the_same_figure_is_the_same_bytes_in_every_format(tmp_path):
    files = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        (folder / "home").mkdir(parents=True)
        (folder / "home" / "matplotlibrc").write_text(f"font.size: {8 + number}\nsvg.fonttype: none\n")
        environment = {**os.environ, "PYTHONHASHSEED": str(number), "MATPLOTLIBRC": str(folder / "home")}
        subprocess.run([sys.executable, "-c", PROGRAM, str(folder)], check=True, env=environment)
        files.append({path.name: path.read_bytes() for path in folder.glob("*.*")})
        time.sleep(1.1)  # dates in files have whole seconds
    assert len(files[0]) == 6
    assert files[0] == files[1]


def test_formats_are_what_their_names_say(tmp_path):
    figure = curves(run(tmp_path / "run"), "acc")
    starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}
    for name, start in starts.items():
        path = save(figure, tmp_path / "new" / f"figure.{name}")
        assert path.read_bytes().startswith(start)
    with Image.open(tmp_path / "new" / "figure.png") as picture:
        assert picture.width == pytest.approx(3.4 * 300, abs=1)
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
    with pytest.raises(ConfigError, match="no figure format 'gif'; choose one of png, pdf, svg"):
        save(figure, tmp_path / "figure.gif")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="Cannot write"):
        save(figure, tmp_path / "file" / "figure.png")
