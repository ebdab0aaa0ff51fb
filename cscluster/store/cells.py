"""What the results of a cell depend on, and what differs between two cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_WORDS = {
    "data": "the content of the data set '{name}'",
    "preprocess": "the preprocessing",
    "recipe": "the way the data set is made",
    "name": "the name of the data set",
    "version": "the version of '{algorithm}'",
    "clusterer_version": "the version of the clusterer",
    "n_clusters": "the number of clusters",
    "schedule": "the schedule of constraints",
    "repeats": "the number of repeats",
    "heldout_links": "the use of held-out constraints",
}
_PARTS = {"params": "the parameter '{}'", "source": "{}"}
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
        if name in _PARTS:
            before, after = dict(before or ()), dict(after or ())
            found += [
                _clause(_PARTS[name].format(part), before.get(part), after.get(part))
                for part in after | before
                if before.get(part) != after.get(part)
            ]
        elif before != after:
            found.append(_clause(_WORDS.get(name, f"the {name}").format(**new), before, after))
    return found


def _clause(what: str, before: Any, after: Any) -> str:
    values = f" from {_shown(before)} to {_shown(after)}"
    return f"{what} changed{values if len(values) <= _LONGEST else ''}"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
