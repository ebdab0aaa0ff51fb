"""``cscluster report``: tables from stored results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cscluster.cli import complete

if TYPE_CHECKING:
    from cscluster.report.aggregate import Results
    from cscluster.report.document import Document
    from cscluster.store.folder import RunFolder

FORMATS = {
    "terminal": ".txt",
    "markdown": ".md",
    "latex": ".tex",
    "csv": ".csv",
    "json": ".json",
    "html": ".html",
}
"""The formats, and the file names that stand for them."""

ResultsOption = Annotated[Path, typer.Option("--results", help="Folder of results.")]


def command(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN",
            help="Runs: names in the results folder, or folders.",
            autocompletion=complete.runs,
        ),
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help=f"{', '.join(FORMATS)}; by default, what the name of --out says.",
            autocompletion=lambda incomplete: [name for name in FORMATS if name.startswith(incomplete)],
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAME", help="Metric to show; can be given several times."),
    ] = None,
    by: Annotated[
        str, typer.Option(help="Columns: point; dataset for data sets x algorithms; or a varied parameter.")
    ] = "point",
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Only trials with e.g. dataset=iris, point>=60, label~PMMC."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write instead of printing.")] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder to draw all fitting figures into.")
    ] = None,
    figure_format: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMAT", help="png (default), pdf or svg; can be given several times."),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(help="CSV of reference means like summary.csv; drift exits with 1.")
    ] = None,
    tol: Annotated[
        list[str] | None,
        typer.Option(metavar="TOLERANCE", help="Tolerance of --check: 0.02, or acc=0.01 for one metric."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="paper", help="Ours beside the numbers that the paper prints.")
    ] = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Show the tables and tests of stored runs.

    Nothing is computed again.  Several runs are shown one after another; with --by dataset they
    make one table.
    """
    from cscluster.errors import ConfigError
    from cscluster.report import write
    from cscluster.report.aggregate import join

    folders = [require_run(name, results) for name in runs]
    if check is not None:
        if len(folders) > 1 or where or metric:
            raise ConfigError("--check compares one whole run with its reference: no --where, no --metric.")
        raise typer.Exit(_check(folders[0], check, tol or []))
    if tol:
        raise ConfigError("--tol belongs to --check; name the file of reference values with it.")
    if against is not None:
        if against != "paper":
            raise ConfigError(
                f"--against takes 'paper', got '{against}'; for another run see: cscluster compare"
            )
        for folder in folders:
            _beside_paper(folder)
        return
    kind = _format(kind, out)
    found = [_collect(folder, metric, by, where or []) for folder in folders]
    if by == "dataset" and len(found) > 1 and kind != "html":
        found = [join(found)]
    if figures is not None:
        _draw(found, figures, figure_format or ["png"])
        if out is None:
            return
    if kind == "terminal" and out is None:
        _print(found, by)
        return
    text = _page(found, folders) if kind == "html" else _text(kind, found, by)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write.put(out, text)
        typer.echo(f"written: {out}")


def _format(kind: str | None, out: Path | None) -> str:
    """Return the format: the one asked for, or the one that the name of the file says."""
    from cscluster.errors import ConfigError, did_you_mean

    if out is not None and out.is_dir():
        raise ConfigError(
            f"--out names the file to write, but '{out}' is a folder (results are in --results)."
        )
    if kind is None:
        suffix = ".txt" if out is None else out.suffix.lower()
        named = [name for name, ending in FORMATS.items() if ending == suffix]
        if not named:
            raise ConfigError(f"The name of '{out}' says no format; add --format {' | '.join(FORMATS)}.")
        return named[0]
    if kind not in FORMATS:
        hint = did_you_mean(kind, FORMATS) or f"; there are {', '.join(FORMATS)}"
        raise ConfigError(f"There is no format '{kind}'{hint}")
    return kind


def _collect(folder: RunFolder, metrics: list[str] | None, by: str, conditions: list[str]) -> Results:
    from cscluster.report.aggregate import collect
    from cscluster.report.where import where

    results = collect(folder, metrics, every=by not in ("point", "dataset"))
    check_metrics(results, folder)
    return where(results, conditions)


