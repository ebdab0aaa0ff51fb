"""From trials to records: child processes that run them, and the run that stores what they answer."""

BACKENDS = ("local", "dask")
"""Processes of this machine, or a cluster."""
