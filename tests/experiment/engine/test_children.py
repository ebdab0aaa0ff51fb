"""Child processes: what an algorithm does costs its own trial, and nothing outlives the run."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from cscluster.errors import WorkerError
from cscluster.experiment.engine import children
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import carry_out, prepare

TESTS = Path(__file__).parents[2]
PATHS = os.pathsep.join(path for path in sys.path if path)
HEAD = "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\ntrials: 1\n"


def alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def start(tmp_path, algorithms, code="from cscluster import run; run('x.yaml', jobs=1)"):
    (tmp_path / "x.yaml").write_text(HEAD + f"algorithms: {algorithms}\n")
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": PATHS},
    )


def test_all_processes_end_with_a_run_that_is_killed(tmp_path):
    signs, sign = tmp_path / "signs", tmp_path / "sign"
    signs.mkdir()
    parent = start(
        tmp_path,
        f"[{{name: '{TESTS}/hostile.py:LeavesHelpers', params: {{place: '{signs}'}}}}, "
        f"{{name: '{TESTS}/toys.py:Deaf', params: {{sign: '{sign}'}}}}]",
    )
    try:
        assert wait(lambda: sign.exists() and sign.read_text(), 120), parent.communicate()
        assert wait(lambda: len(list(signs.iterdir())) == 2, 120)
        processes = [int(sign.read_text()), *(int(path.name) for path in signs.iterdir())]
        assert all(map(alive, processes))
        processes += [process.pid for process in psutil.Process(parent.pid).children(recursive=True)]
    finally:
        parent.kill()
        parent.wait()
    assert wait(lambda: not any(map(alive, processes)), 20)


def test_what_an_algorithm_left_behind_ends_though_another_kills_its_keeper(tmp_path):
    signs = tmp_path / "signs"
    signs.mkdir()
    entries = [
        f"{{name: '{TESTS}/hostile.py:{name}', params: {{place: '{signs}'}}}}"
        for name in ("LeavesHelpers", "KillsParent")
    ]
    (tmp_path / "x.yaml").write_text(HEAD + f"algorithms: [{', '.join(entries)}]\n")
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path)
    carry_out(job, Pool(1))
    assert [record["status"] for record in job.folder.planned_records()] == ["ok", "crashed"]
    assert len(list(signs.iterdir())) == 2
    assert wait(lambda: not any(alive(int(path.name)) for path in signs.iterdir()), 5)


SHADOW = "raise RuntimeError('code of the current directory runs')\n"


def test_files_of_the_current_directory_shadow_no_module_and_own_modules_are_found(tmp_path):
    for name in ("queue", "random", "pickle", "sklearn", "psutil"):
        (tmp_path / f"{name}.py").write_text(SHADOW)
    (tmp_path / "mine.py").write_text((TESTS / "toys.py").read_text())
    code = "from cscluster import run; print(list(run('x.yaml', jobs=1).to_frame()['status']))"
    done = start(tmp_path, "[kmeans, 'mine:Trivial', 'mine.py:Chatty']", code)
    output = done.communicate()[0]
    assert output == "['ok', 'ok', 'ok']\n"


def test_processes_that_cannot_start_are_given_up(tmp_path, monkeypatch):
    (tmp_path / "x.yaml").write_text(HEAD + "algorithms: [kmeans, pckmeans]\n")
    count = tmp_path / "count"
    monkeypatch.setattr(children, "_START", f"open({str(count)!r}, 'a').write('x'); raise OSError('no luck')")
    monkeypatch.setattr(children, "_idle", [])
    monkeypatch.setattr(children, "_templates", [])
    with pytest.raises(
        WorkerError, match=r"Processes that run trials cannot be started: OSError: no luck\.$"
    ):
        carry_out(prepare(str(tmp_path / "x.yaml"), out=tmp_path), Pool(1))
    assert len(count.read_text()) == 3


def test_a_child_that_has_ended_meanwhile_costs_nothing(tmp_path):
    (tmp_path / "x.yaml").write_text(HEAD + "algorithms: [kmeans]\n")
    for number in range(2):
        job = prepare(str(tmp_path / "x.yaml"), out=tmp_path / str(number))
        carry_out(job, Pool(1))
        assert [record["status"] for record in job.folder.records()] == ["ok"]
        for child in children._idle:
            psutil.Process(child._worker).kill()


def test_an_algorithm_that_changed_after_it_was_planned_is_not_run(tmp_path):
    own = tmp_path / "mine.py"
    own.write_text((TESTS / "toys.py").read_text())
    (tmp_path / "x.yaml").write_text(HEAD + f"algorithms: ['{own}:Trivial']\n")
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path)
    own.write_text(own.read_text() + "\n# other\n")
    carry_out(job, Pool(1))
    (record,) = job.folder.records()
    assert record["status"] == "error"
    assert record["error"]["message"] == "mine.py changed after the run was planned; start it again."


def test_what_algorithms_print_is_dropped(tmp_path):
    code = "from cscluster import run; run('x.yaml', jobs=2)"
    done = start(tmp_path, f"['{TESTS}/hostile.py:Prints', '{TESTS}/toys.py:Chatty']", code)
    assert done.communicate()[0] == ""
    assert done.returncode == 0


def statuses(tmp_path, name, algorithms="[kmeans, pckmeans]"):
    (tmp_path / "x.yaml").write_text(HEAD + f"algorithms: {algorithms}\n")
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path / name)
    carry_out(job, Pool(1))
    return [record["status"] for record in job.folder.records()]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not copied")
def test_children_are_copies_of_a_process_without_threads_that_may_be_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "_idle", [])
    monkeypatch.setattr(children, "_templates", [])
    try:
        assert statuses(tmp_path, "first") == ["ok", "ok"]
        (template,), (child,) = children._templates, children._idle
        process, worker = psutil.Process(template._process.pid), psutil.Process(child._worker)
        threads = [path.read_text().strip() for path in Path(f"/proc/{process.pid}/task").glob("*/comm")]
        assert len([name for name in threads if name != "jemalloc_bg_thd"]) == 1  # its library minds copies
        assert process in worker.parents()
        process.kill()
        assert statuses(tmp_path, "second") == ["ok", "ok"]
        assert worker.is_running()
        assert children._idle == [child]
        assert statuses(tmp_path, "third", f"[kmeans, '{TESTS}/toys.py:Trivial']") == ["ok", "ok"]
        assert children._templates != [template]
        assert children._idle == [child]
    finally:
        children._end_idle()
        children._end_templates()
    assert not worker.is_running()


def test_where_processes_are_not_copied_each_child_is_started_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "_COPIES", False)
    monkeypatch.setattr(children, "_idle", [])
    monkeypatch.setattr(children, "_templates", [])
    try:
        assert statuses(tmp_path, "first") == ["ok", "ok"]
        (child,) = children._idle
        assert psutil.Process(child._worker).ppid() == child._template._process.pid
    finally:
        children._end_idle()
    assert child._template._process.returncode == 0


def test_a_trial_has_the_threads_that_its_cell_names(tmp_path):
    (tmp_path / "mine.py").write_text(
        (TESTS / "toys.py").read_text() + "\n\nclass Threads(Trivial):\n"
        "    def fit(self, X, constraints=None):\n"
        "        from threadpoolctl import threadpool_info\n"
        "        super().fit(X, constraints)\n"
        "        (self.n_iter_,) = {library['num_threads'] for library in threadpool_info()}\n"
        "        return self\n"
    )
    (tmp_path / "x.yaml").write_text(HEAD + f"threads: 2\nalgorithms: ['{tmp_path}/mine.py:Threads']\n")
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path)
    carry_out(job, Pool(1))
    (record,) = job.folder.records()
    assert record["iterations"] == 2, record
