"""What two runs of the same experiment have to agree on."""


def values(folder):
    """Return the stored records by key, without what may differ between two runs."""
    found = {}
    for record in folder.records():
        assert record["key"] not in found, "a trial was stored twice"
        found[record["key"]] = {k: v for k, v in record.items() if k not in ("seconds", "environment")}
    return found
