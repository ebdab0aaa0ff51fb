"""Tables of results as text: for the terminal, and as Markdown and CSV files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cscluster.errors import StoreError
from cscluster.report.aggregate import Results, lower_is_better

_POINTS = {
    "random_pairs": "number of links",
    "balanced_pairs": "links of each kind",
    "folds": "number of links",
    "tiers": "links of a tier",
    "file": "links in the file",
}


def cell_text(mean: float, std: float, n: int, planned: int, metric: str) -> str:
    """Return ``mean ± std`` and, where trials are missing, how many there are."""
    if n == 0:
        return f"N/A (0/{planned})"
    digits = 1 if metric == "iterations" else 3
    spread = "" if n < 2 or pd.isna(std) else f" ± {std:.{digits}f}"
    return f"{mean:.{digits}f}{spread}" + (f" ({n}/{planned})" if n < planned else "")


def grids(results: Results) -> Iterator[tuple[str, str, pd.DataFrame, pd.DataFrame]]:
    """Yield data set, metric, the texts (label x column) and a mask of the best of each column."""
    for metric in results.metrics:
        for dataset in results.datasets:
            cells = results.cells
            part = cells[(cells["dataset"] == dataset) & (cells["metric"] == metric)].copy()
            if part.empty:
                continue
            part["row"] = [f"{r.label} *" if r.oracle else r.label for r in part.itertuples()]
            columns = ["point"] if results.axis == "point" else ["point", "tier"]
            part["text"] = [cell_text(r.mean, r.std, r.n, r.planned, metric) for r in part.itertuples()]
            texts = part.pivot_table(index="row", columns=columns, values="text", aggfunc="first", sort=False)
            means = part.pivot_table(index="row", columns=columns, values="mean", dropna=False, sort=False)
            means = means.reindex(index=texts.index, columns=texts.columns).round(3)
            best = means.min() if lower_is_better(metric) else means.max()
            yield dataset, metric, texts.fillna(""), means.eq(best, axis=1)


def column_name(column: object) -> str:
    """Return the heading of a column: the point and, where there are several, the tier."""
    return f"{column[0]} t{column[1]}" if isinstance(column, tuple) else str(column)


def show(results: Results, console: Console) -> None:
    """Print the tables so that they fit the terminal: closer together, or else in several parts."""
    for dataset, metric, texts, best in grids(results):
        heading = f"{metric.upper()} on {dataset} by {_POINTS[results.schedule]}"
        labels = max([len("algorithm"), *map(len, texts.index)]) + 2
        if labels + sum(_widths(texts)) > console.width:
            texts = texts.map(lambda text: text.replace(" ± ", "±"))
            labels = min(labels, console.width // 2)
        widths, start = _widths(texts), 0
        while start < len(widths):
            stop = start + 1
            while stop < len(widths) and labels + sum(widths[start : stop + 1]) <= console.width:
                stop += 1
            console.print(heading, style="bold", highlight=False, markup=False)
            console.print(_table(texts.iloc[:, start:stop], best.iloc[:, start:stop]))
            console.print()
            heading, start = f"{heading.removesuffix(' (continued)')} (continued)", stop
    for line in notes(results):
        console.print(line, style="dim", highlight=False, markup=False)


def _widths(texts: pd.DataFrame) -> list[int]:
    return [max([len(column_name(c)), *map(len, texts[c])]) + 2 for c in texts.columns]


def _table(texts: pd.DataFrame, best: pd.DataFrame) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    table.add_column("algorithm", overflow="fold")
    for column, width in zip(texts.columns, _widths(texts), strict=True):
        table.add_column(column_name(column), justify="right", no_wrap=True, min_width=width - 2)
    for row in texts.index:
        cells = [
            Text(texts.loc[row, c], style="bold green" if best.loc[row, c] else "") for c in texts.columns
        ]
        table.add_row(Text(row), *cells)
    return table


def notes(results: Results) -> list[str]:
    """Return the lines below the tables: trial counts, oracle choices, failures."""
    trials = (
        f"mean ± standard deviation over {results.planned} trials" if results.planned > 1 else "one trial"
    )
    lines = [f"{trials}; the best of each column stands out"]
    if len(results.cells) and results.cells["oracle"].any():
        lines.append("* oracle: the parameters were picked with the true labels, as in the papers")
    for r in results.failures.itertuples():
        trials = "1 trial" if r.count == 1 else f"{r.count} trials"
        lines.append(f"{trials} of {r.label} on {r.dataset}: {r.status}: {r.message}")
    return lines


def markdown(results: Results) -> str:
    """Return the tables as a Markdown page."""
    parts = [f"# {results.title}\n"]
    for dataset, metric, texts, best in grids(results):
        heads = [column_name(c) for c in texts.columns]
        parts.append(f"## {metric.upper()} on {dataset} by {_POINTS[results.schedule]}\n")
        parts.append("| algorithm | " + " | ".join(heads) + " |")
        parts.append("|---|" + "---:|" * len(heads))
        for row in texts.index:
            marked = [
                f"**{texts.loc[row, c]}**" if best.loc[row, c] else texts.loc[row, c] for c in texts.columns
            ]
            parts.append("| " + " | ".join([_escape(row), *marked]) + " |")
        parts.append("")
    return "\n".join([*parts, *(f"{_escape(line)}  " for line in notes(results))]) + "\n"


def _escape(text: object) -> str:
    return str(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def write(results: Results, folder: Path) -> Path:
    """Write ``report.md`` and ``summary.csv`` into the run's folder; return the report's path."""
    _put(folder / "summary.csv", _csv(results.cells))
    _put(folder / "report.md", markdown(results))
    return folder / "report.md"


def _csv(cells: pd.DataFrame) -> str:
    """Return the table as CSV; a text that a spreadsheet would take for a formula is quoted."""
    safe = cells.copy()
    for column in ("dataset", "label", "params"):
        one_line = safe[column].astype(str).str.replace(r"[\r\n]+", " ", regex=True)
        safe[column] = one_line.str.replace(r"^(\s*[=+\-@])", r"'\1", regex=True)
    return safe.to_csv(index=False, lineterminator="\n", float_format="%.6g")


def _put(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"Cannot write '{path}': {error.strerror}.") from error


def axis_name(results: Results) -> str:
    """Return what the points of a run count."""
    return _POINTS[results.schedule]
