"""``cscluster cluster``: from a table and links to clusters, and a model for new rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cscluster import documents
from cscluster.algorithms import registry
from cscluster.atomic import put
from cscluster.cli import cluster_view as view
from cscluster.cli import console, options
from cscluster.constraints import Constraints
from cscluster.constraints.files import CONTRADICTIONS, as_links, linked_names, links_csv
from cscluster.errors import ConfigError, ContradictionError, ParameterError, StoreError
from cscluster.models.files import from_outcome, require_inductive, to_bytes
from cscluster.report.html.scatter import clusters_page, scatter_page
from cscluster.report.html.sortable import PlainTable
from cscluster.report.styles import FORMATS
from cscluster.selection.heldout import title
from cscluster.tables import describe, features
from cscluster.tables.cluster import Method as Method
from cscluster.tables.cluster import all_links, cluster_table, wanted_method
from cscluster.tables.large import LARGE, LargeFile
from cscluster.tables.large import find as find_large
from cscluster.tables.outcome import Outcome
from cscluster.tables.outputs import check as check_files
from cscluster.tables.outputs import labels_csv
from cscluster.tables.table import Columns as Columns
from cscluster.tables.table import Table, read_cells, read_table

STDOUT = Path("-")
PAGE_TRAITS = 10
_FLAGS = {"n_clusters": "-k", "random_state": "--seed"}


@dataclass(frozen=True)
class Outputs:
    """The files to write: labels, or "-" for standard output, a model, links that are not kept, and maps.

    Labels repeat the user's table if `with_table`; `describe` is a page of what is in the clusters.
    """

    out: Path | None = None
    with_table: bool = False
    describe: Path | None = None
    model: Path | None = None
    broken: Path | None = None
    maps: Sequence[Path] = ()

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield the flag and the path of each."""
        given = [("--out", None if self.out == STDOUT else self.out), ("--model", self.model)]
        given += [
            ("--describe", self.describe),
            ("--broken", self.broken),
            *(("--map", p) for p in self.maps),
        ]
        yield from ((flag, path) for flag, path in given if path is not None)


def parse_method(algorithm: str, params: Sequence[str], clusters: str) -> Method:
    """Read the options of a method.

    Raises
    ------
    ParameterError
        For an unknown algorithm or parameter, an illegal value, or a wrong number of clusters.
    """
    n_clusters = options.number_of_clusters(clusters)
    if algorithm == "auto" and params:
        raise ParameterError("--param needs --algorithm NAME; each method has its own parameters.")
    return wanted_method(algorithm, _parameters(params), n_clusters or "auto")


