"""One experiment, one set of records: wherever its trials run, and however often it is cut off."""

import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job
from tests.store.values import values

DATASETS = [
    "iris",
    "wine",
    {"generator": "blobs", "size": 40, "name": "blobs"},
    {"generator": "moons", "size": 30, "name": "moons"},
    {"base": "iris", "fraction": 0.4, "unseen": "rest", "name": "part of iris"},
]
ALGORITHMS = [
    "kmeans",
    "pckmeans",
    "mpckmeans",
    "cop_kmeans",
    "kernel_kmeans",
    "rca",
    {"name": "dca", "clusterer": "pckmeans", "label": "DCA + PCK-Means"},
    "itml",
    "iter_svr",
    "normalized_cut",
    {"name": "scsc", "params": {"n_partitions": 5}},
    {"name": "pckmeans", "label": "grid", "params": {"w": [0.5, 2]}, "select": "oracle:acc"},
    {"name": "kmeans", "label": "hurried", "timeout": 600},
]
counts = st.lists(st.integers(0, 15), min_size=1, max_size=2, unique=True)
schedules = st.one_of(
    st.builds(lambda c: {"kind": "random_pairs", "counts": c}, counts),
    st.builds(lambda c: {"kind": "balanced_pairs", "counts": c}, counts),
    st.builds(lambda c, t: {"kind": "tiers", "per_tier": c, "tiers": t}, counts, st.integers(1, 3)),
    st.builds(lambda c, f: {"kind": "folds", "counts": c, "folds": f}, counts, st.integers(2, 4)),
)


def some(values, most):
    return st.lists(st.sampled_from(values), min_size=1, max_size=most, unique_by=str)


@st.composite
def experiments(draw):
    """Small experiments of every kind."""
    schedule = draw(schedules)
    schedule["noise"] = draw(st.sampled_from([0.0, 0.0, 0.2]))
    return {
        "name": "x",
        "datasets": draw(some(DATASETS, 2)),
        "constraints": schedule,
        "algorithms": draw(some(ALGORITHMS, 3)),
        "trials": draw(st.integers(1, 2)),
        "repeats": draw(st.integers(1, 2)),
        "seed": draw(st.integers(0, 2**40)),
        "metrics": ["acc", "nmi", "acc@unseen"],
    }


def records(config, out, pool):
    job = prepare(str(config), out=out)
    run_job(job, pool)
    found = values(job.directory)
    assert set(found) == set(job.directory.definition.plan.keys())
    return found


def resumed(config, out, pool):
    """Run, cut the file of records in half, in mid-line, and run again."""
    job = prepare(str(config), out=out)
    run_job(job, pool)
    content = job.directory.trials.read_bytes()
    job.directory.trials.write_bytes(content[: len(content) // 2])
    return records(config, out, pool)


def check(experiment, pools):
    with tempfile.TemporaryDirectory() as place:
        config = Path(place) / "x.yaml"
        config.write_text(yaml.safe_dump(experiment))
        expected = records(config, Path(place) / "first", Pool(1))
        for number, pool in enumerate(pools):
            assert records(config, Path(place) / str(number), pool) == expected, pool
        assert resumed(config, Path(place) / "resumed", Pool(2)) == expected


QUICK = settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
LONG = settings(QUICK, max_examples=40)


@QUICK
@given(experiments())
def test_records_depend_on_the_experiment_only(experiment):
    check(experiment, [Pool(2)])


@pytest.mark.slow
@LONG
@given(experiments())
def test_records_depend_on_the_experiment_only_on_every_backend(experiment):
    check(experiment, [Pool(2), Pool(2), Pool(4)])


@pytest.mark.slow
@settings(LONG, max_examples=4)
@given(experiments())
def test_records_depend_on_the_experiment_only_on_dask(experiment):
    pytest.importorskip("distributed")
    check(experiment, [Pool(2, "dask")])
