"""``cscluster label``: say which items belong together, on a page or in the terminal."""

from __future__ import annotations

import shlex
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cscluster import cells
from cscluster.algorithms import registry
from cscluster.atomic import put
from cscluster.cli import cluster_view as view
from cscluster.cli import console, options
from cscluster.labelling import terminal
from cscluster.labelling.clusters import Clusterer, Clusters
from cscluster.labelling.items import Items, find_pictures
from cscluster.labelling.server import Server
from cscluster.labelling.session import Session, read_answers
from cscluster.labelling.state import View
from cscluster.report.figures import project
from cscluster.tables import features, method
from cscluster.tables.outputs import check, labels_csv
from cscluster.tables.table import Columns as Columns
from cscluster.tables.table import read_table
from cscluster.words import plural


@dataclass(frozen=True)
class Making:
    """How clusters are made; None stands for auto, and for the default steps."""

    n_clusters: int | None = None
    algorithm: str | None = None
    preprocess: Sequence[str] | None = None
    seed: int = 0


def parse_making(clusters: str, algorithm: str, preprocess: list[str] | None, seed: int) -> Making:
    """Read the options of a clustering.

    Raises
    ------
    ParameterError
        For an unknown algorithm or a wrong number of clusters.
    """
    name = None if algorithm == "auto" else registry.find(algorithm).name
    return Making(options.number_of_clusters(clusters), name, preprocess, seed)


def label(
    data: str,
    making: Making,
    files: tuple[Path | None, Path | None],
    columns: Columns,
    image_shape: str,
    page: tuple[int, bool] | None,
) -> None:
    """Ask about pairs of rows until there is no question left, or the person ends it.

    Parameters
    ----------
    data, columns
        The table, and what its columns are for.
    making : Making
        How the clusters are made.
    files : pair of Path, optional
        Where the answers are, by default named after the data, and where the clusters go in the end.
    image_shape : str
        ``HxW`` of rows that are pictures, or ``auto``.
    page : pair of int and bool, optional
        Port of the page, and whether to open it in a browser; without it, questions are asked here.
    """
    screen = console.out
    path = files[0] or Path(f"{Path(data).stem}-links.csv")
    check([("--links", path), *([("--out", files[1])] if files[1] else [])], [Path(data)])
    with screen.working(f"reading {data}"):
        table = read_table(data, columns)
        hidden = {columns.target} if columns.target else set()
        pictures = find_pictures(image_shape, table, data, hidden | set(columns.ignore))
        if pictures and not table.is_image and making.preprocess is None:
            making = replace(making, preprocess=["none"])
        given = making.preprocess
        steps = features.default_steps(table) if given is None else features.parse_steps(given)
        fitted, X = features.Features.fit(table, steps)
        method.require_suited(making.algorithm or "kmeans", X, making.n_clusters or 2)
        read_answers(path, table)
    screen.say(view.source_line(data, table), *features.describe(table, fitted, steps))
    with screen.working(f"preparing: clusters of {table.n_rows} rows"):
        session = Session(Clusterer(table, X, making.n_clusters, making.algorithm, making.seed), path)
    with session:
        if session.answers:
            screen.say(f"{path}: going on from {plural(len(session.answers), 'answer')}")
        items = Items(table, data, hidden, pictures)
        if page is None:
            terminal.ask(session, items, screen)
        else:
            use = partial(_command, data, path, columns, making)
            _serve(View(session, items, project(X)[0], use), *page)
        if not session.answers:
            screen.say("no answers were given, so there is nothing to save")
            return
        with screen.working("clustering with all answers"):
            session.settle()
        if files[1]:
            put(files[1], labels_csv(table, session.clusters.labels))
            screen.whole(f"labels: {files[1]}")
        screen.say(f"{plural(len(session.answers), 'answer')} in {session.path}; the same clusters with:")
        screen.whole(f"  {_command(data, path, columns, making, session.clusters)}")


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


def _command(data: str, links: Path, columns: Columns, making: Making, clusters: Clusters) -> str:
    """Return the command that makes the clusters."""
    words = ["cscluster", "cluster", data, "--links", str(links), "-k", str(clusters.n_clusters)]
    words += ["--algorithm", clusters.algorithm]
    words += ["--id", columns.id] if columns.id else []
    words += ["--target", columns.target] if columns.target else []
    words += ["--features", _listed(columns.features)] if columns.features else []
    words += ["--ignore", _listed(columns.ignore)] if columns.ignore else []
    words += [word for step in making.preprocess or () for word in ("--preprocess", step)]
    words += ["--seed", str(making.seed)] if making.seed else []
    return shlex.join(words)


def _listed(names: Sequence[str]) -> str:
    """Return names of columns as the commands read them."""
    return cells.line(names).rstrip("\r\n")
