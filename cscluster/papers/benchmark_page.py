"""The page of the benchmark: who leads where, at what cost, and which method to use when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from cscluster.papers.standing import (
    BASELINE,
    METRIC,
    NEAR,
    TIE,
    Standing,
    ahead_of,
    of_draws,
    points_of,
    printed_label,
    two_digits,
    verdicts,
    with_printed,
)
from cscluster.papers.tracks import Track, tracks
from cscluster.report.aggregate import Results
from cscluster.report.article import Block, Heading, Picture
from cscluster.report.figures.save import rendered
from cscluster.report.figures.trade_off import trade_off
from cscluster.report.html.sortable import PlainTable
from cscluster.words import plural

TITLE = "Which method when: the benchmark"
AUTO = "auto"
_PRINTED_RIVALS = ("PCCC", "PCCC-N2-S")
"""The method of the published table, for small and for large sets."""


@dataclass(frozen=True)
class Chapter:
    """A track of the benchmark that has been run.

    Attributes
    ----------
    name : str
        Of the track.
    track : Track
        What it is.
    results : Results
        Of its complete draws.
    planned : int
        Number of draws planned.
    """

    name: str
    track: Track
    results: Results
    planned: int

    @property
    def draws(self) -> int:
        """Number of complete draws of links."""
        return int(self.results.trials["draw"].nunique())

    def point(self, point: int) -> str:
        """Return what a point is, in words."""
        unit = {"fraction": f"{point} % of the samples", "labelled": f"{point} labels of each class"}
        return unit.get(self.results.schedule, f"{point} links")

    def standings(self) -> dict[int, Standing]:
        """Compare the methods at each point."""
        return {point: Standing.of(self.results, point) for point in points_of(self.results)}


def blocks(chapters: Mapping[str, Chapter], command: str) -> Iterator[Block]:
    """Yield the blocks of the page: the tracks that have been run, by name, and the command that makes it."""
    yield (
        f"Made by `{command}`.  Methods in their default forms, features standardised, as many clusters as "
        "classes; ARI over all samples, means over draws of links, of which only complete ones count (every "
        "method on every data set at every point).  Parameters are never chosen by classes.  A failed trial "
        "(an error, the time limit) counts as 0.  Mean ranks compare methods across data sets (1 is best); "
        "those that differ by less than the critical difference (CD, Nemenyi, 0.05) are not significantly "
        "different.  Wins, ties and losses are data sets on which a method is ahead of "
        f"{BASELINE}, within {TIE} of it, or behind it.  Seconds are CPU seconds of a fit."
    )
    rows = [
        [chapter.track.title, str(len(chapter.results.datasets)), str(len(chapter.results.labels)),
         f"{chapter.draws} of {chapter.planned}", str(int(chapter.results.failures["count"].sum()))]
        for chapter in chapters.values()
    ]  # fmt: skip
    heads = ["track", "data sets", "methods", "draws", "failed trials"]
    yield PlainTable("How far it was run", heads, rows, numbers=4)
    not_run = [track.title for name, track in tracks().items() if name not in chapters]
    if not_run:
        yield f"Not run: {', '.join(not_run)}."
    yield Heading(2, "Recommendations")
    yield _recommendations(chapters)
    for chapter in chapters.values():
        track = chapter.track
        yield Heading(2, track.title)
        yield f"{' '.join(track.about.split())}  Draws of links: {chapter.draws} of {chapter.planned}."
        if track.printed:
            yield from _published(chapter)
        if track.clean and track.clean in chapters:
            yield _cost_of_noise(chapters[track.clean], chapter)
        yield from _standings(chapter)


def _recommendations(chapters: Mapping[str, Chapter]) -> PlainTable:
    """Say for each situation who leads, who of the leaders is fastest, and what k-means and auto reach."""
    rows = []
    for chapter in chapters.values():
        for point, standing in chapter.standings().items():
            best, fastest, leaders = standing.order[0], standing.fastest, standing.leaders
            among = f"{len(leaders)} of {len(standing.means)}" if standing.ranks else "no test"
            rows.append(
                [
                    chapter.track.situation,
                    chapter.point(point),
                    _with_numbers(standing, best),
                    standing.against(best),
                    _with_numbers(standing, fastest),
                    among,
                    _mean(standing, AUTO),
                    _mean(standing, BASELINE),
                    f"{len(standing.table)} x {chapter.draws}",
                ]
            )
    heads = ["situation", "links", "best mean rank (mean ARI, CPU s)", "its wins/ties/losses",
             f"fastest not different and within {NEAR} of it", "not different", AUTO, BASELINE,
             "data sets x draws"]  # fmt: skip
    return PlainTable("", heads, rows, numbers=4)


def _with_numbers(standing: Standing, label: str) -> str:
    return f"{label} ({standing.means[label]:.3f}, {standing.time(label)})"


def _mean(standing: Standing, label: str) -> str:
    return f"{standing.means[label]:.3f}" if label in standing.means else ""


def _standings(chapter: Chapter) -> Iterator[Block]:
    """Yield one table of all points, the best mean rank over them first, and quality against cost."""
    standings = chapter.standings()
    ranks = pd.DataFrame({p: s.ranks.mean_ranks for p, s in standings.items() if s.ranks})
    means = pd.DataFrame({point: standing.means for point, standing in standings.items()})
    seconds = pd.DataFrame({point: standing.seconds for point, standing in standings.items()}).mean(axis=1)
    order = (ranks if len(ranks) else -means).mean(axis=1).sort_values(kind="stable").index
    rows = []
    for label in order:
        cells = [str(label)]
        for standing in standings.values():
            led = "**" if standing.ranks and label in standing.leaders else ""
            cells += [f"{led}{standing.rank(label)}{led}", f"{standing.means[label]:.3f}"]
            cells += [standing.against(label)]
        failed = sum(int(standing.failed[label]) for standing in standings.values())
        rows.append([*cells, two_digits(seconds[label]), str(failed) if failed else ""])
    heads = ["method"]
    for point in standings:
        heads += [f"rank, {chapter.point(point)}", "ARI", "wins/ties/losses"]
    differences = ", ".join(
        f"{standing.ranks.critical_difference:.1f} at {point}"
        for point, standing in standings.items()
        if standing.ranks
    )
    caption = plural(len(chapter.results.datasets), "data set")
    caption += (
        f"; critical difference of mean ranks {differences}; bold: not significantly different from the best"
        if differences
        else "; too few for a test of ranks"
    )
    yield PlainTable(caption, [*heads, "CPU s", "failed trials"], rows, numbers=len(heads) + 1)
    yield _picture(chapter, means.mean(axis=1), seconds)


def _picture(chapter: Chapter, quality: pd.Series, seconds: pd.Series) -> Picture:
    figure = trade_off(quality, seconds, "mean ARI", "CPU seconds")
    caption = f"{chapter.track.title}: {figure.get_label()}."
    return Picture(f"figures/benchmark_{chapter.name}.png", rendered(figure), caption)


def _published(chapter: Chapter) -> Iterator[Block]:
    """Yield the claims about the published table, the printed means beside ours, and who is ahead."""
    beside = with_printed(chapter.results)
    if not beside.datasets:
        return
    if chapter.name == "published":
        rows = [
            [verdict.claim.where, f"{verdict.claim.says}.  Rule: {verdict.claim.because}.",
             verdict.ours.status, verdict.ours.text]
            for verdict in verdicts(chapter.results)
        ]  # fmt: skip
        yield PlainTable("Claims", ["where", "statement and rule", "verdict", "numbers"], rows)
    standings = {point: Standing.of(beside, point) for point in points_of(beside)}
    yield _between_draws(chapter, beside.datasets, standings)
    means = pd.DataFrame({point: standing.means for point, standing in standings.items()})
    rows = []
    for label in means.mean(axis=1).sort_values(ascending=False, kind="stable").index:
        cells = [
            f"{means.loc[label, point]:.3f} ({standing.time(label)})" for point, standing in standings.items()
        ]
        rows.append([f"**{label}**" if str(label).endswith("(printed)") else str(label), *cells])
    caption = (
        f"Mean ARI and seconds over the {len(beside.datasets)} data sets that both have.  The printed means "
        "are of repeated runs on one set of links for each data set; ours are new draws of the same size.  "
        "Printed cells without a solution count as 0"
    )
    yield PlainTable(caption, ["method", *map(chapter.point, standings)], rows, numbers=len(standings))
    rows, rivals = [], dict[str, None]()
    for point, standing in standings.items():
        rival = _printed_rival(standing)
        rivals[rival] = None
        for label, lead, record, faster in ahead_of(standing, rival, chapter.results.labels):
            rows.append([chapter.point(point), label, f"{lead:+.3f}", record, two_digits(faster)])
    heads = ["links", "method", "lead in mean ARI", "wins/ties/losses", "printed seconds over ours"]
    yield PlainTable(f"Ours with a higher mean than {' and '.join(rivals)}", heads, rows, numbers=3)


def _between_draws(chapter: Chapter, datasets: list[str], standings: Mapping[int, Standing]) -> PlainTable:
    """Say how much the mean over data sets varies from draw to draw; the printed one is of a single draw."""
    trials = chapter.results.trials
    own = trials[(trials["label"] == _PRINTED_RIVALS[0]) & trials["dataset"].isin(datasets)]
    rows = []
    for point, standing in standings.items():
        means = own[own["point"] == point].groupby("draw")[f"m:{METRIC}"].mean()
        goal = standing.means[_printed_rival(standing)]
        spread = f"{means.std():.3f}" if len(means) > 1 else ""
        reached = f"{(means >= goal).sum()} of {len(means)}"
        rows.append([chapter.point(point), f"{goal:.3f}", f"{means.mean():.3f}", spread, reached])
    caption = (
        f"Mean ARI of {_PRINTED_RIVALS[0]} from draw to draw of links; the printed one is of a single draw"
    )
    heads = ["links", "printed", "ours", "standard deviation", "draws that reach it"]
    return PlainTable(caption, heads, rows, numbers=4)


def _printed_rival(standing: Standing) -> str:
    return next(name for name in map(printed_label, _PRINTED_RIVALS) if name in standing.means)


def _cost_of_noise(clean: Chapter, noisy: Chapter) -> PlainTable:
    """Say what wrong links cost: mean ARI without less that with them, on the draws and data sets of both."""
    draws = set(clean.results.trials["draw"]) & set(noisy.results.trials["draw"])
    right, wrong = of_draws(clean.results, draws), of_draws(noisy.results, draws)
    points = sorted(set(points_of(right)) & set(points_of(wrong)))
    without = {point: Standing.of(right, point) for point in points}
    gained, costs = {}, {}
    for point in points:
        with_wrong = Standing.of(wrong, point).table
        both = without[point].table.index.intersection(with_wrong.index)
        mean = without[point].table.loc[both].mean()
        costs[point] = mean - with_wrong.loc[both].mean()
        gained[point] = mean - mean[BASELINE] if BASELINE in mean else mean
    table = pd.DataFrame(costs).dropna()
    rows = [
        [str(label), *(f"{table.loc[label, p]:+.3f} of {gained[p][label]:+.3f}" for p in points)]
        for label in table.mean(axis=1).sort_values(kind="stable").index
    ]
    caption = (
        "What the wrong links cost: mean ARI without them less mean ARI with them, of what the links had "
        f"gained over {BASELINE}; {plural(len(draws), 'draw')} of links"
    )
    return PlainTable(caption, ["method", *map(noisy.point, points)], rows, numbers=len(points))
