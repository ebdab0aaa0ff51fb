"""A stored experiment as people read it."""

from __future__ import annotations

from typing import Any

import yaml

_LITERAL = ("params", "preprocess")
"""Where None and emptiness are values."""


def as_yaml(experiment: dict[str, Any]) -> str:
    """Return a resolved experiment as YAML, without keys that have no value."""
    return yaml.safe_dump(
        _stated(experiment), sort_keys=False, allow_unicode=True, width=78, default_flow_style=None
    )


def _stated(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: item if key in _LITERAL else _stated(item)
            for key, item in value.items()
            if item is not None and item not in ("", {})
        }
    return [_stated(item) for item in value] if isinstance(value, list) else value
