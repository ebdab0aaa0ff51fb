"""The benchmark: which method to use when, from runs of all methods on many data sets.

``configs/benchmark/benchmark.yaml`` names the methods, ``tracks.yaml`` what they are compared on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict

from cscluster import bundle
from cscluster.atomic import put
from cscluster.errors import ConfigError, did_you_mean
from cscluster.experiment.engine.run import prepare
from cscluster.papers import reference
from cscluster.papers.reproduce import Step, available
from cscluster.report.aggregate import Results, collect
from cscluster.report.statistics import Friedman, friedman
from cscluster.store.folder import RunFolder

PROFILES = {"full": "benchmark", "quick": "benchmark-quick"}
"""How much to run, and the directory of its results."""

_METRIC, _BASELINE = "ari", "k-means"
_TIE = 0.005
"""Differences of a mean ARI up to this are a tie."""


class Track(BaseModel):
    """What methods are compared on.

    Attributes
    ----------
    title, about, situation : str
        Heading, what the links are, and for whom that matters.
    sets : str, optional
        Name of a list of data sets.
    settings : list of str
        Changes to ``benchmark.yaml``, as for ``--set``.
    quick : list of str, optional
        Further changes for the quick form; without them the track is no part of it.
    noisy : str, optional
        The track that differs from this one in having no wrong links.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    about: str
    situation: str
    settings: list[str]
    sets: str | None = None
    quick: list[str] | None = None
    noisy: str | None = None


@cache
def tracks() -> dict[str, Track]:
    """Read the tracks."""
    content = yaml.safe_load(_file("tracks.yaml").read_text(encoding="utf-8"))
    return {name: Track.model_validate(track) for name, track in content["tracks"].items()}


def _file(name: str) -> Path:
    return bundle.folder("configs") / "benchmark" / name


