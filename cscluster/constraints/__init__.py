"""Constraints, the schedules by which they arrive, and their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cscluster.constraints.links import Constraints

__all__ = ["Constraints"]


def __getattr__(name: str) -> Any:
    """Load `Constraints` on first use: the catalogue of schedules imports nothing numeric."""
    if name != "Constraints":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cscluster.constraints.links import Constraints

    return Constraints
