"""The report of one or several runs as one HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import pandas as pd

from cscluster.metrics.catalogue import metric_title
from cscluster.report.aggregate import Results, metric_values
from cscluster.report.colours import MOST_BANDS
from cscluster.report.compose import legend, remarks
from cscluster.report.html import provenance
from cscluster.report.html.blocks import filter_box, render, table
from cscluster.report.html.chart_data import chart_data, column_text, columns
from cscluster.report.html.document import document
from cscluster.report.html.markup import Markup, facts, join, tag, text
from cscluster.report.html.significance import statistics
from cscluster.report.means import means_tables, points_word
from cscluster.report.page import Block, Heading, Note
from cscluster.report.statistics import sentence
from cscluster.store.directory import RunDirectory
from cscluster.words import age


def page(results: list[Results], directories: list[RunDirectory]) -> str:
    """Return the report of runs as one HTML file.

    Parameters
    ----------
    results : list of Results
        One for each run.
    directories : list of RunDirectory
        Where they come from: configuration, environments and warnings are read there.
    """
    runs = [
        _run(number, run, directory)
        for number, (run, directory) in enumerate(zip(results, directories, strict=True))
    ]
    data = {"runs": [chart_data(run) for run in results]}
    title = results[0].title if len(results) == 1 else f"{len(results)} runs"
    return document(title, join([_tabs(results), *runs]), data, ["charts.js", "report.js"])


def _tabs(results: list[Results]) -> Markup:
    """Return the tabs of several runs; without scripts the runs follow one another."""
    if len(results) == 1:
        return Markup()
    tabs = [
        tag("button", text(run.title), type="button", role="tab", id=f"tab{i}", aria_controls=f"run{i}")
        for i, run in enumerate(results)
    ]
    return tag("div", *tabs, role="tablist", aria_label="Runs", class_="tabs only-with-scripts")


def _run(number: int, results: Results, directory: RunDirectory) -> Markup:
    """Return all sections of one run."""
    records, run = directory.planned(), directory.definition
    prefix = f"run{number}"
    explored: dict[str, Iterable[Block]] = {"Results": _results(results)}
    if len(results.cells):
        explored["Statistics"] = statistics(results)
    others: dict[str, Iterable[Block]] = {
        "Failures": [*provenance.failures(results.failures), *provenance.warnings(records)],
        "How to rerun": provenance.rerun(run),
        "Configuration": provenance.configuration(run),
        "Environment": provenance.environments(run, records),
    }
    links = [tag("a", heading, href=f"#{_anchor(prefix, heading)}") for heading in (*explored, *others)]
    lead = [
        tag("h1", text(results.title)),
        _facts(results, records, len(run.plan.keys())),
        _outcome(results),
        tag("nav", *links, aria_label="Sections"),
    ]
    return tag(
        "article",
        tag("header", *lead, class_="lead"),
        tag(
            "div",
            _controls(results) if len(results.cells) else "",
            *(_section(prefix, heading, blocks) for heading, blocks in explored.items()),
        ),
        *(_section(prefix, heading, blocks) for heading, blocks in others.items()),
        id=prefix,
        class_="run",
        data_run=number,
    )


def _anchor(prefix: str, heading: str) -> str:
    return f"{prefix}-{heading.split()[-1].lower()}"


def _section(prefix: str, heading: str, blocks: Iterable[Block]) -> Markup:
    anchor = _anchor(prefix, heading)
    title = tag("h2", heading, id=anchor, tabindex="-1")
    return tag("section", title, *map(render, blocks), aria_labelledby=anchor)


def _facts(results: Results, records: pd.DataFrame, planned: int) -> Markup:
    """Return the size of a run in numbers."""
    points = list(dict.fromkeys(point for point, _ in columns(results)))
    failed = int((records["status"] != "ok").sum())
    return facts(
        [
            ("algorithms", len(results.labels), False),
            ("data sets", len(results.datasets), False),
            (points_word(results), _range(points), False),
            ("trials per cell", results.planned, False),
            ("trials stored", f"{len(records):,} of {planned:,}", len(records) < planned),
            ("failed", f"{failed:,}", failed > 0),
            ("computing time", age(float(metric_values(records, "seconds").sum())), False),
        ]
    )


def _range(points: list[int]) -> str:
    return "–".join(map(str, dict.fromkeys((points[0], points[-1])))) if points else "none"


def _outcome(results: Results) -> Markup:
    """Return the outcome of each metric in words."""
    lines = [(i, sentence(results, metric)) for i, metric in enumerate(results.metrics)]
    return join(tag("p", text(line), class_="outcome", data_metric=i) for i, line in lines if line)


def _results(results: Results) -> Iterator[Block]:
    """Yield charts and tables; scripts show those of the chosen metric and data set."""
    if results.nothing_stored:
        yield "No trial of this run is stored yet."
        return
    about = map(Note, [*legend(results), *remarks(results)[: -len(results.failures) or None]])
    if results.cells.empty:
        yield from about
        return
    yield tag("div", class_="key only-with-scripts", role="group", aria_label="Algorithms to show")
    parts = tag("figcaption"), tag("div", class_="chart", role="img")
    charts = [tag("figure", *parts, data_chart=kind) for kind in _charts(results)]
    yield tag("div", *charts, class_="charts only-with-scripts")
    yield Heading(3, "Table")
    yield filter_box("Filter algorithms")
    choices = product(range(len(results.metrics)), range(len(results.datasets)))
    for shown, (metric, dataset) in zip(means_tables(results), choices, strict=True):
        yield table(shown, data_metric=metric, data_dataset=dataset)
    yield from about


def _controls(results: Results) -> Markup:
    places, few = columns(results), len(results.labels) <= MOST_BANDS
    point = "Point" if results.axis == "tier" else "Constraints"
    return tag(
        "div",
        _choice("metric", "Metric", (metric_title(metric) for metric in results.metrics)),
        _choice("dataset", "Data set", results.datasets),
        _choice("column", point, (column_text(results, c) for c in places), len(places) - 1),
        tag("label", tag("input", type="checkbox", name="bands", checked=few), " Bands", class_="check"),
        class_="controls only-with-scripts",
        role="group",
        aria_label="What the charts and tables show",
    )


def _choice(name: str, label: str, options: Iterable[str], chosen: int = 0) -> Markup:
    items = [tag("option", option, value=i, selected=i == chosen) for i, option in enumerate(options)]
    return tag("label", label, " ", tag("select", *items, name=name, autocomplete="off"))


def _charts(results: Results) -> list[str]:
    """Return the kinds of charts that make sense for a run."""
    steps = {tier if results.axis == "tier" else point for point, tier in columns(results)}
    kinds = {"curves": len(steps) > 1, "boxes": True, "overview": len(results.datasets) > 1}
    return [kind for kind, wanted in kinds.items() if wanted]
