"""The metric family; see `cscluster.algorithms.registry`."""
