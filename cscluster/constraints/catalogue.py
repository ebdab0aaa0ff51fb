"""The one list of schedules: kind, name of their points, meaning; nothing numeric is imported here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ScheduleKind:
    """A way in which links arrive; `cscluster.constraints.schedules` has its keys and its draws.

    Attributes
    ----------
    kind : str
        Name in configurations.
    points : str
        What the points of its curves are, on the axis of a figure.
    meaning : str
        How links are drawn.
    keys : str
        An example of its keys.
    """

    kind: str
    points: str
    meaning: str
    keys: str

    @property
    def example(self) -> str:
        """How it is written in an experiment file."""
        return f"{{kind: {self.kind}, {self.keys}}}"


SCHEDULES: dict[str, ScheduleKind] = {
    schedule.kind: schedule
    for schedule in (
        ScheduleKind("random_pairs", "number of links", "random pairs, linked by their true classes",
                     "counts: [20, 50, 100]"),
        ScheduleKind("balanced_pairs", "links of each kind", "as many must-links as cannot-links",
                     "counts: [10, 25, 50]"),
        ScheduleKind("fraction", "share of samples (%)", "as many random pairs as that share of samples has",
                     "shares: [5, 10]"),
        ScheduleKind("labelled", "samples with known classes", "links between samples of known class",
                     "per_class: [1, 5, 10]"),
        ScheduleKind("tiers", "links of a tier", "random pairs that arrive in tiers of equal size",
                     "per_tier: [20], tiers: 5"),
        ScheduleKind("folds", "number of links", "random pairs inside the training folds",
                     "counts: [20, 50, 100], folds: 5"),
        ScheduleKind("active", "number of links", "pairs that an active learner asks about",
                     "counts: [20, 50, 100], strategy: explore_consolidate"),
        ScheduleKind("file", "links in the file", "the user's own links",
                     "path: links.csv"),
    )
}  # fmt: skip
