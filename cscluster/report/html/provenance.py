"""Where the numbers of a run come from: failures, configuration, environment, and how to get them again."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import Any

import pandas as pd

from cscluster.report.configuration import as_yaml
from cscluster.report.html.markup import Markup, join, note, tag, text
from cscluster.report.html.sortable import Cell, filter_box, table
from cscluster.store.environments import facts
from cscluster.store.folder import RunFolder
from cscluster.store.records import Record
from cscluster.words import plural

ROWS_LIMIT = 500
"""Rows of messages that a page shows."""


def failures(failed: pd.DataFrame) -> Markup:
    """Return the failed trials with their messages."""
    if failed.empty:
        return tag("p", "No trial failed.")
    rows = [
        [
            Cell(text(r.label)),
            Cell(text(r.dataset)),
            Cell(r.status),
            Cell(text(r.message), kind="message"),
            Cell(r.count, r.count, "number"),
        ]
        for r in failed.head(ROWS_LIMIT).itertuples()
    ]
    return join(
        [
            filter_box("Filter failures"),
            table(
                f"{plural(int(failed['count'].sum()), 'failed trial')}; they are not part of the means",
                ["algorithm", "data set", "status", "message", "trials"],
                rows,
                numbers=1,
            ),
            _rest(len(failed)),
        ]
    )


def warnings(records: list[Record]) -> Markup:
    """Return what algorithms warned of, and how often."""
    found = Counter((r["label"], r["dataset"], message) for r in records for message in r["warnings"])
    if not found:
        return Markup()
    rows = [
        [
            Cell(text(label)),
            Cell(text(dataset)),
            Cell(text(message), kind="message"),
            Cell(count, count, "number"),
        ]
        for (label, dataset, message), count in list(found.items())[:ROWS_LIMIT]
    ]
    heads = ["algorithm", "data set", "message", "times"]
    return join(
        [
            tag("h3", "Warnings"),
            table(plural(found.total(), "warning"), heads, rows, numbers=1),
            _rest(len(found)),
        ]
    )


def rerun(folder: RunFolder) -> Markup:
    """Return the commands that compute and show this run again."""
    config = folder.config()
    source, name = str(config["source"]), str(config["experiment"]["name"])
    return join(
        [
            tag("p", "Save the configuration below as ", tag("code", text(source)), ", then:"),
            _code(f"cscluster run {shlex.quote(source)}", class_="command"),
            tag("p", "Finished trials are stored and not computed again. To show the results again:"),
            _code(f"cscluster report {shlex.quote(name)} --format html", class_="command"),
        ]
    )


def configuration(folder: RunFolder) -> Markup:
    """Return the resolved experiment as YAML."""
    return _code(as_yaml(folder.config()["experiment"]))


def _code(lines: str, **attributes: object) -> Markup:
    return tag("pre", tag("code", lines), **attributes, tabindex="0")


def environments(folder: RunFolder, records: list[Record]) -> Markup:
    """Return versions and machine of each environment that trials ran in."""
    used = Counter(record["environment"] for record in records)
    parts = [
        part
        for key, environment in folder.environments().items()
        if key in used
        for part in (
            tag("h3", "Environment ", text(key), f": {plural(used[key], 'trial')}"),
            _properties(environment),
        )
    ]
    return join(parts) if parts else tag("p", "No environment was recorded.")


def _properties(environment: dict[str, Any]) -> Markup:
    rows = [tag("div", tag("dt", text(name)), tag("dd", text(words))) for name, words in facts(environment)]
    return tag("dl", *rows, class_="properties")


def _rest(total: int) -> Markup:
    left = total - ROWS_LIMIT
    return note(f"… and {plural(left, 'more row')}.") if left > 0 else Markup()
