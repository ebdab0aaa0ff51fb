"""What is left of an experiment, and how many CPU hours it will take by the times of stored trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field

from cscluster.experiment.config.schema import Experiment
from cscluster.experiment.plan.trials import n_records
from cscluster.store.records import Record

Slot = tuple[str, str]
"""A data set and the label of a method."""


@dataclass(frozen=True)
class Outlook:
    """What is left of an experiment.

    Attributes
    ----------
    name : str
        ``PAPER/ITEM``.
    missing : list of str
        Data sets that are not there.
    planned, stored : int
        Numbers of trials.
    seconds : dict
        CPU seconds that the trials left will take, where their cost is known.
    unknown : int
        Number of trials left whose cost is not known.
    """

    name: str
    missing: list[str]
    planned: int
    stored: int
    seconds: dict[Slot, float] = field(default_factory=dict)
    unknown: int = 0


class Costs:
    """Mean CPU seconds of a trial, by data set and method."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._sum: Counter[Slot] = Counter()
        self._count: Counter[Slot] = Counter()
        for record in records:
            if record["status"] == "ok":
                slot = (record["dataset"], record["label"])
                self._sum[slot] += cost(record)  # type: ignore[assignment]
                self._count[slot] += 1

    def get(self, slot: Slot) -> float | None:
        """Return the mean; None where there are no trials."""
        return self._sum[slot] / self._count[slot] if self._count[slot] else None


def cost(record: Record) -> float:
    """Return the CPU seconds of a trial; those of the clock where a record has no others."""
    cpu = record.get("cpu_seconds")
    return sum(record["seconds"].values()) if cpu is None else cpu


def outlook(
    name: str,
    experiment: Experiment,
    missing: list[str],
    records: list[Record],
    cells: Set[str],
    quick: Iterable[Record],
) -> Outlook:
    """Look ahead at an experiment.

    Parameters
    ----------
    name, experiment, missing
        Its name, what it is, and which of its data sets are not there.
    records : list of Record
        Its stored trials, planned or not.
    cells : set of str
        Hashes of the planned cells; stored trials of others are out of date.
    quick : iterable of Record
        Trials of its quick form, by whose cost methods without stored trials are judged.
    """
    draws = experiment.trials * experiment.repeats
    stored: Counter[Slot] = Counter()
    for record in records:
        if (
            record["cell"] in cells
            and record["trial"] < draws
            and record["point"] in experiment.constraints.points
        ):
            stored[record["dataset"], record["label"]] += 1
    costs, others = Costs(records), Costs(quick)
    seconds, unknown, planned = {}, 0, 0
    for slot, count in _planned(experiment, missing):
        planned += count
        left = count - stored[slot]
        each = costs.get(slot)
        each = others.get(slot) if each is None else each
        if each is None:
            unknown += left
        elif left:
            seconds[slot] = left * each
    return Outlook(name, missing, planned, stored.total(), seconds, unknown)


def _planned(experiment: Experiment, missing: list[str]) -> Iterator[tuple[Slot, int]]:
    """Yield the number of trials of each method on each data set."""
    for dataset in experiment.datasets:
        if dataset.title not in missing:
            for entry in experiment.algorithms:
                yield (dataset.title, entry.title), n_records(experiment, entry)
