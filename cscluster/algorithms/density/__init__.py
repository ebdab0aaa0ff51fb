"""The density family; see `cscluster.algorithms.registry`."""
