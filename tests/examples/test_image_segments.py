import runpy
from pathlib import Path

import numpy as np
from matplotlib.image import imread

from cscluster import load_dataset

ROOT = Path(__file__).parents[2]


def landscape(size=200, seed=0):
    """Draw the bundled image: sky, sun, hills and a red field, with noise."""
    row, column = np.mgrid[:size, :size] / size
    shown = np.zeros((size, size), dtype=np.int64)
    shown[np.hypot(row - 0.22, column - 0.75) < 0.13] = 1
    shown[row > 0.55 + 0.1 * np.sin(7 * column)] = 2
    shown[row > 0.8 + 0.05 * np.cos(5 * column)] = 3
    image = np.array([[110, 170, 230], [250, 220, 90], [60, 120, 50], [150, 50, 40]], dtype=float)[shown]
    image += np.where(shown == 0, 40 * np.arange(size)[:, None] / size, 0)[..., None]
    noisy = image + np.random.default_rng(seed).normal(scale=8, size=image.shape)
    return (np.clip(noisy, 0, 255) // 8 * 8).astype(np.uint8)


def test_the_bundled_image_and_its_pixels_are_the_generated_ones():
    pixels = (255 * imread(ROOT / "datasets/landscape.png")[:, :, :3]).round()
    assert np.array_equal(pixels, landscape())
    assert np.array_equal(pixels.reshape(-1, 3), load_dataset("landscape").X)


def test_segments_come_out_as_a_picture(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["image_segments.py", str(tmp_path / "out.png")])
    found = runpy.run_path(str(ROOT / "docs/examples/image_segments.py"))
    labels = found["labels"].reshape(200, 200)
    assert len(set(labels[70:90, 10:60].ravel())) == 1  # sky
    assert len({labels[80, 30], labels[44, 150], labels[140, 50], labels[195, 100]}) == 4
    picture = imread(tmp_path / "out.png")
    assert len(np.unique(picture.reshape(-1, picture.shape[2]), axis=0)) == 4
