"""What the commands about a user's own table show: rows, constraints, choices and clusters."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cscluster.atomic import put
from cscluster.cli.console import Console, data, err, progress_bar
from cscluster.cli.options import ClusterOptions
from cscluster.constraints import Constraints
from cscluster.data.dataset import Dataset
from cscluster.selection.compare import OnFit
from cscluster.selection.count import Count
from cscluster.selection.guarded import Choosing
from cscluster.tables import describe, result
from cscluster.tables.describe import Cluster
from cscluster.tables.large import LargeFile
from cscluster.tables.outputs import STDOUT
from cscluster.tables.result import ClusteringResult
from cscluster.words import plural

SHOWN_ROWS = 10
SHOWN_CLUSTERS = 12
SHOWN_TRAITS = 3


@contextlib.contextmanager
def fits() -> Iterator[OnFit]:
    """Show a bar on standard error that goes away at the end; yields a function that announces a fit."""
    with progress_bar(err) as bar:
        task = bar.add_task("clustering", total=None, failed="")
        yield lambda name, done, total: bar.update(task, completed=done, total=total, description=name)


def source_line(source: str, table: Dataset, large: LargeFile | None = None) -> str:
    """Say what was read."""
    named = f"column '{table.id_column}' names them" if table.id_column else "counted from 0"
    if large is None:
        return f"{source}: {plural(table.n_samples, 'row')}, {named}"
    learned = f"Learned from {table.n_samples:,}: those with constraints or labels, and others at random."
    return f"{source}: {large.n_rows:,} rows, {named}. {learned}"


def column_lines(options: ClusterOptions, table: Dataset) -> list[str]:
    """Say which columns hold constraints."""
    lines = []
    if table.partial_labels is not None:
        known = table.partial_labels[table.partial_labels >= 0]
        rows, kind = plural(len(known), "labelled row"), "hard constraints" if options.hard else "constraints"
        lines.append(f"column '{options.labels}': {rows} of {known.max() + 1} classes, taken as {kind}")
    kinds = {"are in one cluster": options.together, "are in different clusters": options.apart}
    lines += [f"column '{name}': rows with the same cell {kind}" for kind, name in kinds.items() if name]
    return lines


def links_lines(links: Constraints, path: Path | None) -> list[str]:
    """Say how many constraints there are."""
    if path is None:
        return ["no constraints were given (--links LINKS.csv)"]
    parts = [plural(len(links.must_links), "must-link"), plural(len(links.cannot_links), "cannot-link")]
    is_hard = np.isinf(links.weights)
    soft = links.weights[~is_hard]
    if is_hard.any():
        parts.append(f"{is_hard.sum()} of them hard" if len(soft) else "all hard")
    if (soft != 1).any():
        parts.append(f"weights from {soft.min():g} to {soft.max():g}")
    lines = [f"{path}: {', '.join(parts)}"]
    if len(links.contradictions):
        lines.append(f"{plural(len(links.contradictions), 'cannot-link')} contradicted by must-links")
    return lines


def show_count(screen: Console, chosen: Count) -> None:
    """Show how the number of clusters was chosen."""
    scores = [f"{score:.2f}" if score >= 0 else "-" for score in chosen.scores.values()]
    rows = [["clusters", *map(str, chosen.scores)], [chosen.score_name, *scores]]
    screen.table([""] * len(rows[0]), rows, above="")
    screen.say(f"chosen: {chosen.n_clusters} clusters, because {chosen.reason}")
    if chosen.n_clusters == max(chosen.scores) and len(chosen.scores) > 1:
        screen.say(
            "that is the last number tried: more clusters may be better still (-k N sets their number)"
        )


def show_choice(screen: Console, chosen: Choosing) -> None:
    """Show how the method was chosen."""
    comparison = chosen.comparison_
    heads = ["held-out constraint accuracy", "mean", "s.e.", "must-links", "cannot-links"]
    rows = [
        [name, *(f"{x:.2f}" for x in (score.value, score.standard_error, score.must, score.cannot))]
        for name, score in comparison.scores.items()
    ]
    screen.table(heads, rows, numbers=heads[1:], above="")
    screen.say(*(f"{name} failed: {error}" for name, error in comparison.failures.items()))
    screen.say(f"chosen: {chosen.algorithm_}, because {chosen.reason_}")


def show_outcome(screen: Console, found: ClusteringResult, table: Dataset, all_in_file: bool) -> None:
    """Show the method, the sizes of the clusters, constraints satisfied and violated, and scores."""
    if found.count is not None:
        show_count(screen, found.count)
    if found.choice is not None:
        show_choice(screen, found.choice)
    screen.say("")
    screen.print(found.algorithm, style="bold", markup=False)
    show_clusters(screen, found.clusters, table)
    screen.say(*result.describe(found))
    hint = "" if all_in_file else " (--violated FILE.csv writes all)"
    violated = [["", *row] for row in result.violated_pairs(found, table)]
    _show_first(screen, "constraints violated:", [""] * 4, violated, hint)
    on_border = result.border(found, table)
    heading = f"on the border of two clusters: {plural(len(on_border), 'row')}"
    _show_first(screen, heading, result.BORDER_HEADS, on_border)


def _show_first(
    screen: Console, heading: str, heads: list[str], rows: list[list[str]], hint: str = ""
) -> None:
    """Show the first lines of a table, and how many more there are; nothing where there are none."""
    if rows:
        screen.say(heading)
        screen.table(heads, rows[:SHOWN_ROWS])
    if len(rows) > SHOWN_ROWS:
        screen.say(f"... and {len(rows) - SHOWN_ROWS} more{hint}")


def show_clusters(screen: Console, clusters: Sequence[Cluster], table: Dataset) -> None:
    """Show sizes, typical rows and what sets each cluster apart."""
    screen.table(describe.SIZE_HEADS, describe.size_rows(clusters, table), numbers=["rows", "share"])
    rows = describe.trait_rows(clusters[:SHOWN_CLUSTERS], most=SHOWN_TRAITS)
    above = "what sets the clusters apart (effect: difference in standard deviations)"
    screen.table(describe.TRAIT_HEADS, rows, numbers=describe.TRAIT_HEADS[2:], above=above)
    if (more := len(clusters) - SHOWN_CLUSTERS) > 0 and rows:
        screen.say(f"... and {plural(more, 'cluster')} more")
    screen.say("")


def write_labels(screen: Console, out: Path, parts: Iterable[str]) -> None:
    """Write labels to a file, or to standard output."""
    if out == STDOUT:
        for part in parts:
            data(part)
    else:
        put(out, parts)
        screen.whole(f"labels: {out}")


def show_sizes(screen: Console, sizes: NDArray[Any], names: Sequence[str] = ()) -> None:
    """Show how many rows each cluster has."""
    named = zip(names or map(str, range(len(sizes))), sizes.tolist(), strict=True)
    rows = [[name, str(size), f"{size / sizes.sum():.0%}"] for name, size in named]
    screen.table(["cluster", "rows", "share"], rows, numbers=["rows", "share"])
