"""``cscluster runs``: what is stored."""

from __future__ import annotations

import os
import time
import urllib.parse
from pathlib import Path

from cscluster.atomic import put
from cscluster.cli.console import out
from cscluster.errors import StoreError
from cscluster.report.html import index_page
from cscluster.store.folder import RunFolder, run_folders
from cscluster.words import age, size

HEADS = ["run", "done", "failed", "age", "size", "config"]


def runs(results: Path, page: Path | None = None) -> None:
    """List stored runs, the youngest first, here or on a page; one that is damaged says so."""
    now = time.time()
    folders = sorted(run_folders(results), key=lambda folder: (-_changed(folder), folder.path))
    rows = [_row(folder, now) for folder in folders]
    if page is not None:
        links = [_report(folder, page) for folder in folders]
        put(page, index_page("Runs", HEADS, rows, links))
        out.whole(f"written: {page}")
    elif folders:
        out.table(HEADS, rows)
    else:
        out.say(f"no runs in '{results}' yet; start one with: cscluster run CONFIG")


def _report(folder: RunFolder, page: Path) -> str | None:
    """Return the way from a page to the report of a run."""
    for name in ("report.html", "report.md"):
        if (folder.path / name).exists():
            way = os.path.relpath(folder.path / name, page.absolute().parent)
            return urllib.parse.quote(way)
    return None


def _changed(folder: RunFolder) -> float:
    return (folder.trials if folder.trials.exists() else folder.path).stat().st_mtime


def _row(folder: RunFolder, now: float) -> list[str]:
    n_bytes = sum(path.stat().st_size for path in folder.path.rglob("*") if path.is_file())
    measures = [age(now - _changed(folder)), size(n_bytes)]
    try:
        config, progress = folder.config(), folder.progress()
    except StoreError as error:
        return [folder.path.name, "?", "?", *measures, f"damaged: {error}"]
    done = f"{progress.stored}/{progress.planned}"
    return [folder.path.name, done, str(progress.failed), *measures, config["source"]]
