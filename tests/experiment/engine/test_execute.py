"""Trials on every backend: what a failure costs, and that results do not depend on where they are made."""

from collections import Counter
from pathlib import Path

import pytest

from cscluster.errors import ConfigError
from cscluster.experiment.engine.execute import Pool, _Agenda
from cscluster.experiment.engine.run import prepare, run_job

TOYS = Path(__file__).parents[2] / "toys.py"


def config(tmp_path, algorithms, more="trials: 3"):
    path = tmp_path / "x.yaml"
    path.write_text(
        "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\n"
        f"algorithms:\n{algorithms}\n{more}\n"
    )
    return str(path)


def test_a_dying_worker_does_not_take_others_with_it(tmp_path):
    algorithms = (
        f"  - kmeans\n  - {{name: '{TOYS}:Broken', label: b, params: {{how: exit, sometimes: true}}}}\n"
    )
    job = prepare(config(tmp_path, algorithms, "trials: 4\nseed: 1"), out=tmp_path)
    run_job(job, Pool(2))
    records = list(job.directory.records())
    assert len(records) == len(job.directory.planned()) == len(list(job.trials)) == 8
    status = Counter((record["label"], record["status"]) for record in records)
    assert status["k-means", "ok"] == 4
    assert status["b", "ok"] + status["b", "crashed"] == 4
    assert min(status["b", "ok"], status["b", "crashed"]) > 0


def without_times(records):
    dropped = ("seconds", "cpu_seconds", "environment")
    return {r["key"]: {name: value for name, value in r.items() if name not in dropped} for r in records}


def test_results_do_not_depend_on_where_trials_run_nor_on_their_order(tmp_path):
    algorithms = ["  - kmeans\n", "  - pckmeans\n", f"  - '{TOYS}:Chatty'\n"]

    def records(name, pool, lines):
        job = prepare(config(tmp_path, "".join(lines)), out=tmp_path / name)
        run_job(job, pool)
        return without_times(job.directory.records())

    alone = records("alone", Pool(1), algorithms[::-1])
    assert records("together", Pool(2), algorithms) == alone
    assert records("dask", Pool(2, "dask"), algorithms) == alone


def test_the_trials_of_a_repetition_go_to_one_worker(tmp_path):
    plan = prepare(config(tmp_path, "  - kmeans\n  - pckmeans\n  - rca", "trials: 3"), out=tmp_path)
    plan = list(plan.trials)
    agenda = _Agenda(plan)
    dealt = {"a": [], "b": []}
    for worker in "abbab" + "abaa":
        dealt[worker].append(agenda.next_of(ord(worker)))
    assert dealt["a"][:3] == [trial for trial in plan if trial.trial == 0]
    assert dealt["b"][:3] == [trial for trial in plan if trial.trial == 1]
    assert {trial.trial for worker in dealt.values() for trial in worker[3:]} == {2}
    assert sorted(dealt["a"] + dealt["b"], key=plan.index) == plan


def test_unknown_backend():
    with pytest.raises(ConfigError, match=r"backend 'locale'.*'local'"):
        Pool(2, "locale")
    with pytest.raises(ConfigError, match="backend 'dask'"):
        Pool(2, scheduler="tcp://127.0.0.1:8786")
