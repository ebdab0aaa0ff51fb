"""Runs written by hand, with results chosen to tell the rules of the tables apart."""

import numpy as np

from cscluster.store.definition import Definition
from cscluster.store.directory import RunDirectory
from cscluster.store.records import make_key, short_hash, storable, to_line
from tests.store.values import FIELDS


def entry(name, *, label=None, select="none"):
    return {"name": name, "label": label or name.upper(), "select": select}


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
    identity=(),
    environments=None,
    points=None,
    grids=None,
):
    """Store records; what is planned are all trials of the cells, points and tiers that occur in them.

    `identity` changes what all cells depend on; `points` and `grids` (points of the grid by algorithm) add
    to the plan what no record has.
    """
    cells = {}
    for algorithm, more in (grids or {}).items():
        first = next(record for record in records if record["algorithm"] == algorithm)
        records_of_plan = [{**first, "grid": grid, "params": grid} for grid in more]
        cells |= dict(map(_cell, records_of_plan))
    stored = []
    for record in records:
        hash_, entry = _cell(record)
        cells.setdefault(hash_, entry)
        key = make_key(hash_, record["point"], record["trial"], record["tier"])
        stored.append({**record, "key": key, "cell": hash_, "repetition": record["trial"] // repeats})
    for entry in cells.values():
        entry["identity"] |= dict(identity)
    directory = RunDirectory(path)
    with directory.writing() as writer:
        writer.put_definition(
            Definition.model_validate(
                storable(
                    {
                        "source": "run.yaml",
                        "command": "cscluster run run.yaml",
                        "experiment": {
                            "name": "run",
                            "title": title,
                            "metrics": list(metrics),
                            "algorithms": algorithms,
                            "trials": trials,
                            "repeats": repeats,
                            "constraints": {"kind": kind},
                        },
                        "plan": {
                            "cells": list(cells),
                            "points": list(points or dict.fromkeys(record["point"] for record in records)),
                            "repetitions": trials,
                            "repeats": repeats,
                            "tiers": max((record["tier"] for record in records), default=1),
                        },
                        "cells": cells,
                        "datasets": datasets or {},
                        "environments": environments or {},
                    }
                )
            )
        )
        writer.append(to_line(storable(record)).encode() for record in stored)
    return directory


def _cell(record):
    """Return the hash of the cell of a record, and its description."""
    names = {name: storable(record[name]) for name in ("dataset", "algorithm", "label", "params", "grid")}
    identity = {"name": names.pop("dataset"), "algorithm": names.pop("algorithm"), "data": "d"}
    return short_hash([identity, names]), {"identity": identity, **names}


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


def three_by_three(path, n=8, datasets=("iris", "wine", "sonar"), **more):
    """Three data sets, three algorithms of which C is best and A worst, two points, some noise."""
    noise = np.random.default_rng(0).normal(scale=0.02, size=(len(datasets), 3, 2, n))
    records = [
        trial(name, 0.5 + 0.1 * k + noise[d, k, p, t], trial=t, point=point, dataset=data)
        for t in range(n)
        for p, point in enumerate((10, 20))
        for d, data in enumerate(datasets)
        for k, name in enumerate("abc")
    ]
    return store(path, [entry(name) for name in "abc"], records, trials=n, **more)


FIVE = ("iris", "wine", "sonar", "glass", "soybean")


def everything(path):
    """Two data sets and points; a tie, an oracle, failures, missing trials, and a name with signs of all formats."""
    names = {"a": "K-means", "b": "A|<b>*_[c](d)_$x$", "c": "PMMC"}
    noise = np.random.default_rng(0).normal(scale=0.02, size=(3, 2, 2, 4))
    records = [
        trial(name, value, trial=t, point=point, dataset=data, label=label, grid=grid)
        for t in range(4)
        for p, point in enumerate((20, 40))
        for d, data in enumerate(("iris", "wine"))
        for k, (name, label) in enumerate(names.items())
        for grid in ([{"lam": 1}, {"lam": 10}] if name == "c" else [None])
        for value in [
            None
            if (k, t) == (1, 0)
            else 0.6 + 0.1 * (k > 0) + noise[k, d, p, t] - 0.1 * bool(grid == {"lam": 10})
        ]
    ]
    records = [r for r in records if (r["label"], r["point"], r["trial"]) != ("K-means", 40, 3)]
    algorithms = [
        entry(name, label=label, select="oracle:acc" if name == "c" else "none")
        for name, label in names.items()
    ]
    return store(
        path, algorithms, records, metrics=("acc", "error"), trials=4, title="Everything: <i> & 100 %"
    )
