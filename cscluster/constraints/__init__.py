"""Constraints, the schedules by which they arrive, and their files."""

from cscluster.constraints.links import Constraints

__all__ = ["Constraints"]
