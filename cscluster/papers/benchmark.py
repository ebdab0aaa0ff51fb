"""The benchmark: which method to use when, from runs of all methods on many data sets.

``configs/benchmark/benchmark.yaml`` names the methods, ``tracks.yaml`` what they are compared on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cscluster.atomic import put
from cscluster.errors import ConfigError, require_known
from cscluster.papers import benchmark_page, exact, reference
from cscluster.papers.benchmark_page import TrackReport
from cscluster.papers.ranking import COST, METRIC, of_repetitions
from cscluster.papers.suite import PROFILES, StoredTrials, SuiteItem, complete_repetitions, is_current
from cscluster.papers.tracks import read, tracks
from cscluster.report import write as writing
from cscluster.report.aggregate import Results, collect_trials
from cscluster.report.html.blocks import page_file
from cscluster.report.page import Page
from cscluster.store.directory import RunDirectory

_METRICS = [METRIC, "satisfied", COST]


@dataclass(frozen=True)
class Benchmark:
    """Some tracks.

    Attributes
    ----------
    names : list of str
        Names of the tracks.
    profile : str
        ``full``, or ``quick``: less of everything.
    results : Path
        Directory of all results.
    repetitions : int, optional
        How many of the first repetitions to run now; a later run goes on.
    """

    names: list[str]
    profile: str
    results: Path
    repetitions: int | None = None

    def experiments(self) -> list[SuiteItem]:
        """Return what to run, one after another."""
        return [self._item(name) for name in self.names]

    def _item(self, name: str) -> SuiteItem:
        local = RunDirectory(self.results / f"benchmark{PROFILES[self.profile]}" / name)
        trials = self.results / "reference" / "trials" / "benchmark" / name
        return SuiteItem(
            name,
            "benchmark/benchmark",
            self._settings(name),
            local,
            RunDirectory(trials) if self.profile == "full" else None,
            self.repetitions,
        )

    def outcome(self) -> dict[str, TrackReport]:
        """Return what is known of the complete repetitions of the tracks; a track without any is left out.

        Methods that have not run any repetition completely are left out.  A failed trial has the score 0.
        """
        reports = {name: self._report(name) for name in self.names}
        return {name: report for name, report in reports.items() if report}

    def _report(self, name: str) -> TrackReport | None:
        item = self._item(name)
        stored = _current(item.stored())
        complete = complete_repetitions(stored) if stored else {}
        if not stored or not complete or not (repetitions := set.intersection(*complete.values())):
            return None
        trials = stored.trials[stored.trials["label"].isin(complete)]
        results = of_repetitions(collect_trials(stored.definition, trials, _METRICS), repetitions)
        methods = [entry.title for entry in item.experiment.algorithms]
        return TrackReport(name, results, [method for method in methods if method not in results.labels])

    def write(self, outcome: Mapping[str, TrackReport]) -> Path:
        """Write the summary of the runs and, of the full form, the page and the trials; return the directory.

        The page is about all tracks that have results, whichever were run now.
        """
        directory = self.results / "reference"
        command = f"cscluster benchmark --profile {self.profile} --write"
        if self.profile == "full":
            for name in outcome:
                self._item(name).archive(_METRICS)
            outcome = replace(self, names=list(tracks())).outcome()
            blocks = [*benchmark_page.blocks(outcome, command), *exact.section(self.results)]
            write_page(directory, Page(benchmark_page.TITLE, blocks, marked=True))
        reference.write(self._summary, _results(outcome), command, "")
        return directory

    def drift(self, outcome: Mapping[str, TrackReport], tolerance: float) -> list[str]:
        """Return a sentence for each score that differs from its reference by more than a tolerance.

        Failures are results here, and no drift.
        """
        expected = reference.read(self._summary)
        scores = {name: replace(run, failures=run.failures[:0]) for name, run in _results(outcome).items()}
        return reference.drift(scores, expected[expected["item"].isin(self.names)], tolerance)

    @property
    def _summary(self) -> Path:
        """The committed summary of the runs."""
        prefix = "quick_" if self.profile == "quick" else ""
        return self.results / "reference" / f"{prefix}benchmark.csv"

    def _settings(self, name: str) -> list[str]:
        track = tracks()[name]
        chosen = [f"name={name}", f"title={track.title}"]
        if track.sets:
            chosen.append(read("tracks.yaml")["sets"]["few" if self.profile == "quick" else track.sets])
        if track.classifiers:
            methods = read("benchmark.yaml")["algorithms"]
            chosen.append(f"algorithms={json.dumps([*methods, *track.classifiers])}")
        return [*chosen, *track.settings, *((track.quick or []) if self.profile == "quick" else [])]


def write_page(directory: Path, page: Page) -> None:
    """Write a page as Markdown and as HTML."""
    writing.page(directory / "BENCHMARK.md", page)
    put(directory / "benchmark.html", page_file(page))


def _results(reports: Mapping[str, TrackReport]) -> dict[str, Results]:
    return {name: report.results for name, report in reports.items()}


def _current(stored: StoredTrials | None) -> StoredTrials | None:
    """Return the stored trials of the methods that have not changed since."""
    if stored is None:
        return None
    definition, trials = stored
    current = [each for each in definition.plan.cells if is_current(definition.cells[each])]
    kept = definition.model_copy(update={"plan": definition.plan.changed(cells=current)})
    return StoredTrials(kept, trials[trials["cell"].isin(current)])


def choose(track: str | None, profile: str, results: Path, repetitions: int | None = None) -> Benchmark:
    """Return all tracks of a profile, or the one that is named, with the repetitions to run of them.

    Raises
    ------
    ConfigError
        If there is no such track or profile.
    """
    require_known("profile", profile, PROFILES)
    names = [name for name, known in tracks().items() if profile == "full" or known.quick is not None]
    if track is None:
        return Benchmark(names, profile, results, repetitions)
    require_known("track", track, tracks())
    if track not in names:
        raise ConfigError(f"'{track}' is not part of the quick profile. It has: {', '.join(names)}.")
    return Benchmark([track], profile, results, repetitions)
