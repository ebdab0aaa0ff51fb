"""The margin family; see `cscluster.algorithms.registry`."""
