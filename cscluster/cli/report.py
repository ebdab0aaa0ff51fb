"""``cscluster report``: tables from stored results."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import typer

from cscluster.atomic import put
from cscluster.cli import console
from cscluster.cli.options import ReportOptions
from cscluster.cli.stored import collect, require_run
from cscluster.errors import ConfigError, require_known
from cscluster.report import aggregate
from cscluster.report.aggregate import Results
from cscluster.report.check import drift, parse_tolerances, read_reference
from cscluster.report.compose import compose
from cscluster.report.formats import ENDINGS, latex, markdown, prose, spreadsheet, structured, terminal
from cscluster.report.html import page
from cscluster.report.page import Page
from cscluster.report.where import where as restrict


def report(options: ReportOptions) -> None:
    """Show runs by themselves, or against a reference."""
    if options.check is not None:
        check_drift(options, options.check)
    elif options.tol:
        raise ConfigError("--tol belongs to --check. Name the file of reference values with it.")
    else:
        show(options)


def show(options: ReportOptions) -> None:
    """Print the tables of runs, or write them and their figures.

    Raises
    ------
    CsclusterError
        If a run, metric, format or field does not exist, or a file cannot be written.
    """
    kind, by, out = options.kind, options.by, options.out
    directories = [require_run(name, options.results) for name in options.runs]
    if options.open_page:
        if kind not in (None, "html"):
            raise ConfigError("--open makes an HTML page. Leave out --format, or give html.")
        kind, out = "html", out or directories[0].path / "report.html"
    kind = _format(kind, out)
    collected = [restrict(collect(run, options.metric), options.where) for run in directories]
    if by == "dataset" and len(collected) > 1 and kind not in ("html", "prose"):
        collected = [aggregate.join(collected)]
    if options.figures is not None:
        _draw(collected, options.figures, options)
        if out is None:
            return
    if kind == "terminal" and out is None:
        terminal.show_all(_pages(collected, options), console.out)
        return
    if kind == "html":
        text = page(collected, directories)
    elif kind == "prose":
        runs = zip(collected, directories, strict=True)
        text = "\n".join(prose.text(results, run.definition) for results, run in runs)
    else:
        text = _text(kind, collected, options)
    if out is None:
        console.data(text)
        return
    put(out, text)
    console.out.whole(f"written: {out}")
    if options.open_page:
        webbrowser.open(out.resolve().as_uri())


def _draw(collected: list[Results], figures: Path, options: ReportOptions) -> None:
    """Draw the figures of all results."""
    from cscluster.report.figures import draw  # matplotlib takes long to import

    for part in collected:
        directory = figures / part.name if len(collected) > 1 else figures
        drawn = draw(part, directory, options.figure_format, options.figure_style, options.share_y)
        console.out.whole(*(f"drawn: {path}" for path in drawn))
        if not drawn:
            console.out.say(f"no figure fits '{part.name}': one point and one trial, or no result")


def _format(kind: str | None, out: Path | None) -> str:
    """Return the format: the one asked for, or that of the ending of the file."""
    if kind is not None:
        require_known("format", kind, ENDINGS)
        return kind
    suffix = ".txt" if out is None else out.suffix.lower()
    for name, ending in ENDINGS.items():
        if ending == suffix:
            return name
    raise ConfigError(f"The ending of '{out}' is not that of a format. Add --format {' | '.join(ENDINGS)}.")


def _pages(collected: list[Results], options: ReportOptions) -> list[Page]:
    return [
        compose(results, options.by, caption=options.caption, reference=options.reference)
        for results in collected
    ]


def _text(kind: str, collected: list[Results], options: ReportOptions) -> str:
    """Return the report as the content of a file."""
    if kind == "json":
        return structured.text(collected)
    if kind == "csv" and options.by == "point":
        return spreadsheet.text(collected)
    if kind == "latex":
        return latex.text(_pages(collected, options), options.label)
    writers = {"terminal": terminal.text, "markdown": markdown.text, "csv": spreadsheet.tables}
    return writers[kind](_pages(collected, options))


def check_drift(options: ReportOptions, file: Path) -> None:
    """Print what drifted from reference means.

    Raises
    ------
    ConfigError
        If there is not exactly one whole run.
    typer.Exit
        With code 1 if anything drifted.
    """
    if len(options.runs) > 1 or options.where or options.metric:
        raise ConfigError("--check compares one whole run with its reference: no --where, no --metric.")
    directory = require_run(options.runs[0], options.results)
    tolerances, expected = parse_tolerances(options.tol), read_reference(file)
    collected = aggregate.collect(directory, list(expected["metric"].unique()))
    drifted, checked = drift(collected, expected, tolerances)
    for r in drifted.itertuples():
        at = f"{r.point} tier {r.tier}" if collected.axis == "tier" else r.point
        numbers = "missing" if r.mean != r.mean else f"{r.mean:.4f}, {r.difference:+.4f}"
        console.out.whole(f"{r.metric} of {r.label} on {r.dataset} at {at}: {r.reference:.4f} -> {numbers}")
    console.out.whole(f"{len(drifted)} of {checked} cells of '{directory.path.name}' drifted from {file}")
    if len(drifted):
        raise typer.Exit(1)
