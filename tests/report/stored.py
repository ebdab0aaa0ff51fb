"""Runs written by hand, with results chosen to tell the rules of the tables apart."""

import numpy as np

from cscluster.store.folder import RunFolder
from tests.store.values import FIELDS


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
        "cpu_seconds": 1.25 if ok else None,
        "iterations": 6 if ok else None,
        "converged": True if ok else None,
        "warnings": [],
        "error": None if ok else {"type": "ValueError", "message": "it broke"},
    }
    return record | more


def store(
    path,
    algorithms,
    records,
    *,
    metrics=("acc",),
    trials=2,
    repeats=1,
    kind="random_pairs",
    title="A title",
    datasets=None,
):
    records = [{**record, "key": str(number)} for number, record in enumerate(records)]
    folder = RunFolder(path)
    experiment = {
        "name": "run",
        "title": title,
        "metrics": list(metrics),
        "algorithms": algorithms,
        "trials": trials,
        "repeats": repeats,
        "constraints": {"kind": kind},
    }
    with folder.writing() as writer:
        writer.put_json("config.json", {"source": "run.yaml", "experiment": experiment})
        plan = {"cells": {}, "keys": [record["key"] for record in records], "datasets": datasets or {}}
        writer.put_json("plan.json", plan)
        writer.append(records)
    return folder


def wide(path, **more):
    """Five points, three algorithms, one of them with a long name and one that fails at times."""
    names = {"a": "K-means", "b": "Pairwise constrained maximum margin", "c": "C [bold]"}
    records = [
        trial(name, None if (name, t) == ("c", 0) else 0.1 * k + 0.01 * t, trial=t, label=label, point=point)
        for k, (name, label) in enumerate(names.items(), start=1)
        for point in (20, 40, 60, 80, 100)
        for t in (0, 1)
    ]
    return store(path, [entry(name, label=label) for name, label in names.items()], records, **more)


def oracle(path, label="=A|<b>*", **more):
    """One algorithm, whose parameter was picked with the true labels."""
    records = [
        trial("a", 0.1 * lam, trial=t, label=label, grid={"lam": lam}) for lam in (1, 2) for t in (0, 1)
    ]
    return store(path, [entry("a", label=label, select="oracle:acc")], records, **more)


def three_by_three(path, n=8, **more):
    """Three data sets, three algorithms of which C is best and A worst, two points, some noise."""
    noise = np.random.default_rng(0).normal(scale=0.02, size=(3, 3, 2, n))
    records = [
        trial(name, 0.5 + 0.1 * k + noise[d, k, p, t], trial=t, point=point, dataset=data)
        for t in range(n)
        for p, point in enumerate((10, 20))
        for d, data in enumerate(("iris", "wine", "sonar"))
        for k, name in enumerate("abc")
    ]
    return store(path, [entry(name) for name in "abc"], records, trials=n, **more)
