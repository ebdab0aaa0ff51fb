"""A stored configuration as the user wrote it, or could have written it."""

from __future__ import annotations

from typing import Any

import yaml


def as_yaml(experiment: dict[str, Any], width: int = 100) -> str:
    """Return a resolved experiment as YAML without the keys that have no value.

    Inside ``params`` and ``preprocess`` null is a value and stays.

    >>> print(as_yaml({"name": "a", "timeout": None, "algorithms": [{"name": "b", "params": {"k": None}}]}))
    name: a
    algorithms:
    - name: b
      params: {k: null}
    <BLANKLINE>
    """
    return str(
        yaml.safe_dump(
            _given(experiment), sort_keys=False, allow_unicode=True, width=width, default_flow_style=None
        )
    )


def _given(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: item if key in ("params", "preprocess") else _given(item)
            for key, item in value.items()
            if item is not None and item not in ("", {})
        }
    return [_given(item) for item in value] if isinstance(value, list) else value
