"""``cscluster label``: say which items belong together, on a page or in the terminal."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cscluster.cli.table_options import Data, IdColumn

if TYPE_CHECKING:
    from rich.console import Console

    from cscluster.labelling.session import Session
    from cscluster.labelling.state import View


def command(
    data: Data,
    clusters: Annotated[int, typer.Option("--clusters", "-k", min=2, help="Number of clusters.")],
    links: Annotated[
        Path | None,
        typer.Option(
            metavar="LINKS.csv", help="Where answers go, and earlier ones are; by default DATA-links.csv."
        ),
    ] = None,
    id_column: IdColumn = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="True classes: neither a feature nor shown."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Show these columns, but do not cluster by them (a,b,c)."),
    ] = None,
    image_shape: Annotated[
        str, typer.Option(metavar="HxW", help="Rows are pictures of this shape, such as 8x8.")
    ] = "auto",
    terminal: Annotated[bool, typer.Option("--terminal", help="Ask here instead of on a page.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes a free one.")] = 0,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Say which items belong together, and see the clusters change.

    A page that only this computer can reach shows two items at a time; y, n and s answer yes, no
    and skip, u takes the latest answer back.  Each answer is saved at once, and the next question
    is the one whose answer is likely to teach most.  Ctrl-C ends; the same command goes on.
    """
    from rich.console import Console

    from cscluster.cli import cluster_view as view
    from cscluster.cli.cluster import split_names
    from cscluster.labelling import terminal as in_terminal
    from cscluster.labelling.ensemble import Ensemble
    from cscluster.labelling.items import Items
    from cscluster.labelling.items import image_shape as find_shape
    from cscluster.labelling.session import Session, read_answers
    from cscluster.labelling.state import View
    from cscluster.report.figures import project
    from cscluster.tables import features, method
    from cscluster.tables import outputs as files
    from cscluster.tables.table import Columns, read_table

    screen = Console()
    path = links or Path(f"{Path(data).stem}-links.csv")
    files.check([("--links", path)], [Path(data)])
    names = split_names(ignore)
    with screen.status(f"reading {data}"):
        table = read_table(data, Columns(id_column, target, (), names))
        shape = find_shape(image_shape, table)
        table = replace(table, image=shape)
        items = Items(table, data, {target} if target else set(), shape)
        steps = features.default_steps(table)
        fitted, X = features.Features.fit(table, steps)
        method.require_suited("scsc", X, clusters)
        read_answers(path, table)
    view.say(screen, view.source_line(data, table), *features.describe(table, fitted, steps))
    with screen.status(f"preparing: partitions of {table.n_rows} rows"):
        ensemble = Ensemble.fit(X, clusters)
    with Session(table, ensemble, path) as session:
        if session.answers:
            view.say(screen, f"{path}: going on from {_counted(session)}")
        use = _command(data, path, clusters, id_column, target, names)
        if terminal:
            in_terminal.ask(session, items, screen)
        else:
            shown = View(session, items, project(X)[0], use)
            _serve(shown, port, open_page, screen)
        _say_where(session, use, screen)


def _serve(shown: View, port: int, open_page: bool, screen: Console) -> None:
    """Serve the page until Ctrl-C."""
    import webbrowser

    from cscluster.cli import cluster_view as view
    from cscluster.labelling.server import Server

    with Server(shown, port) as server:
        screen.print(f"open {server.address}", highlight=False, markup=False, soft_wrap=True)
        view.say(screen, "Ctrl-C ends; every answer is saved at once")
        if open_page:
            webbrowser.open(server.address)
        try:
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            screen.print()


def _command(
    data: str, path: Path, clusters: int, id_column: str | None, target: str | None, ignore: list[str]
) -> str:
    """Return the command that clusters with the links."""
    words = ["cscluster", "cluster", data, "--constraints", str(path), "-k", str(clusters)]
    words += ["--id", id_column] if id_column else []
    words += ["--target", target] if target else []
    words += ["--ignore", ",".join(ignore)] if ignore else []
    return shlex.join(words)


def _counted(session: Session) -> str:
    from cscluster.words import plural

    return plural(len(session.answers), "answer")


def _say_where(session: Session, use: str, screen: Console) -> None:
    from cscluster.cli import cluster_view as view

    if not session.answers:
        view.say(screen, "no answers were given, so there is nothing to save")
        return
    view.say(screen, f"{_counted(session)} in {session.path}; use them with:")
    screen.print(f"  {use}", highlight=False, markup=False, soft_wrap=True)
