"""From trials to records: worker processes that run them, and the run that stores the records."""

BACKENDS = ("local", "dask")
"""Processes of this machine, or a cluster."""
