"""What ``cscluster cluster`` and ``cscluster predict`` show on the screen."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from cscluster.constraints import Constraints
    from cscluster.selection.count import Count
    from cscluster.selection.method import Choice
    from cscluster.tables.outcome import Outcome
    from cscluster.tables.table import Table

SHOWN_LINKS = 10


def say(console: Console, *lines: str) -> None:
    """Print lines as they are."""
    for line in lines:
        console.print(line, highlight=False, markup=False)


@contextlib.contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Show a bar on standard error while fits are made; it goes away at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    parts = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with (
        Progress(*parts, console=console, transient=True, disable=not console.is_terminal) as bar,
        _when_compiling(
            lambda: bar.update(task, description=f"{what}: compiling, once after the installation")
        ),
    ):
        task = bar.add_task(what, total=total)
        begun = 0

        def tick(name: str) -> None:
            nonlocal begun
            bar.update(task, completed=begun, description=f"{what}: {name}")
            begun += 1

        yield tick


@contextlib.contextmanager
def _when_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call a function whenever numba begins to compile; what it has compiled before, it loads."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            tell()

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


def source_line(data: str, table: Table) -> str:
    """Say what was read."""
    from cscluster.words import plural

    named = f"column '{table.id_column}' names them" if table.id_column else "counted from 0"
    return f"{data}: {plural(table.n_rows, 'row')}, {named}"


def links_line(links: Constraints, path: Path | None) -> str:
    """Say how many links there are."""
    from cscluster.words import plural

    if path is None:
        return "no links were given (--constraints LINKS.csv)"
    parts = [plural(len(links.must_links), "must-link"), plural(len(links.cannot_links), "cannot-link")]
    weights = [*links.must_weights.tolist(), *links.cannot_weights.tolist()]
    if any(weight != 1 for weight in weights):
        parts.append(f"weights from {min(weights):g} to {max(weights):g}")
    return f"{path}: {', '.join(parts)}"


def show_count(console: Console, chosen: Count) -> None:
    """Show how the number of clusters was chosen."""
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, 1, 0, 0), show_header=False)
    grid.add_row("clusters", *(str(k) for k in chosen.scores))
    grid.add_row(chosen.score_name, *(f"{v:.2f}" if v >= 0 else "-" for v in chosen.scores.values()))
    console.print()
    console.print(grid, highlight=False)
    say(console, f"chosen: {chosen.n_clusters} clusters, because {chosen.reason}")


def show_choice(console: Console, chosen: Choice) -> None:
    """Show how the method was chosen."""
    from cscluster.selection.heldout import title

    console.print()
    if chosen.attempts:
        grid = _grid("held-out links kept by", "mean", "must", "cannot", "s/fit")
        for found in chosen.attempts:
            shares = [f"{kept}/{total}" for kept, total in (found.must, found.cannot)]
            scores = ["-"] * 3 if found.problem else [f"{found.score:.2f}", *shares]
            grid.add_row(title(found.algorithm), *scores, "-" if found.problem else f"{found.seconds:.2f}")
        console.print(grid, highlight=False)
    say(console, *(f"{title(a.algorithm)} failed: {a.problem}" for a in chosen.attempts if a.problem))
    say(console, f"chosen: {title(chosen.algorithm)}, because {chosen.reason}")


def show_outcome(console: Console, heading: str, found: Outcome, table: Table, all_in_file: bool) -> None:
    """Show sizes, links kept and broken, and scores."""
    from rich.table import Table as Grid

    from cscluster.tables import outcome

    console.print()
    console.print(heading, style="bold", highlight=False, markup=False)
    show_sizes(console, found.sizes)
    say(console, *outcome.describe(found))
    lost = outcome.broken_links(found, table)
    if not lost:
        return
    say(console, "links not kept:")
    grid = Grid(box=None, padding=(0, 2, 0, 0), show_header=False)
    for row in lost[:SHOWN_LINKS]:
        grid.add_row("", *(cell.replace("[", r"\[") for cell in row))
    console.print(grid, highlight=False)
    if len(lost) > SHOWN_LINKS:
        hint = "" if all_in_file else " (--broken FILE.csv writes all)"
        say(console, f"... and {len(lost) - SHOWN_LINKS} more{hint}")


def show_sizes(console: Console, sizes: Any) -> None:
    """Show how many rows each cluster has."""
    grid = _grid("cluster", "rows", "share")
    for cluster, size in enumerate(sizes.tolist()):
        grid.add_row(str(cluster), str(size), f"{size / sizes.sum():.0%}")
    console.print(grid, highlight=False)


def _grid(first: str, *others: str) -> Any:
    """Return a table without lines, whose numbers stand on the right."""
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    grid.add_column(first, overflow="fold")
    for head in others:
        grid.add_column(head, justify="right", overflow="fold")
    return grid