def _parameters(given: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE``."""
    values: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"--param is written NAME=VALUE, got '{text}'.")
        if key in _FLAGS:
            raise ParameterError(f"'{key}' is set by {_FLAGS[key]}.")
        try:
            values[key] = documents.read(value, f"--param {key}").data
        except ConfigError as error:
            raise ParameterError(str(error)) from None
    return values


def cluster(
    data: str,
    links: Path | None,
    wanted: Method,
    columns: Columns,
    preprocess: list[str] | None,
    outputs: Outputs,
    seed: int,
    hard: bool = False,
    contradictions: str = "refuse",
) -> None:
    """Cluster a table, say how it was done and what came out, and write what is asked for."""
    start = time.perf_counter()
    if contradictions not in CONTRADICTIONS:
        raise ParameterError(f"--contradictions must be refuse, keep or drop, got '{contradictions}'.")
    if hard and columns.labels is None:
        raise ParameterError("--hard needs --labels COLUMN; links of a file have the weight 'hard' instead.")
    screen = console.err if outputs.out == STDOUT else console.out
    given = None if preprocess is None else features.parse_steps(preprocess)
    _check(wanted, given or [], outputs, [Path(data), *([links] if links else [])])

    large = find_large(data)
    with screen.working(f"reading {data}"):
        if large is None:
            table = read_table(data, columns)
        else:
            _check_large(wanted, outputs)
            table = large.sample(columns, linked_names(links) if links else (), seed)
        steps = features.default_steps(table) if given is None else given
        fitted, X = features.Features.fit(table, steps)
    screen.say(view.source_line(data, table, large), *features.describe(table, fitted, steps))
    screen.say(*view.naming_line(table))
    constraints = _links(links, table, contradictions)
    screen.say(*view.links_lines(constraints, links))
    if table.labels is not None:
        constraints = all_links(table, constraints, hard)
        screen.say(view.labels_line(table, columns.labels, hard))

    outcome = cluster_table(table, fitted, X, constraints, wanted, seed, view.ScreenWatcher(screen))
    name, n_clusters = outcome.algorithm, outcome.n_clusters
    view.show_outcome(screen, title(name), outcome, table, all_in_file=outputs.broken is not None)
    screen.say(*(f"note: {text}" for text in outcome.notes))
    screen.say(f"time: {time.perf_counter() - start:.1f} s")

    if outputs.out is not None:
        labels = (
            _labels_of_all(large, outcome, screen)
            if large is not None
            else [labels_csv(table, outcome.labels, read_cells(data, table) if outputs.with_table else None)]
        )
        if outputs.out == STDOUT:
            for part in labels:
                console.data(part)
        else:
            put(outputs.out, labels)
            screen.whole(f"labels: {outputs.out}")
    heading = f"{data}: {title(name)}, {n_clusters} clusters"
    about = _about(outcome, table)
    if outputs.describe is not None:
        put(outputs.describe, clusters_page(heading, about))
        screen.whole(f"clusters: {outputs.describe}")
    if outputs.model is not None:
        put(outputs.model, to_bytes(from_outcome(outcome)))
        screen.whole(f"model: {outputs.model}")
    if outputs.broken is not None:
        put(outputs.broken, links_csv(outcome.broken, table.ids))
        screen.whole(f"broken links: {outputs.broken}")
    for path in outputs.maps:
        _write_map(path, X, outcome, table, heading, about)
        screen.whole(f"map: {path}")
    if outputs.out is None:
        screen.say("the labels are not written; --out labels.csv writes them")


def _check_large(wanted: Method, outputs: Outputs) -> None:
    """Say at once what cannot be done with a file that is not read whole."""
    if outputs.with_table:
        raise ParameterError(f"--with-table repeats tables of at most {LARGE:,} rows.")
    if outputs.out is not None and wanted.name is not None:
        require_inductive(registry.find(wanted.name))


def _labels_of_all(large: LargeFile, outcome: Outcome, screen: console.Console) -> Iterator[str]:
    """Yield the lines of the labels of a file that is not read whole, and show the sizes of the clusters."""
    sizes = np.zeros(outcome.n_clusters, dtype=np.int64)
    with screen.working("labelling") as say:
        for rows, labels in large.labelled(outcome, from_outcome(outcome).predict):
            yield labels_csv(rows, labels, head=not sizes.any())
            sizes += np.bincount(labels, minlength=outcome.n_clusters)
            say(f"labelling: {sizes.sum():,} of {large.n_rows:,} rows")
    screen.say("", "all rows:")
    view.show_sizes(screen, sizes)


def _links(path: Path | None, table: Table, contradictions: str) -> Constraints:
    """Read the links; say what helps if they contradict each other."""
    try:
        return as_links(path, table.n_rows, table.ids or None, contradictions)
    except ContradictionError as error:
        raise ContradictionError(
            f"{error}\nCorrect them, or go on: --contradictions keep takes them all, drop leaves out these "
            "cannot-links."
        ) from None


def _check(wanted: Method, steps: list[Any], outputs: Outputs, inputs: list[Path]) -> None:
    """Say at once what could not be written in the end."""
    options.require_out(outputs.out, outputs.with_table)
    if outputs.describe is not None and outputs.describe.suffix.lower() != ".html":
        raise StoreError(f"--describe '{outputs.describe}' must end with .html.")
    check_files(list(outputs.files()), inputs)
    for path in outputs.maps:
        if path.suffix.lower().removeprefix(".") not in ("html", *FORMATS):
            endings = [f".{kind}" for kind in ("html", *FORMATS)]
            raise StoreError(f"--map '{path}' must end with {', '.join(endings[:-1])} or {endings[-1]}.")
    if outputs.model is not None:
        features.require_storable(steps)
        if wanted.name is not None:
            require_inductive(registry.find(wanted.name))


def _about(outcome: Outcome, table: Table) -> list[PlainTable]:
    """Return what is in the clusters as tables of a page."""
    tables = [
        PlainTable("Clusters", describe.SIZE_HEADS, describe.size_rows(outcome.clusters, table)),
        PlainTable(
            "What sets the clusters apart: means in the cluster and in the other rows, "
            "and their difference in standard deviations",
            describe.TRAIT_HEADS,
            describe.trait_rows(outcome.clusters, most=PAGE_TRAITS),
            numbers=3,
        ),
        PlainTable(
            "Most frequent texts", ["cluster", "column", "texts"], describe.text_rows(outcome.clusters)
        ),
    ]
    return [one for one in tables if one.rows]


def _write_map(
    path: Path, X: Any, outcome: Outcome, table: Table, heading: str, about: list[PlainTable]
) -> None:
    """Draw rows and links in the plane of the first two principal components."""
    from cscluster.report.figures import links_map, project, save  # matplotlib takes long to import

    points, axes = project(X)
    if path.suffix.lower() != ".html":
        save(links_map(points, outcome.labels, outcome.links, axes), path)
        return
    page = scatter_page(
        points,
        outcome.labels,
        title=heading,
        must_links=outcome.links.must_links,
        cannot_links=outcome.links.cannot_links,
        ids=table.ids or None,
        axes=axes,
        about=about,
    )
    put(path, page)
