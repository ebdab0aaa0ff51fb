"""Definitions and records for tests, and what two runs of the same experiment have to agree on."""

from cscluster.store.definition import Definition
from cscluster.store.records import Record, make_key, to_line

FIELDS = tuple(name for name in Record.__annotations__ if name != "labels")

_VARYING = ("seconds", "cpu_seconds", "environment")

CELL = {
    "identity": {
        "name": "d",
        "algorithm": "kmeans",
        "data": "1234",
        "version": 1,
        "params": {},
        "schedule": {},
    },
    "label": "k-means",
    "params": {},
    "grid": {},
}
EXPERIMENT = {
    "name": "exp",
    "title": "A title",
    "metrics": ["acc"],
    "algorithms": [{"name": "kmeans", "label": "", "select": "none"}],
    "constraints": {"kind": "file", "path": "/here/constraints.csv"},
    "datasets": [{"base": "/here/d.csv", "name": "d"}],
    "seed": 1,
}
PLAN = {"cells": ["h"], "points": [1], "repetitions": 3, "repeats": 1, "tiers": 1}


def definition(plan=(), experiment=(), **more):
    """Return what a run of one cell and three trials is, with changes."""
    content = {
        "source": "x.yaml",
        "command": "cscluster run x.yaml",
        "cells": {"h": CELL},
        "datasets": {"d": {"n_samples": 4, "source": "d"}},
        "environments": {"e1": {"python": "3.11"}, "e2": {"python": "3.12"}},
    }
    return Definition.model_validate(
        {**content, "plan": PLAN | dict(plan), "experiment": EXPERIMENT | dict(experiment), **more}
    )


def key(trial=0, *, cell="h", point=1, tier=1):
    return make_key(cell, point, trial, tier)


def record(trial=0, *, cell="h", point=1, tier=1, **more):
    """Return a record that is ok."""
    base = dict.fromkeys(FIELDS, "")
    numbers = {"point": point, "tier": tier, "trial": trial, "repetition": trial, "iterations": 1}
    costs = {"converged": True, "cpu_seconds": 0.1}
    tables = {"params": {}, "grid": {}, "metrics": {"acc": 0.5}, "seconds": {"fit": 0.1}, "warnings": []}
    place = {"cell": cell, "key": key(trial, cell=cell, point=point, tier=tier)}
    return {**base, **numbers, **costs, **tables, **place, "status": "ok", "error": None, **more}


def lines(*records):
    return [to_line(each).encode() for each in records]


def values(directory):
    """Return the stored records by key, without what may differ between two runs."""
    found = {}
    for each in directory.records():
        assert each["key"] not in found, "a trial was stored twice"
        found[each["key"]] = {name: value for name, value in each.items() if name not in _VARYING}
    return found
