"""The statistics of a run: orderings and pairs at one place, wins over all places, ranks across data sets."""

from __future__ import annotations

import math

import pandas as pd

from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.report.aggregate import Results
from cscluster.report.html.chart_data import Column, columns
from cscluster.report.html.markup import Markup, join, note, tag, text
from cscluster.report.html.sortable import Cell, filter_box, table
from cscluster.report.statistics import (
    ALPHA,
    Friedman,
    left_out_words,
    ordering,
    paired,
    pairwise,
    rank_test,
    win_tie_loss,
)

PAIRS_LIMIT = 1000
"""Pairs of algorithms that a page compares; with more, only the last place of each data set is shown."""


def statistics(results: Results) -> Markup:
    """Return the statistics for each choice of metric, data set and point; scripts show the chosen one."""
    places = _places(results)
    left_out = len(places) < len(results.datasets) * len(columns(results))
    parts = [
        tag("h3", "At the chosen point"),
        filter_box("Filter pairs"),
        _at_places(results, places),
        tag(
            "p",
            "The pairs of this point are not shown: the run has too many of them to compare on one page.",
            class_="note not-shown",
            hidden=True,
        )
        if left_out
        else "",
    ]
    for number, metric in enumerate(results.metrics):
        parts.append(tag("div", _over_all(results, metric), _across(results, metric), data_metric=number))
    return join(parts)


def _places(results: Results) -> list[tuple[str, Column]]:
    """Return the data sets and columns whose pairs are compared: all, the last columns, or none."""
    pairs = math.comb(len(results.labels), 2) * len(results.metrics)
    every = [(dataset, column) for dataset in results.datasets for column in columns(results)]
    last = [(dataset, columns(results)[-1]) for dataset in results.datasets]
    return next((some for some in (every, last) if len(some) * pairs <= PAIRS_LIMIT), [])


def _at_places(results: Results, places: list[tuple[str, Column]]) -> Markup:
    numbers = {column: i for i, column in enumerate(columns(results))}
    parts = []
    for metric_number, metric in enumerate(results.metrics):
        scores = paired(results, metric)
        for dataset, column in places:
            if (dataset, *column) in scores.places:
                part = tag(
                    "div",
                    _at_place(results, metric, scores.complete((dataset, *column))),
                    data_metric=metric_number,
                    data_dataset=results.datasets.index(dataset),
                    data_column=numbers[column],
                )
                parts.append(part)
    return join(parts)


def _at_place(results: Results, metric: str, scores: pd.DataFrame) -> Markup:
    """Return the ordering and the pairs of one data set at one point."""
    lower = lower_is_better(metric)
    if len(scores) < 2 or scores.shape[1] < 2:
        return tag("p", f"Too few trials: a test needs two algorithms with two {results.unit} in common.")
    scores = scores.rename(columns=results.marks)
    line = tag("p", tag("span", text(ordering(scores, lower)), class_="ordering"), class_="line")
    legend = note(
        "From worst to best; between neighbours, < is a significant difference by a paired t-test "
        f"at {ALPHA}, ~ is not."
    )
    return join([line, legend, _pairs(pairwise(scores, lower), results.unit)])


def _pairs(pairs: pd.DataFrame, unit: str) -> Markup:
    rows = []
    for r in pairs.itertuples():
        winner = Cell(tag("strong", text(r.winner))) if r.winner in (r.a, r.b) else Cell(r.winner)
        ps = [_number(p, _p(p)) for p in (r.t_p, r.wilcoxon_p, r.holm_p)]
        sizes = [_number(size, f"{size:+.2f}") for size in (r.cohen_dz, r.rank_biserial)]
        difference = _number(r.difference, f"{r.difference:+.3f}")
        rows.append([Cell(text(r.a)), Cell(text(r.b)), winner, difference, *ps, *sizes])
    heads = ["a", "b", "winner", "a − b", "t-test p", "Wilcoxon p", "Holm p", "Cohen d", "rank-biserial"]
    return table(
        f"Pairs over {pairs['n'].iloc[0]} {unit}; the winner is by Holm's correction of Wilcoxon's test",
        heads,
        rows,
        numbers=6,
        larger_first=False,
    )


def _over_all(results: Results, metric: str) -> Markup:
    """Return who wins how often over all data sets and points."""
    if len(results.labels) < 2:
        return Markup()
    counts = win_tie_loss(results, metric)
    marks = results.marks
    rows = [
        [Cell(text(marks[row])), *(_record(counts.loc[row, column]) for column in counts.columns)]
        for row in counts.index
    ]
    caption = f"{metric_title(metric)}: places that the row wins / ties / loses against the column"
    return join(
        [
            tag("h3", "Over all data sets and points"),
            table(caption, ["algorithm", *(marks[c] for c in counts.columns)], rows, numbers=len(rows)),
        ]
    )


def _record(counts: str) -> Cell:
    if not counts:
        return Cell("–", kind="number")
    wins, _, losses = map(int, counts.split("/"))
    kind = "win" if wins > losses else "loss" if wins < losses else ""
    return Cell(counts.replace("/", " / "), wins - losses, f"number {kind}".strip())


def _across(results: Results, metric: str) -> Markup:
    """Return the ranks across data sets, where there are enough of them."""
    heading = tag("h3", "Across data sets")
    test = rank_test(results, metric)
    if test is None:
        return join(
            [heading, note("Ranks need at least three data sets and three algorithms without a gap.")]
        )
    verdict = "differ" if test.p < ALPHA else "do not differ significantly"
    sentence = tag(
        "p",
        f"Friedman's test over the means of {test.across} at the last point: the algorithms "
        f"{verdict} (χ² = {test.statistic:.2f}, p = {_p(test.p)}). By Nemenyi's test, mean ranks "
        f"that are more than {test.critical_difference:.2f} apart differ at {ALPHA}",
        text(left_out_words(test)),
        ".",
    )
    return join([heading, sentence, _ranks(results, test)])


def _ranks(results: Results, test: Friedman) -> Markup:
    ranks = test.mean_ranks.sort_values(kind="stable")
    marks = results.marks
    rows = [
        [
            Cell(text(marks[label])),
            _number(rank, f"{rank:.2f}"),
            *(
                Cell("–", kind="number") if other == label else _number(p, _p(p))
                for other in ranks.index
                for p in [test.nemenyi.loc[label, other]]
            ),
        ]
        for label, rank in ranks.items()
    ]
    heads = ["algorithm", "mean rank", *(f"p, {marks[label]}" for label in ranks.index)]
    return table(
        "Mean ranks (1 is the best) and p-values of Nemenyi's test",
        heads,
        rows,
        numbers=len(heads) - 1,
        larger_first=False,
    )


def _number(value: float, words: str) -> Cell:
    return Cell(
        words.replace("-", "−").replace("inf", "∞"), value if math.isfinite(value) else None, "number"
    )


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
