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

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as it is shown, wherever it stands."""
        return super().render_str(printable(text), **options)

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
        above: str | None = None,
    ) -> None:
        """Print a table; cells that are too long for the terminal are folded.

        Parameters
        ----------
        heads : sequence of str
            Names of the columns; if all are empty, there is no line of heads.
        rows : iterable of sequences of str
            Cells; those of the first column are not folded.
        numbers : sequence of str
            Columns that are set flush right and not folded.
        above : str, optional
            What it shows, printed below an empty line; a table without rows is then left out.
        """
        table = Table(
            box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold", show_header=any(heads)
        )
        least, lines = 0, [heads, *rows]
        if above is not None:
            if len(lines) == 1:
                return
            self.say("", *filter(None, [above]))
        for place, (head, *cells) in enumerate(zip(*lines, strict=True)):
            firm = place == 0 or head in numbers
            width = max([cell_len(head), *map(cell_len, cells)])
            width = width if firm else min(width, _FOLDED)
            least += width + 2
            justify: JustifyMethod = "right" if head in numbers else "left"
            table.add_column(head, no_wrap=firm, overflow="fold", justify=justify, min_width=width)
        for row in lines[1:]:
            table.add_row(*row)
        table.width = least if least > self.width else None
        self.print(table, crop=False)

    @contextlib.contextmanager
    def working(self, what: str) -> Iterator[Callable[[str], None]]:
        """Show what is being done until it is; yields a function that says what it has come to."""
        with self.status(Text(printable(what))) as status:
            yield lambda text: status.update(Text(printable(text)))


_FOLDED = 12
_LINE_SECONDS = 60

out = Console()
"""Standard output."""

err = Console(stderr=True)
"""Standard error."""


def data(text: str) -> None:
    """Write data to standard output as they are; in a terminal, control characters are shown as text."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else text)


def progress_bar(screen: Console, transient: bool = True, shown: bool = True) -> Progress:
    """Return a bar with the time left and the failures, which only a terminal shows."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        TextColumn("{task.fields[failed]}", style="red", markup=False),
        console=screen,
        refresh_per_second=5,
        transient=transient,
        disable=not (shown and screen.is_terminal),
    )


@contextlib.contextmanager
def trials(
    what: str, total: int, failed: int = 0, transient: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show a bar with the time left; yields a function to call after each trial with its failures.

    Where there is no terminal, it is a line for each tenth of the trials, and after each minute.
    """
    bar = progress_bar(out, transient, shown=total > 0)
    done, start = 0, time.monotonic()
    printed_at = start

    def advance(n_failed: int) -> None:
        nonlocal done, failed, printed_at
        done, failed, now = done + 1, failed + n_failed, time.monotonic()
        problems = f"{failed} failed" if failed else ""
        bar.update(task, completed=done, failed=problems)
        tenth = 10 * done // total > 10 * (done - 1) // total
        if not out.is_terminal and (tenth or now - printed_at >= _LINE_SECONDS):
            printed_at, after = now, f"after {age(now - start)}"
            out.whole(f"{what}: {done}/{total} {', '.join(filter(None, [after, problems]))}")

    with bar:
        task = bar.add_task(what, total=total, failed="")
        yield advance
