"""A stored experiment as people read it."""

from __future__ import annotations

from typing import Any

import yaml

_LITERAL = ("params", "preprocess")
"""Where None and emptiness are values."""


def as_yaml(experiment: dict[str, Any]) -> str:
    """Return a resolved experiment as YAML, without keys that have no value."""
    return yaml.safe_dump(
        _without_empty(experiment), sort_keys=False, allow_unicode=True, width=78, default_flow_style=None
    )


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: item if key in _LITERAL else _without_empty(item)
            for key, item in value.items()
            if item is not None and item not in ("", {})
        }
    return [_without_empty(item) for item in value] if isinstance(value, list) else value
