"""The page of the benchmark: who leads where, at what cost, and which method to use when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from cscluster.papers.ranking import (
    BASELINE,
    METRIC,
    NEAR,
    TIE,
    Ranking,
    of_repetitions,
    points_of,
    printed_label,
    two_digits,
    verdicts,
    with_printed,
)
from cscluster.papers.tracks import Track, tracks
from cscluster.report.aggregate import Results
from cscluster.report.figures.save import rendered
from cscluster.report.figures.trade_off import trade_off
from cscluster.report.page import Block, Heading, Picture
from cscluster.report.table import PlainTable
from cscluster.words import plural

TITLE = "Which method when: the benchmark"
AUTO = "auto"
_PRINTED_RIVALS = ("PCCC", "PCCC-N2-S")
"""The method of the published table, for small and for large sets."""


@dataclass(frozen=True)
class TrackReport:
    """A track of the benchmark that has been run.

    Attributes
    ----------
    name : str
        Of the track.
    track : Track
        What it is.
    results : Results
        Of its complete repetitions.
    not_run : list of str
        Methods that have no complete repetition yet.
    """

    name: str
    track: Track
    results: Results
    not_run: list[str]

    @property
    def repetitions(self) -> int:
        """Number of complete repetitions."""
        return int(self.results.trials["draw"].nunique())

    @property
    def progress(self) -> str:
        """How many of the planned repetitions are complete."""
        return f"{self.repetitions} of {self.results.planned // self.results.repeats}"

    def point(self, point: int) -> str:
        """Return what a point is, in words."""
        unit = {"fraction": f"{point} % of the samples", "labelled": f"{point} labels of each class"}
        return unit.get(self.results.schedule, f"{point} constraints")

    @cached_property
    def rankings(self) -> dict[int, Ranking]:
        """How the methods compare at each point."""
        return {point: Ranking.of(self.results, point) for point in points_of(self.results)}


def blocks(reports: Mapping[str, TrackReport], command: str) -> Iterator[Block]:
    """Yield the blocks of the page: the tracks that have been run, by name, and the command that makes it."""
    yield (
        f"Made by `{command}`.  Methods in their default forms, features standardised, as many clusters as "
        "classes.  ARI over all samples, means over random constraint sets (repetitions).  A repetition "
        "counts when every method has run it on every data set with every number of constraints.  "
        "Parameters are never chosen by classes.  A failed trial "
        "(an error, the time limit) counts as 0.  Mean ranks compare methods across data sets (1 is best); "
        "those that differ by less than the critical difference (CD, Nemenyi, 0.05) are not significantly "
        "different.  Wins, ties and losses are data sets on which a method is ahead of "
        f"{BASELINE}, within {TIE} of it, or behind it.  Seconds are CPU seconds of a fit."
    )
    rows = [
        [report.track.title, str(len(report.results.datasets)), str(len(report.results.labels)),
         report.progress, str(int(report.results.failures["count"].sum()))]
        for report in reports.values()
    ]  # fmt: skip
    heads = ["track", "data sets", "methods", "repetitions", "failed trials"]
    yield PlainTable("How far it was run", heads, rows, numbers=4)
    not_run = [track.title for name, track in tracks().items() if name not in reports]
    if not_run:
        yield f"Not run: {', '.join(not_run)}."
    methods = dict.fromkeys(method for report in reports.values() for method in report.not_run)
    if methods:
        yield f"Still to be run on all or some tracks, and not compared there: {', '.join(methods)}."
    yield Heading(2, "Recommendations")
    yield _recommendations(reports)
    for report in reports.values():
        track = report.track
        yield Heading(2, track.title)
        yield f"{' '.join(track.about.split())}  Repetitions: {report.progress}."
        if report.not_run:
            yield f"To be run: {', '.join(report.not_run)}."
        if track.printed:
            yield from _published(report)
        if track.clean and track.clean in reports:
            yield _cost_of_noise(reports[track.clean], report)
        yield from _rankings(report)


def _recommendations(reports: Mapping[str, TrackReport]) -> PlainTable:
    """Say for each situation who leads, who of the leaders is fastest, and what k-means and auto reach."""
    rows = []
    for report in reports.values():
        for point, ranking in report.rankings.items():
            best, fastest, leaders = ranking.order[0], ranking.fastest, ranking.leaders
            among = f"{len(leaders)} of {len(ranking.means)}" if ranking.ranks else "no test"
            rows.append(
                [
                    report.track.situation,
                    report.point(point),
                    _with_numbers(ranking, best),
                    ranking.against(best),
                    _with_numbers(ranking, fastest),
                    among,
                    _mean(ranking, AUTO),
                    _mean(ranking, BASELINE),
                    f"{len(ranking.table)} x {report.repetitions}",
                ]
            )
    heads = ["situation", "constraints", "best mean rank (mean ARI, CPU s)", "its wins/ties/losses",
             f"fastest tied with it (ARI within {NEAR})", "tied with the best", AUTO, BASELINE,
             "data sets x repetitions"]  # fmt: skip
    return PlainTable("", heads, rows, numbers=4)


def _with_numbers(ranking: Ranking, label: str) -> str:
    return f"{label} ({ranking.means[label]:.3f}, {ranking.time(label)})"


def _mean(ranking: Ranking, label: str) -> str:
    return f"{ranking.means[label]:.3f}" if label in ranking.means else ""


def _rankings(report: TrackReport) -> Iterator[Block]:
    """Yield one table of all points, the best mean rank over them first, and quality against cost."""
    rankings = report.rankings
    ranks = pd.DataFrame({p: s.ranks.mean_ranks for p, s in rankings.items() if s.ranks})
    means = pd.DataFrame({point: ranking.means for point, ranking in rankings.items()})
    seconds = pd.DataFrame({point: ranking.seconds for point, ranking in rankings.items()}).mean(axis=1)
    order = (ranks if len(ranks) else -means).mean(axis=1).sort_values(kind="stable").index
    rows = []
    for label in order:
        cells = [str(label)]
        for ranking in rankings.values():
            led = "**" if ranking.ranks and label in ranking.leaders else ""
            cells += [f"{led}{ranking.rank(label)}{led}", f"{ranking.means[label]:.3f}"]
            cells += [ranking.against(label)]
        failed = sum(int(ranking.failed[label]) for ranking in rankings.values())
        rows.append([*cells, two_digits(seconds[label]), str(failed) if failed else ""])
    heads = ["method"]
    for point in rankings:
        heads += [f"rank, {report.point(point)}", "ARI", "wins/ties/losses"]
    differences = ", ".join(
        f"{ranking.ranks.critical_difference:.1f} at {point}"
        for point, ranking in rankings.items()
        if ranking.ranks
    )
    caption = plural(len(report.results.datasets), "data set")
    caption += (
        f"; critical difference of mean ranks {differences}; bold: not significantly different from the best"
        if differences
        else "; too few for a test of ranks"
    )
    yield PlainTable(caption, [*heads, "CPU s", "failed trials"], rows, numbers=len(heads) + 1)
    figure = trade_off(means.mean(axis=1), seconds, "mean ARI", "CPU seconds")
    caption = f"{report.track.title}: {figure.get_label()}."
    yield Picture(f"figures/benchmark_{report.name}.png", rendered(figure), caption)


def _published(report: TrackReport) -> Iterator[Block]:
    """Yield the claims about the published table, the printed means beside ours, and who is ahead."""
    beside = with_printed(report.results)
    if not beside.datasets:
        return
    if report.name == "published":
        rows = [
            [verdict.claim.where, f"{verdict.claim.says}.  Rule: {verdict.claim.because}.",
             verdict.status, verdict.text]
            for verdict in verdicts(report.results)
        ]  # fmt: skip
        yield PlainTable("Claims", ["where", "statement and rule", "verdict", "numbers"], rows)
    rankings = {point: Ranking.of(beside, point) for point in points_of(beside)}
    yield _between_repetitions(report, beside.datasets, rankings)
    means = pd.DataFrame({point: ranking.means for point, ranking in rankings.items()})
    rows = []
    for label in means.mean(axis=1).sort_values(ascending=False, kind="stable").index:
        cells = [
            f"{means.loc[label, point]:.3f} ({ranking.time(label)})" for point, ranking in rankings.items()
        ]
        rows.append([f"**{label}**" if str(label).endswith("(printed)") else str(label), *cells])
    caption = (
        f"Mean ARI and seconds over the {len(beside.datasets)} data sets that both have.  The printed means "
        "are of repeated runs on one constraint set for each data set; ours are of new random sets of the "
        "same size.  Printed cells without a solution count as 0"
    )
    yield PlainTable(caption, ["method", *map(report.point, rankings)], rows, numbers=len(rankings))
    rows, rivals = [], dict[str, None]()
    for point, ranking in rankings.items():
        rival = _printed_rival(ranking)
        rivals[rival] = None
        leads = (ranking.means - ranking.means[rival])[report.results.labels]
        for label, lead in leads[leads > 0].sort_values(ascending=False, kind="stable").items():
            faster = two_digits(ranking.seconds[rival] / ranking.seconds[label])
            rows.append([report.point(point), label, f"{lead:+.3f}", ranking.against(label, rival), faster])
    heads = ["constraints", "method", "lead in mean ARI", "wins/ties/losses", "printed seconds over ours"]
    yield PlainTable(f"Ours with a higher mean than {' and '.join(rivals)}", heads, rows, numbers=3)


def _between_repetitions(
    report: TrackReport, datasets: list[str], rankings: Mapping[int, Ranking]
) -> PlainTable:
    """Say how much the mean over data sets varies between repetitions; the printed one is of a single one."""
    trials = report.results.trials
    own = trials[(trials["label"] == _PRINTED_RIVALS[0]) & trials["dataset"].isin(datasets)]
    rows = []
    for point, ranking in rankings.items():
        means = own[own["point"] == point].groupby("draw")[f"m:{METRIC}"].mean()
        goal = ranking.means[_printed_rival(ranking)]
        spread = f"{means.std():.3f}" if len(means) > 1 else ""
        reached = f"{(means >= goal).sum()} of {len(means)}"
        rows.append([report.point(point), f"{goal:.3f}", f"{means.mean():.3f}", spread, reached])
    caption = (
        f"Mean ARI of {_PRINTED_RIVALS[0]} in each repetition; the printed one is of a single constraint set"
    )
    heads = ["constraints", "printed", "ours", "standard deviation", "repetitions that reach it"]
    return PlainTable(caption, heads, rows, numbers=4)


def _printed_rival(ranking: Ranking) -> str:
    return next(name for name in map(printed_label, _PRINTED_RIVALS) if name in ranking.means)


def _cost_of_noise(clean: TrackReport, noisy: TrackReport) -> PlainTable:
    """Say what noisy constraints cost: mean ARI without less that with them, on what both tracks have run."""
    shared = set(clean.results.trials["draw"]) & set(noisy.results.trials["draw"])
    right, wrong = of_repetitions(clean.results, shared), of_repetitions(noisy.results, shared)
    points = sorted(set(points_of(right)) & set(points_of(wrong)))
    gained, costs = {}, {}
    for point in points:
        without, with_wrong = (Ranking.of(run, point).table for run in (right, wrong))
        both = without.index.intersection(with_wrong.index)
        mean = without.loc[both].mean()
        costs[point] = mean - with_wrong.loc[both].mean()
        gained[point] = mean - mean[BASELINE] if BASELINE in mean else mean
    table = pd.DataFrame(costs).dropna()
    rows = [
        [str(label), *(f"{table.loc[label, p]:+.3f} of {gained[p][label]:+.3f}" for p in points)]
        for label in table.mean(axis=1).sort_values(kind="stable").index
    ]
    caption = (
        "What the noise costs: mean ARI without it less mean ARI with it, of what the constraints had "
        f"gained over {BASELINE}; {plural(len(shared), 'repetition')}"
    )
    return PlainTable(caption, ["method", *map(noisy.point, points)], rows, numbers=len(points))
