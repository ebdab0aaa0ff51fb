"""A page of headings, paragraphs, tables and pictures, as Markdown and as one HTML file."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cscluster.atomic import put
from cscluster.report.formats.pipes import pipe_table
from cscluster.report.html.document import document
from cscluster.report.html.markup import Markup, join, tag
from cscluster.report.html.sortable import Cell, PlainTable, table


@dataclass(frozen=True)
class Heading:
    """A heading; level 2 begins a section."""

    level: int
    text: str


@dataclass(frozen=True)
class Picture:
    """A picture: its path as seen from the Markdown page, its bytes as PNG, and what it shows."""

    path: str
    content: bytes
    caption: str


Block = Heading | PlainTable | Picture | str
"""A string is a paragraph; in it and in tables, words in backticks are code and those in ** bold."""


def write(file: Path, title: str, blocks: Sequence[Block]) -> None:
    """Write the page as a Markdown file, and its pictures where that looks for them."""
    for picture in blocks:
        if isinstance(picture, Picture):
            put(file.parent / picture.path, picture.content)
    put(file, markdown(title, blocks))


def markdown(title: str, blocks: Sequence[Block]) -> str:
    """Return the page as Markdown."""
    return "\n\n".join([f"# {title}", *map(_as_markdown, blocks)]) + "\n"


def _as_markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Picture):
        return f"![{block.caption}]({block.path})\n\n{block.caption}"
    if isinstance(block, PlainTable):
        lines = pipe_table(block.heads, block.rows, block.numbers)
        return "\n".join([*([block.caption, ""] if block.caption else []), *lines])
    return block


def html(title: str, blocks: Sequence[Block]) -> str:
    """Return the page as one HTML file."""
    sections: list[list[Markup]] = [[]]
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            sections.append([])
        sections[-1].append(_as_html(block))
    lead = tag("header", tag("h1", title), *sections[0], class_="lead")
    body = tag("article", lead, *(tag("section", *parts) for parts in sections[1:]))
    return document(title, body)


def _as_html(block: Block) -> Markup:
    if isinstance(block, Heading):
        return tag(f"h{block.level}", block.text)
    if isinstance(block, Picture):
        source = f"data:image/png;base64,{base64.b64encode(block.content).decode()}"
        picture = tag("img", src=source, alt=block.caption, style="max-width: 100%; background: white")
        return tag("figure", picture, tag("figcaption", block.caption))
    if isinstance(block, PlainTable):
        cells = [[_cell(cell) for cell in row] for row in block.rows]
        return table(block.caption, block.heads, cells, numbers=block.numbers)
    return tag("p", _inline(block))


def _cell(words: str) -> Cell:
    """Return a cell that is sorted by the number it begins with, if it does."""
    number = re.match(r"[*]*([+-]?\d+\.?\d*(?:e[+-]?\d+)?)", words)
    return Cell(_inline(words), float(number[1]) if number else None)


def _inline(words: str) -> Markup:
    """Return words with code and bold words as elements."""
    parts = re.split(r"(`.+?`|\*\*.+?\*\*)", words)
    return join(
        tag("code", part[1:-1])
        if part.startswith("`")
        else tag("b", part[2:-2])
        if part.startswith("**")
        else part
        for part in parts
    )
