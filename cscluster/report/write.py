"""Reports as files."""

from __future__ import annotations

from pathlib import Path

from cscluster import atomic
from cscluster.errors import StoreError
from cscluster.report.aggregate import Results
from cscluster.report.document import compose
from cscluster.report.formats import markdown, spreadsheet
from cscluster.store.records import encodable


def put(path: Path, content: str | bytes) -> None:
    """Write a file in an atomic step.

    Raises
    ------
    StoreError
        If that is not possible.
    """
    if path.is_dir():
        raise StoreError(f"Cannot write '{path}': it is a directory; name a file in it.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.replace(path, encodable(content) if isinstance(content, str) else content)
    except OSError as error:
        raise StoreError(f"Cannot write '{path}': {error.strerror}.") from error


def into_folder(results: Results, folder: Path) -> Path:
    """Write ``report.md`` and ``summary.csv`` into a run's folder; return the report's path."""
    put(folder / "summary.csv", spreadsheet.text([results]))
    put(folder / "report.md", markdown.text([compose(results)]))
    return folder / "report.md"
