"""One method with the stored trials of the benchmark, on the same constraints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from cscluster import documents
from cscluster.errors import ConfigError
from cscluster.experiment.config.load import load
from cscluster.papers.benchmark import Benchmark, choose, write_page
from cscluster.papers.benchmark_page import TrackReport
from cscluster.papers.ranking import METRIC, with_scores
from cscluster.papers.suite import PROFILES, SuiteItem
from cscluster.report.aggregate import Results, join, metric_values, restrict
from cscluster.report.figures.critical_difference import critical_difference
from cscluster.report.figures.save import rendered
from cscluster.report.page import Block, Heading, Page, Picture
from cscluster.report.statistics import rank_test
from cscluster.store.directory import RunDirectory


@dataclass(frozen=True, kw_only=True)
class Added(Benchmark):
    """A method on some tracks, and what is stored of the others there.

    Attributes
    ----------
    entry : dict
        The method, as an algorithm of an experiment.
    published : dict of str to TrackReport
        What is stored of the others.
    """

    entry: dict[str, Any]
    published: Mapping[str, TrackReport]

    @property
    def label(self) -> str:
        """What the method is called in tables."""
        return str(self.entry["label"])

    @property
    def directory(self) -> Path:
        """Where its trials and its page are."""
        name = re.sub(r"\W+", "-", self.label).strip("-")
        return self.results / f"benchmark-{name}{PROFILES[self.profile]}"

    def _item(self, name: str) -> SuiteItem:
        settings = [*self._settings(name), _setting(self.entry)]
        local = RunDirectory(self.directory / name)
        return replace(super()._item(name), settings=settings, local=local, reference=None)

    def outcome(self) -> dict[str, TrackReport]:
        """Return all methods on the data sets, points and repetitions that the added one has run."""
        own = super().outcome()
        return {
            name: replace(report, results=_beside(report.results, own[name].results))
            for name, report in self.published.items()
            if name in own
        }

    def write(self, outcome: Mapping[str, TrackReport]) -> Path:
        """Write the page; return its directory."""
        write_page(
            self.directory, Page(f"{self.label} in the benchmark", list(self._blocks(outcome)), marked=True)
        )
        return self.directory

    def failed(self, outcome: Mapping[str, TrackReport]) -> int:
        """Return how many trials of the added method failed."""
        trials = pd.concat([report.results.trials for report in outcome.values()])
        return int(((trials["entry"] == self.label) & (trials["status"] != "ok")).sum())

    def _blocks(self, outcome: Mapping[str, TrackReport]) -> Iterator[Block]:
        yield (
            f"{self.label} with the stored trials of the other methods, on the same data sets, constraints "
            "and repetitions.  A failed trial has ARI 0."
        )
        for name, report in outcome.items():
            yield Heading(2, report.track.title)
            yield f"{' '.join(report.track.about.split())}  Repetitions: {report.progress}."
            yield report.table(self.label)
            if rank_test(report.results, METRIC):
                figure = critical_difference(report.results, METRIC)
                yield Picture(f"figures/{name}.png", rendered(figure), f"{figure.get_label()}.")


def choose_added(
    method: str, track: str | None, profile: str, results: Path, repetitions: int | None
) -> Added:
    """Return a method on all tracks of a profile, or on the one that is named.

    Parameters
    ----------
    method : str
        Name of an algorithm, ``module:Class`` or ``file.py:Class``, or an entry of `algorithms` in YAML.
    track, profile, results, repetitions
        As for `choose`.

    Raises
    ------
    ConfigError
        If there is no such method, track or profile, or nothing to compare it with.
    """
    work = choose(track, profile, results, repetitions)
    entry = _entry(method)
    published = Benchmark(work.names, "full", results).outcome()
    if not published:
        raise ConfigError(
            f"'{results / 'reference'}' has no stored trials of the benchmark to compare with. "
            "Give the directory 'results' of a clone of the repository."
        )
    known = {label for report in published.values() for label in report.results.labels}
    title = load("benchmark/benchmark", [_setting(entry)]).algorithms[0].title
    label = f"{title} (added)" if title in known else title
    return Added(
        work.names, profile, results, repetitions, entry={**entry, "label": label}, published=published
    )


def _entry(method: str) -> dict[str, Any]:
    """Return the entry of a method for `algorithms`."""
    entry = documents.read(method, method).data
    if isinstance(entry, str):
        return {"name": entry}
    if not isinstance(entry, dict):
        raise ConfigError(f"'{method}' is no method. Write mine.py:Mine, a name, or {{name: pmmc, ...}}.")
    return entry


def _setting(entry: Mapping[str, Any]) -> str:
    return f"algorithms={json.dumps([entry])}"


def _beside(published: Results, own: Results) -> Results:
    """Return two runs as one, on the data sets, points and repetitions that both have.

    Equal scores tie: stored ones have six digits, so the others have them here.
    """
    own = with_scores(own, metric_values(own.trials, METRIC).map("{:.6g}".format).astype(float))
    places = [
        pd.MultiIndex.from_frame(each.trials[["dataset", "point", "draw"]]) for each in (published, own)
    ]
    shared = places[0].intersection(places[1])
    rows = [pd.Series(each.isin(shared)) for each in places]
    return join([restrict(published, rows[0]), restrict(own, rows[1])])
