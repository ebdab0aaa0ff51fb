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
    """

    kind: str
    points: str
    meaning: str


SCHEDULES: dict[str, ScheduleKind] = {
    schedule.kind: schedule
    for schedule in (
        ScheduleKind("random_pairs", "number of links", "random pairs, linked by their true classes"),
        ScheduleKind("balanced_pairs", "links of each kind", "as many must-links as cannot-links"),
        ScheduleKind("fraction", "share of samples (%)", "as many random pairs as that share of samples has"),
        ScheduleKind("labelled", "samples with known classes", "links between samples of known class"),
        ScheduleKind("tiers", "links of a tier", "random pairs that arrive in tiers of equal size"),
        ScheduleKind("folds", "number of links", "random pairs inside the training folds"),
        ScheduleKind("active", "number of links", "pairs that an active learner asks about"),
        ScheduleKind("file", "links in the file", "the user's own links"),
    )
}
