"""What a run is: the file that says it, and the keys that follow from its plan."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cscluster.store.definition import Definition, Plan
from cscluster.store.records import make_key, to_line
from tests.store.values import CELL, definition


def test_what_is_written_is_read_back():
    written = definition(plan={"shard": (1, 2)}, experiment={"title": "naïve ±", "timeout": 2.5})
    line = written.line()
    assert line.count("\n") == 1
    assert line.endswith("\n")
    read = Definition.read(line.encode())
    assert read == written
    assert read.line() == line
    assert json.loads(line)["experiment"]["timeout"] == 2.5  # what reports do not need is kept too


@given(st.data())
def test_any_change_is_noticed(data):
    line = definition().line().encode()
    place = data.draw(st.integers(0, len(line) - 2))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[place]))
    with pytest.raises(ValueError, match="checksum"):
        Definition.read(line[:place] + bytes([other]) + line[place + 1 :])


@given(st.integers(0, len(definition().line()) - 2))
def test_no_prefix_is_a_definition(length):
    with pytest.raises(ValueError, match="checksum"):
        Definition.read(definition().line().encode()[:length])


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"source": 3}, "source"),
        ({"more": 3}, "more"),
        ({"experiment": {}}, "experiment.name"),
        ({"experiment": {"name": "x", "metrics": [], "algorithms": [{}], "constraints": {}}}, "algorithms.0.name"),
        ({"plan": {}}, "plan.cells"),
        ({"plan": {"cells": [], "points": [1], "repetitions": "3", "repeats": 1, "tiers": []}}, "plan"),
        ({"cells": {"h": {**CELL, "identity": 3}}}, "cells.h.identity"),
        ({"datasets": {"d": {}}}, "datasets.d.n_samples"),
        ({"environments": []}, "environments"),
    ],
)  # fmt: skip
def test_what_is_no_definition_behind_a_right_checksum_is_named(changes, field):
    content = {**json.loads(definition().line()), **changes}
    content.pop("check")
    with pytest.raises(ValueError, match=field):
        Definition.read(to_line(content).encode())


plans = st.builds(
    Plan,
    cells=st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True),
    points=st.lists(st.integers(0, 50), min_size=1, max_size=3, unique=True),
    repetitions=st.integers(1, 7),
    repeats=st.integers(1, 3),
    tiers=st.integers(1, 3),
)


@given(plans)
def test_a_plan_is_the_product_of_its_parts(plan):
    trials = list(plan.trials())
    n_trials = len(plan.cells) * len(plan.points) * plan.repetitions * plan.repeats
    assert len({(t.cell, t.point, t.trial) for t in trials}) == len(trials) == n_trials
    assert plan.keys() == [key for trial in trials for key in trial.keys]
    assert len(set(plan.keys())) == n_trials * plan.tiers
    for trial in trials:
        assert trial.repetition == trial.trial // plan.repeats
        tiers = range(1, plan.tiers + 1)
        assert trial.keys == tuple(make_key(trial.cell, trial.point, trial.trial, tier) for tier in tiers)
    assert plan.counts() == Counter((t.cell, t.point) for t in trials)
    repetitions = [trial.repetition for trial in trials]
    assert repetitions == sorted(repetitions)  # an interrupted run is a smaller run


@given(plans, st.integers(1, 9))
def test_shards_are_a_balanced_partition_of_the_plan(plan, count):
    shards = [
        Plan.model_validate({**plan.model_dump(), "shard": (number, count)}) for number in range(1, count + 1)
    ]
    dealt = [key for keys in map(Plan.keys, shards) for key in keys]
    assert sorted(dealt) == sorted(plan.keys())

    def spread(group):
        sizes = [Counter(map(group, shard.trials())) for shard in shards]
        return max(max(s[g] for s in sizes) - min(s[g] for s in sizes) for g in map(group, plan.trials()))

    assert spread(lambda trial: 0) <= plan.repeats
    assert spread(lambda trial: trial.cell) <= plan.repeats
    assert spread(lambda trial: (trial.cell, trial.point)) <= plan.repeats
    places = {key: place for place, key in enumerate(plan.keys())}
    for shard in shards:
        assert shard.changed(shard=None) == plan
        assert shard.changed(shard=None).keys() == plan.keys()
        order = [places[key] for key in Plan.keys(shard)]
        assert order == sorted(order)
        trials = Counter((t.cell, t.point, t.repetition) for t in shard.trials())
        assert set(trials.values()) <= {plan.repeats}
        assert sum(shard.counts().values()) * plan.tiers == len(order)
