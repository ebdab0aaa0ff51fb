"""``--shard`` and ``cscluster merge``: job arrays end in the same run as one machine."""

import re

import pandas as pd
import pytest

from cscluster.store.directory import RunDirectory
from tests.store.values import lines, values

CONFIG = """\
name: small
datasets: [iris]
constraints: {kind: tiers, per_tier: [5, 10], tiers: 2}
algorithms: [kmeans, {name: gmmc_sdp, label: fails}]
trials: 3
repeats: 2
"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.yaml").write_text(CONFIG)
    return tmp_path


def run(cscluster, *more):
    return cscluster("run", "small.yaml", "-j", "1", "--backend", "local", *more)


def everything(directory):
    """Return all that is stored, without what may differ between two runs."""
    return values(directory), directory.definition.model_copy(update={"environments": {}})


def test_merged_shards_are_the_unsharded_run(cscluster, small):
    assert run(cscluster, "--results", "whole").returncode == 1
    whole = everything(RunDirectory(small / "whole/small"))
    for number in (3, 1, 2):
        part = run(cscluster, "--shard", f"{number}/3")
        assert f"of 48 trials in shard {number}/3" in part.stdout
    shards = sorted((small / "results").glob("small.shard-*-of-3"))
    assert sum(len(list(RunDirectory(path).records())) for path in shards) == 48
    done = cscluster("merge", *shards)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\b3 runs.*results/small: 48 of 48", done.stdout)
    assert "missing" not in done.stdout
    assert everything(RunDirectory(small / "results/small")) == whole
    summaries = [pd.read_csv(small / folder / "small/summary.csv") for folder in ("results", "whole")]
    merged, unsharded = (table[table["metric"] != "seconds"] for table in summaries)
    pd.testing.assert_frame_equal(merged, unsharded)
    again = run(cscluster)
    assert "nothing to compute" in again.stdout
    assert again.returncode == 1


def test_a_shard_resumes_and_a_partial_merge_is_completed_by_a_run(cscluster, small):
    run(cscluster, "--shard", "1/2")
    store = small / "results/small.shard-1-of-2/trials.jsonl"
    store.write_text("".join(store.read_text().splitlines(keepends=True)[:-3]))
    merged = cscluster("merge", "small.shard-1-of-2")
    assert merged.returncode == 0
    assert re.search(r"\b1 run\b.*results/small: 21 of 48", merged.stdout)
    assert re.search(r"\b3 of\b.*\b24\b.*1/2\n.*\b24 of\b.*\b24\b.*2/2\n", merged.stdout)
    assert ": cscluster run small.yaml\n" in merged.stdout
    assert "21 stored, 3 to run" in " ".join(run(cscluster, "--shard", "1/2").stdout.split())
    cscluster("merge", "small.shard-1-of-2")
    assert "24 stored, 24 to run" in " ".join(run(cscluster).stdout.split())
    assert len(everything(RunDirectory(small / "results/small"))[0]) == 48


def test_more_shards_than_trials(cscluster, small):
    settings = ["--set", "algorithms=[kmeans]", "--set", "trials=1", "--set", "constraints.per_tier=[5]"]
    empty = run(cscluster, *settings, "--shard", "2/2")
    assert empty.returncode == 0
    assert "0 of 4 trials in shard 2/2" in empty.stdout
    run(cscluster, *settings, "--shard", "1/2")
    merged = cscluster("merge", "small.shard-1-of-2", "small.shard-2-of-2")
    assert "4 of 4 trials" in merged.stdout


def test_what_cannot_be_merged(cscluster, small):
    run(cscluster, "--set", "trials=1")
    run(cscluster, "--set", "trials=1", "--set", "seed=7", "--results", "other")
    for arguments, says in [
        (["small", "other/small"], "are different experiments: the seed changed from 0 to 7."),
        (["smal"], "There is no run 'smal' in 'results'. Did you mean 'small'?"),
        (["small", "--into", "../x"], "--into must start with a letter or digit"),
    ]:
        done = cscluster("merge", *arguments)
        assert done.returncode == 2
        assert says in done.stderr
    assert sorted(path.name for path in (small / "results").iterdir()) == ["small"]


def _older(environment):
    return {**environment, "packages": {**environment["packages"], "numpy": "1.0"}}


def test_mixed_versions_are_told_when_resuming_merging_and_reporting(cscluster, small):
    import numpy

    says = f"numpy from 1.0 to {numpy.__version__}"
    assert "warning" not in run(cscluster, "--set", "trials=1").stderr
    directory = RunDirectory(small / "results/small")
    records = [{**record, "environment": "older"} for record in directory.records()]
    (environment,) = directory.definition.environments.values()
    with directory.writing() as writer:
        environments = {"older": _older(environment)}
        writer.put_definition(directory.definition.model_copy(update={"environments": environments}))
        writer.put_lines(lines(*records))
    resumed = run(cscluster, "--set", "trials=2")
    assert resumed.stderr == f"warning: this run will mix versions: {says}\n"
    assert f"mixed versions: {says}" in resumed.stdout
    assert f"mixed versions: {says}" in (small / "results/small/report.md").read_text()
    assert "warning" not in run(cscluster, "--set", "trials=2").stderr
    merged = cscluster("merge", "small", "--into", "joined")
    assert merged.stderr == f"warning: these runs mix versions: {says}\n"
    shown = cscluster("show", "joined")
    assert f"mixed versions: {says}" in shown.stdout


def test_all_provenance_is_shown(cscluster, small):
    run(cscluster, "--set", "trials=1", "--shard", "1/2")
    shown = cscluster("show", "small.shard-1-of-2").stdout
    run_of = RunDirectory(small / "results/small.shard-1-of-2").definition
    (environment,) = run_of.environments.values()
    words = "".join(shown.split())
    for name, version in environment["packages"].items():
        assert f"{name}{version}" in words
    for text in (
        "made by: cscluster run small.yaml --set trials=1",
        "config: small.yaml, shard 1/2, 8 of 8 trials stored",
        next(iter(run_of.cells.values())).identity["data"],
        environment["python"],
        environment["cpu"],
        environment["blas"][0].split()[1],
        "1 of BLAS and OpenMP for each trial",
        "per_tier: [5, 10]",
        "seed: 0",
    ):
        assert text in shown
    if environment["revision"]:
        assert environment["revision"]["commit"] in shown
        assert (" with changes" in shown) == environment["revision"]["dirty"]
