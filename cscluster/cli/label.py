"""``cscluster label``: say which items belong together, on a page or in the terminal."""

from __future__ import annotations

import shlex
import webbrowser
from dataclasses import replace
from pathlib import Path

from cscluster.cli import cluster_view as view
from cscluster.cli import console
from cscluster.labelling import terminal
from cscluster.labelling.ensemble import Ensemble
from cscluster.labelling.items import Items
from cscluster.labelling.items import image_shape as find_shape
from cscluster.labelling.server import Server
from cscluster.labelling.session import Session, read_answers
from cscluster.labelling.state import View
from cscluster.report.figures import project
from cscluster.tables import features, method
from cscluster.tables.outputs import check
from cscluster.tables.table import Columns as Columns
from cscluster.tables.table import read_table
from cscluster.words import plural


def label(
    data: str,
    n_clusters: int,
    links: Path | None,
    columns: Columns,
    image_shape: str,
    page: tuple[int, bool] | None,
) -> None:
    """Ask about pairs of rows until there is no question left, or the person ends it.

    Parameters
    ----------
    data, n_clusters, columns
        The table, the number of its clusters, and what its columns are for.
    links : Path, optional
        File of the answers; by default named after the data.
    image_shape : str
        ``HxW`` of rows that are pictures, or ``auto``.
    page : pair of int and bool, optional
        Port of the page, and whether to open it in a browser; without it, questions are asked here.
    """
    screen = console.out
    path = links or Path(f"{Path(data).stem}-links.csv")
    check([("--links", path)], [Path(data)])
    with screen.working(f"reading {data}"):
        table = read_table(data, columns)
        shape = find_shape(image_shape, table)
        table = replace(table, image=shape)
        items = Items(table, data, {columns.target} if columns.target else set(), shape)
        steps = features.default_steps(table)
        fitted, X = features.Features.fit(table, steps)
        method.require_suited("landmark_ensemble", X, n_clusters)
        read_answers(path, table)
    screen.say(view.source_line(data, table), *features.describe(table, fitted, steps))
    with screen.working(f"preparing: partitions of {table.n_rows} rows"):
        ensemble = Ensemble.fit(X, n_clusters)
    use = _command(data, path, n_clusters, columns)
    with Session(table, ensemble, path) as session:
        if session.answers:
            screen.say(f"{path}: going on from {plural(len(session.answers), 'answer')}")
        if page is None:
            terminal.ask(session, items, screen)
        else:
            _serve(View(session, items, project(X)[0], use), *page)
        if session.answers:
            screen.say(f"{plural(len(session.answers), 'answer')} in {session.path}; use them with:")
            screen.whole(f"  {use}")
        else:
            screen.say("no answers were given, so there is nothing to save")


def _serve(page: View, port: int, open_page: bool) -> None:
    """Serve the page until Ctrl-C."""
    with Server(page, port) as server:
        console.out.whole(f"open {server.address}")
        console.out.say("Ctrl-C ends; every answer is saved at once")
        if open_page:
            webbrowser.open(server.address)
        try:
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            console.out.say("")


def _command(data: str, links: Path, n_clusters: int, columns: Columns) -> str:
    """Return the command that clusters with the links."""
    words = ["cscluster", "cluster", data, "--links", str(links), "-k", str(n_clusters)]
    words += ["--id", columns.id] if columns.id else []
    words += ["--target", columns.target] if columns.target else []
    words += ["--ignore", ",".join(columns.ignore)] if columns.ignore else []
    return shlex.join(words)
