"""A page: blocks of text, tables and pictures, which every format renders in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cscluster.report.table import PlainTable


@dataclass(frozen=True)
class Heading:
    """A heading; level 2 begins a section."""

    level: int
    text: str


@dataclass(frozen=True)
class Picture:
    """A picture: its path as seen from the page, its bytes as PNG, and what it shows."""

    path: str
    content: bytes
    caption: str


@dataclass(frozen=True)
class BulletList:
    """A list, one line for each item."""

    items: Sequence[str]


@dataclass(frozen=True)
class Note:
    """A line of small print."""

    text: str


@dataclass(frozen=True)
class Fold:
    """Details below a line of plain text that opens them; a brief report leaves them out."""

    summary: str
    blocks: Sequence[Block]


Block = Heading | PlainTable | Picture | BulletList | Note | Fold | str
"""A string is a paragraph."""


@dataclass(frozen=True)
class Page:
    """A title and what stands below it.

    If `marked`, its texts are Markdown: `code`, **bold**, *emphasis*, [links](#to) and <br>.  Else they are
    shown as they are.
    """

    title: str
    blocks: Sequence[Block]
    marked: bool = False
