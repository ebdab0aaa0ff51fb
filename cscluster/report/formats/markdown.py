"""Reports as Markdown."""

from __future__ import annotations

import re

from cscluster.report.document import Document
from cscluster.report.formats.pipes import pipe_table
from cscluster.report.tables import Grid


def text(documents: list[Document]) -> str:
    """Return reports as a Markdown page."""
    return "\n".join(map(_page, documents))


def _page(document: Document) -> str:
    lines = [f"# {_escape(document.title)}", ""]
    for grid in document.grids:
        lines += _table(grid)
    for outcome in document.outcomes:
        lines += [f"## {_escape(outcome.heading)}", ""]
        lines += [f"- {_escape(dataset)}: {_code(line)}" for dataset, line in outcome.orderings.items()]
        lines += ["", _escape(outcome.sentence), ""]
    return "\n".join([*lines, *(f"{_escape(note)}  " for note in document.notes)]) + "\n"


def _table(grid: Grid) -> list[str]:
    heads = [grid.corner, *map(_escape, grid.texts.columns)]
    rows = []
    for name, texts, best in grid.rows():
        cells = [f"**{text}**" if out else text for text, out in zip(texts, best, strict=True)]
        rows.append([_escape(name), *cells])
    return [f"## {_escape(grid.heading)}", "", *pipe_table(heads, rows, len(grid.texts.columns)), ""]


def _code(words: str) -> str:
    return f"`{' '.join(words.replace('`', chr(39)).split())}`"


def _escape(words: object) -> str:
    one_line = " ".join(str(words).splitlines()).replace("<", "&lt;")
    return re.sub(r"([\\*`\[])", r"\\\1", one_line)