@cache
def printed() -> pd.DataFrame:
    """Read the published table: columns collection, share, dataset, algorithm, ari, seconds."""
    return pd.read_csv(_file("printed.csv"))


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
    """

    names: list[str]
    profile: str
    results: Path

    @property
    def n_steps(self) -> int:
        """Number of tracks."""
        return len(self.names)

    def steps(self) -> Iterator[Step]:
        """Plan one track after another, each when it is asked for."""
        for name in self.names:
            _, settings, missing = available("benchmark/benchmark", self._settings(name))
            job = prepare("benchmark/benchmark", settings=settings, out=self._folder)
            yield Step(name, missing, job)

    def outcome(self) -> dict[str, Results]:
        """Return the results of the tracks that have been run."""
        folders = {name: RunFolder(self._folder / name) for name in self.names}
        return {
            name: collect(folder, [_METRIC, "satisfied", "seconds"])
            for name, folder in folders.items()
            if folder.exists() and folder.planned_records()
        }

    def write(self, outcome: Mapping[str, Results]) -> Path:
        """Write the summary of the runs and, of the full form, the page; return their directory."""
        folder = self.results / "reference"
        command = f"cscluster benchmark --profile {self.profile} --write"
        reference.write(self._reference, outcome, command, "")
        if self.profile == "full":
            put(folder / "BENCHMARK.md", render(outcome, command))
        return folder

    def drift(self, outcome: Mapping[str, Results], tolerance: float) -> list[str]:
        """Return a sentence for each score that differs from its reference by more than a tolerance.

        Failures are results here, and no drift.
        """
        expected = reference.read(self._reference)
        scores = {name: replace(run, failures=run.failures[:0]) for name, run in outcome.items()}
        return reference.drift(scores, expected[expected["item"].isin(self.names)], tolerance)

    @property
    def _folder(self) -> Path:
        return self.results / PROFILES[self.profile]

    @property
    def _reference(self) -> Path:
        prefix = "quick_" if self.profile == "quick" else ""
        return self.results / "reference" / f"{prefix}benchmark.csv"

    def _settings(self, name: str) -> list[str]:
        track, sets = tracks()[name], yaml.safe_load(_file("tracks.yaml").read_text(encoding="utf-8"))["sets"]
        chosen = [f"name={name}", f"title={track.title}"]
        if track.sets:
            chosen.append(sets["few" if self.profile == "quick" else track.sets])
        return [*chosen, *track.settings, *((track.quick or []) if self.profile == "quick" else [])]


def choose(track: str | None, profile: str, results: Path) -> Benchmark:
    """Return all tracks of a profile, or the one that is named.

    Raises
    ------
    ConfigError
        If there is no such track or profile.
    """
    if profile not in PROFILES:
        raise ConfigError(f"There is no profile '{profile}'{did_you_mean(profile, PROFILES)}")
    names = [name for name, known in tracks().items() if profile == "full" or known.quick is not None]
    if track is None:
        return Benchmark(names, profile, results)
    if track not in tracks():
        raise ConfigError(f"There is no track '{track}'{did_you_mean(track, tracks())}")
    if track not in names:
        raise ConfigError(f"'{track}' is not part of the quick profile; it has: {', '.join(names)}.")
    return Benchmark([track], profile, results)


@dataclass(frozen=True)
class Standing:
    """How methods compare at one point of a track.

    Attributes
    ----------
    table : DataFrame
        Mean ARI, data sets x labels; a method without results on a data set counts as 0 there.
    seconds : Series
        Mean seconds of a fit, by label.
    failed : Series
        Number of data sets without results, by label.
    ranks : Friedman, optional
        Ranks across data sets.
    """

    table: pd.DataFrame
    seconds: pd.Series
    failed: pd.Series
    ranks: Friedman | None

    @classmethod
    def of(cls, results: Results, point: int) -> Standing:
        """Compare the methods of a run at a point."""
        cells = results.cells[results.cells["point"] == point]
        pivots = [
            cells[cells["metric"] == metric].pivot(index="dataset", columns="label", values="mean")
            for metric in (_METRIC, "seconds")
        ]
        table = pivots[0].reindex(index=results.datasets, columns=results.labels)
        there = table.dropna(how="all").fillna(0.0)
        return cls(there, pivots[1].mean(), table.loc[there.index].isna().sum(), friedman(there))

    @property
    def order(self) -> list[str]:
        """The labels, the best mean rank first; the best mean where there are no ranks."""
        if self.ranks is None:
            return list(self.table.mean().sort_values(ascending=False).index)
        return list(self.ranks.mean_ranks.sort_values().index)

    @property
    def leaders(self) -> list[str]:
        """The labels that are not significantly different from the best."""
        if self.ranks is None:
            return self.order[:1]
        ranks = self.ranks.mean_ranks
        return [label for label in self.order if ranks[label] - ranks.min() <= self.ranks.critical_difference]

    def against(self, label: str, baseline: str) -> str:
        """Return the numbers of data sets on which a method wins, ties and loses."""
        if baseline not in self.table:
            return ""
        difference = (self.table[label] - self.table[baseline]).to_numpy()
        wins, losses = int((difference > _TIE).sum()), int((difference < -_TIE).sum())
        return f"{wins}/{len(difference) - wins - losses}/{losses}"


def render(runs: Mapping[str, Results], command: str) -> str:
    """Return the page."""
    lines = [
        "# Which method when: the benchmark",
        "",
        f"Made by `{command}`.  Methods in their default forms, features standardised, as many clusters as "
        "classes; ARI over all samples, means of the draws of links.  A method without a result on a data "
        "set (error, time limit) counts as 0 there.  Mean ranks compare methods across data sets (1 is "
        "best); those that differ by less than the critical difference (CD, Nemenyi, 0.05) are not "
        f"significantly different.  Wins / ties / losses are data sets against {_BASELINE} (a tie: within "
        f"{_TIE}).  Seconds are of a fit on a machine that ran other trials as well.",
        "",
        "## Recommendations",
        "",
        *_recommendations(runs),
    ]
    for name, results in runs.items():
        track = tracks()[name]
        lines += ["", f"## {track.title}", "", " ".join(track.about.split())]
        if name == "published":
            lines += ["", *_published(results)]
        if track.noisy is not None and track.noisy in runs:
            lines += ["", *_cost_of_noise(runs[track.noisy], results)]
        for point in sorted(results.cells["point"].unique()):
            lines += ["", f"### {_point(results, point)}", "", *_standing(Standing.of(results, point))]
    return "\n".join(lines) + "\n"


def _recommendations(runs: Mapping[str, Results]) -> list[str]:
    """Say for each situation who leads, and who of the leaders is fastest."""
    rows = []
    for name, results in runs.items():
        for point in sorted(results.cells["point"].unique()):
            standing = Standing.of(results, point)
            best, leaders = standing.order[0], standing.leaders
            fastest = min(leaders, key=lambda label: standing.seconds.get(label, np.inf))
            mean = standing.table.mean()
            rows.append(
                [
                    tracks()[name].situation,
                    _point(results, point),
                    f"{best} ({mean[best]:.3f}, {standing.seconds[best]:.2g} s)",
                    f"{fastest} ({mean[fastest]:.3f}, {standing.seconds[fastest]:.2g} s)",
                    f"{len(leaders)} of {len(mean)}",
                    f"{len(standing.table)}",
                ]
            )
    heads = ["situation", "links", "best mean rank", "fastest of those not different", "such", "data sets"]
    return _table(heads, rows)


def _standing(standing: Standing) -> list[str]:
    mean = standing.table.mean()
    rows = [
        [
            label,
            f"{standing.ranks.mean_ranks[label]:.2f}" if standing.ranks else "",
            f"{mean[label]:.3f}",
            standing.against(label, _BASELINE),
            f"{standing.seconds.get(label, np.nan):.2g}",
            str(standing.failed[label]) if standing.failed[label] else "",
        ]
        for label in standing.order
    ]
    difference = f", CD {standing.ranks.critical_difference:.2f}" if standing.ranks else ""
    count = f"{len(standing.table)} data sets{difference}."
    heads = ["method", "mean rank", "mean ARI", "wins/ties/losses", "seconds", "failed on"]
    return [count, "", *_table(heads, rows)]


def _published(results: Results) -> list[str]:
    """Put the printed means beside ours, over the data sets that both have."""
    theirs = printed()[printed()["collection"] == "COL1"]
    points = sorted(results.cells["point"].unique())
    columns: dict[str, dict[int, str]] = {}
    for point in points:
        standing = Standing.of(results, point)
        part = theirs[(theirs["share"] == point) & theirs["dataset"].isin(standing.table.index)]
        both = part["dataset"].unique()
        for algorithm, rows in part.groupby("algorithm", sort=False):
            mean = rows["ari"].fillna(0).mean()
            columns.setdefault(f"{algorithm} (printed)", {})[point] = (
                f"{mean:.3f} ({rows['seconds'].mean():.2g} s)"
            )
        for label, mean in standing.table.loc[both].mean().items():
            columns.setdefault(str(label), {})[point] = f"{mean:.3f} ({standing.seconds[label]:.2g} s)"
    last = points[0]
    order = sorted(columns, key=lambda label: columns[label].get(last, ""), reverse=True)
    rows = [[label, *(columns[label].get(point, "") for point in points)] for label in order]
    note = (
        "Mean ARI and seconds over the data sets that both have.  The printed draws are one set of links for "
        "each data set; ours are new draws of the same size.  Printed cells without a solution count as 0."
    )
    return [note, "", *_table(["method", *(f"{point} %" for point in points)], rows)]


def _cost_of_noise(clean: Results, noisy: Results) -> list[str]:
    """Say what wrong links cost: mean ARI without less mean ARI with them."""
    points = sorted(set(clean.cells["point"]) & set(noisy.cells["point"]))
    costs = pd.DataFrame(
        {
            point: Standing.of(clean, point).table.mean() - Standing.of(noisy, point).table.mean()
            for point in points
        }
    ).dropna()
    rows = [
        [str(label), *(f"{costs.loc[label, point]:+.3f}" for point in points)]
        for label in costs.mean(axis=1).sort_values().index
    ]
    return [
        "What the wrong links cost (mean ARI without them less mean ARI with them):",
        "",
        *_table(["method", *(f"{point} links" for point in points)], rows),
    ]


def _point(results: Results, point: int) -> str:
    unit = {"fraction": f"{point} % of the samples", "labelled": f"{point} labels"}
    return unit.get(results.schedule, f"{point} links")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]
