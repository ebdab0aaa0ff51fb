"""Where the runs of a paper or of the benchmark lie, and what of them travels with the sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cscluster.algorithms.registry import find
from cscluster.atomic import put
from cscluster.errors import ParameterError
from cscluster.experiment.config.schema import Experiment
from cscluster.experiment.plan.trials import n_records
from cscluster.store.folder import RunFolder
from cscluster.store.packed import pack, restore, unpack
from cscluster.store.records import Record

PROFILES = {"full": "", "quick": "-quick"}
"""How much to run, and how the directory of its results ends."""


@dataclass(frozen=True)
class Shelf:
    """The runs of one paper, or those of the benchmark.

    Attributes
    ----------
    results : Path
        Directory of all results.
    suite : str
        ``papers`` or ``benchmark``.
    name : str
        The paper; of the benchmark, ``benchmark``.
    profile : str
        ``full`` or ``quick``.
    """

    results: Path
    suite: str
    name: str
    profile: str

    @property
    def folder(self) -> Path:
        """The directory that has a result directory for each item."""
        whole = self.results / f"{self.suite}{PROFILES[self.profile]}"
        return whole if self.name == self.suite else whole / self.name

    @property
    def summary(self) -> Path:
        """The committed summary of the runs."""
        prefix = "quick_" if self.profile == "quick" else ""
        return self.results / "reference" / f"{prefix}{self.name}.csv"

    def run(self, item: str) -> RunFolder:
        """Return the result directory of an item."""
        return RunFolder(self.folder / item)

    def _packed(self, item: str) -> Path:
        return self.results / "reference" / "trials" / self.name / f"{item}.json.xz"

    def pack(self, item: str, metrics: Sequence[str]) -> None:
        """Put the trials of an item, with some of their metrics, beside the reference."""
        put(self._packed(item), pack(self.run(item), metrics))

    def restore(self, item: str) -> int:
        """Take over the trials that came with the reference, if none are stored yet; return their number."""
        return restore(self._packed(item), self.run(item)) if self.profile == "full" else 0

    def records(self, item: str) -> list[Record]:
        """Return the stored trials of an item, or those that came with the reference; writes nothing."""
        folder, packed = self.run(item), self._packed(item)
        if folder.exists():
            return list(folder.records())
        return unpack(packed)[1] if self.profile == "full" and packed.exists() else []


def in_complete_draws(experiment: Experiment, records: Sequence[Record]) -> list[Record]:
    """Return the trials of those draws of links of which a method has run all its trials on a data set.

    A draw that was cut short would compare methods, and points of a grid, on other links.
    """
    planned = {
        entry.title: n_records(experiment, entry) // experiment.trials for entry in experiment.algorithms
    }

    def place(record: Record) -> tuple[str, str, int]:
        return record["dataset"], record["label"], record["trial"] // experiment.repeats

    done = Counter(map(place, records))
    return [record for record in records if done[place(record)] == planned.get(record["label"])]


def of_earlier_versions(folder: RunFolder, records: Sequence[Record]) -> Counter[str]:
    """Count the trials of each method that were made with another version of it than the present one."""
    outdated = {cell for cell, meaning in folder.cells().items() if not _is_present(meaning)}
    return Counter(record["label"] for record in records if record["cell"] in outdated)


def _is_present(meaning: Mapping[str, Any]) -> bool:
    """Tell whether the algorithm and the clusterer of a cell have the version that the cell was run with."""
    parts = {meaning["algorithm"]: meaning["version"]}
    if meaning["clusterer"]:
        parts[meaning["clusterer"][0]] = meaning["clusterer_version"]
    try:
        return all(getattr(find(name).load(), "version", 1) == version for name, version in parts.items())
    except ParameterError:  # there is no such algorithm any more
        return False


def complete_draws(folder: RunFolder, records: Sequence[Record]) -> set[int]:
    """Return the draws of links of which every planned trial is among the records, failed or not."""
    if not records:
        return set()
    experiment = folder.config()["experiment"]
    repeats, n_draws = experiment["repeats"], experiment["trials"]
    done = Counter(record["trial"] // repeats for record in records)
    return {draw for draw, count in done.items() if count * n_draws >= len(folder.plan())}
