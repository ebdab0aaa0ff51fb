"""Reports as files."""

from __future__ import annotations

from pathlib import Path

from cscluster.atomic import put
from cscluster.report.aggregate import Results
from cscluster.report.document import Document, compose
from cscluster.report.formats import markdown, spreadsheet


def into_folder(results: Results, folder: Path, document: Document | None = None) -> Path:
    """Write ``report.md`` and ``summary.csv`` into the directory of a run; return the report's path.

    `document`: what `compose` made of the results, if it has been called already.
    """
    put(folder / "summary.csv", spreadsheet.text([results]))
    put(folder / "report.md", markdown.text([document or compose(results)]))
    return folder / "report.md"
