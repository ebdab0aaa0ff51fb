"""``cscluster label``: say which items belong together, on a page or in the terminal."""

from __future__ import annotations

import shlex
import webbrowser
from dataclasses import replace
from functools import partial
from pathlib import Path

from cscluster.cli import cluster_view as view
from cscluster.cli import console
from cscluster.cli.options import LabelOptions, column_names
from cscluster.constraints import Constraints
from cscluster.data import features
from cscluster.data.load import read_table
from cscluster.data.table import Columns
from cscluster.errors import ParameterError
from cscluster.labelling import terminal
from cscluster.labelling.clusters import AnswerClusterer, Clusters
from cscluster.labelling.items import Items, find_pictures
from cscluster.labelling.program import ask_program
from cscluster.labelling.server import Server
from cscluster.labelling.session import Session
from cscluster.labelling.state import PageState
from cscluster.report.figures import project
from cscluster.tables.cluster import wanted_method
from cscluster.tables.outputs import check
from cscluster.words import plural


def label(options: LabelOptions) -> None:
    """Ask about pairs of rows until there is no question left, or the person ends it.

    Raises
    ------
    CsclusterError
        For an unknown algorithm, a wrong number of clusters, or files that cannot be read or written.
    """
    screen, data, out = console.out, options.data, options.out
    wanted = wanted_method(options.algorithm, {}, options.clusters)
    if wanted.finds_clusters:
        raise ParameterError(f"'label' shows no noise. Choose another method than '{wanted.name}'.")
    named = (column_names(options.features), column_names(options.ignore))
    columns = Columns(options.id_column, options.target, *named)
    path = options.links or Path(f"{Path(data).stem}-links.csv")
    check([("--links", path), ("--out", out)], [Path(data)])
    with screen.working(f"reading {data}"):
        table = read_table(data, columns)
        hidden = {columns.target} if columns.target else set()
        pictures = find_pictures(options.image_shape, table, data, hidden | set(columns.ignore))
        if pictures and table.image is None and options.preprocess is None:
            options = replace(options, preprocess=["none"])
        given = options.preprocess
        steps = features.default_steps(table) if given is None else features.parse_steps(given)
        fitted, X = features.Features.fit(table, steps)
        wanted.require_suited(X, Constraints.empty(table.n_samples))
    screen.say(view.source_line(data, table), *features.describe(table, fitted, steps))
    with screen.working(f"preparing: clusters of {table.n_samples} rows"):
        session = Session(AnswerClusterer(table, X, wanted.n_clusters, wanted.name, options.seed), path)
    options = replace(options, links=path, algorithm=wanted.name or "auto")
    command = partial(_command, options, session.names_path)
    with session:
        if session.answers:
            screen.say(f"{path}: going on from {plural(len(session.answers), 'answer')}")
        items = Items(table, data, hidden, pictures)
        if options.answer:
            with screen.working(f"asking {options.answer}"):
                ask_program(session, items, options.answer, options.questions)
        elif options.terminal:
            terminal.ask(session, items, screen)
        else:
            _serve(PageState(session, items, project(X)[0], command), options.port, options.open_page)
        if not session.answers and not session.unsaved:
            screen.say("no answers were given, so there is nothing to save")
            return
        with screen.working("clustering with all answers"):
            session.finish()
        if out:
            view.write_labels(screen, out, [session.labels_csv()])
        screen.say(f"{plural(len(session.answers), 'answer')} in {session.path}, the same clusters with:")
        screen.whole(f"  {command(session.clusters)}")
        if session.unsaved:
            raise session.unsaved


def _serve(page: PageState, port: int, open_page: bool) -> None:
    """Serve the page until Ctrl-C."""
    with Server(page, port) as server:
        console.out.whole(f"open {server.address}")
        console.out.say("Ctrl-C ends. Every answer is saved at once.")
        if open_page:
            webbrowser.open(server.address)
        try:
            server.serve_forever(poll_interval=0.1)
        except KeyboardInterrupt:
            console.out.say("")


def _command(options: LabelOptions, names: Path, clusters: Clusters) -> str:
    """Return the command that makes the clusters."""
    words = ["cscluster", "cluster", options.data, "--links", str(options.links)]
    words += ["-k", str(clusters.n_clusters)]
    words += ["--names", str(names)] if names.exists() else []
    words += ["--closure"] if options.algorithm == "auto" else ["--algorithm", options.algorithm]
    single = {"--id": options.id_column, "--target": options.target, "--seed": options.seed}
    words += [word for flag, value in single.items() if value for word in (flag, str(value))]
    for flag in ("features", "ignore", "preprocess"):
        words += [word for value in getattr(options, flag) or () for word in (f"--{flag}", value)]
    return shlex.join(words)
