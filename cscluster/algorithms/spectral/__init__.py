"""The spectral family; see `cscluster.algorithms.registry`."""
