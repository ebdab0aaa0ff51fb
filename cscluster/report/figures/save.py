"""Figures as files, and in notebooks: the same figure is the same bytes."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib.figure import Figure

from cscluster.atomic import put
from cscluster.errors import require_known
from cscluster.report.figures.style import styled, using
from cscluster.report.styles import FORMATS


def save(figure: Figure, path: Path) -> Path:
    """Write a figure in the format of the file's name, in an atomic step; return the path.

    Raises
    ------
    ConfigError
        If there is no such format.
    StoreError
        If the file cannot be written.
    """
    kind = path.suffix.removeprefix(".").lower()
    require_known("figure format", kind, FORMATS)
    put(path, rendered(figure, kind))
    return path


class ShownFigure(Figure):
    """A figure that notebooks show, whether or not pyplot is there."""

    def _repr_png_(self) -> bytes:
        with using("page"):
            return rendered(self)


def rendered(figure: Figure, kind: str = "png") -> bytes:
    """Return the content of a file that shows a figure."""
    buffer = io.BytesIO()
    with styled():
        figure.savefig(buffer, format=kind, metadata=FORMATS[kind])
    return buffer.getvalue()
