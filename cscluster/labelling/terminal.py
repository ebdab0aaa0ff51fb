"""The same questions without a browser."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from cscluster.errors import CsclusterError
from cscluster.labelling.items import Items
from cscluster.labelling.session import Session
from cscluster.words import printable

_SHADES = " ░▒▓█"
_WIDTH = 32
_KEYS = ("y", "n", "s", "u", "q")


def ask(session: Session, items: Items, console: Console) -> None:
    """Ask until there is no question left, or the person ends with q, Ctrl-C or Ctrl-D."""
    while session.question is not None:
        a, b = session.question
        console.print()
        console.print(Columns([_panel(row, items, console) for row in (a, b)], padding=(0, 1)))
        _say(console, _standing(session))
        again = "Asked again, since it contradicts another answer." if session.doubtful else ""
        for line in (session.clusters.news, session.problem, session.advice, again):
            if line:
                _say(console, line)
        key = _read_key(console)
        if key == "q":
            return
        try:
            if key == "u":
                session.undo()
            elif key == "s":
                session.skip(a)
            else:
                session.answer(a, b, key == "y")
        except CsclusterError as error:
            _say(console, str(error))
    _say(console, "No question is left: every item that was not skipped is assigned to a group.")


def _read_key(console: Console) -> str:
    """Return the first letter of an answer; the end of the input is an answer too."""
    while True:
        try:
            text = console.input("same group? [y]es [n]o [s]kip [u]ndo [q]uit: ", markup=False)
        except (EOFError, KeyboardInterrupt):
            console.print()
            return "q"
        if text.strip().lower().startswith(_KEYS):
            return text.strip()[0].lower()


def _standing(session: Session) -> str:
    """Say in one line how many answers there are, and what the clusters are."""
    links, clusters = session.links, session.clusters
    satisfied = len(links) - len(links.violated(clusters.labels))
    of = "" if session.n_clusters is None else f" of {session.n_clusters}"
    sizes = " ".join(str(part.size) for part in clusters.described)
    return (
        f"constraints: {len(links)}, satisfied: {satisfied}, groups found: {session.n_likely_groups}{of}, "
        f"{clusters.algorithm}: {sizes}"
    )


def _say(console: Console, line: str) -> None:
    console.print(line, highlight=False, markup=False)


def _panel(row: int, items: Items, console: Console) -> Panel:
    """Return an item in a frame that leaves room for another beside it."""
    width = max(20, min(console.width, 100) // 2 - 2)
    title = Text(printable(items.table.row_name(row)))
    if items.pictures:
        return Panel(Text(blocks(items.pictures.pixels(row)), no_wrap=True), title=title, expand=False)
    grid = Grid(box=None, show_header=False, padding=(0, 1, 0, 0))
    grid.add_column(style="dim", overflow="fold")
    grid.add_column(overflow="fold")
    for cell in items.cells(row):
        grid.add_row(Text(printable(cell.name)), Text(printable(cell.value)))
    if items.n_hidden:
        grid.add_row(Text(f"... and {items.n_hidden} more columns"), "")
    return Panel(grid, title=title, width=width)


def blocks(pixels: NDArray[np.uint8], width: int = _WIDTH) -> str:
    """Return a picture as lines of shaded blocks; a character is about twice as high as wide."""
    height, n_columns = pixels.shape
    scale = width // n_columns if n_columns <= width else width / n_columns
    size = (int(n_columns * scale), math.ceil(height * scale / 2))
    grey = np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BOX))
    shades = np.round(grey / 255 * (len(_SHADES) - 1)).astype(int)
    return "\n".join("".join(_SHADES[shade] for shade in line) for line in shades.tolist())
