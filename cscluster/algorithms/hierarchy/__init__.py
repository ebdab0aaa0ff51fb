"""The hierarchy family; see `cscluster.algorithms.registry`."""
