"""Damaged experiment files: whatever stands in them, the answer is one paragraph."""

import math
from pathlib import Path

import pytest

from cscluster.experiment.config.load import load, parse
from cscluster.experiment.plan.trials import make_plan

from .mutate import damaged, restructured, setting

CONFIGS = [
    """\
name: first
title: A title
datasets: [iris, {base: wine, classes: [class_0, class_1], fraction: 0.5, unseen: rest, name: part}]
constraints: {kind: random_pairs, counts: [10, 20], noise: 0.1}
algorithms:
  - kmeans
  - {name: rca, label: R, params: {shrinkage: [0, 0.5]}, clusterer: {name: pckmeans, params: {w: 2}}}
  - {name: pmmc, params: {lam: [0.1, 1]}, select: oracle:acc, timeout: 5, memory_limit: 500MB}
trials: 3
seed: 7
metrics: [acc, nmi, acc@unseen]
preprocess: [standardize, {pca: {n: 2}}]
""",
    """\
name: second
datasets: [{base: data.csv, target: class, id: id}]
constraints: {kind: file, path: links.csv}
algorithms: [pckmeans, {name: "mine.py:Mine", label: Mine}]
n_clusters: 2
repeats: 2
threads: 1
metrics: [satisfied]
""",
    """\
name: third
datasets: [{generator: blobs, size: 60, seed: 3}]
constraints:
  kind: tiers
  per_tier: [5]
  tiers: 3
algorithms:
  - name: scsc
    params: {n_partitions: 10}
    select: heldout
trials: 2
""",
    """\
name: fourth
datasets: [iris]
constraints: {kind: folds, counts: [10], folds: 5}
algorithms: [mpckmeans, itml]
metrics: [pairwise_f@heldout]
""",
]
MINE = """\
class Mine:
    def __init__(self, n_clusters=2, random_state=None, depth=3):
        pass
    def fit(self, X, constraints=None):
        return self
"""


def beside():
    """Put the files that the experiments name where they are looked for."""
    Path("data.csv").write_text("id,p,q,class\n" + "".join(f"s{i},{i},{i * i},{i % 2}\n" for i in range(12)))
    Path("links.csv").write_text("a,b,link\ns0,s1,cannot\ns0,s2,must\n")
    Path("mine.py").write_text(MINE)


def n_trials(experiment):
    schedule = experiment.constraints
    settings = sum(
        math.prod(len(value) if isinstance(value, list) else 1 for value in entry.params.values())
        for entry in experiment.algorithms
    )
    return experiment.trials * experiment.repeats * schedule.n_tiers * settings


def validate(content):
    """Do what ``cscluster validate`` does; what would be valid but large is left at its first half."""
    Path("input.yaml").write_bytes(content)
    experiment = load("input.yaml")
    large = any((dataset.size or 0) > 10_000 for dataset in experiment.datasets)
    if not large and not 5000 < n_trials(experiment) < 10**8:
        make_plan(experiment)


def broken_bytes(rng):
    return damaged(rng.choice(CONFIGS).encode(), rng)


def broken_structure(rng):
    return restructured(rng.choice(CONFIGS), rng).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("count", [120, pytest.param(2500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("make", [broken_bytes, broken_structure])
def test_configs(fuzz, make, count):
    beside()
    fuzz(make.__name__, count, make, validate)


@pytest.mark.parametrize("count", [200, pytest.param(4000, marks=pytest.mark.slow)])
def test_settings(fuzz, count):
    beside()
    text = CONFIGS[0]
    fuzz("settings", count, setting, lambda changed: parse(text, source="input.yaml", settings=[changed]))


@pytest.mark.parametrize("text", CONFIGS)
def test_undamaged_configs_are_valid(fuzz, text):
    beside()
    validate(text.encode())
