"""Parameters that methods had up to version 0.2, and what to write instead."""

from __future__ import annotations

REMOVED = {
    "fallback": "Leave it out, or use a guard (guard: true), which compares a method with k-means",
    "joint": "Leave it out: labels are those of the method",
}
