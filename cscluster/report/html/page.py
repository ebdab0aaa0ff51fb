"""The report of one or several runs as one HTML file."""

from __future__ import annotations

from collections.abc import Iterable

from cscluster.metrics.catalogue import metric_title
from cscluster.report.aggregate import Results
from cscluster.report.html import grids, provenance
from cscluster.report.html.chart_data import chart_data, column_text, columns, parameter_grids, trials_fit
from cscluster.report.html.document import document
from cscluster.report.html.markup import Markup, facts, join, note, tag, text
from cscluster.report.html.significance import statistics
from cscluster.report.html.sortable import filter_box
from cscluster.report.statistics import sentence
from cscluster.report.tables import notes, points_word
from cscluster.store.folder import RunFolder
from cscluster.store.records import Record


def page(results: list[Results], folders: list[RunFolder], refresh: int | None = None) -> str:
    """Return the report of runs as one HTML file.

    Parameters
    ----------
    results : list of Results
        One for each run.
    folders : list of RunFolder
        Where they come from: configuration, environments and warnings are read there.
    refresh : int, optional
        Seconds after which the browser reads the page again.
    """
    with_trials = trials_fit(results)
    runs = [
        _run(number, run, folder, with_trials)
        for number, (run, folder) in enumerate(zip(results, folders, strict=True))
    ]
    data = {"runs": [chart_data(run, with_trials) for run in results]}
    title = results[0].title if len(results) == 1 else f"{len(results)} runs"
    return document(title, join([_tabs(results), *runs]), data, ["charts.js", "report.js"], refresh)


def _tabs(results: list[Results]) -> Markup:
    """Return the tabs of several runs; without scripts the runs follow one another."""
    if len(results) == 1:
        return Markup()
    tabs = [
        tag("button", text(run.title), type="button", role="tab", id=f"tab{i}", aria_controls=f"run{i}")
        for i, run in enumerate(results)
    ]
    return tag("div", *tabs, role="tablist", aria_label="Runs", class_="tabs only-with-scripts")


def _run(number: int, results: Results, folder: RunFolder, with_trials: bool) -> Markup:
    """Return all sections of one run."""
    records = folder.planned_records()
    prefix = f"run{number}"
    explored = [("results", "Results", _results(results, with_trials))]
    if len(results.cells):
        explored.append(("statistics", "Statistics", statistics(results)))
    others = [
        ("failures", "Failures", join([provenance.failures(results.failures), provenance.warnings(records)])),
        ("rerun", "How to rerun", provenance.rerun(folder)),
        ("config", "Configuration", provenance.configuration(folder)),
        ("environment", "Environment", provenance.environments(folder, records)),
    ]
    return tag(
        "article",
        tag(
            "header",
            tag("h1", text(results.title)),
            _facts(results, records, len(folder.plan())),
            _outcome(results),
            tag(
                "nav",
                *(tag("a", heading, href=f"#{prefix}-{name}") for name, heading, _ in [*explored, *others]),
                aria_label="Sections",
            ),
            class_="lead",
        ),
        tag(
            "div",
            _controls(results) if len(results.cells) else "",
            *(_section(f"{prefix}-{name}", heading, content) for name, heading, content in explored),
        ),
        *(_section(f"{prefix}-{name}", heading, content) for name, heading, content in others),
        id=prefix,
        class_="run",
        data_run=number,
    )


def _section(anchor: str, heading: str, content: Markup) -> Markup:
    return tag("section", tag("h2", heading, id=anchor, tabindex="-1"), content, aria_labelledby=anchor)


def _facts(results: Results, records: list[Record], planned: int) -> Markup:
    """Return the size of a run in numbers."""
    points = list(dict.fromkeys(point for point, _ in columns(results)))
    failed = sum(record["status"] != "ok" for record in records)
    return facts(
        [
            ("algorithms", len(results.labels), False),
            ("data sets", len(results.datasets), False),
            (points_word(results), _range(points), False),
            ("trials per cell", results.planned, False),
            ("trials stored", f"{len(records):,} of {planned:,}", len(records) < planned),
            ("failed", f"{failed:,}", failed > 0),
            ("computing time", _duration(sum(sum(r["seconds"].values()) for r in records)), False),
        ]
    )


def _range(points: list[int]) -> str:
    return "–".join(map(str, dict.fromkeys((points[0], points[-1])))) if points else "none"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _outcome(results: Results) -> Markup:
    """Return the outcome of each metric in words."""
    lines = [(i, sentence(results, metric)) for i, metric in enumerate(results.metrics)]
    return join(tag("p", text(line), class_="outcome", data_metric=i) for i, line in lines if line)


def _results(results: Results, with_trials: bool) -> Markup:
    """Return controls, charts and tables."""
    if results.cells.empty:
        return tag("p", "No trial of this run is stored yet.")
    about = notes(results)[: -len(results.failures) or None]
    if not with_trials:
        about.append(
            "There are too many trials to show them one by one: box plots show quartiles and whiskers, "
            "computed from all trials."
        )
    return join(
        [
            tag("div", class_="key only-with-scripts", role="group", aria_label="Algorithms to show"),
            tag("div", *map(_chart, _charts(results)), class_="charts only-with-scripts"),
            tag("h3", "Table"),
            filter_box("Filter algorithms"),
            grids.tables(results),
            *(note(text(line)) for line in about),
        ]
    )


def _controls(results: Results) -> Markup:
    places = columns(results)
    point = "Point" if results.axis == "tier" else "Links"
    return tag(
        "div",
        _choice("metric", "Metric", (metric_title(metric) for metric in results.metrics)),
        _choice("dataset", "Data set", results.datasets),
        _choice("column", point, (column_text(results, c) for c in places), len(places) - 1),
        tag("label", tag("input", type="checkbox", name="bands", checked=True), " Bands", class_="check"),
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
    kinds = {
        "curves": len(steps) > 1,
        "boxes": True,
        "overview": len(results.datasets) > 1,
        "sensitivity": bool(parameter_grids(results)),
    }
    return [kind for kind, wanted in kinds.items() if wanted]


def _chart(kind: str) -> Markup:
    return tag("figure", tag("figcaption"), tag("div", class_="chart", role="img"), data_chart=kind)
