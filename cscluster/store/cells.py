"""What the results of a cell depend on, and what differs between two cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_WORDS = {
    "recipe": "the way the data set is made",
    "name": "the name of the data set",
    "preprocess": "the preprocessing",
    "algorithm": "the algorithm",
    "clusterer": "the clusterer",
    "n_clusters": "the number of clusters",
    "schedule": "the schedule of constraints",
    "seed": "the seed",
    "repeats": "the number of repeats",
    "heldout_links": "the use of held-out constraints",
    "guard": "the guard",
    "label": "the label",
}
_LONGEST = 40


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return what changed from one identity of a cell to another, each as a clause.

    Examples
    --------
    >>> changes({"algorithm": "kmeans", "seed": 1}, {"algorithm": "kmeans", "seed": 2})
    ['the seed changed from 1 to 2']
    """
    found = []
    for name in dict.fromkeys([*new, *old]):
        before, after = old.get(name), new.get(name)
        if before != after:
            found += _clauses(name, before, after, new)
    return found


def _clauses(name: str, before: Any, after: Any, cell: Mapping[str, Any]) -> list[str]:
    if name == "params" and isinstance(before, Mapping) and isinstance(after, Mapping):
        return [
            _clause(f"the parameter '{parameter}'", before.get(parameter), after.get(parameter))
            for parameter in dict.fromkeys([*after, *before])
            if before.get(parameter) != after.get(parameter)
        ]
    if name == "source":
        files = [file for file in after or () if file not in (before or ())]
        return [f"{file} changed" for file, _ in files] or ["the source of the algorithm changed"]
    if name == "preprocess":
        return [_clause(_WORDS[name], *map(_steps, (before, after)))]
    if name == "data":
        return [f"the content of the data set '{cell.get('name')}' changed"]
    if name == "version":
        return [_clause(f"the version of '{cell.get('algorithm')}'", before, after)]
    if name == "clusterer_version":
        return [_clause("the version of the clusterer", before, after)]
    return [_clause(_WORDS.get(name, name), before, after)]


def _clause(what: str, before: Any, after: Any) -> str:
    values = f" from {_shown(before)} to {_shown(after)}"
    return f"{what} changed{values if len(values) <= _LONGEST else ''}"


def _steps(steps: Any) -> str:
    """Name steps of preprocessing, which an identity keeps as JSON of a name and its options."""
    parsed = [json.loads(step) for step in steps or ()]
    return ", ".join(f"{name} {_shown(options)}" if options else name for name, options in parsed) or "none"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
