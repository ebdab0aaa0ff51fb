"""``cscluster runs``: what is stored."""

from __future__ import annotations

import os
import time
import urllib.parse
from pathlib import Path

from cscluster.atomic import put
from cscluster.cli.console import out
from cscluster.cli.options import RunsOptions
from cscluster.errors import StoreError
from cscluster.report.html import page_file
from cscluster.report.page import Heading, Page
from cscluster.report.table import PlainTable
from cscluster.store.directory import RunDirectory, run_directories
from cscluster.words import age, plural, size

HEADS = ["run", "done", "failed", "age", "size", "config"]


def runs(options: RunsOptions) -> None:
    """List stored runs, the youngest first, here or on a page; one that is damaged says so."""
    results, page, now = options.results, options.out, time.time()
    directories = sorted(
        run_directories(results), key=lambda directory: (-_changed(directory), directory.path)
    )
    rows = [_row(directory, now) for directory in directories]
    if page is not None:
        links = {row: way for row, run in enumerate(directories) if (way := _report(run, page))}
        table = PlainTable("", HEADS, rows, links=links)
        put(page, page_file(Page("Runs", [Heading(2, plural(len(rows), "run")), table])))
        out.whole(f"written: {page}")
    elif directories:
        out.table(HEADS, rows)
    else:
        out.say(f"no runs in '{results}' yet; start one with: cscluster run CONFIG")


def _report(directory: RunDirectory, page: Path) -> str | None:
    """Return the way from a page to the report of a run."""
    for name in ("report.html", "report.md"):
        if (directory.path / name).exists():
            way = os.path.relpath(directory.path / name, page.absolute().parent)
            return urllib.parse.quote(way)
    return None


def _changed(directory: RunDirectory) -> float:
    return (directory.trials if directory.trials.exists() else directory.path).stat().st_mtime


def _row(directory: RunDirectory, now: float) -> list[str]:
    n_bytes = sum(path.stat().st_size for path in directory.path.rglob("*") if path.is_file())
    measures = [age(now - _changed(directory)), size(n_bytes)]
    try:
        stored, planned = directory.planned(), directory.definition.plan.keys()
    except StoreError as error:
        return [directory.path.name, "?", "?", *measures, f"damaged: {error}"]
    failed = int((stored["status"] != "ok").sum())
    done = f"{len(stored)}/{len(planned)}"
    return [directory.path.name, done, str(failed), *measures, directory.definition.source]
