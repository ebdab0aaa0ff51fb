"""``cscluster cluster``: from a table and constraints to clusters, and a model for new rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cscluster import documents
from cscluster.algorithms import registry
from cscluster.arrays import IntArray
from cscluster.atomic import put
from cscluster.cli import cluster_view as view
from cscluster.cli import console
from cscluster.cli.options import ClusterOptions, column_names
from cscluster.constraints import Constraints
from cscluster.constraints.files import as_links, linked_names, links_csv
from cscluster.data import features
from cscluster.data.dataset import Dataset
from cscluster.data.load import read_table
from cscluster.data.table import Columns
from cscluster.errors import ContradictionError, ParameterError, StoreError
from cscluster.models.files import from_result, require_inductive, to_bytes
from cscluster.report.html import page_file, scatter_page
from cscluster.report.html.scatter import clusters_blocks
from cscluster.report.page import Page
from cscluster.report.styles import FORMATS
from cscluster.report.table import PlainTable
from cscluster.tables import describe
from cscluster.tables.cluster import all_links, cluster_table, wanted_method
from cscluster.tables.distances import distances_between
from cscluster.tables.large import LARGE, LargeFile
from cscluster.tables.large import find as find_large
from cscluster.tables.method import Method
from cscluster.tables.names import cluster_names, read_names
from cscluster.tables.outputs import STDOUT, labels_csv
from cscluster.tables.outputs import check as check_files
from cscluster.tables.result import ClusteringResult
from cscluster.tables.table import read_cells, read_named

PAGE_TRAITS = 10


def parse_method(options: ClusterOptions) -> Method:
    """Read the options of a method.

    Raises
    ------
    ParameterError
        For an unknown algorithm or parameter, an illegal value, or a wrong number of clusters.
    """
    if options.distances is not None and options.preprocess is not None:
        raise ParameterError("--preprocess changes columns, and --distances takes their place.")
    return wanted_method(
        options.algorithm,
        _parameters(options.param),
        options.clusters,
        options.clusterer,
        options.guard,
        options.closure,
        options.distances is not None,
    )


def _parameters(given: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE``."""
    values: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"--param is written NAME=VALUE, got '{text}'.")
        values[key] = documents.read(value, f"--param {key}").data
    return values


def cluster(options: ClusterOptions) -> None:
    """Cluster a table, show how and with what result, and write what is asked for."""
    start = time.perf_counter()
    data, links, out = options.data, options.links, options.out
    wanted = parse_method(options)
    named = (column_names(options.features), column_names(options.ignore))
    columns = Columns(
        options.id_column, options.target, *named, options.labels, options.together, options.apart
    )
    if options.hard and options.labels is None:
        raise ParameterError(
            "--hard needs --labels COLUMN. Constraints of a file have the weight 'hard' instead."
        )
    screen = console.err if out == STDOUT else console.out
    given = None if options.preprocess is None else features.parse_steps(options.preprocess)
    large = find_large(data)
    _check(options, wanted, given or [], must_predict=large is not None and out is not None)

    with screen.working(f"reading {data}"):
        if large is None:
            table = read_named(partial(read_table, data), columns, links)
        else:
            if options.with_table:
                raise ParameterError(f"--with-table repeats tables of at most {LARGE:,} rows.")
            table, learned = large.sample(columns, linked_names(links) if links else (), options.seed)
        steps = features.default_steps(table) if given is None else given
        fitted, X = features.Features.fit(table, steps)
        about_columns = features.describe(table, fitted, steps)
        if options.distances is not None:
            X, about_columns = distances_between(table, options.distances), []
    screen.say(view.source_line(data, table, large), *about_columns)
    if options.distances is not None:
        screen.say(f"{options.distances}: distances instead of columns")
    named_rows = read_names(options.names, table) if options.names else {}
    constraints = _links(links, table, options.contradictions)
    if links is not None or not (options.labels or options.together or options.apart):
        screen.say(*view.links_lines(constraints, links))
    constraints = all_links(table, constraints, options.hard, wanted.n_clusters)
    screen.say(*view.column_lines(options, table))

    with view.fits() as on_fit:
        outcome = cluster_table(table, fitted, X, constraints, wanted, options.seed, on_fit)
    names = cluster_names(named_rows, outcome.labels, outcome.n_clusters) if named_rows else []
    if names:
        named_clusters = [replace(c, given=[*names, ""][c.number]) for c in outcome.clusters]  # -1 is noise
        outcome = replace(outcome, clusters=named_clusters)
    view.show_outcome(screen, outcome, table, all_in_file=options.violated is not None)
    screen.say(*(f"note: {text}" for text in outcome.notes))
    screen.say(f"time: {time.perf_counter() - start:.1f} s")

    if out is not None:
        if large is None:
            frame = read_cells(data) if options.with_table else None
            labels = [labels_csv(table, outcome.labels, frame, confidence=outcome.confidence, names=names)]
            view.write_labels(screen, out, labels)
        else:
            view.write_labels(screen, out, _labels_of_all(large, outcome, learned, names, screen))
    heading = f"{data}: {outcome.algorithm}, {outcome.n_clusters} clusters"
    about = _about(outcome, table)
    if options.describe is not None:
        put(options.describe, page_file(Page(heading, list(clusters_blocks(about)))))
        screen.whole(f"clusters: {options.describe}")
    if options.model is not None:
        put(options.model, to_bytes(replace(from_result(outcome), names=names)))
        screen.whole(f"model: {options.model}")
    if options.violated is not None:
        put(options.violated, links_csv(outcome.violated, table.ids))
        screen.whole(f"violated constraints: {options.violated}")
    for path in options.maps:
        _write_map(path, X, outcome, table, heading, about)
        screen.whole(f"map: {path}")
    if out is None:
        screen.say("the labels are not written: --out labels.csv writes them")


