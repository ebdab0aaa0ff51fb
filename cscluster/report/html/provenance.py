"""Where the numbers of a run come from: failures, configuration, environment, and how to get them again."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from cscluster.report.configuration import as_yaml
from cscluster.report.html.blocks import filter_box
from cscluster.report.html.markup import Markup, tag
from cscluster.report.page import Block, BulletList, Heading, Note
from cscluster.report.table import PlainTable
from cscluster.store.definition import Definition
from cscluster.store.environments import facts
from cscluster.words import plural

ROWS_LIMIT = 500
"""Rows of messages that a page shows."""


def failures(failed: pd.DataFrame) -> Iterator[Block]:
    """Yield the failed trials with their messages."""
    if failed.empty:
        yield "No trial failed."
        return
    yield filter_box("Filter failures")
    heads = {"label": "algorithm", "dataset": "data set", "status": "status", "message": "message"}
    rows = failed[[*heads, "count"]].to_numpy().tolist()
    caption = f"{plural(int(failed['count'].sum()), 'failed trial')}, not part of the means"
    yield from _messages(caption, [*heads.values(), "trials"], rows)


def warnings(records: pd.DataFrame) -> Iterator[Block]:
    """Yield what algorithms warned of, and how often."""
    found = Counter((r.label, r.dataset, message) for r in records.itertuples() for message in r.warnings)
    if found:
        yield Heading(3, "Warnings")
        rows = [(*what, count) for what, count in found.items()]
        heads = ["algorithm", "data set", "message", "times"]
        yield from _messages(plural(found.total(), "warning"), heads, rows)


def _messages(caption: str, heads: list[str], rows: Sequence[Sequence[object]]) -> Iterator[Block]:
    shown = [list(map(str, row)) for row in rows[:ROWS_LIMIT]]
    marks = {(i, heads.index("message")): "message" for i in range(len(shown))}
    yield PlainTable(caption, heads, shown, numbers=1, marks=marks)
    if len(rows) > ROWS_LIMIT:
        yield Note(f"… and {plural(len(rows) - ROWS_LIMIT, 'more row')}.")


def rerun(run: Definition) -> Iterator[Block]:
    """Yield the commands that compute and show this run again."""
    yield f"Save the configuration below as {run.source}, then:"
    yield _code(f"cscluster run {shlex.quote(run.source)}", class_="command")
    yield "Finished trials are stored and not computed again. To show the results again:"
    yield _code(f"cscluster report {shlex.quote(run.experiment.name)} --format html", class_="command")


def configuration(run: Definition) -> Iterator[Block]:
    """Yield the resolved experiment as YAML."""
    yield _code(as_yaml(run.experiment.model_dump()))


def _code(lines: str, **attributes: object) -> Markup:
    return tag("pre", tag("code", lines), **attributes, tabindex="0")


def environments(run: Definition, records: pd.DataFrame) -> Iterator[Block]:
    """Yield versions and machine of each environment that trials ran in."""
    used = Counter(records["environment"])
    known = {key: environment for key, environment in run.environments.items() if key in used}
    if not known:
        yield "No environment was recorded."
    for key, environment in known.items():
        yield Heading(3, f"Environment {key}: {plural(used[key], 'trial')}")
        yield BulletList([f"{name}: {words}" for name, words in facts(environment)])
