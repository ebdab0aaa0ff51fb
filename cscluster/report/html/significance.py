"""The statistics of a run: orderings and pairs at one place, ranks across data sets."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from cscluster.metrics.catalogue import lower_is_better
from cscluster.report.aggregate import Results
from cscluster.report.html.blocks import filter_box, render
from cscluster.report.html.markup import tag, text
from cscluster.report.page import Block, Heading, Note
from cscluster.report.statistics import (
    ALPHA,
    ENOUGH_DATASETS,
    Friedman,
    at_last,
    ordering,
    pairwise,
    rank_test,
)
from cscluster.report.table import PlainTable

PAIRS_LIMIT = 1000
"""Pairs of algorithms that a page compares, over all metrics and data sets."""


def statistics(results: Results) -> Iterator[Block]:
    """Yield the statistics for each choice of metric and data set; scripts show the chosen one."""
    n_pairs = math.comb(len(results.labels), 2) * len(results.metrics) * len(results.datasets)
    yield Heading(3, "At the last point")
    yield filter_box("Filter pairs")
    for number, metric in enumerate(results.metrics):
        for place, scores in at_last(results, metric):
            parts = _at_place(results, metric, scores, n_pairs <= PAIRS_LIMIT)
            dataset = results.datasets.index(place[0])
            yield tag("div", *map(render, parts), data_metric=number, data_dataset=dataset)
        yield tag("div", *map(render, _across(results, metric)), data_metric=number)


def _at_place(results: Results, metric: str, scores: pd.DataFrame, with_pairs: bool) -> Iterator[Block]:
    """Yield the ordering and the pairs of one data set at its last point."""
    lower = lower_is_better(metric)
    if len(scores) < 2 or scores.shape[1] < 2:
        yield f"Too few trials: a test needs two algorithms with two {results.unit} in common."
        return
    scores = scores.rename(columns=results.marks)
    yield tag("p", tag("span", text(ordering(scores, lower)), class_="ordering"), class_="line")
    yield Note(
        "From worst to best. Between neighbours, < is a significant difference by a paired t-test "
        f"at {ALPHA}, ~ is not."
    )
    if with_pairs:
        yield _pairs(pairwise(scores, lower), results.unit)
    else:
        yield Note("The run has too many pairs of algorithms to compare them on one page.")


def _pairs(pairs: pd.DataFrame, unit: str) -> PlainTable:
    rows = [
        [r.a, r.b, r.winner, _signed(r.difference, 3), *map(_p, (r.t_p, r.wilcoxon_p, r.holm_p)),
         _signed(r.cohen_dz, 2), _signed(r.rank_biserial, 2)]
        for r in pairs.itertuples()
    ]  # fmt: skip
    return PlainTable(
        f"Pairs over {pairs['n'].iloc[0]} {unit}. The winner is by Holm's correction of Wilcoxon's test",
        ["a", "b", "winner", "a − b", "t-test p", "Wilcoxon p", "Holm p", "Cohen d", "rank-biserial"],
        rows,
        numbers=6,
        marks={(i, 2): "win" for i, row in enumerate(rows) if row[2] in row[:2]},
        ascending=True,
    )


def _across(results: Results, metric: str) -> Iterator[Block]:
    """Yield the ranks across data sets, where there are enough of them."""
    yield Heading(3, "Across data sets")
    test = rank_test(results, metric)
    if test is None:
        yield Note(f"Ranks need at least {ENOUGH_DATASETS} data sets and three algorithms without a gap.")
        return
    yield (
        f"{test.words()}, by Friedman's test over the means at the last point. By Nemenyi's test, mean ranks "
        f"that are more than {test.critical_difference:.2f} apart differ at {ALPHA}."
    )
    yield _ranks(results, test)


def _ranks(results: Results, test: Friedman) -> PlainTable:
    ranks = test.mean_ranks.sort_values(kind="stable")
    p = test.nemenyi.loc[ranks.index, ranks.index].map(_p).mask(np.eye(len(ranks), dtype=bool), "–")
    p = p.rename(index=results.marks, columns={label: f"p, {mark}" for label, mark in results.marks.items()})
    p.insert(0, "mean rank", [f"{rank:.2f}" for rank in ranks])
    caption = "Mean ranks (1 is the best) and p-values of Nemenyi's test"
    return PlainTable.of(caption, "algorithm", p, ascending=True)


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−").replace("inf", "∞")


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
