"""Figures as files, and in notebooks: the same figure is the same bytes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from cscluster.atomic import put
from cscluster.errors import ConfigError
from cscluster.report.figures.style import styled, using

FORMATS: dict[str, dict[str, Any]] = {  # what would change from one day or version to the next is left out
    "png": {"Software": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    "svg": {"Creator": None, "Date": None},
}


def check_format(name: str) -> None:
    """Raise a ConfigError unless figures can be written in this format."""
    if name not in FORMATS:
        raise ConfigError(f"There is no figure format '{name}'; choose one of {', '.join(FORMATS)}.")


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
    check_format(kind)
    put(path, _bytes(figure, kind))
    return path


class ShownFigure(Figure):
    """A figure that notebooks show, whether or not pyplot is there."""

    def _repr_png_(self) -> bytes:
        with using("page"):
            return _bytes(self, "png")


def _bytes(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    with styled():
        figure.savefig(buffer, format=kind, metadata=FORMATS[kind])
    return buffer.getvalue()
