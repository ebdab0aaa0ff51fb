"""Running from Python."""

import pytest

from cscluster import run
from cscluster.errors import CsclusterError
from cscluster.experiment.execute import Pool
from cscluster.experiment.run import carry_out, prepare

TEXT = """\
name: api
datasets: [iris]
constraints: {kind: tiers, per_tier: [10], tiers: 3}
algorithms: [kmeans, {name: pckmeans, params: {w: [0.5, 1]}}]
trials: 2
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "api.yaml"
    path.write_text(TEXT)
    return str(path)


def test_results_are_a_table(config, tmp_path):
    folder = run(config, out=tmp_path, jobs=1, backend="threading", settings=["trials=1"])
    frame = folder.to_frame()
    assert len(frame) == 3 * 3
    assert set(frame["status"]) == {"ok"}
    assert {"dataset", "label", "grid", "point", "tier", "trial", "acc", "nmi", "seconds"} <= set(frame)


def test_half_an_episode_is_completed_and_nothing_is_stored_twice(config, tmp_path):
    job = prepare(config, out=tmp_path)
    carry_out(job, Pool(1, "threading"))
    store = job.folder.trials
    whole = sorted(store.read_text().splitlines())
    lines = store.read_text().splitlines(keepends=True)
    store.write_text("".join(lines[:-2]))
    again = prepare(config, out=tmp_path)
    assert len(again.difference.todo) == 1
    carry_out(again, Pool(1, "threading"))
    keys = [record["key"] for record in job.folder.records()]
    assert sorted(keys) == sorted(set(keys))
    assert len(keys) == len(whole)


def test_errors_are_errors_of_the_package(tmp_path):
    with pytest.raises(CsclusterError, match="no experiment file"):
        run("nowhere.yaml", out=tmp_path)
