"""The page of the benchmark: who leads where, at what cost, and which method to use when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import pandas as pd

from cscluster.papers.ranking import (
    BASELINE,
    METRIC,
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
from cscluster.report.colours import MOST_BANDS
from cscluster.report.figures.curves import curves
from cscluster.report.figures.save import rendered
from cscluster.report.means import points_word
from cscluster.report.page import Block, BulletList, Fold, Heading, Picture
from cscluster.report.table import BEST, PlainTable
from cscluster.words import plural

TITLE = "Which method when: the benchmark"
AUTO = "auto"
_DRAWN = "links"
"""The track that is drawn."""


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

    @cached_property
    def mean_ranks(self) -> pd.Series:
        """Mean rank of each method over the points, the best first; nothing for too few data sets."""
        tests = [ranking.ranks.mean_ranks for ranking in self.rankings.values() if ranking.ranks]
        return pd.concat(tests, axis=1).mean(axis=1).sort_values(kind="stable") if tests else pd.Series()

    @cached_property
    def order(self) -> list[str]:
        """The methods, the best mean rank over the points first; the best mean where there are no ranks."""
        means = pd.DataFrame({p: ranking.means for p, ranking in self.rankings.items()}).mean(axis=1)
        best = self.mean_ranks if len(self.mean_ranks) else (-means).sort_values(kind="stable")
        return [str(label) for label in best.index]

    def table(self, added: str | None = None) -> PlainTable:
        """Return one table of all points, the best method first; the name of an added one stands out."""
        rankings = list(self.rankings.values())
        marks = {
            (i, j): BEST
            for i, label in enumerate(self.order)
            for j, ranking in enumerate(rankings, start=1)
            if ranking.ranks and label in ranking.leaders
        }
        marks |= {(i, 0): BEST for i, label in enumerate(self.order) if label == added}
        columns = {str(point): each.means.map("{:.3f}".format) for point, each in self.rankings.items()}
        columns["mean rank"] = self.mean_ranks.map("{:.1f}".format)
        counts = sum(each.counts for each in rankings).loc[self.order].astype(str)
        columns["wins/ties/losses"] = counts.agg("/".join, axis=1)
        columns["CPU s"] = (sum(each.seconds for each in rankings) / len(rankings)).map(two_digits)
        columns["failed"] = sum(each.failed for each in rankings).replace(0, "").astype(str)
        frame = pd.DataFrame(columns).loc[self.order].fillna("")
        return PlainTable.of(self._caption(), "method", frame, marks=marks)

    def _caption(self) -> str:
        n_datasets = plural(len(self.results.datasets), "data set")
        caption = f"Mean ARI by {points_word(self.results)}, {n_datasets}"
        tests = [ranking.ranks.critical_difference for ranking in self.rankings.values() if ranking.ranks]
        if not tests:
            return f"{caption}, too few for a test of ranks"
        return f"{caption}. Critical difference of mean ranks: {tests[0]:.1f}. Bold: tied with the best"


def blocks(reports: Mapping[str, TrackReport], command: str) -> Iterator[Block]:
    """Yield the blocks of the page: the tracks that have been run, by name, and the command that makes it."""
    yield BulletList(advice(reports))
    if _DRAWN in reports:
        yield _figure(reports[_DRAWN])
    yield Heading(2, "Recommendations")
    yield _recommendations(reports)
    yield Heading(2, "Tracks")
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
    for report in reports.values():
        yield Fold(report.track.title, list(_section(report, reports.get(report.track.clean or ""))))


def _section(report: TrackReport, clean: TrackReport | None) -> Iterator[Block]:
    yield f"{' '.join(report.track.about.split())}  Repetitions: {report.progress}."
    yield report.table()
    if report.track.printed:
        yield from _published(report)
    if clean:
        yield _cost_of_noise(clean, report)


def advice(reports: Mapping[str, TrackReport]) -> list[str]:
    """Return a line of advice for each situation, with the numbers that it rests on."""
    return [
        f"**{heading}:** {_advice_line(report, [point for point in points if point in report.rankings])}"
        for report in reports.values()
        for heading, points in report.track.advice.items()
        if set(points) & set(report.rankings)
    ]


def _advice_line(report: TrackReport, points: list[int]) -> str:
    better = [point for point in points if _is_better(report.rankings[point])]
    names = dict.fromkeys(report.rankings[point].order[0] for point in better or points)
    best = " or ".join(names)
    start = f"from {report.point(better[0])} on, " if better and better[0] != points[0] else ""
    if not better:
        use = f"no method is clearly better than {BASELINE}.  {best} has the best mean rank."
    elif all(map(report.track.is_classifier, names)):
        use = f"{start}use a classifier, such as {best}."
    else:
        use = f"{start}use {best}."
    return "  ".join([use, *map(partial(_evidence, report), points)])


def _is_better(ranking: Ranking) -> bool:
    """Tell whether the best is better than the baseline: on all data sets if they are too few to test."""
    wins = ranking.counts.loc[ranking.order[0], "wins"]
    return BASELINE not in ranking.leaders if ranking.decides else wins == len(ranking.table)


def _evidence(report: TrackReport, point: int) -> str:
    """Return the numbers at one point: of the best method, of the baseline, and how many are tied."""
    ranking = report.rankings[point]
    best = ranking.order[0]
    is_classifier = report.track.is_classifier(best)
    others = [AUTO] if AUTO in ranking.means and best != AUTO else []
    if report.track.classifiers:
        others += [label for label in ranking.order if report.track.is_classifier(label) != is_classifier][:1]
    numbers = ", ".join(f"{label} {ranking.means[label]:.3f}" for label in [BASELINE, *others])
    text = f"With {report.point(point)}, {best} has ARI {ranking.means[best]:.3f} ({numbers})"
    if not ranking.decides:
        wins = ranking.counts.loc[best, "wins"]
        return f"{text}, higher on {wins} of {len(ranking.table)} data sets, too few to test."
    text += f", tied with {plural(len(ranking.leaders) - 1, 'other')}"
    return f"{text}, {BASELINE} among them." if BASELINE in ranking.leaders else f"{text}."


def _n_tied(ranking: Ranking) -> str:
    return f"{len(ranking.leaders) - 1} of {len(ranking.means) - 1} others"


def _figure(report: TrackReport) -> Picture:
    """Return the mean ARI of the most important methods over the number of constraints."""
    results = report.results
    always = [label for label in (BASELINE, AUTO) if label in report.order]
    labels = [*always, *(label for label in report.order if label not in always)][:MOST_BANDS]
    n_datasets = len(results.datasets)
    name = f"mean over {n_datasets} data sets"
    trials = results.trials[results.trials["label"].isin(labels)]
    whole = replace(
        results,
        datasets=[name],
        labels=labels,
        planned=results.planned * n_datasets,
        repeats=results.repeats * n_datasets,
        trials=trials.assign(dataset=name),
    )
    caption = (
        f"{report.track.title}: {name}, of {BASELINE} and of the methods with the best mean ranks.  "
        f"Bands: 95 % confidence interval over {len(report.draws)} repetitions."
    )
    return Picture(f"figures/benchmark_{report.name}.png", rendered(curves(whole, METRIC)), caption)


def _recommendations(reports: Mapping[str, TrackReport]) -> PlainTable:
    """Say for each situation who leads, by how much, and who is tied with it."""
    rows = [
        [
            f"{report.track.situation}, {report.point(point)}",
            ranking.order[0],
            f"{ranking.means[ranking.order[0]]:.3f} ({ranking.means[BASELINE]:.3f})",
            _ties_text(ranking),
        ]
        for report in reports.values()
        for point, ranking in report.rankings.items()
    ]
    return PlainTable("", ["situation", "best mean rank", f"ARI ({BASELINE})", "tied with it"], rows)


def _ties_text(ranking: Ranking) -> str:
    """Say how many methods are tied with the best, and which of those nearly as good is the fastest."""
    if not ranking.decides:
        return "too few data sets to test"
    if ranking.fastest == ranking.order[0]:
        return _n_tied(ranking)
    fastest = f"{ranking.fastest} ({ranking.means[ranking.fastest]:.3f})"
    return f"{_n_tied(ranking)}, fastest within {NEAR}: {fastest}"


def _published(report: TrackReport) -> Iterator[Block]:
    """Yield our means beside the printed ones, on the data sets that both have."""
    beside = with_printed(report.results)
    if beside.datasets:
        yield (
            "With the published table, on the data sets that both have.  Its means are of one "
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
    costs = costs.loc[costs.mean(axis=1).sort_values(kind="stable").index].map("{:+.3f}".format)
    n_repetitions = plural(len(shared), "repetition")
    caption = f"The cost of noise: mean ARI without noise minus mean ARI with it ({n_repetitions})"
    return PlainTable.of(caption, "method", costs.rename(columns=noisy.point))
