"""The ensemble family; see `cscluster.algorithms.registry`."""
