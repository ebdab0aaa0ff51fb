"""The benchmark: which method to use when, from runs of all methods on many data sets.

``configs/benchmark/benchmark.yaml`` names the methods, ``tracks.yaml`` what they are compared on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cscluster.atomic import put
from cscluster.errors import ConfigError, require_known
from cscluster.papers import benchmark_page, reference
from cscluster.papers.benchmark_page import Chapter
from cscluster.papers.items import Item
from cscluster.papers.shelf import PROFILES, Shelf, complete_draws
from cscluster.papers.standing import COST, METRIC, of_draws
from cscluster.papers.tracks import sets, tracks
from cscluster.report import article
from cscluster.report.aggregate import Results, collect
from cscluster.store.packed import as_packed
from cscluster.store.table import RecordTable


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
    draws : int, optional
        How many of the first draws of links to run now; a later run goes on.
    """

    names: list[str]
    profile: str
    results: Path
    draws: int | None = None

    def experiments(self) -> list[Item]:
        """Return what to run, one after another."""
        config = "benchmark/benchmark"
        return [Item(name, config, self._settings(name), self._shelf, self.draws) for name in self.names]

    def outcome(self) -> dict[str, Results]:
        """Return the results of the complete draws of the tracks; a track without any is left out.

        A failed trial has the score 0.
        """
        found = {}
        for name in self.names:
            self._shelf.restore(name)
            folder = self._shelf.run(name)
            records = folder.planned_records() if folder.exists() else []
            if draws := complete_draws(folder, records):
                table = RecordTable(map(as_packed, records))
                results = collect(folder, [METRIC, "satisfied", COST], table=table)
                found[name] = of_draws(results, draws)
        return found

    def write(self, outcome: Mapping[str, Results]) -> Path:
        """Write the summary of the runs and, of the full form, the page and the trials; return the directory.

        The page is about all tracks that have results, whichever were run now.
        """
        folder = self.results / "reference"
        command = f"cscluster benchmark --profile {self.profile} --write"
        every = outcome
        if self.profile == "full":
            every = replace(self, names=list(tracks())).outcome()
            for name, run in outcome.items():
                self._shelf.pack(name, run.metrics)
            self._write_page(folder, every, command)
        reference.write(self._shelf.summary, every, command, "")
        return folder

    def _write_page(self, folder: Path, runs: Mapping[str, Results], command: str) -> None:
        chapters = {
            name: Chapter(name, tracks()[name], run, run.planned // run.repeats) for name, run in runs.items()
        }
        blocks = list(benchmark_page.blocks(chapters, command))
        article.write(folder / "BENCHMARK.md", benchmark_page.TITLE, blocks)
        put(folder / "benchmark.html", article.html(benchmark_page.TITLE, blocks))

    def drift(self, outcome: Mapping[str, Results], tolerance: float) -> list[str]:
        """Return a sentence for each score that differs from its reference by more than a tolerance.

        Failures are results here, and no drift.
        """
        expected = reference.read(self._shelf.summary)
        scores = {name: replace(run, failures=run.failures[:0]) for name, run in outcome.items()}
        return reference.drift(scores, expected[expected["item"].isin(self.names)], tolerance)

    @property
    def _shelf(self) -> Shelf:
        return Shelf(self.results, "benchmark", "benchmark", self.profile)

    def _settings(self, name: str) -> list[str]:
        track = tracks()[name]
        chosen = [f"name={name}", f"title={track.title}"]
        if track.sets:
            chosen.append(sets()["few" if self.profile == "quick" else track.sets])
        return [*chosen, *track.settings, *((track.quick or []) if self.profile == "quick" else [])]


def choose(track: str | None, profile: str, results: Path, draws: int | None = None) -> Benchmark:
    """Return all tracks of a profile, or the one that is named, with the draws to run of them.

    Raises
    ------
    ConfigError
        If there is no such track or profile.
    """
    require_known("profile", profile, PROFILES)
    names = [name for name, known in tracks().items() if profile == "full" or known.quick is not None]
    if track is None:
        return Benchmark(names, profile, results, draws)
    require_known("track", track, tracks())
    if track not in names:
        raise ConfigError(f"'{track}' is not part of the quick profile; it has: {', '.join(names)}.")
    return Benchmark([track], profile, results, draws)
