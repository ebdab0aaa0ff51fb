"""Experiments of the papers and tracks of the benchmark: what is left to run of them, and its cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cscluster.data import index
from cscluster.experiment.config.load import load
from cscluster.experiment.config.schema import Experiment
from cscluster.experiment.engine.run import Job, prepare
from cscluster.experiment.plan.trials import make_plan
from cscluster.papers.outlook import Outlook, outlook
from cscluster.papers.shelf import Shelf
from cscluster.store.records import Record


@dataclass(frozen=True)
class Item:
    """An experiment of a paper, or a track of the benchmark.

    Attributes
    ----------
    name : str
        ``PAPER/ITEM``, or that of the track.
    config : str
        Name of the bundled experiment.
    settings : list of str
        Changes to it, as for ``--set``.
    shelf : Shelf
        Where its results lie.
    draws : int, optional
        How many of the first draws of links to run now.
    """

    name: str
    config: str
    settings: list[str]
    shelf: Shelf
    draws: int | None = None

    @cached_property
    def experiment(self) -> Experiment:
        """The experiment, with all its data sets."""
        return load(self.config, self.settings)

    @cached_property
    def missing(self) -> list[str]:
        """Data sets that are not at hand."""
        return [entry.title for entry in self.experiment.datasets if _is_missing(entry.base)]

    def not_known(self, records: Sequence[Record]) -> list[str]:
        """Return the data sets that are not at hand and have no stored trial either."""
        stored = {record["dataset"] for record in records}
        return [name for name in self.missing if name not in stored]

    def restore(self) -> int:
        """Take over the trials that came with the reference, if none are stored yet; return their number."""
        return self.shelf.restore(self.experiment.name)

    def prepare(self, retry_failed: bool) -> Job | None:
        """Plan what is left, on request with failed trials once more; nothing where all data are missing."""
        if len(self.missing) == len(self.experiment.datasets):
            return None
        job = prepare(
            self.config,
            settings=self.settings,
            out=self.shelf.folder,
            retry_failed=retry_failed,
            absent=self.missing,
        )
        return replace(job, draws=self.draws)

    def outlook(self) -> Outlook:
        """Look ahead; reads what is stored, and writes nothing."""
        records = self.shelf.records(self.experiment.name)
        cells = {record["cell"] for record in records if record["dataset"] in self.missing}
        if records and len(self.missing) < len(self.experiment.datasets):
            plan = make_plan(self.experiment.without(self.missing))
            cells |= {cell.hash for cell in {id(trial.cell): trial.cell for trial in plan}.values()}
        trials = min(self.draws or self.experiment.trials, self.experiment.trials)
        now = self.experiment.model_copy(update={"trials": trials})
        quick = replace(self.shelf, profile="quick").records(self.experiment.name)
        return outlook(self.name, now, self.not_known(records), records, cells, quick)


def _is_missing(base: str | None) -> bool:
    while base in index.recipes():
        base = index.recipes()[base].get("base")
    return base in index.external() and index.find_file(base) is None
