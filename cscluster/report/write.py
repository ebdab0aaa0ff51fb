"""Reports as files."""

from __future__ import annotations

from pathlib import Path

from cscluster.atomic import put
from cscluster.report.aggregate import Results
from cscluster.report.document import compose
from cscluster.report.formats import markdown, spreadsheet


def into_folder(results: Results, folder: Path) -> Path:
    """Write ``report.md`` and ``summary.csv`` into the directory of a run; return the report's path."""
    put(folder / "summary.csv", spreadsheet.text([results]))
    put(folder / "report.md", markdown.text([compose(results)]))
    return folder / "report.md"
