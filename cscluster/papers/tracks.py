"""The tracks of the benchmark: what methods are compared on."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import yaml
from pydantic import BaseModel, ConfigDict

from cscluster import bundle

EXACT = "exact"
"""The track of instances with given constraints, which has a form of its own (`exact`)."""


class Track(BaseModel):
    """What methods are compared on.

    Attributes
    ----------
    title, about, situation : str
        Heading, what the constraints are, and for whom that matters.
    sets : str, optional
        Name of a list of data sets.
    settings : list of str
        Changes to ``benchmark.yaml``, as for ``--set``.
    quick : list of str, optional
        Further changes for the quick form; without them the track is no part of it.
    clean : str, optional
        The track that differs from this one in having no noise.
    printed : bool
        Whether a publication prints numbers for its protocol (``printed.csv``).
    advice : dict
        Heading of a line of advice, and the points that it rests on.
    classifiers : list of dict
        Baselines that need labels, as algorithms of an experiment.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    about: str
    situation: str
    settings: list[str]
    sets: str | None = None
    quick: list[str] | None = None
    clean: str | None = None
    printed: bool = False
    advice: dict[str, list[int]] = {}
    classifiers: list[dict[str, str]] = []

    def is_classifier(self, label: str) -> bool:
        """Tell whether a method is a baseline that needs labels."""
        return any(entry["label"] == label for entry in self.classifiers)


@cache
def read(name: str) -> dict[str, Any]:
    """Return the content of a YAML file of the benchmark."""
    text = (bundle.folder("configs") / "benchmark" / name).read_text(encoding="utf-8")
    return cast("dict[str, Any]", yaml.safe_load(text))


@cache
def tracks() -> dict[str, Track]:
    """Read the tracks."""
    return {name: Track.model_validate(track) for name, track in read("tracks.yaml")["tracks"].items()}
