from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from PIL import Image

from cscluster.examples.segment_image import main, read_pixels, segment_image

IMAGE = Path(__file__).parents[2] / "datasets/landscape.png"


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


def test_the_bundled_image_is_the_generated_one():
    pixels = read_pixels(IMAGE)
    assert np.array_equal(pixels.round(), landscape())


def test_segments_come_out_as_a_picture(tmp_path):
    labels = segment_image(IMAGE, tmp_path / "out.png", n_segments=4)
    assert labels.shape == (200, 200)
    assert len(set(labels[70:90, 10:60].ravel())) == 1  # sky
    assert len({labels[80, 30], labels[44, 150], labels[140, 50], labels[195, 100]}) == 4
    picture = imread(tmp_path / "out.png")
    assert len(np.unique(picture.reshape(-1, picture.shape[2]), axis=0)) == 4


def test_a_grey_image_is_refused(tmp_path):
    Image.fromarray(np.zeros((4, 4), dtype=np.uint8)).save(tmp_path / "grey.png")
    with pytest.raises(ValueError, match=r"not an RGB image: its shape is \(4, 4\)"):
        read_pixels(tmp_path / "grey.png")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("missing.png out.png", "No such file"),
        ("text.png out.png", "not a PNG file"),
        ("grey.png out.png", "not an RGB image"),
    ],
)
def test_what_is_no_picture_is_said_in_a_sentence(tmp_path, monkeypatch, capsys, line, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.png").write_text("no picture")
    Image.fromarray(np.zeros((4, 4), dtype=np.uint8)).save(tmp_path / "grey.png")
    monkeypatch.setattr("sys.argv", ["segment_image", *line.split()])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out.png").exists()
