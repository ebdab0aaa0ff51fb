"""Runs written by hand, with results chosen to tell the rules of the tables apart."""

from cscluster.store.folder import RunFolder
from cscluster.store.records import FIELDS


def entry(name, *, label="", select="none"):
    return {"name": name, "label": label, "select": select}


def trial(algorithm, value, *, trial=0, label=None, grid=None, point=10, tier=1, dataset="iris", **more):
    """Return the record of a trial with the score `value`, or of a failed one where it is None."""
    ok = value is not None
    record = dict.fromkeys(FIELDS, "")
    record |= {
        "status": "ok" if ok else "error",
        "dataset": dataset,
        "algorithm": algorithm,
        "label": label or algorithm.upper(),
        "params": grid or {},
        "grid": grid or {},
        "schedule": "random_pairs",
        "point": point,
        "tier": tier,
        "trial": trial,
        "metrics": {"acc": value, "error": 1 - value} if ok else {},
        "seconds": {"offline": 1.0, "fit": 0.5} if ok else {},
        "iterations": 6 if ok else None,
        "converged": True if ok else None,
        "warnings": [],
        "error": None if ok else {"type": "ValueError", "message": "it broke"},
    }
    return record | more


def store(path, algorithms, records, *, metrics=("acc",), trials=2, kind="random_pairs", title="A title"):
    records = [{**record, "key": str(number)} for number, record in enumerate(records)]
    folder = RunFolder(path)
    experiment = {
        "name": "run",
        "title": title,
        "metrics": list(metrics),
        "algorithms": algorithms,
        "trials": trials,
        "repeats": 1,
        "constraints": {"kind": kind},
    }
    with folder.writing() as writer:
        writer.put_json("config.json", {"source": "run.yaml", "experiment": experiment})
        writer.put_json("plan.json", {"cells": {}, "keys": [record["key"] for record in records]})
        writer.append(records)
    return folder
