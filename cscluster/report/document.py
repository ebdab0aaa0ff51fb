"""What a report says, in the order in which every format says it."""

from __future__ import annotations

from dataclasses import dataclass

from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.report import statistics, tables
from cscluster.report.aggregate import Results, at_last_point
from cscluster.report.tables import Grid


@dataclass(frozen=True)
class Outcome:
    """What the tests say about one metric.

    Attributes
    ----------
    heading : str
        What is compared, and where.
    orderings : dict
        For each data set, its algorithms from worst to best.
    sentence : str
        The outcome in words.
    """

    heading: str
    orderings: dict[str, str]
    sentence: str


@dataclass(frozen=True)
class Document:
    """A report: a title, tables, the outcome of the tests, and notes."""

    title: str
    grids: list[Grid]
    outcomes: list[Outcome]
    notes: list[str]


def compose(results: Results, by: str = "point") -> Document:
    """Return the report of one run; all but ``point`` is about the last point only."""
    if by != "point":
        results = at_last_point(results)
    return Document(results.title, tables.grids(results, by), outcomes(results), tables.notes(results, by))


def outcomes(results: Results) -> list[Outcome]:
    """Return what the tests say; nothing where there is only one algorithm."""
    return [found for metric in results.metrics if (found := _outcome(results, metric))]


def _outcome(results: Results, metric: str) -> Outcome | None:
    table = statistics.paired(results, metric)
    places = [table.last[name] for name in results.datasets if name in table.last]
    lines = {}
    for place in places:
        scores = table.complete(place).rename(columns=results.marks)
        if scores.shape[1] > 1 and len(scores) > 1:
            lines[place[0]] = statistics.ordering(scores, lower_is_better(metric))
    if not lines:
        return None
    where = dict.fromkeys(tables.place_words(results, place) for place in places)
    at = next(iter(where)) if len(where) == 1 else "last points"
    heading = (
        f"{metric_title(metric)} from worst to best, {at} "
        f"(paired t-test at {statistics.ALPHA}: < significant, ~ not significant)"
    )
    return Outcome(heading, lines, statistics.sentence(results, metric))
