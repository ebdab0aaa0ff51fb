"""Pairwise constraints, random pairs of samples, and constraint files."""

from cscluster.constraints.links import Constraints as Constraints
