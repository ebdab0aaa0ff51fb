"""``cscluster report``: tables from stored results."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from cscluster.atomic import put
from cscluster.cli import console
from cscluster.cli.stored import collect, require_run
from cscluster.errors import ConfigError, require_known
from cscluster.papers.claims import against
from cscluster.report import aggregate
from cscluster.report.aggregate import Results
from cscluster.report.check import drift, parse_tolerances, read_reference
from cscluster.report.document import compose
from cscluster.report.figures import draw
from cscluster.report.formats import ENDINGS, latex, markdown, spreadsheet, structured, terminal
from cscluster.report.html import page
from cscluster.report.where import where as restrict
from cscluster.store.folder import RunFolder
from cscluster.words import plural

REFRESH = 30
"""Seconds between two states of a page that follows a run."""


def report(
    runs: list[str],
    results: Path,
    *,
    check: Path | None,
    tol: list[str] | None,
    against: str | None,
    where: list[str] | None,
    metric: list[str] | None,
    **how: Any,
) -> None:
    """Show runs in one of three ways: by themselves, against a reference, or beside their paper."""
    if check is not None or tol:
        check_drift(runs, check, tol or [], results, partly=bool(where or metric))
    elif against is not None:
        beside_paper(runs, against, results)
    else:
        show(runs, results, where=where or [], metrics=metric, **how)


def show(
    runs: list[str],
    results: Path,
    *,
    kind: str | None,
    metrics: list[str] | None,
    by: str,
    where: list[str],
    out: Path | None,
    figures: Path | None,
    figure_format: list[str] | None,
    figure_style: str,
    captions: bool,
    open_page: bool,
    watch: bool,
) -> None:
    """Print the tables of runs, or write them and their figures.

    Parameters
    ----------
    runs, results
        Names of runs, and the directory of all results.
    kind : str, optional
        Format; by default that of the ending of `out`.
    metrics, by, where
        Which metrics, what the columns are, and conditions on the trials.
    out : Path, optional
        File to write.
    figures, figure_format, figure_style, captions
        Directory to draw figures into, their formats and style, and whether captions are drawn too.
    open_page : bool
        Whether to write an HTML page, beside the first run unless `out` is given, and open it.
    watch : bool
        Whether to write such a page again and again until all planned trials have been run.

    Raises
    ------
    CsclusterError
        If a run, metric, format or field does not exist, or a file cannot be written.
    """
    folders = [require_run(name, results) for name in runs]
    if open_page or watch:
        if kind not in (None, "html"):
            flag = "--watch" if watch else "--open"
            raise ConfigError(f"{flag} makes an HTML page; leave out --format, or give html.")
        kind, out = "html", out or folders[0].path / "report.html"
    kind = _format(kind, out)
    every = by not in ("point", "dataset")

    def read() -> list[Results]:
        return [restrict(collect(folder, metrics, every), where) for folder in folders]

    collected = read()
    if by == "dataset" and len(collected) > 1 and kind != "html":
        collected = [aggregate.join(collected)]
    if figures is not None:
        for part in collected:
            directory = figures / part.name if len(collected) > 1 else figures
            drawn = draw(part, directory, figure_format or ["png"], figure_style, captions)
            console.out.whole(*(f"drawn: {path}" for path in drawn))
            if not drawn:
                console.out.say(f"no figure fits '{part.name}': one point and one trial, or no result")
        if out is None:
            return
    if kind == "terminal" and out is None:
        _print(collected, by)
        return
    going_on = watch and _n_missing(folders) > 0
    refresh = REFRESH if going_on else None
    text = page(collected, folders, refresh) if kind == "html" else _text(kind, collected, by)
    if out is None:
        console.data(text)
        return
    put(out, text)
    console.out.whole(f"written: {out}")
    if open_page:
        webbrowser.open(out.resolve().as_uri())
    if going_on:
        _follow(folders, read, out)


def _follow(folders: list[RunFolder], read: Callable[[], list[Results]], out: Path) -> None:
    """Write the page again and again until all planned trials have been run; an interrupt ends it too."""
    missing = _n_missing(folders)
    with console.out.working(f"following {out.name}; Ctrl-C ends it, not the run"):
        try:
            while missing:
                time.sleep(REFRESH)
                missing = _n_missing(folders)
                put(out, page(read(), folders, REFRESH if missing else None))
        except KeyboardInterrupt:
            put(out, page(read(), folders))
    done = f"missing: {plural(missing, 'trial')}" if missing else "all trials are there"
    console.out.whole(f"written: {out}; {done}")


def _n_missing(folders: list[RunFolder]) -> int:
    found = [folder.progress() for folder in folders]
    return sum(progress.planned - progress.stored for progress in found)


def _format(kind: str | None, out: Path | None) -> str:
    """Return the format: the one asked for, or that of the ending of the file."""
    if out is not None and out.is_dir():
        raise ConfigError(
            f"--out is the file to write, but '{out}' is a directory (results are read from --results)."
        )
    if kind is None:
        suffix = ".txt" if out is None else out.suffix.lower()
        named = [name for name, ending in ENDINGS.items() if ending == suffix]
        if not named:
            raise ConfigError(
                f"The ending of '{out}' is not that of a format; add --format {' | '.join(ENDINGS)}."
            )
        return named[0]
    require_known("format", kind, ENDINGS)
    return kind


def _print(collected: list[Results], by: str) -> None:
    for results in collected:
        document = compose(results, by)
        console.out.print(document.title, style="bold")
        console.out.say("")
        terminal.show(document, console.out)


def _text(kind: str, collected: list[Results], by: str) -> str:
    """Return the report as the content of a file."""
    if kind == "csv":
        return spreadsheet.text(collected)
    if kind == "json":
        return structured.text(collected)
    writers = {
        "terminal": terminal.text,
        "markdown": markdown.text,
        "latex": latex.text,
        "latex-document": latex.whole,
    }
    return writers[kind]([compose(results, by) for results in collected])


def check_drift(runs: list[str], reference: Path | None, tol: list[str], results: Path, partly: bool) -> None:
    """Print what drifted from reference means.

    Raises
    ------
    ConfigError
        If there is no reference, or not exactly one whole run.
    typer.Exit
        With code 1 if anything drifted.
    """
    if reference is None:
        raise ConfigError("--tol belongs to --check; name the file of reference values with it.")
    if len(runs) > 1 or partly:
        raise ConfigError("--check compares one whole run with its reference: no --where, no --metric.")
    folder = require_run(runs[0], results)
    tolerances, expected = parse_tolerances(tol), read_reference(reference)
    collected = aggregate.collect(folder, list(expected["metric"].unique()))
    table, checked = drift(collected, expected, tolerances)
    out = console.out
    for r in table.itertuples():
        tier = f" tier {r.tier}" if collected.axis == "tier" else ""
        numbers = "missing" if r.mean != r.mean else f"{r.mean:.4f}, {r.difference:+.4f}"
        out.whole(
            f"{r.metric} of {r.label} on {r.dataset} at {r.point}{tier}: {r.reference:.4f} -> {numbers}"
        )
    if len(table):
        out.whole(f"{len(table)} of {checked} cells of '{folder.path.name}' drifted from {reference}")
        raise typer.Exit(1)
    out.whole(f"all {checked} cells of '{folder.path.name}' agree with {reference}")


def beside_paper(runs: list[str], paper: str, results: Path) -> None:
    """Print our means beside the numbers that the paper of each run prints.

    Raises
    ------
    ConfigError
        If a run belongs to no paper, or its paper prints no numbers of it.
    """
    if paper != "paper":
        raise ConfigError(f"--against takes 'paper', got '{paper}'; for another run see: cscluster compare")
    for name in runs:
        _beside_paper(require_run(name, results))


def _beside_paper(folder: RunFolder) -> None:
    config = folder.config()
    paper, item = config["experiment"].get("paper"), Path(config["source"]).stem
    rows = against(aggregate.collect(folder), paper, item) if paper else None
    if rows is None or rows.empty:
        raise ConfigError(
            f"No printed numbers belong to '{folder.path.name}'"
            + (f" ({paper}, {item})." if paper else ": its experiment names no 'paper'.")
        )
    console.out.print(f"{folder.path.name} beside {paper}", style="bold")
    console.out.table(
        list(rows.columns),
        rows.map(lambda value: f"{value:.3f}" if isinstance(value, float) else str(value)).to_numpy(),
        numbers=["paper", "ours", "difference"],
        unfolded=["metric", "verdict"],
    )
    counts = rows["verdict"].value_counts()
    console.out.say(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
