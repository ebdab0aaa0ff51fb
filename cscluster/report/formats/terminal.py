"""Reports for the terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence

import rich.table
from rich.console import Console
from rich.text import Text

from cscluster.report.page import Block, BulletList, Fold, Heading, Note, Page, Picture
from cscluster.report.table import PlainTable
from cscluster.words import printable


def text(pages: list[Page]) -> str:
    """Return reports as plain text, 120 characters wide."""
    written = io.StringIO()
    console = Console(file=written, width=120, color_system=None)
    show_all(pages, console)
    return written.getvalue()


def show_all(pages: Sequence[Page], console: Console) -> None:
    """Print whole pages, each below its title."""
    for page in pages:
        _print(console, page.title, "bold")
        console.print()
        show(page, console)


def show(page: Page, console: Console, brief: bool = False) -> None:
    """Print what stands on a page so that it fits the terminal; if `brief`, without details."""
    for block in page.blocks:
        if not (brief and isinstance(block, Fold)):
            _show(block, console)


def _show(block: Block, console: Console) -> None:
    match block:
        case PlainTable():
            _show_table(block, console)
        case Fold():
            _print(console, block.summary, "bold")
            for inner in block.blocks:
                _show(inner, console)
            return
        case BulletList():
            for item in block.items:
                _print(console, f"- {item}")
        case Note():
            _print(console, block.text, "dim")
            return  # notes stand together
        case Heading():
            _print(console, block.text, "bold")
        case Picture():
            _print(console, f"{block.path}: {block.caption}")
        case _:
            _print(console, block)
    console.print()


def _print(console: Console, words: str, style: str = "") -> None:
    console.print(words, style=style, highlight=False, markup=False)


def _show_table(table: PlainTable, console: Console) -> None:
    """Print a table; one that is too wide is set closer together, or else in several parts."""
    is_plain, gap = console.color_system is None or console.no_color, 2
    shown = table.with_marks("> ") if is_plain else table
    if sum(shown.widths()) + gap * (len(table.heads) - 1) > console.width:
        shown = table.written(lambda cell: cell.replace(" ± ", "±"))
        if is_plain:
            shown, gap = shown.with_marks(">"), 1  # marks stand between the columns
    for number, part in enumerate(shown.divided(console.width, gap)):
        if number:
            console.print()
        if part.caption:
            _print(console, part.caption, "bold")
        console.print(_rich_table(part, gap))


def _rich_table(table: PlainTable, gap: int) -> rich.table.Table:
    shown = rich.table.Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="")
    for column, (head, width) in enumerate(zip(table.heads, table.widths(), strict=True)):
        if column < table.n_names:
            shown.add_column(Text(printable(head)), overflow="fold")
        else:
            shown.add_column(Text(printable(head)), justify="right", no_wrap=True, min_width=width)
    for i, row in enumerate(table.rows):
        styles = ["bold green" if table.is_best(i, j) else "" for j in range(len(row))]
        shown.add_row(*map(Text, map(printable, row), styles))
    return shown
