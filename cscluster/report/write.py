"""Reports as files."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from cscluster.errors import StoreError
from cscluster.report import markdown, spreadsheet
from cscluster.report.aggregate import Results
from cscluster.report.document import Document


def put(path: Path, text: str) -> None:
    """Write a file in an atomic step.

    Raises
    ------
    StoreError
        If that is not possible.
    """
    if path.is_dir():
        raise StoreError(f"Cannot write '{path}': it is a folder; name a file in it.")
    temporary = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise StoreError(f"Cannot write '{path}': {error.strerror}.") from error


def into_folder(results: Results, document: Document, folder: Path) -> Path:
    """Write ``report.md`` and ``summary.csv`` into a run's folder; return the report's path."""
    put(folder / "summary.csv", spreadsheet.text([results]))
    put(folder / "report.md", markdown.text([document]))
    return folder / "report.md"
