"""Segment an RGB image by clustering its pixels (zhang2009, section IV-C).

python -m cscluster.examples.segment_image datasets/landscape.png segments.png --segments 4
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from matplotlib.image import imread, imsave
from numpy.typing import NDArray

from cscluster import IterSVR


def read_pixels(path: str | Path) -> NDArray[np.float64]:
    """Return an image as red, green and blue from 0 to 255, of shape (height, width, 3)."""
    image = imread(path)
    if image.ndim != 3 or image.shape[2] < 3:
        raise ValueError(f"{path} is not an RGB image: its shape is {image.shape}.")
    scale = 255.0 if image.dtype.kind == "f" else 1.0
    return scale * image[:, :, :3].astype(np.float64)


def segment_image(path: str | Path, out: str | Path, n_segments: int = 2, seed: int = 0) -> NDArray[np.int64]:
    """Cluster the pixels of `path` by colour and write `out`, each segment in its mean colour.

    The kernel's width and C are those of the paper; a hundred landmarks stand in for a kernel
    matrix of all pairs of pixels.  Returns the segment of each pixel.
    """
    image = read_pixels(path)
    X = image.reshape(-1, 3)
    model = IterSVR(
        n_clusters=n_segments,
        C=500,
        sigma=500,
        sigma_unit="data",
        balance=0.45,
        n_landmarks=100,
        random_state=seed,
    )
    labels = model.fit(X).labels_
    colours = np.array([X[labels == c].mean(axis=0) for c in range(n_segments)])
    imsave(out, colours[labels].reshape(image.shape).round().astype(np.uint8))
    return labels.reshape(image.shape[:2])


def main() -> None:
    """Segment the image that the command line names."""
    parser = argparse.ArgumentParser(description="Segment an RGB image by colour.")
    parser.add_argument("image", type=Path, help="the picture, such as a PNG file")
    parser.add_argument("out", type=Path, help="where the segments go, each in its mean colour")
    parser.add_argument("--segments", type=int, default=2, help="number of segments (default 2)")
    arguments = parser.parse_args()
    try:
        found = segment_image(arguments.image, arguments.out, arguments.segments)
    except (OSError, SyntaxError, ValueError) as error:
        parser.error(str(error))
    shares = ", ".join(f"{share:.0%}" for share in np.bincount(found.ravel()) / found.size)
    print(f"wrote {arguments.out}: {arguments.segments} segments ({shares} of the pixels)")


if __name__ == "__main__":
    main()
