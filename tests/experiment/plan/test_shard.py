"""Shards: how they are written, and that they are all of the plan together."""

import pytest

from cscluster.errors import ConfigError
from cscluster.experiment.config.load import parse
from cscluster.experiment.plan.shard import parse_shard
from cscluster.experiment.plan.trials import make_plan

TEXT = """\
name: x
datasets: [iris]
constraints: {kind: random_pairs, counts: [20, 10]}
algorithms: [kmeans, {name: kmeans, label: grid, params: {n_init: [1, 2]}}]
trials: 5
repeats: 2
"""


def test_shards_are_a_partition_of_the_plan_that_does_not_depend_on_the_order_of_points():
    whole = make_plan(parse(TEXT, source="x.yaml"))
    shards = [make_plan(parse(TEXT, source="x.yaml"), (number, 3)) for number in (1, 2, 3)]
    dealt = [trial.keys for shard in shards for trial in shard]
    assert len(dealt) == len(set(dealt)) == 3 * 2 * 5 * 2
    assert set(dealt) == {trial.keys for trial in whole}
    turned = TEXT.replace("[20, 10]", "[10, 20]")
    for number, shard in enumerate(shards, start=1):
        other = make_plan(parse(turned, source="x.yaml"), (number, 3))
        assert set(other.plan.keys()) == set(shard.plan.keys())
        assert shard.plan.changed(shard=None) == whole.plan
        assert shard.cells.keys() == whole.cells.keys()


def test_how_a_shard_is_written():
    assert parse_shard("2/8") == (2, 8)


@pytest.mark.parametrize("text", ["0/8", "9/8", "2", "2/", "a/b", "2/8/1", "-1/3", ""])
def test_what_is_no_shard(text):
    with pytest.raises(ConfigError, match=f"shard.*2/8.*'{text}'"):
        parse_shard(text)
