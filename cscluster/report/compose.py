"""What a report says, in the order in which every format says it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cscluster.metrics.catalogue import find_metric, lower_is_better, metric_title
from cscluster.report import statistics
from cscluster.report.aggregate import Results, at_last_point
from cscluster.report.means import means_tables, place_words, undefined
from cscluster.report.page import Block, BulletList, Fold, Note, Page
from cscluster.words import plural

_MOST_NAMED = 5
"""Methods whose missing trials are named one by one."""


def compose(results: Results, by: str = "point", *, caption: str = "", reference: str | None = None) -> Page:
    """Return the report of one run; ``dataset`` is about the last point only.

    A caption takes the place of that of the table, or leads those of several.
    """
    if by == "dataset":
        results = at_last_point(results)
    lines = legend(results, by, reference)
    tables = means_tables(results, by, reference)
    blocks: list[Block] = []
    for table in tables:
        own = table.caption if not caption else caption if len(tables) == 1 else f"{caption}: {table.caption}"
        blocks.append(replace(table, caption=own, legend=lines))
    for metric in results.metrics:
        blocks += _outcome(results, metric)
    return Page(results.title, [*blocks, *map(Note, [*lines, *remarks(results)])])


def _outcome(results: Results, metric: str) -> Iterator[Block]:
    """Yield what the tests say about a metric; nothing where there is only one algorithm."""
    places, lines = [], []
    for place, scores in statistics.at_last(results, metric):
        places.append(place)
        if scores.shape[1] > 1 and len(scores) > 1:
            line = statistics.ordering(scores.rename(columns=results.marks), lower_is_better(metric))
            lines.append(f"{place[0]}: {line}")
    if not lines:
        return
    where = dict.fromkeys(place_words(results, place) for place in places)
    at = next(iter(where)) if len(where) == 1 else "last points"
    if sentence := statistics.sentence(results, metric):
        yield sentence
    yield Fold(
        f"{metric_title(metric)} from worst to best, {at} "
        f"(paired t-test at {statistics.ALPHA}: < significant, ~ not significant)",
        [BulletList(lines)],
    )


def legend(results: Results, by: str = "point", reference: str | None = None) -> list[str]:
    """Return how the cells of the tables are to be read."""
    if results.trials.empty:
        return []
    across = "column" if by == "point" else "row"
    over = f"mean ± standard deviation over {results.planned} trials" if results.planned > 1 else "one trial"
    repetitions = results.planned // results.repeats
    test = "paired t-test" + (f" over {repetitions} repetitions" if results.repeats > 1 else "")
    alike = f", or not significantly worse ({test}, {statistics.ALPHA})" if repetitions > 1 else ""
    lines = [f"{over}. Bold (> in plain text): best in its {across}{alike}"]
    if reference is not None:
        lines.append(f"+ and -: significantly better and worse than {reference} ({test}, {statistics.ALPHA})")
    if results.cells["oracle"].any():
        lines.append("* oracle: the parameters were picked with the true labels, as in the papers")
    return [*lines, *_dashes(results)]


def _dashes(results: Results) -> Iterator[str]:
    """Yield why cells have a dash: what a metric needs."""
    where: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for metric in results.metrics:
        if datasets := tuple(undefined(results, metric)["dataset"].unique()):
            needs_classes = find_metric(metric).of is not None
            where.setdefault((needs_classes, datasets), []).append(metric_title(metric))
    for (needs_classes, datasets), titles in where.items():
        why = "no true classes" if needs_classes else "not defined"
        yield f"–: {', '.join(titles)} on {', '.join(datasets)}: {why}"


def remarks(results: Results) -> list[str]:
    """Return what is wrong with a run: missing and failed trials, mixed versions."""
    if results.nothing_stored:
        return ["no trial is stored yet"]
    lines = []
    if results.mixed:
        lines.append(f"mixed versions: {', '.join(results.mixed)}")
    if len(results.missing):
        lines.append(_missing(results))
    for r in results.failures.itertuples():
        what = r.message if r.message.startswith(f"{r.status}: ") else f"{r.status}: {r.message}"
        lines.append(f"{plural(r.count, 'trial')} of {r.label} on {r.dataset}: {what}")
    return lines


def _missing(results: Results) -> str:
    """Say which planned trials are not stored."""
    rows = list(results.missing.itertuples())
    named = [f"{r.label} on {r.dataset} {r.count} of {r.planned}" for r in rows[:_MOST_NAMED]]
    more = [f"{len(rows) - _MOST_NAMED} more"] if len(rows) > _MOST_NAMED else []
    total = plural(int(results.missing["count"].sum()), "planned trial")
    return (
        f"incomplete: {total} not stored ({', '.join(named + more)}). "
        "Grid points that lack trials are not selected."
    )
