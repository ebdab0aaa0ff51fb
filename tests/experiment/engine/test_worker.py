"""Worker processes: what an algorithm does costs its own trial, and nothing outlives the run."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from cscluster.errors import WorkerError
from cscluster.experiment.engine import worker as workers
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job

TESTS = Path(__file__).parents[2]
TRIVIAL = f"'{TESTS}/toys.py:Trivial'"
PATHS = os.pathsep.join(path for path in sys.path if path)
HEAD = "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\n"


@pytest.fixture
def no_idle_workers():
    """Keep the workers of a test apart from those of others."""
    end_idle()
    yield
    end_idle()


def end_idle():
    while workers._idle:
        workers._idle.pop().end()


def hostile(name, place):
    return f"{{name: '{TESTS}/hostile.py:{name}', params: {{place: '{place}'}}}}"


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


def start(tmp_path, algorithms, code="from cscluster import run; run('x.yaml', jobs=1)", trials=1):
    """Start a run in a process of its own."""
    (tmp_path / "x.yaml").write_text(HEAD + f"trials: {trials}\nalgorithms: {algorithms}\n")
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": PATHS},
    )


def records(tmp_path, name, algorithms):
    """Run algorithms in this process."""
    (tmp_path / "x.yaml").write_text(HEAD + f"trials: 1\nalgorithms: {algorithms}\n")
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path / name)
    run_job(job, Pool(1))
    planned = job.trials.plan.keys()
    found = {record["key"]: record for record in job.directory.records()}
    return [found[key] for key in planned]


def statuses(tmp_path, name, algorithms="[kmeans]"):
    return [record["status"] for record in records(tmp_path, name, algorithms)]


def test_all_processes_end_with_a_run_that_is_killed(tmp_path):
    signs = tmp_path / "signs"
    signs.mkdir()
    parent = start(tmp_path, f"[kmeans, {hostile('Hangs', signs)}]")
    try:
        assert wait(lambda: len(list(signs.iterdir())) == 2, 120), parent.communicate()
        processes = [int(path.name) for path in signs.iterdir()]
        assert all(map(alive, processes))
        processes += [process.pid for process in psutil.Process(parent.pid).children(recursive=True)]
    finally:
        parent.kill()
        parent.wait()
    assert wait(lambda: not any(map(alive, processes)), 20)


def test_all_processes_end_with_a_run_that_is_over(tmp_path):
    code = "import psutil; from cscluster import run; run('x.yaml', jobs=1)\n"
    code += "print(*[process.pid for process in psutil.Process().children(recursive=True)])"
    done = start(tmp_path, f"[kmeans, {TRIVIAL}]", code)
    processes = list(map(int, done.communicate()[0].split()))
    assert len(processes) >= 2
    assert wait(lambda: not any(map(alive, processes)), 20)


def test_an_interrupt_while_libraries_are_loaded_leaves_no_traceback(tmp_path):
    code = (
        "import sys; sys.argv[1:] = ['run', 'x.yaml', '-j', '2']; from cscluster.cli.app import main; main()"
    )
    parent = start(tmp_path, "[kmeans]", code, trials=1000)
    assert wait(lambda: len(psutil.Process(parent.pid).children()) == 2, 120), parent.communicate()
    time.sleep(0.3)
    os.killpg(parent.pid, signal.SIGINT)
    output = parent.communicate()[0]
    assert parent.returncode == 130
    assert "Traceback" not in output


def test_child_processes_that_an_algorithm_leaves_end_with_its_trial(tmp_path):
    for name, status in (("LeavesHelpers", "ok"), ("ForksAndLeaves", "crashed")):
        place = tmp_path / name
        place.mkdir()
        assert statuses(place, "results", f"[{hostile(name, place)}]") == [status]
        helpers = [int(path.name) for path in place.iterdir() if path.name.isdigit()]
        assert wait(lambda helpers=helpers: not any(map(alive, helpers)), 5)


SHADOW = "raise RuntimeError('code of the current directory runs')\n"


def test_files_of_the_current_directory_shadow_no_module_and_own_modules_are_found(tmp_path):
    for name in ("queue", "random", "pickle", "sklearn", "psutil"):
        (tmp_path / f"{name}.py").write_text(SHADOW)
    (tmp_path / "mine.py").write_text((TESTS / "toys.py").read_text())
    code = "from cscluster import run; print(list(run('x.yaml', jobs=1).to_frame()['status']))"
    done = start(tmp_path, "[kmeans, 'mine:Trivial', 'mine.py:Chatty']", code)
    output = done.communicate()[0]
    assert output == "['ok', 'ok', 'ok']\n"


def test_a_script_is_not_run_again_by_workers(tmp_path):
    (tmp_path / "x.yaml").write_text(HEAD + "trials: 1\nalgorithms: [kmeans]\n")
    script = tmp_path / "script.py"
    script.write_text("from cscluster import run\nprint(list(run('x.yaml', jobs=1).to_frame()['status']))\n")
    environment = {**os.environ, "PYTHONPATH": PATHS}
    command = [sys.executable, str(script)]
    assert subprocess.check_output(command, cwd=tmp_path, env=environment, text=True) == "['ok']\n"


@pytest.mark.usefixtures("no_idle_workers")
def test_processes_that_cannot_start_are_given_up(tmp_path, monkeypatch):
    starts = []

    def fail(worker, timeout):
        starts.append(worker)
        raise workers._FailureError("crashed", "no luck")

    monkeypatch.setattr(workers._Worker, "_next", fail)
    with pytest.raises(WorkerError, match="no luck"):
        records(tmp_path, "results", "[kmeans]")
    assert len(starts) == 3
    assert not any(worker.process.is_alive() for worker in starts)


@pytest.mark.usefixtures("no_idle_workers")
def test_a_worker_is_kept_and_one_that_was_killed_meanwhile_costs_nothing(tmp_path):
    assert statuses(tmp_path, "first") == ["ok"]
    (worker,) = workers._idle
    assert statuses(tmp_path, "second") == ["ok"]
    assert workers._idle == [worker]
    os.kill(worker.process.pid, signal.SIGKILL)
    assert wait(lambda: not worker.is_waiting(), 20)
    assert statuses(tmp_path, "third") == ["ok"]
    assert worker not in workers._idle
    assert len(workers._idle) == 1


@pytest.mark.usefixtures("no_idle_workers")
def test_own_algorithms_have_workers_of_their_own_which_end_with_the_run(tmp_path):
    assert (
        statuses(tmp_path, "first", f"[kmeans, {hostile('ChangesLibraries', tmp_path)}, {TRIVIAL}]")
        == ["ok"] * 3
    )
    assert [len(worker.owner) for worker in workers._idle] == [1]
    assert statuses(tmp_path, "second") == ["ok"]


def test_an_algorithm_that_changed_after_it_was_planned_is_not_run(tmp_path):
    own = tmp_path / "mine.py"
    own.write_text((TESTS / "toys.py").read_text())
    (tmp_path / "x.yaml").write_text(HEAD + f"trials: 1\nalgorithms: ['{own}:Trivial']\n")
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path)
    own.write_text(own.read_text() + "\n# other\n")
    run_job(job, Pool(1))
    (record,) = job.directory.records()
    assert record["status"] == "error"
    assert re.match(r"mine\.py changed", record["error"]["message"])


def test_what_algorithms_print_is_dropped(tmp_path):
    code = "from cscluster import run; run('x.yaml', jobs=2)"
    done = start(tmp_path, f"['{TESTS}/hostile.py:Prints', '{TESTS}/toys.py:Chatty']", code)
    assert done.communicate()[0] == ""
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers are not forked")
@pytest.mark.usefixtures("no_idle_workers")
def test_a_fork_server_that_is_lost_is_started_again(tmp_path):
    assert statuses(tmp_path, "first") == ["ok"]
    (worker,) = workers._idle
    psutil.Process(worker.process.pid).parent().kill()
    assert wait(lambda: not worker.is_waiting(), 20)
    assert statuses(tmp_path, "second", f"[kmeans, {TRIVIAL}]") == ["ok", "ok"]
    assert worker not in workers._idle


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers are not forked")
def test_the_fork_server_has_loaded_the_libraries_and_has_one_thread(tmp_path):
    assert statuses(tmp_path, "first") == ["ok"]
    server = psutil.Process(workers._idle[0].process.pid).parent()
    assert any("sklearn" in mapping.path for mapping in server.memory_maps())
    threads = [path.read_text().strip() for path in Path(f"/proc/{server.pid}/task").glob("*/comm")]
    assert len([name for name in threads if name != "jemalloc_bg_thd"]) == 1  # its library minds forks


@pytest.mark.usefixtures("no_idle_workers")
def test_where_processes_are_not_forked_each_worker_is_started_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "_CONTEXT", multiprocessing.get_context("spawn"))
    algorithms = f"[kmeans, {hostile('ForksAndLeaves', tmp_path)}]"
    assert statuses(tmp_path, "first", algorithms) == ["ok", "crashed"]
    (worker,) = workers._idle
    assert psutil.Process(worker.process.pid).ppid() == os.getpid()


@pytest.mark.parametrize(
    ("name", "says"),
    [("Dies", "the process ended with exit code 0"), ("Crashes", "the process was killed by SIGSEGV")],
)
def test_a_crashed_trial_says_how_its_process_ended(tmp_path, name, says):
    (record,) = records(tmp_path, "results", f"['{TESTS}/hostile.py:{name}']")
    assert (record["status"], record["error"]["message"]) == ("crashed", says)


def test_a_trial_has_the_threads_that_its_cell_names(tmp_path):
    (tmp_path / "mine.py").write_text(
        (TESTS / "toys.py").read_text() + "\n\nclass Threads(Trivial):\n"
        "    def fit(self, X, constraints=None):\n"
        "        from threadpoolctl import threadpool_info\n"
        "        super().fit(X, constraints)\n"
        "        (self.n_iter_,) = {library['num_threads'] for library in threadpool_info()}\n"
        "        return self\n"
    )
    (record,) = records(tmp_path, "results", f"['{tmp_path}/mine.py:Threads']\nthreads: 2")
    assert record["iterations"] == 2, record
