"""Records for tests, and what two runs of the same experiment have to agree on."""

from cscluster.store.records import Record

FIELDS = tuple(Record.__annotations__)

_VARYING = ("seconds", "cpu_seconds", "environment")


def record(key, **more):
    """Return a record that is ok."""
    base = dict.fromkeys(FIELDS, "")
    numbers = {"point": 1, "tier": 1, "trial": 0, "iterations": 1, "converged": True, "cpu_seconds": 0.1}
    tables = {"params": {}, "grid": {}, "metrics": {"acc": 0.5}, "seconds": {"fit": 0.1}, "warnings": []}
    return {**base, **numbers, **tables, "status": "ok", "error": None, "key": key, **more}


def values(folder):
    """Return the stored records by key, without what may differ between two runs."""
    found = {}
    for record in folder.records():
        assert record["key"] not in found, "a trial was stored twice"
        found[record["key"]] = {name: value for name, value in record.items() if name not in _VARYING}
    return found
