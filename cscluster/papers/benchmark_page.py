"""The page of the benchmark: who leads where, at what cost, and which method to use when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from cscluster.papers.ranking import (
    BASELINE,
    NEAR,
    TIE,
    Ranking,
    of_repetitions,
    points_of,
    two_digits,
    with_printed,
)
from cscluster.papers.tracks import Track, tracks
from cscluster.report.aggregate import Results
from cscluster.report.means import points_word
from cscluster.report.page import Block, Heading
from cscluster.report.table import BEST, PlainTable
from cscluster.words import plural

TITLE = "Which method when: the benchmark"


@dataclass(frozen=True)
class TrackReport:
    """A track of the benchmark that has been run.

    Attributes
    ----------
    name : str
        Of the track.
    results : Results
        Of its complete repetitions.
    not_run : list of str
        Methods that have no complete repetition yet.
    """

    name: str
    results: Results
    not_run: list[str]

    @property
    def track(self) -> Track:
        """What it is."""
        return tracks()[self.name]

    @cached_property
    def draws(self) -> set[int]:
        """The complete repetitions."""
        return set(self.results.trials["draw"])

    @property
    def progress(self) -> str:
        """How many of the planned repetitions are complete."""
        return f"{len(self.draws)} of {self.results.planned // self.results.repeats}"

    def point(self, point: int) -> str:
        """Return what a point is, in words."""
        unit = {"fraction": f"{point} % of the samples", "labelled": f"{point} labels of each class"}
        return unit.get(self.results.schedule, f"{point} constraints")

    @cached_property
    def rankings(self) -> dict[int, Ranking]:
        """How the methods compare at each point."""
        return {point: Ranking.of(self.results, point) for point in points_of(self.results)}

    def table(self) -> PlainTable:
        """Return one table of all points, the best mean rank over them first."""
        rankings = list(self.rankings.values())
        ranks = pd.DataFrame({p: each.ranks.mean_ranks for p, each in self.rankings.items() if each.ranks})
        means = pd.DataFrame({p: each.means for p, each in self.rankings.items()})
        seconds = sum(each.seconds for each in rankings) / len(rankings)
        failed = sum(each.failed for each in rankings)
        order = (ranks if len(ranks) else -means).mean(axis=1).sort_values(kind="stable").index
        rows = [
            [str(label), *(f"{mean:.3f}" for mean in means.loc[label]),
             f"{ranks.loc[label].mean():.1f}" if len(ranks) else "",
             "/".join(str(sum(counts)) for counts in zip(*(r.against(label) for r in rankings), strict=True)),
             two_digits(seconds[label]), str(failed[label] or "")]
            for label in order
        ]  # fmt: skip
        marks = {
            (i, j): BEST
            for i, label in enumerate(order)
            for j, each in enumerate(rankings, start=1)
            if each.ranks and label in each.leaders
        }
        heads = ["method", *map(str, self.rankings), "mean rank", "wins/ties/losses", "CPU s", "failed"]
        return PlainTable(self._caption(), heads, rows, numbers=len(heads) - 1, marks=marks)

    def _caption(self) -> str:
        n_datasets = plural(len(self.results.datasets), "data set")
        caption = f"Mean ARI by {points_word(self.results)}; {n_datasets}"
        tests = [each.ranks.critical_difference for each in self.rankings.values() if each.ranks]
        if not tests:
            return f"{caption}; too few for a test of ranks"
        return f"{caption}; critical difference of mean ranks {tests[0]:.1f}; bold: tied with the best"


def blocks(reports: Mapping[str, TrackReport], command: str) -> Iterator[Block]:
    """Yield the blocks of the page: the tracks that have been run, by name, and the command that makes it."""
    yield (
        f"Made by `{command}`.  Methods in their default forms, features standardised, as many clusters as "
        "classes.  ARI over all samples, means over random constraint sets (repetitions).  A repetition "
        "counts when every method has run it on every data set with every number of constraints.  "
        "Parameters are never chosen by classes.  A failed trial "
        "(an error, the time limit) counts as 0.  Mean ranks compare methods across data sets (1 is best).  "
        "Methods are tied if their mean ranks differ by less than the critical difference (Nemenyi, 0.05).  "
        "Wins, ties and losses are data sets on which a method is ahead of "
        f"{BASELINE}, within {TIE} of it, or behind it.  Seconds are CPU seconds of a fit."
    )
    not_run = [track.title for name, track in tracks().items() if name not in reports]
    if not_run:
        yield f"Not run: {', '.join(not_run)}."
    methods = dict.fromkeys(method for report in reports.values() for method in report.not_run)
    if methods:
        yield f"Still to be run on all or some tracks, and not compared there: {', '.join(methods)}."
    yield Heading(2, "Recommendations")
    yield _recommendations(reports)
    for report in reports.values():
        yield Heading(2, report.track.title)
        yield f"{' '.join(report.track.about.split())}  Repetitions: {report.progress}."
        if report.not_run:
            yield f"To be run: {', '.join(report.not_run)}."
        yield report.table()
        if report.track.printed:
            yield from _published(report)
        if clean := reports.get(report.track.clean or ""):
            yield _cost_of_noise(clean, report)


def _recommendations(reports: Mapping[str, TrackReport]) -> PlainTable:
    """Say for each situation who leads, by how much, and who is tied with it."""
    rows = [
        [report.track.situation, report.point(point), f"{_scored(ranking, ranking.order[0])}", _tied(ranking)]
        for report in reports.values()
        for point, ranking in report.rankings.items()
    ]
    heads = ["situation", "constraints", f"best mean rank (ARI; {BASELINE})", "tied with it"]
    return PlainTable("", heads, rows)


def _scored(ranking: Ranking, label: str) -> str:
    return f"{label} ({ranking.means[label]:.3f}; {ranking.means[BASELINE]:.3f})"


def _tied(ranking: Ranking) -> str:
    """Say how many methods are tied with the best, and which of those nearly as good is the fastest."""
    if not ranking.ranks:
        return "too few data sets for a test"
    counted = f"{len(ranking.leaders) - 1} of {len(ranking.means) - 1} others"
    fastest = ranking.fastest
    if fastest == ranking.order[0]:
        return counted
    return f"{counted}; fastest within {NEAR}: {fastest} ({ranking.means[fastest]:.3f})"


def _published(report: TrackReport) -> Iterator[Block]:
    """Yield our means beside the printed ones, on the data sets that both have."""
    beside = with_printed(report.results)
    if beside.datasets:
        yield (
            "With the published table beside it, on the data sets that both have.  Its means are of one "
            "constraint set for each data set, ours of new random sets of the same size.  Printed cells "
            "without a solution count as 0."
        )
        yield replace(report, results=beside).table()


def _cost_of_noise(clean: TrackReport, noisy: TrackReport) -> PlainTable:
    """Say what noisy constraints cost, on what both tracks have run."""
    shared = clean.draws & noisy.draws
    right, wrong = (of_repetitions(each.results, shared) for each in (clean, noisy))
    points = sorted(set(points_of(right)) & set(points_of(wrong)))
    costs = pd.DataFrame(
        {point: (Ranking.of(right, point).table - Ranking.of(wrong, point).table).mean() for point in points}
    ).dropna()
    rows = [
        [str(label), *(f"{costs.loc[label, point]:+.3f}" for point in points)]
        for label in costs.mean(axis=1).sort_values(kind="stable").index
    ]
    n_repetitions = plural(len(shared), "repetition")
    caption = f"What the noise costs: mean ARI without it less mean ARI with it; {n_repetitions}"
    return PlainTable(caption, ["method", *map(noisy.point, points)], rows, numbers=len(points))
