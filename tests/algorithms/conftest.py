"""What tests of several families share."""

import pytest

from cscluster import load_dataset
from cscluster.experiment.config.schedules import RandomPairs


@pytest.fixture(scope="session")
def draw():
    """Return a function to the samples and classes of a data set, and constraints between random pairs."""

    def samples_and_constraints(name, count, trial=0, seed=5):
        data = load_dataset(name)
        episode = RandomPairs(counts=[count]).episode(count, data.y, seed, name, trial)
        return data.X, data.y, episode.tiers[0]

    return samples_and_constraints