def _labels_of_all(
    large: LargeFile, outcome: ClusteringResult, learned: IntArray, names: list[str], screen: console.Console
) -> Iterator[str]:
    """Yield the lines of the labels of a file that is not read whole, and show the sizes of the clusters."""
    sizes = np.zeros(outcome.n_clusters, dtype=np.int64)
    with screen.working("labelling") as say:
        for rows, labels, confidence in large.labelled(outcome, learned, from_result(outcome).assign):
            yield labels_csv(rows, labels, confidence=confidence, names=names, head=not sizes.any())
            sizes += np.bincount(labels, minlength=outcome.n_clusters)
            say(f"labelling: {sizes.sum():,} of {large.n_rows:,} rows")
    screen.say("", "all rows:")
    view.show_sizes(screen, sizes, names)


def _links(path: Path | None, table: Dataset, contradictions: str) -> Constraints:
    """Read the constraints; say what helps if they contradict each other."""
    try:
        return as_links(path, table.n_samples, table.ids or None, contradictions)
    except ContradictionError as error:
        raise ContradictionError(
            f"{error}\nCorrect them, or go on: --contradictions keep takes them all, drop leaves out these "
            "cannot-links."
        ) from None


def _check(options: ClusterOptions, wanted: Method, steps: list[Any], must_predict: bool) -> None:
    """Say at once what could not be written in the end."""
    files = [
        ("--out", options.out),
        ("--model", options.model),
        ("--describe", options.describe),
        ("--violated", options.violated),
        *(("--map", path) for path in options.maps),
    ]
    inputs = [Path(options.data), *filter(None, (options.links, options.distances, options.names))]
    check_files(files, inputs)
    endings = [".html", *(f".{kind}" for kind in FORMATS)]
    for path in options.maps:
        if path.suffix.lower() not in endings:
            raise StoreError(f"--map '{path}' must end with one of {', '.join(endings)}.")
    if options.model is not None:
        features.require_storable(steps)
    if wanted.name is not None and (must_predict or options.model is not None):
        require_inductive(registry.find(wanted.name), sees_distances=wanted.sees_distances)


def _about(outcome: ClusteringResult, table: Dataset) -> list[PlainTable]:
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
        PlainTable("Typical rows", *describe.typical_rows(outcome.clusters, table)),
    ]
    return [one for one in tables if one.rows]


def _write_map(
    path: Path, X: Any, outcome: ClusteringResult, table: Dataset, heading: str, about: list[PlainTable]
) -> None:
    """Draw rows and constraints in the plane of the first two principal components."""
    from cscluster.report.figures import links_map, project, save  # matplotlib takes long to import

    points, axes = project(X)
    if path.suffix.lower() != ".html":
        save(links_map(points, outcome.labels, outcome.constraints, axes), path)
        return
    page = scatter_page(
        points,
        outcome.labels,
        outcome.constraints,
        title=heading,
        ids=table.ids or None,
        axes=axes,
        about=about,
    )
    put(path, page)