def check_metrics(results: Results, folder: RunFolder) -> None:
    """Raise a `ConfigError` for a metric that is not recorded."""
    from cscluster.errors import ConfigError, did_you_mean
    from cscluster.report.aggregate import recorded

    known = [*folder.config()["experiment"]["metrics"], *recorded(results)]
    for name in results.metrics:
        if name not in known:
            hint = did_you_mean(name, known) or f"; recorded: {', '.join(sorted(set(known)))}"
            raise ConfigError(f"The records of '{folder.path.name}' have no metric '{name}'{hint}")


def _print(found: list[Results], by: str) -> None:
    from rich.console import Console

    from cscluster.report.document import compose
    from cscluster.report.formats.terminal import show

    console = Console()
    for results in found:
        document = compose(results, by)
        console.print(document.title, style="bold", highlight=False, markup=False)
        console.print()
        show(document, console)


def _draw(found: list[Results], folder: Path, formats: list[str]) -> None:
    from cscluster.report.figures import draw

    for results in found:
        drawn = draw(results, folder / results.name if len(found) > 1 else folder, formats)
        for path in drawn:
            typer.echo(f"drawn: {path}")
        if not drawn:
            typer.echo(f"no figure fits '{results.name}': one point and one trial, or no result")


def _page(found: list[Results], folders: list[RunFolder]) -> str:
    from cscluster.report.html import page

    return page(found, folders)


def _text(kind: str, found: list[Results], by: str) -> str:
    """Return the report as the content of a file."""
    from cscluster.report.document import compose
    from cscluster.report.formats import latex, markdown, spreadsheet, structured, terminal

    if kind == "csv":
        return spreadsheet.text(found)
    if kind == "json":
        return structured.text(found)
    documents: list[Document] = [compose(results, by) for results in found]
    writers = {"terminal": terminal.text, "markdown": markdown.text, "latex": latex.text}
    return writers[kind](documents)


def _check(folder: RunFolder, path: Path, tol: list[str]) -> int:
    """Print what drifted from a reference; return the exit code."""
    from cscluster.report.aggregate import collect
    from cscluster.report.check import drift, parse_tolerances, read_reference

    tolerances, reference = parse_tolerances(tol), read_reference(path)
    results = collect(folder, list(reference["metric"].unique()))
    table, checked = drift(results, reference, tolerances)
    for r in table.itertuples():
        tier = f" tier {r.tier}" if results.axis == "tier" else ""
        numbers = "missing" if r.mean != r.mean else f"{r.mean:.4f}, {r.difference:+.4f}"
        typer.echo(
            f"{r.metric} of {r.label} on {r.dataset} at {r.point}{tier}: {r.reference:.4f} -> {numbers}"
        )
    if len(table):
        typer.echo(f"{len(table)} of {checked} cells of '{folder.path.name}' drifted from {path}")
        return 1
    typer.echo(f"all {checked} cells of '{folder.path.name}' agree with {path}")
    return 0


def _beside_paper(folder: RunFolder) -> None:
    """Print our means beside the numbers that the run's paper prints."""
    from rich.console import Console
    from rich.table import Table

    from cscluster.errors import ConfigError
    from cscluster.papers.claims import against
    from cscluster.report.aggregate import collect

    config = folder.config()
    paper, item = config["experiment"].get("paper"), Path(config["source"]).stem
    rows = against(collect(folder), paper, item) if paper else None
    if rows is None or rows.empty:
        raise ConfigError(
            f"No printed numbers belong to '{folder.path.name}'"
            + (f" ({paper}, {item})." if paper else ": its experiment names no 'paper'.")
        )
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    for column in rows.columns:
        number = column in ("paper", "ours", "difference")
        table.add_column(
            column, justify="right" if number else "left", no_wrap=column not in ("dataset", "label")
        )
    for row in rows.itertuples(index=False):
        table.add_row(*(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row))
    console = Console()
    console.print(f"{folder.path.name} beside {paper}", style="bold", highlight=False, markup=False)
    console.print(table)
    counts = rows["verdict"].value_counts()
    console.print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()), highlight=False)


def require_run(name: str, results: Path) -> RunFolder:
    """Return the folder of a run by name or path.

    Raises
    ------
    StoreError
        If there is none.
    """
    from cscluster.errors import StoreError, did_you_mean
    from cscluster.store.folder import find_run, run_folders

    folder = find_run(name, results)
    if folder is not None:
        return folder
    known = [folder.path.name for folder in run_folders(results)]
    hint = did_you_mean(name, known) or (
        f" (there are: {', '.join(known)})" if known else " (there is none yet)"
    )
    raise StoreError(f"There is no run '{name}' in '{results}'{hint}")
