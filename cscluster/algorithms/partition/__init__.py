"""The partition family; see `cscluster.algorithms.registry`."""
