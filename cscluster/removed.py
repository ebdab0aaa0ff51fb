"""Parameters that methods had up to version 0.2, and what to write instead."""

from __future__ import annotations

_ADVICE = {
    "fallback": "Leave it out, or use a guard (guard: true), which compares a method with k-means",
    "joint": "Leave it out: labels are those of the method",
}


def removed_parameter(name: str) -> str | None:
    """Return what to write instead of a parameter of version 0.2, or None."""
    return _ADVICE.get(name)
