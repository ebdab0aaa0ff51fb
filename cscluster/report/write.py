"""Reports as files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cscluster.atomic import put
from cscluster.report.aggregate import Results
from cscluster.report.compose import compose
from cscluster.report.formats import markdown, spreadsheet
from cscluster.report.page import Block, Fold, Page, Picture


def into_directory(results: Results, directory: Path, report: Page | None = None) -> Path:
    """Write ``report.md`` and ``summary.csv`` into the directory of a run; return the report's path.

    `report`: what `compose` made of the results, if it has been called already.
    """
    put(directory / "summary.csv", spreadsheet.text([results]))
    return page(directory / "report.md", report or compose(results))


def page(file: Path, content: Page) -> Path:
    """Write a page as Markdown, and its pictures where it looks for them; return its path."""
    for picture in _pictures(content.blocks):
        put(file.parent / picture.path, picture.content)
    put(file, markdown.text([content]))
    return file


def _pictures(blocks: Iterable[Block]) -> Iterator[Picture]:
    for block in blocks:
        if isinstance(block, Picture):
            yield block
        elif isinstance(block, Fold):
            yield from _pictures(block.blocks)
