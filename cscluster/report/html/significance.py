"""The statistics of a run: orderings and pairs at one place, wins over all places, ranks across data sets."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.report.aggregate import Results
from cscluster.report.html.blocks import filter_box, render
from cscluster.report.html.chart_data import Column, columns
from cscluster.report.html.markup import tag, text
from cscluster.report.page import Block, Heading, Note
from cscluster.report.statistics import (
    ALPHA,
    Friedman,
    ordering,
    paired,
    pairwise,
    rank_test,
    win_tie_loss,
)
from cscluster.report.table import PlainTable

PAIRS_LIMIT = 1000
"""Pairs of algorithms that a page compares; with more, only the last place of each data set is shown."""


def statistics(results: Results) -> Iterator[Block]:
    """Yield the statistics for each choice of metric, data set and point; scripts show the chosen one."""
    places = _places(results)
    yield Heading(3, "At the chosen point")
    yield filter_box("Filter pairs")
    yield from _at_places(results, places)
    if len(places) < len(results.datasets) * len(columns(results)):
        words = "The pairs of this point are not shown: the run has too many of them to compare on one page."
        yield tag("p", words, class_="note not-shown", hidden=True)
    for number, metric in enumerate(results.metrics):
        parts = [*_over_all(results, metric), *_across(results, metric)]
        yield tag("div", *map(render, parts), data_metric=number)


def _places(results: Results) -> list[tuple[str, Column]]:
    """Return the data sets and columns whose pairs are compared: all, the last columns, or none."""
    pairs = math.comb(len(results.labels), 2) * len(results.metrics)
    every = [(dataset, column) for dataset in results.datasets for column in columns(results)]
    last = [(dataset, columns(results)[-1]) for dataset in results.datasets]
    return next((some for some in (every, last) if len(some) * pairs <= PAIRS_LIMIT), [])


def _at_places(results: Results, places: list[tuple[str, Column]]) -> Iterator[Block]:
    numbers = {column: i for i, column in enumerate(columns(results))}
    for metric_number, metric in enumerate(results.metrics):
        scores = paired(results, metric)
        for dataset, column in places:
            if (dataset, *column) in scores.places:
                yield tag(
                    "div",
                    *map(render, _at_place(results, metric, scores.complete((dataset, *column)))),
                    data_metric=metric_number,
                    data_dataset=results.datasets.index(dataset),
                    data_column=numbers[column],
                )


def _at_place(results: Results, metric: str, scores: pd.DataFrame) -> Iterator[Block]:
    """Yield the ordering and the pairs of one data set at one point."""
    lower = lower_is_better(metric)
    if len(scores) < 2 or scores.shape[1] < 2:
        yield f"Too few trials: a test needs two algorithms with two {results.unit} in common."
        return
    scores = scores.rename(columns=results.marks)
    yield tag("p", tag("span", text(ordering(scores, lower)), class_="ordering"), class_="line")
    yield Note(
        "From worst to best; between neighbours, < is a significant difference by a paired t-test "
        f"at {ALPHA}, ~ is not."
    )
    yield _pairs(pairwise(scores, lower), results.unit)


def _pairs(pairs: pd.DataFrame, unit: str) -> PlainTable:
    rows = [
        [r.a, r.b, r.winner, _signed(r.difference, 3), *map(_p, (r.t_p, r.wilcoxon_p, r.holm_p)),
         _signed(r.cohen_dz, 2), _signed(r.rank_biserial, 2)]
        for r in pairs.itertuples()
    ]  # fmt: skip
    return PlainTable(
        f"Pairs over {pairs['n'].iloc[0]} {unit}; the winner is by Holm's correction of Wilcoxon's test",
        ["a", "b", "winner", "a − b", "t-test p", "Wilcoxon p", "Holm p", "Cohen d", "rank-biserial"],
        rows,
        numbers=6,
        marks={(i, 2): "win" for i, row in enumerate(rows) if row[2] in row[:2]},
        ascending=True,
    )


def _over_all(results: Results, metric: str) -> Iterator[Block]:
    """Yield who wins how often over all data sets and points."""
    if len(results.labels) < 2:
        return
    names, counts = list(results.marks.values()), win_tie_loss(results, metric).to_numpy().tolist()
    marks = {}
    for i, row in enumerate(counts):
        for j, record in enumerate(row, start=1):
            wins, _, losses = map(int, record.split("/")) if record else (0, 0, 0)
            if wins != losses:
                marks[i, j] = "win" if wins > losses else "loss"
    rows = [
        [name, *(record.replace("/", " / ") or "–" for record in row)]
        for name, row in zip(names, counts, strict=True)
    ]
    caption = f"{metric_title(metric)}: places that the row wins / ties / loses against the column"
    yield Heading(3, "Over all data sets and points")
    yield PlainTable(caption, ["algorithm", *names], rows, numbers=len(names), marks=marks)


def _across(results: Results, metric: str) -> Iterator[Block]:
    """Yield the ranks across data sets, where there are enough of them."""
    yield Heading(3, "Across data sets")
    test = rank_test(results, metric)
    if test is None:
        yield Note("Ranks need at least three data sets and three algorithms without a gap.")
        return
    yield (
        f"{test.words()}, by Friedman's test over the means at the last point. By Nemenyi's test, mean ranks "
        f"that are more than {test.critical_difference:.2f} apart differ at {ALPHA}."
    )
    yield _ranks(results, test)


def _ranks(results: Results, test: Friedman) -> PlainTable:
    ranks = test.mean_ranks.sort_values(kind="stable")
    names = [results.marks[label] for label in ranks.index]
    p = test.nemenyi.loc[ranks.index, ranks.index].map(_p)
    rows = [
        [name, f"{ranks.iloc[i]:.2f}", *("–" if i == j else cell for j, cell in enumerate(p.iloc[i]))]
        for i, name in enumerate(names)
    ]
    heads = ["algorithm", "mean rank", *(f"p, {name}" for name in names)]
    caption = "Mean ranks (1 is the best) and p-values of Nemenyi's test"
    return PlainTable(caption, heads, rows, numbers=len(heads) - 1, ascending=True)


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−").replace("inf", "∞")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
