"""Shards: disjoint, balanced, and all of the plan together."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cscluster.errors import ConfigError
from cscluster.experiment.config.load import parse
from cscluster.experiment.plan.shard import Shard
from cscluster.experiment.plan.trials import make_plan

TEXT = """\
name: x
datasets: [iris]
constraints: {{kind: random_pairs, counts: [{counts}]}}
algorithms: [kmeans, pckmeans, {{name: rca, params: {{shrinkage: [0.1, 0.2]}}}}]
trials: {trials}
repeats: {repeats}
"""


@given(st.integers(1, 3), st.integers(1, 7), st.integers(1, 3), st.integers(1, 9))
def test_shards_are_a_balanced_partition_of_the_plan(points, trials, repeats, count):
    counts = ", ".join(str(10 * (point + 1)) for point in range(points))
    plan = make_plan(parse(TEXT.format(counts=counts, trials=trials, repeats=repeats), source="x.yaml"))
    shards = [Shard(number, count).part(plan) for number in range(1, count + 1)]
    dealt = [trial.keys for shard in shards for trial in shard]
    assert len(dealt) == len(set(dealt)) == len(plan)
    assert set(dealt) == {trial.keys for trial in plan}

    def spread(group):
        sizes = [Counter(map(group, shard)) for shard in shards]
        return max(max(s[g] for s in sizes) - min(s[g] for s in sizes) for g in map(group, plan))

    assert spread(lambda trial: 0) <= repeats
    assert spread(lambda trial: (trial.cell.label, str(trial.cell.grid))) <= repeats
    assert spread(lambda trial: (trial.cell.label, str(trial.cell.grid), trial.point)) <= repeats
    places = {trial.keys: place for place, trial in enumerate(plan)}
    for shard in shards:
        assert [places[t.keys] for t in shard] == sorted(places[t.keys] for t in shard)
        draws = Counter((t.cell.hash, t.point, t.trial // repeats) for t in shard)
        assert set(draws.values()) <= {repeats}


def test_how_a_shard_is_written():
    shard = Shard.parse("2/8")
    assert (str(shard), shard.suffix) == ("2/8", ".shard-2-of-8")


@pytest.mark.parametrize("text", ["0/8", "9/8", "2", "2/", "a/b", "2/8/1", "-1/3", ""])
def test_what_is_no_shard(text):
    with pytest.raises(ConfigError, match="A shard is its number and how many there are, such as 2/8"):
        Shard.parse(text)
