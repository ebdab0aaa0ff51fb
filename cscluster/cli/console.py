"""What all commands print with: one console that no string can steer, tables and progress."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import rich.console
from rich.cells import cell_len
from rich.console import JustifyMethod
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from cscluster.words import age, printable


class Console(rich.console.Console):
    """A console that shows text as it is: no markup, no highlighting, control characters as text."""

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print strings, whose control characters are shown as text, and what Rich renders."""
        super().print(*(printable(it) if isinstance(it, str) else it for it in objects), **options)

    def say(self, *lines: str) -> None:
        """Print lines, folded where they are longer than the terminal is wide."""
        for line in lines:
            self.print(line)

    def whole(self, *lines: str) -> None:
        """Print lines that somebody may copy, such as commands and paths, without folding them."""
        for line in lines:
            self.print(line, soft_wrap=True)

    def table(
        self,
        heads: Sequence[str],
        rows: Iterable[Sequence[str]],
        numbers: Sequence[str] = (),
        unfolded: Sequence[str] = (),
    ) -> None:
        """Print a table; cells that are too long are folded, those of the first column only if they must be.

        Parameters
        ----------
        heads : sequence of str
            Names of the columns; if all are empty, there is no line of heads.
        rows : iterable of sequences of str
            Cells.
        numbers : sequence of str
            Columns that are set flush right, whose cells are never folded or cut.
        unfolded : sequence of str
            Other columns that are folded only if they must be.
        """
        table = Table(
            box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold", show_header=any(heads)
        )
        heads, *cells = ([printable(cell) for cell in row] for row in (heads, *rows))
        firm = [place == 0 or head in unfolded for place, head in enumerate(heads)]
        widest, least = [], []
        for head, *column in zip(heads, *cells, strict=True):
            widths = [cell_len(cell) for cell in column]
            widest.append(max([cell_len(head), *widths]))
            least.append(max([0, *map(cell_len, head.split()), *(widths if head in numbers else [])]))
        gaps = 2 * (len(heads) - 1)
        needed = [most if is_firm else few for most, few, is_firm in zip(widest, least, firm, strict=True)]
        fits = sum(needed) + gaps <= self.width
        for place, head in enumerate(heads):
            justify: JustifyMethod = "right" if head in numbers else "left"
            whole = firm[place] and fits
            table.add_column(
                head,
                no_wrap=whole,
                overflow="fold",
                justify=justify,
                min_width=None if whole else least[place],
            )
        for row in cells:
            table.add_row(*row)
        self.print(table, width=max(self.width, sum(least) + gaps), crop=False)

    @contextlib.contextmanager
    def working(self, what: str) -> Iterator[Callable[[str], None]]:
        """Show what is being done until it is; yields a function that says what it has come to."""
        with self.status(Text(printable(what))) as status:
            yield lambda text: status.update(Text(printable(text)))


_LINE_SECONDS = 60

out = Console()
"""Standard output."""

err = Console(stderr=True)
"""Standard error."""


def data(text: str) -> None:
    """Write data to standard output as they are; in a terminal, control characters are shown as text."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else text)


class Lines:
    """Progress where there is no terminal: a line for each tenth of the trials, and after each minute."""

    def __init__(self, what: str, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.what, self.total, self.clock = what, total, clock
        self.done = 0
        self.start = self.printed_at = clock()
        self.printed_share = 0

    def __call__(self, failed: int) -> None:
        """Count a finished trial; `failed` is the number of failures so far."""
        self.done += 1
        now, share = self.clock(), 10 * self.done // self.total
        if share > self.printed_share or now - self.printed_at >= _LINE_SECONDS:
            self.printed_at, self.printed_share = now, share
            problems = f", {failed} failed" if failed else ""
            out.whole(f"{self.what}: {self.done}/{self.total} after {age(now - self.start)}{problems}")


@contextlib.contextmanager
def trials(what: str, total: int, transient: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar with the time left; yields a function to call after each trial with the failures so far."""
    if not out.is_terminal:
        yield Lines(what, total)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        TextColumn("{task.fields[failed]}", style="red", markup=False),
    )
    with Progress(*columns, console=out, refresh_per_second=5, transient=transient, disable=not total) as bar:
        task = bar.add_task(what, total=total, failed="")
        yield lambda failed: bar.update(task, advance=1, failed=f"{failed} failed" if failed else "")


def summed(advance: Callable[[int], None], failed: int = 0) -> Callable[[int], None]:
    """Return what takes the failures of each trial and moves a bar of `trials` on with their sum so far."""

    def move(n_failed: int) -> None:
        nonlocal failed
        failed += n_failed
        advance(failed)

    return move
